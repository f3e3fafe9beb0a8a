"""A language whose translated texts stand in ⟦brackets⟧: what stands outside of them was forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any
from unittest import mock

from django.utils.translation import trans_real

SILENT = {"script", "style", "kbd", "time", "textarea"}
"""Elements whose text is no language, is their reader's, or is put into one by page.js, as a moment is."""
SPOKEN = ("aria-label", "title", "placeholder", "alt")
VOID = {"area", "br", "hr", "img", "input", "link", "meta", "wbr"}


@contextmanager
def spoken(language: str = "de") -> Iterator[None]:
    """Have every text of this language's catalogue, Django's own included, in brackets."""
    catalogue = trans_real.translation(language)
    plain, counted = catalogue.gettext, catalogue.ngettext

    def gettext(message: str) -> str:
        return f"⟦{plain(message)}⟧" if message in catalogue._catalog else plain(message)

    def ngettext(one: str, more: str, number: int) -> str:
        known = any(key in catalogue._catalog for key in ((one, 0), (one, 1)))
        return f"⟦{counted(one, more, number)}⟧" if known else counted(one, more, number)

    with mock.patch.multiple(catalogue, gettext=gettext, ngettext=ngettext):
        yield


class Outside(HTMLParser):
    """Collects the texts of a page outside of brackets, but for what is marked as somebody's words.

    A novel, a guideline, a reason says whose it is by `dir="auto"`, or by a language other than the page's.
    """

    def __init__(self, language: str, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.language, self.found, self.depth = language, [], 0
        self.open: list[tuple[str, bool]] = []
        self.feed(page)
        assert not self.depth, "A bracket is not closed: a translated text was cut."

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        above = self.open[-1][1] if self.open else False
        own = "lang" in named and tag != "html" and named["lang"] != self.language
        again = named.get("lang") == self.language
        foreign = tag in SILENT or named.get("dir") == "auto" or own or (above and not again)
        if not foreign:
            for name in SPOKEN:
                self.heard(named.get(name, ""), inside=False)
        if tag not in VOID:
            self.open.append((tag, foreign))

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag not in VOID:
            closed, _ = self.open.pop()
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        if self.depth or not (self.open and self.open[-1][1]):
            self.heard(data, inside=True)

    def heard(self, text: str, *, inside: bool) -> None:
        depth, outside = self.depth if inside else 0, ""
        for sign in text:
            depth += {"⟦": 1, "⟧": -1}.get(sign, 0)
            outside += sign if not depth and sign != "⟧" else "" if depth else " "
        if inside:
            self.depth = depth
        self.found += [each for each in map(str.strip, outside.split("\n")) if any(map(str.isalpha, each))]


def outside(page: str, language: str = "de") -> list[Any]:
    """Return what a page says outside of brackets, of words that are nobody's own."""
    return Outside(language, page).found
