"""Sentences in the language of whoever reads them, for code that knows no Django.

English until a site says otherwise: `common.apps` hands in Django's functions. The names are those of
gettext, by which a catalogue's sentences are collected.
"""

from __future__ import annotations

from collections.abc import Callable


def gettext_noop(message: str) -> str:
    """Return the message as it is: it is stored or compared in English, and translated where it is shown."""
    return message


def _one_of_both(one: str, several: str, number: int) -> str:
    return one if number == 1 else several


def _english() -> str | None:
    return "en"


_translate: Callable[[str], str] = gettext_noop
_translate_counted: Callable[[str, str, int], str] = _one_of_both
_language: Callable[[], str | None] = _english


def use(
    translate: Callable[[str], str],
    translate_counted: Callable[[str, str, int], str],
    language: Callable[[], str | None],
) -> None:
    """Take the functions of a site: for a message, for one with a number, for the code of the language."""
    global _translate, _translate_counted, _language
    _translate, _translate_counted, _language = translate, translate_counted, language


def gettext(message: str) -> str:
    """Return the message in the reader's language; as it is where it has no translation."""
    return _translate(message) if message else ""


def ngettext(one: str, several: str, number: int) -> str:
    """Return the message that fits the number, in the reader's language."""
    return _translate_counted(one, several, number)


def language() -> str:
    """Return the code of the reader's language, such as de."""
    return (_language() or "en").partition("-")[0]
