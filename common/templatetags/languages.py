"""What templates need to speak the reader's language."""

from __future__ import annotations

import json
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

from django import template
from django.conf import settings
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
ENGLISH = "en"
# As `json_script` does it: no sign of the data can end the element that holds them.
SAFE = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


@register.filter
def translated(label: str) -> str:
    """Return a label in the reader's language; what is none, such as somebody's own words, as it is."""
    return translation.gettext(label) if label else ""


@register.filter
def within_sentence(label: str) -> str:
    """Return a label in the reader's language, as it stands within a sentence: small in English alone."""
    return translated(label).lower() if translation.get_language() in (None, ENGLISH) else translated(label)


@register.filter
def uncapitalized(label: str) -> str:
    """Return a label that begins with no noun, which German writes large, as it stands in a list or line."""
    said = translated(label)
    return said[:1].lower() + said[1:]


@register.simple_tag
def words_of_scripts() -> SafeString:
    """Return, for page.js, the words of the scripts in another language; the English ones stand in them."""
    language = translation.get_language()
    if language in (None, ENGLISH):
        return SafeString("")
    return mark_safe(f'<script type="application/json" id="translations">{_words(str(language))}</script>\n')  # noqa: S308


@cache
def _words(language: str) -> str:
    """Return English text → translation, or → its forms for one and for more, as JSON."""
    file = Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "djangojs.mo"
    if not file.is_file():
        return "{}"
    with file.open("rb") as opened:
        catalogue = GNUTranslations(opened)._catalog  # type: ignore[attr-defined]
    words: dict[str, str | list[str]] = {}
    for key, text in sorted(catalogue.items(), key=str):
        if isinstance(key, str) and key:
            words[key] = text
        elif isinstance(key, tuple):
            forms = words.setdefault(key[0], [])
            assert isinstance(forms, list)  # noqa: S101 - a text is either counted or not
            forms.append(text)
    return json.dumps(words, ensure_ascii=False, separators=(",", ":")).translate(SAFE)
