"""Evidence search: a claim in, the passages of a book that stand nearest to it out.

The same rankers and the same tie rule as in a job, over all passages of one length. A claim is looked for
in its own words, so a claim none of whose words the book knows is refused in a sentence and not answered
with the book's first passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from retrieval.engine import order, passages, rankers
from retrieval.engine.errors import BadInput
from retrieval.engine.passages import Passage
from retrieval.engine.tokens import words
from retrieval.models import Book
from retrieval.prepared import Prepared
from retrieval.wording import counted

SIZES = (1, 20)
MOST = 200
LONGEST_CLAIM = 10_000

prepared = Prepared()
"""The indices of this process."""


class Hit(NamedTuple):
    """A passage found: its place, its rank among all passages of its length, its words, the heading above."""

    first: int
    size: int
    rank: int
    score: float
    text: str
    heading: str


def search(
    book: Book,
    claim: str,
    *,
    ranker: str = "bm25",
    size: int = 1,
    k: int = 20,
    parameters: Mapping[str, object] | None = None,
    overlapping: bool = False,
) -> list[Hit]:
    """The `k` best passages of `size` sentences for a claim, best first, fewer where fewer have a score.

    Passages that share a sentence with a better hit are left out unless `overlapping`; ranks count them all
    the same. A score of exactly 0 (not a word in common) is no hit. The first search of a book, length,
    ranker and parameters prepares an index, which later ones find in memory.

    Raises:
        BadInput: the claim has no word, none the book knows, or is too long; size or k is out of range, the
            book is shorter than size; the ranker is unknown, not for this process, or a parameter is wrong.
    """
    chosen = rankers.get(ranker)
    if chosen.queue != "cpu":
        here = ", ".join(each.slug for each in rankers.all() if each.queue == "cpu")
        raise BadInput(f"The ranker {chosen.slug} needs a {chosen.queue} worker; search with one of: {here}.")
    _check(book, claim, size, k)
    values = rankers.complete(chosen, parameters or {})
    bounds = book.bounds()
    texts = passages.texts(book.text, bounds, size)
    key = (book.sha256, hash(tuple(bounds)), size, chosen.slug, tuple(sorted(values.items())))
    index = prepared.get(key, lambda: chosen.prepare(texts, values))
    scores = index.scores([claim])[0]
    if not scores.any():
        raise BadInput(f"No word of the claim occurs in {book.title}; try words the book itself would use.")
    titles = _Titles(book)
    return [
        Hit(first, size, rank, float(scores[first]), texts[first], titles.above(bounds[first][0]))
        for rank, first in _best(scores, size, k, overlapping=overlapping)
    ]


def _check(book: Book, claim: str, size: int, k: int) -> None:
    lowest, highest = SIZES
    if not lowest <= size <= highest:
        raise BadInput(f"The size is {size}; a passage to search for has {lowest} to {highest} sentences.")
    if not 1 <= k <= MOST:
        raise BadInput(f"The number of hits asked for is {k}; it must be a number from 1 to {MOST}.")
    if len(claim) > LONGEST_CLAIM:
        raise BadInput(
            f"The claim has {len(claim):,} characters; at most {LONGEST_CLAIM:,} can be searched for."
        )
    if not words(claim):
        raise BadInput("The claim has no word; write what the passage should be evidence for.")
    if size > book.n_sentences:
        raise BadInput(
            f"{book.title} has {counted(book.n_sentences, 'sentence')}, so there is no passage of {size}; "
            "choose a smaller size."
        )


def _best(scores: order.Scores, size: int, k: int, *, overlapping: bool) -> Iterator[tuple[int, int]]:
    """(rank, position) of the hits, best first."""
    found: list[Passage] = []
    for rank, position in enumerate(order.walk(scores), start=1):
        if len(found) == k:
            return
        passage = Passage(position, size)
        if scores[position] == 0 or (not overlapping and any(map(passage.overlaps, found))):
            continue
        found.append(passage)
        yield rank, position


class _Titles:
    """The headings of a book, found by what stands below them."""

    def __init__(self, book: Book) -> None:
        self._text = book.text
        self._spans = sorted((int(start), int(end)) for start, end in book.headings)
        self._starts = [start for start, _ in self._spans]

    def above(self, offset: int) -> str:
        """The nearest heading before that offset in the text, or nothing."""
        at = bisect_right(self._starts, offset)
        return " ".join(self._text[slice(*self._spans[at - 1])].split()) if at else ""
