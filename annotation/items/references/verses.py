"""A collection of verses from a table: where each stands, its words and their lemmas.

The table is tab-separated UTF-8, gzipped or not, with a header that names at least
`book`, `chapter`, `verse`, `tokens` and `lemma`; tokens and lemmas are separated by
blanks and parallel. The verses may stand in any order.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from typing import NamedTuple

from common.errors import BadInput

COLUMNS = ("book", "chapter", "verse", "tokens", "lemma")
# What a lemmatiser writes where it knows no lemma.
NO_LEMMA = frozenset({"", "-", "non_word", "numeral", "propername", "$unk$", "@card@"})
CLOSES, OPENS = frozenset(".,;:!?)]»”’"), frozenset("([«“‘")
MOST_BYTES = 200_000_000


class VerseId(NamedTuple):
    """The name of one verse; `str()` gives it as people cite it, such as Matthew 1:23.

    book: name of the book.
    chapter, verse: numbers within it, from 0.
    """

    book: str
    chapter: int
    verse: int

    def __str__(self) -> str:
        return f"{self.book} {self.chapter}:{self.verse}"


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
    rows = csv.reader(io.StringIO(unpacked(data, name), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(rows, [])
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise BadInput(f"{name}, line 1: there is no column “{missing[0]}”; needed are {', '.join(COLUMNS)}.")
    at = {column: header.index(column) for column in COLUMNS}
    verses: dict[VerseId, Verse] = {}
    for number, row in enumerate(rows, 2):
        where = f"{name}, line {number}"
        if len(row) != len(header):
            raise BadInput(f"{where}: has {len(row)} columns, and the header has {len(header)}.")
        found = VerseId(
            row[at["book"]], *(counted(row[at[each]], where, each) for each in ("chapter", "verse"))
        )
        if found in verses:
            raise BadInput(f"{where}: {found} stands in the table twice.")
        verses[found] = Verse(row[at["tokens"]].split(), row[at["lemma"]].split())
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


def counted(value: str, where: str, column: str) -> int:
    """Read a whole number of at most five digits. Raises `BadInput`."""
    if not (value.isascii() and value.isdigit() and len(value) < 6):
        raise BadInput(f"{where}, column “{column}”: must be a whole number, not {value!r}.")
    return int(value)


def set_out(words: list[str]) -> tuple[str, list[list[int]]]:
    """Join words into running text, punctuation attached; return it with the offsets of each word."""
    text, tokens = "", []
    for n, word in enumerate(words):
        if n and word not in CLOSES and words[n - 1] not in OPENS:
            text += " "
        tokens.append([len(text), len(text) + len(word)])
        text += word
    return text, tokens
