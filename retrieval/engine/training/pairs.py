"""What the encoders are trained on: contexts with their quotations, and which of them share a step.

As dense-RELiC was trained: a batch holds consecutive quotations of one book, whose other quotations are
the negatives; a book's last batch is topped up from its first quotations, and a book that fills no batch
from the books that follow. So a batch may hold the same place of a book twice, as two critics quote it,
and each is then a wrong answer of the other: `overlaps` finds them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.text.passages import Passage

Mask = npt.NDArray[np.bool_]


class Wrong(NamedTuple):
    """A hard negative: a passage of the pair's book, of the quotation's length.

    first: its first sentence, from 0.
    text: its words.
    """

    first: int
    text: str


class Pair(NamedTuple):
    """A context and the quotation that belongs in it.

    book: slug of the quoted book.
    query: the context with its gap marked (`tokens.GAP`).
    quotation: as the book has it.
    first, size: the quotation's place: first sentence, from 0, and how many.
    wrong: its hard negatives.
    others: the same context with more or fewer sentences, each as `query`.
    """

    book: str
    query: str
    quotation: str
    first: int
    size: int
    wrong: tuple[Wrong, ...] = ()
    others: tuple[str, ...] = ()

    def asked(self, which: int) -> Pair:
        """Return the pair with only one of its contexts: number `which`, from 0, modulo how many it has."""
        return self._replace(query=(self.query, *self.others)[which % (1 + len(self.others))], others=())


def check_splits(pairs: Sequence[Pair], validation: Sequence[Pair]) -> None:
    """Raise `BadInput` where a split has fewer than two pairs, or a book is in both."""
    for name, split in (("train on", pairs), ("validate with", validation)):
        if len(split) < 2:
            raise BadInput(
                f"There are {len(split)} excerpts to {name}; at least 2 are needed, since each is the "
                "other's wrong answer."
            )
    shared = {pair.book for pair in pairs} & {pair.book for pair in validation}
    if shared:
        raise BadInput(
            f"The book {min(shared)} is in both splits; choose other books to validate with, "
            "or the loss would be of passages learned by heart."
        )


def n_contexts(pairs: Sequence[Pair]) -> int:
    """Return the most contexts that a pair has."""
    return max((1 + len(pair.others) for pair in pairs), default=1)


def steps(pairs: Sequence[Pair], size: int, seed: int, mixing: str = "each") -> list[list[Pair]]:
    """Yield the pairs of each step, `batches` of them, each with one of its contexts.

    With `each` every batch is a step with each context size in turn, all steps in an order drawn from the
    seed; with `drawn` it is one step, and the seed draws a context for each pair. Either way a quotation is
    in a step once, and no wrong answer of itself.
    """
    found = batches(pairs, size, seed)
    number = n_contexts(pairs)
    if number == 1:
        return [[pairs[at] for at in batch] for batch in found]
    numbers = np.random.default_rng([seed, number])
    if mixing == "drawn":
        which = numbers.integers(number, size=len(pairs)).tolist()
        return [[pairs[at].asked(which[at]) for at in batch] for batch in found]
    every = [[pairs[at].asked(which) for at in batch] for batch in found for which in range(number)]
    return [every[at] for at in numbers.permutation(len(every))]


def batches(pairs: Sequence[Pair], size: int, seed: int) -> list[list[int]]:
    """Return the positions of the pairs of each step; the seed draws the order of the steps.

    Every pair is in at least one step, none twice in one. All steps have `size` pairs, or all pairs there
    are.
    """
    by_book: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        by_book.setdefault(pair.book, []).append(place)
    books = list(by_book.values())
    steps: list[list[int]] = []
    for turn, own in enumerate(books):
        if len(own) >= size:
            chunks = [own[start : start + size] for start in range(0, len(own), size)]
            chunks[-1] = [*chunks[-1], *own[: size - len(chunks[-1])]]
            steps += chunks
        else:
            following = [place for book in (*books[turn + 1 :], *books[:turn]) for place in book]
            steps.append([*own, *following[: size - len(own)]])
    drawn = np.random.default_rng(seed).permutation(len(steps))
    return [steps[at] for at in drawn]


def overlaps(pairs: Sequence[Pair], *, hard: bool) -> Mask:
    """Return which wrong answers of a step overlap the right one: (n, n), with m hard negatives (n, n + m).

    Columns are the pairs' quotations, then their hard negatives in order. A pair's own quotation is never
    marked.
    """
    places = [(pair.book, Passage(pair.first, pair.size)) for pair in pairs]
    columns = list(places)
    if hard:
        columns += [(pair.book, Passage(each.first, pair.size)) for pair in pairs for each in pair.wrong]
    found = np.zeros((len(pairs), len(columns)), dtype=np.bool_)
    for row, (book, gold) in enumerate(places):
        for column, (other, passage) in enumerate(columns):
            found[row, column] = row != column and book == other and gold.overlaps(passage)
    return found


def digest(pairs: Sequence[Pair]) -> str:
    """Return the sha256 of the pairs: what a checkpoint was trained on."""
    whole = hashlib.sha256()
    for pair in pairs:
        whole.update(repr(tuple(pair)).encode() + b"\n")
    return whole.hexdigest()
