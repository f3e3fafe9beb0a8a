"""Which words the sources hold that readers see: of templates, of Python, of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from babel.messages.extract import DEFAULT_KEYWORDS, extract
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(settings.BASE_DIR)
APPS = ("variorum", "evaluation", "annotation", "retrieval", "machines", "common")
PYTHON_KEYWORDS = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}
SCRIPT_KEYWORDS = {"translated": None, "counted": (2, 3)}
# In what `templatize` makes of a template; a script's reader takes any text for code, Python's does not.
TEMPLATE_KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}


class Words(NamedTuple):
    """Words of a source: `text`, with `more` the form for several or nothing, and their context or None."""

    text: str
    more: str
    context: str | None


def of_templates() -> dict[Words, list[str]]:
    """Return the words of all templates, each with the files that hold it."""
    files = sorted((ROOT / "templates").rglob("*.html"))
    return _gathered((file, _template(file)) for file in files)


def of_templates_alone() -> dict[Words, list[str]]:
    """Return the words of templates that no module holds: a word is translated in one catalogue."""
    others = of_python()
    return {words: files for words, files in of_templates().items() if words not in others}


def of_python() -> dict[Words, list[str]]:
    """Return the words of all modules of the product."""
    files = [file for app in APPS for file in sorted((ROOT / app).rglob("*.py"))]
    # A module without this word has no words in a catalogue, and need not be parsed.
    sources = ((file, source) for file in files if b"gettext" in (source := file.read_bytes()))
    return _gathered((file, _read(source, "python", PYTHON_KEYWORDS)) for file, source in sources)


def of_scripts() -> dict[Words, list[str]]:
    """Return the words of all scripts."""
    files = [file for app in APPS for file in sorted((ROOT / app).rglob("static/**/*.js"))]
    read = ((file, _read(file.read_bytes(), "javascript", SCRIPT_KEYWORDS)) for file in files)
    return _gathered(read)


def _template(file: Path) -> Iterator[Words]:
    source = file.read_text(encoding="utf-8")
    if not re.search(r"\{%-? *(blocktranslate|translate)|_\([\"']", source):
        return iter(())
    return _read(templatize(source, origin=str(file)).encode(), "javascript", TEMPLATE_KEYWORDS)


def _read(source: bytes, language: str, keywords: dict[str, object]) -> Iterator[Words]:
    options = {"encoding": "utf-8", "parse_template_string": True}
    for _, message, _, context in extract(language, BytesIO(source), keywords, options=options):
        text, more = message if isinstance(message, tuple) else (message, "")
        yield Words(text, more, context)


def _gathered(files: Iterator[tuple[Path, Iterator[Words]]]) -> dict[Words, list[str]]:
    found: dict[Words, list[str]] = {}
    for file, words in files:
        name = str(file.relative_to(ROOT))
        for each in words:
            held = found.setdefault(each, [])
            if name not in held:
                held.append(name)
    return found
