"""A stored text as a reader sees it: leaves, paragraphs, sentences with anchors, passages marked.

Everything is computed from the offsets, so what is shown is what is stored.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from retrieval.engine.text.layout import DATELINE, FOOTNOTE, FRONT_MATTER, SUMMARY
from retrieval.engine.text.passages import Passage
from retrieval.models import Book

SHORTEST_LEAF, LEAF, LONGEST_LEAF = 40, 300, 400
"""Sentences on a leaf: short chapters share one, long ones are parted."""
RUN_ON = 60
"""A paragraph of more sentences is a text without paragraphs, such as RELiC's."""
FOR_THE_EYE = 20
LONGEST_TITLE = 100
MOST_ASIDE = 2000
"""Headings and other parts set aside on one leaf: a page of a hundred thousand takes seconds."""
MOST_CHAPTERS = 2000
"""Headings in the contents beside a leaf."""
OWN_KINDS = frozenset({DATELINE, FOOTNOTE, FRONT_MATTER, SUMMARY})


class Leaf(NamedTuple):
    """Sentences that are shown at once.

    first: the first of them, from 0.
    stop: the first of the next leaf.
    """

    first: int
    stop: int


class Chapter(NamedTuple):
    """A heading.

    title: its words.
    first: the sentence it stands before, from 0.
    leaf: the number of its leaf, from 1.
    """

    title: str
    first: int
    leaf: int


class SentencePiece(NamedTuple):
    """A sentence, or other text of the book.

    text: its words.
    gap: the white space before it.
    number: of the sentence, from 0; None where it is other text.
    marked: whether it belongs to the passage that is pointed out.
    """

    text: str
    gap: str
    number: int | None
    marked: bool


class MarkedRun(NamedTuple):
    """Neighbouring pieces that are all marked, or all not.

    marked: which of the two.
    gap: the white space before the first.
    pieces: in their order.
    """

    marked: bool
    gap: str
    pieces: list[SentencePiece]


class Paragraph(NamedTuple):
    """A paragraph as it is shown.

    kind: "prose", "heading", or what the segmentation calls a part it set aside.
    runs: its pieces, marked and not, in turn.
    """

    kind: str
    runs: list[MarkedRun]

    @property
    def own(self) -> bool:
        """Whether it is the author's, though no sentence: it is shown in its place, as in print."""
        return self.kind in OWN_KINDS

    @property
    def first(self) -> int | None:
        """The number of its first sentence, None where it begins with other text."""
        return self.runs[0].pieces[0].number


def leaves(book: Book) -> list[Leaf]:
    """Cut a book into leaves: by chapter where it has headings, else by some 300 sentences."""
    cuts = [0]
    for start in (*(first for first, _ in _titles(book)), book.n_sentences):
        if start - cuts[-1] >= SHORTEST_LEAF or start == book.n_sentences:
            cuts.extend(_parted(cuts[-1], start))
    if len(cuts) > 2 and cuts[-1] - cuts[-2] < SHORTEST_LEAF:
        del cuts[-2]
    return [Leaf(*pair) for pair in pairwise(cuts)]


def chapters(book: Book, of: Sequence[Leaf]) -> list[Chapter]:
    """Return the headings of a book; those that stand together count as one."""
    found: list[Chapter] = []
    for first, group in groupby(_titles(book), key=lambda title: title[0]):
        title = " · ".join(text for _, text in group)[:LONGEST_TITLE]
        found.append(Chapter(title, first, leaf_of(of, first)))
    return found


def leaf_of(of: Sequence[Leaf], sentence: int) -> int:
    """Return the number, from 1, of the leaf on which a sentence is."""
    return min(len(of), max(1, bisect_right(of, sentence, key=lambda leaf: leaf.first)))


def leaf_paragraphs(book: Book, leaf: Leaf, marked: Passage | None = None) -> list[Paragraph]:
    """Return a leaf with the headings before its first sentence.

    The last leaf goes to the end of the text.
    """
    return paragraphs(book, *_bounds(book, leaf), marked)


def unshown(book: Book, leaf: Leaf) -> int:
    """Return how many parts set aside stand on a leaf beyond the `MOST_ASIDE` it shows."""
    return max(0, len(_aside(book, *_bounds(book, leaf))) - MOST_ASIDE)


def surroundings(book: Book, passage: Passage, sentences: int) -> list[Paragraph]:
    """Return a passage, marked, with so many sentences on either side."""
    first = max(0, passage.first - sentences)
    last = min(book.n_sentences, passage.stop + sentences) - 1
    return paragraphs(book, book.sentences[first][0], book.sentences[last][1], passage)


def paragraphs(book: Book, start: int, end: int, marked: Passage | None = None) -> list[Paragraph]:
    """Return what stands between two offsets, with what is set aside in its place."""
    found: list[Paragraph] = []
    at, kind, block = start, "", list[SentencePiece]()
    for begin, stop, sort, number in _parts(book, start, end):
        gap = book.text[at:begin]
        if block and ("\n\n" in gap or sort != kind):
            found.extend(_set(kind, block))
            block = []
        is_marked = number is not None and marked is not None and marked.first <= number < marked.stop
        block.append(SentencePiece(book.text[begin:stop], gap if block else "", number, is_marked))
        at, kind = stop, sort
    if block:
        found.extend(_set(kind, block))
    return found


def _set(kind: str, block: list[SentencePiece]) -> Iterator[Paragraph]:
    length = FOR_THE_EYE if len(block) >= RUN_ON else len(block)
    for begin in range(0, len(block), length):
        runs = [list(group) for _, group in groupby(block[begin : begin + length], key=lambda p: p.marked)]
        yield Paragraph(kind, [MarkedRun(run[0].marked, run[0].gap, run) for run in runs])


def _parts(book: Book, start: int, end: int) -> list[tuple[int, int, str, int | None]]:
    begins = [pair[0] for pair in book.sentences]
    low, high = bisect_left(begins, start), bisect_left(begins, end)
    prose = [(*book.sentences[number], "prose", number) for number in range(low, high)]
    aside = [(*part, None) for part in _aside(book, start, end)[:MOST_ASIDE]]
    return sorted([*prose, *aside], key=lambda part: part[:2])


def _aside(book: Book, start: int, end: int) -> list[tuple[int, int, str]]:
    """Offsets and kind of what is no sentence, in order."""
    headings = [(a, b, "heading") for a, b in book.headings if start <= a < end]
    return sorted([*headings, *((a, b, kind) for a, b, kind in book.left_out if start <= a < end)])


def _bounds(book: Book, leaf: Leaf) -> tuple[int, int]:
    start = book.sentences[leaf.first - 1][1] if leaf.first else 0
    return start, len(book.text) if leaf.stop >= book.n_sentences else book.sentences[leaf.stop - 1][1]


def _titles(book: Book) -> list[tuple[int, str]]:
    begins = [pair[0] for pair in book.sentences]
    rows = [(bisect_left(begins, a), " ".join(book.text[a:b].split())) for a, b in book.headings]
    return sorted((row for row in rows if row[0] < book.n_sentences), key=lambda row: row[0])


def _parted(start: int, stop: int) -> list[int]:
    """The ends of leaves of equal length between two cuts."""
    length = stop - start
    count = 1 if length <= LONGEST_LEAF else -(-length // LEAF)
    return [start + length * (number + 1) // count for number in range(count)]
