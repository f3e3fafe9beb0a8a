"""Tables of verses: where each verse stands, its words and their lemmas.

A table is tab-separated, with a header that names at least `book`, `chapter`, `verse`, `tokens` and `lemma`;
tokens and lemmas are separated by blanks and parallel. The verses may stand in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import Line, Wrong

COLUMNS = ("book", "chapter", "verse", "tokens", "lemma")
NO_LEMMA = frozenset({"", "-", "non_word", "non_latin", "numeral", "propername", "$unk$", "@card@"})
"""What a lemmatiser writes where it knows no lemma."""
_CLOSES, _OPENS = frozenset(".,;:!?)]»”’"), frozenset("([«“‘")


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

    @property
    def written(self) -> str:
        """Return the name as files write it: Matthew_1_23, with hyphens for the blanks of the book's name."""
        return f"{self.book.replace(' ', '-')}_{self.chapter}_{self.verse}"


class ReadVerse(NamedTuple):
    """One verse of a table.

    id: its name.
    words: tokens in order, punctuation among them.
    lemmas: dictionary forms, one a word where the table is sound.
    line: where it stands in the file.
    """

    id: VerseId
    words: list[str]
    lemmas: list[str]
    line: Line


def verse_id(name: object, where: str) -> VerseId:
    """Read a verse id such as Matthew_1_23. Raises `BadInput` where it is none."""
    parts = name.rsplit("_", 2) if isinstance(name, str) else []
    if len(parts) != 3 or not all(_is_number(part) for part in parts[1:]):
        raise BadInput(f"{where}: {name!r} is no verse id such as Matthew_1_23.")
    return VerseId(parts[0].replace("-", " "), int(parts[1]), int(parts[2]))


def columns_of(first: Line, wrong: Wrong) -> list[str]:
    """Return the columns that the header of a table names. Raises `BadInput` where one of `COLUMNS` lacks."""
    header = first.text.split("\t")
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise wrong(first.number, f"there is no column “{missing[0]}”; needed are {', '.join(COLUMNS)}.")
    return header


def table(lines: Iterable[Line], wrong: Wrong, header: Sequence[str]) -> Iterator[ReadVerse]:
    """Yield the verse of each line that is not blank; the header is not among them.

    Raises:
        BadInput: a line has too few or too many columns, no book, or a number that is none.
    """
    at = {column: header.index(column) for column in COLUMNS}
    for line in lines:
        if not line.text.strip():
            continue
        row = line.text.split("\t")
        if len(row) != len(header):
            raise wrong(line.number, f"has {len(row)} columns, and the header has {len(header)}.")
        book = row[at["book"]].strip()
        if not book:
            raise wrong(line.number, "the column “book” is empty.")
        for column in ("chapter", "verse"):
            if not _is_number(row[at[column]]):
                raise wrong(
                    line.number,
                    f"the column “{column}” must be a whole number, not {row[at[column]]!r:.40}.",
                )
        found = VerseId(book, int(row[at["chapter"]]), int(row[at["verse"]]))
        yield ReadVerse(found, row[at["tokens"]].split(), row[at["lemma"]].split(), line)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6


def set_out(words: Sequence[str]) -> tuple[str, list[list[int]]]:
    """Join words into running text, punctuation attached; return it with the offsets of each word."""
    text, tokens = "", []
    for n, word in enumerate(words):
        if n and word not in _CLOSES and words[n - 1] not in _OPENS:
            text += " "
        tokens.append([len(text), len(text) + len(word)])
        text += word
    return text, tokens


def lemmatised(words: Sequence[str], lemmas: Sequence[str]) -> str:
    """Return the words of a verse as lemmas, in lower case, with blanks between them.

    A word whose lemma is not known stands as it is; punctuation is left out. Where the two columns differ in
    length nobody can say which lemma is whose, so all the lemmas stand, and no word.
    """
    if len(words) != len(lemmas):
        return " ".join(lemma.lower() for lemma in lemmas if lemma not in NO_LEMMA and _is_word(lemma))
    pairs = zip(words, lemmas, strict=True)
    return " ".join((word if lemma in NO_LEMMA else lemma).lower() for word, lemma in pairs if _is_word(word))


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))
