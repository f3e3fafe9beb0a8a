"""The catalogues of a language: three files that people write, and two that the site reads, made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tests.languages import extracting
from tests.languages.extracting import ROOT, Words

LOCALE = ROOT / "locale"
# What people write, and where its words are read from.
SOURCES = {
    "django.templates.po": extracting.of_templates_alone,
    "django.python.po": extracting.of_python,
    "djangojs.po": extracting.of_scripts,
}
# What the site reads, and what it is made of.
COMPILED = {"django.mo": ("django.templates.po", "django.python.po"), "djangojs.mo": ("djangojs.po",)}
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|</?[a-z]+")


def languages() -> list[str]:
    """Return the code of each language that has catalogues."""
    return sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir())


def file(language: str, name: str) -> Path:
    """Return where a catalogue lies."""
    return LOCALE / language / "LC_MESSAGES" / name


def read(language: str, name: str) -> Catalog:
    """Return a catalogue; an empty one where there is none yet."""
    path = file(language, name)
    if not path.is_file():
        return Catalog(locale=language, project="Variorum", fuzzy=False)
    with path.open("rb") as opened:
        return read_po(opened, locale=language)


def update(language: str, name: str) -> None:
    """Write the catalogue again: the words of the sources in their order, new ones with nothing.

    What no source holds any more stands behind them, as obsolete: a person deletes it, or uses it again.
    """
    known, wanted = read(language, name), Catalog(locale=language, project="Variorum", fuzzy=False)
    old = {(each.id, each.context): each for each in [*known.obsolete.values(), *known] if each.id}
    for words, files in SOURCES[name]().items():
        wanted.add(_id(words), context=words.context, locations=[(each, 0) for each in files])
        held = old.pop((_id(words), words.context), None)
        if held is not None:
            message = wanted.get(_id(words), words.context)
            message.string, message.flags, message.user_comments = held.string, held.flags, held.user_comments
    elsewhere = {_id(each) for each in extracting.of_python()} if name in COMPILED["django.mo"] else set()
    for (name_of, context), held in old.items():
        if name_of not in elsewhere and any(held.string if isinstance(held.string, tuple) else [held.string]):
            wanted.obsolete[(name_of, context)] = held
    wanted.header_comment = f"# Variorum for readers: {name}, {language}."
    out = BytesIO()
    write_po(out, wanted, width=110, include_lineno=False, sort_output=False, omit_header=False)
    stable = re.sub(
        rb'"(POT-Creation-Date|PO-Revision-Date|Generated-By|Last-Translator|Report-Msgid-Bugs-To)[^\n]*\n',
        b"",
        out.getvalue(),
    )
    file(language, name).write_bytes(stable)


def faults(language: str) -> Iterator[str]:
    """Yield, in a sentence each, what is wrong with the catalogues of a language."""
    for name, sources in SOURCES.items():
        wanted, catalogue = sources(), read(language, name)
        known = {(each.id, each.context) for each in catalogue if each.id}
        for words, files in wanted.items():
            if (_id(words), words.context) not in known:
                yield f"{name}: “{words.text}” of {files[0]} is missing."
        unused = known - {(_id(words), words.context) for words in wanted}
        for key in [*unused, *((each.id, each.context) for each in catalogue.obsolete.values())]:
            yield f"{name}: “{key[0]}” is obsolete: no source holds it."
        for message in catalogue:
            if message.id:
                yield from (f"{name}: {fault}" for fault in _faults_of(message))
    yield from _two_words_for_one(language)


def _faults_of(message) -> Iterator[str]:
    ids = message.id if isinstance(message.id, tuple) else (message.id,)
    texts = message.string if isinstance(message.string, tuple) else (message.string,)
    if message.fuzzy:
        yield f"“{ids[0]}” is fuzzy."
    if not all(texts) or len(texts) < len(ids):
        yield f"“{ids[0]}” is not translated."
        return
    wanted = {sign for each in ids for sign in PLACEHOLDER.findall(each)}
    for text in texts:
        other = set(PLACEHOLDER.findall(text)) - wanted
        lost = set(PLACEHOLDER.findall(ids[-1])) - set(PLACEHOLDER.findall(text))
        # The form for one may say it in a word.
        if other or (lost and text is texts[-1]):
            yield f"“{ids[0]}”: “{text}” has {sorted(other)} too many and {sorted(lost)} too few."


def _two_words_for_one(language: str) -> Iterator[str]:
    said: dict[tuple[object, str | None], object] = {}
    for name in COMPILED["django.mo"]:
        for each in read(language, name):
            if each.id and said.setdefault((each.id, each.context), each.string) != each.string:
                yield f"{name}: “{each.id}” is translated otherwise than in another catalogue."


def compiled(language: str, name: str) -> bytes:
    """Return the file that the site reads, made of what people wrote."""
    together = Catalog(locale=language, project="Variorum", fuzzy=False, charset="utf-8")
    # The same words make the same file, whenever it is made.
    together.creation_date = together.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    for part in COMPILED[name]:
        for each in read(language, part):
            if each.id:
                together.add(each.id, each.string, context=each.context)
    out = BytesIO()
    write_mo(out, together)
    return out.getvalue()


def _id(words: Words) -> str | tuple[str, str]:
    return (words.text, words.more) if words.more else words.text
