"""A collection of verses from a table: where each stands, its words and their lemmas.

The table is tab-separated UTF-8, gzipped or not, with a header that names at least
`book`, `chapter`, `verse`, `tokens` and `lemma`; tokens and lemmas are separated by
blanks and parallel. The verses may stand in any order.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import Line, wrong_in
from retrieval.engine.interchange.verses import VerseId, columns_of, table

MOST_BYTES = 200_000_000


class Verse(NamedTuple):
    """The words of one verse.

    words: tokens in order, punctuation among them.
    lemmas: dictionary forms, one a word where the table is sound.
    """

    words: list[str]
    lemmas: list[str]


class VerseCollection(NamedTuple):
    """All verses of a table.

    verses: each verse by its name.
    frequency: how often each lemma occurs in the whole table.
    named: how often each lemma stands for a word with a capital.
    forms: how often each word occurs, without case.
    vocabulary: those words in alphabetical order.
    """

    verses: dict[VerseId, Verse]
    frequency: Counter[str]
    named: Counter[str]
    forms: Counter[str]
    vocabulary: list[str]


def read(data: bytes, name: str) -> VerseCollection:
    """Read a table of verses. Raises `BadInput`, which names the file, the line and the column."""
    wrong = wrong_in(name)
    text = unpacked(data, name)
    rows = (Line(n, row.removesuffix("\r"), 0) for n, row in enumerate(text.split("\n"), 1))
    verses: dict[VerseId, Verse] = {}
    for each in table(rows, wrong, columns_of(next(rows, Line(1, "", 0)), wrong)):
        if each.id in verses:
            raise wrong(each.line.number, f"{each.id} stands in the table twice.")
        verses[each.id] = Verse(each.words, each.lemmas)
    if not verses:
        raise BadInput(f"{name}: holds no verse.")
    return collection(verses)


def collection(verses: dict[VerseId, Verse]) -> VerseCollection:
    """Return the verses with what is counted of them."""
    frequency: Counter[str] = Counter()
    named: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    for verse in verses.values():
        frequency.update(verse.lemmas)
        forms.update(word.casefold() for word in verse.words)
        if len(verse.lemmas) == len(verse.words):
            pairs = zip(verse.words, verse.lemmas, strict=True)
            named.update(lemma for word, lemma in pairs if word[:1].isupper())
    return VerseCollection(verses, frequency, named, forms, sorted(forms))


def unpacked(data: bytes, name: str) -> str:
    """Return the text of the table, gzipped or not. Raises `BadInput` for what is no UTF-8 or too large."""
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{name}: is not a whole gzip file ({error}).") from None
    if len(data) > MOST_BYTES:
        raise BadInput(f"{name}: has more than {MOST_BYTES:,} bytes: that is no table of verses.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{name}, line {line}: is not UTF-8 text. Save the table as UTF-8.") from None
    if "\x00" in text:
        raise BadInput(f"{name}, line {text.count(chr(10), 0, text.index(chr(0))) + 1}: holds NUL.")
    return text
