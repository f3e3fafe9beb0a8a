"""Which places each excerpt's gold takes in the orders of length and of shared words: dealt out over a job.

If every excerpt took the place that costs it the least rank, the place would show: BM25 prefers long
passages, so short golds would be the shortest of theirs and long ones the longest, and "of short options
the shortest, of long ones the longest" would be right. If every place were drawn by itself, it would cost
far more rank than it need. So the excerpts are put in the order of their golds' lengths, those of one
sentence before those of two and so on, and cut into blocks; within a block every cell (a place in either
order, and where in its band of length the gold stands) is dealt out equally often, and who gets which is the
assignment that costs least rank. Golds of one block have nearly one length, so that the lengths that readers
see are the same for every place; ranks, by which the assignment chooses, no reader sees. (In an order by
length alone, a block held long sentences beside short pairs of them; the long for their number took the
longest place, and "long for so many sentences, so the longest" was right on 49 of 100.)

The blocks' borders, the cells of an incomplete block, and which of equally cheap assignments is taken are
drawn from the seed. Neither the order in which excerpts come nor their keys count.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from retrieval.engine.ranking.matching import Cell

BLOCK = 12
"""Excerpts a block, or the next multiple of the cells."""
DROPPED_COSTS = 1000.0
"""What a rule that is not kept costs beside log ranks: no sum of those is as much."""


class Offer(NamedTuple):
    """What an excerpt would have in a cell: the rules that hold, the ranks of its negatives."""

    kept: tuple[str, ...]
    ranks: Sequence[int]

    @property
    def cost(self) -> float:
        """The sum of the logarithms of the ranks: from 2 to 4 more is lost than from 202 to 204."""
        return sum(map(math.log, self.ranks))


class Entry(NamedTuple):
    """An excerpt, and what it would have in each cell."""

    name: str
    """The same in every database."""
    size: int
    """The gold's sentences."""
    length: int
    """The gold's characters."""
    offers: Sequence[Offer]
    """One for each cell."""


def deal(entries: Sequence[Entry], cells: Sequence[Cell | None], seed: int) -> list[int]:
    """Return for each entry the position of its cell in `cells`.

    Every cell is dealt out equally often but for an incomplete block, whose places differ by one at most.
    """
    from scipy.optimize import linear_sum_assignment  # only workers deal

    # Of jobs with one seed each is to draw its own, or all would have the same places over.
    names = " ".join(sorted(each.name for each in entries))
    draw = Random(f"{seed}:places:{names}")  # noqa: S311 - not a secret
    order = sorted(range(len(entries)), key=lambda at: _order(entries[at]))
    dealt = [0] * len(entries)
    for block in _blocks(order, len(cells), draw):
        deck = _deck(cells, len(block), draw)
        costs = np.array([[_cost(entries[at].offers, cell) for cell in deck] for at in block])
        rows, columns = linear_sum_assignment(costs)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            dealt[block[row]] = deck[column]
    return dealt


def _order(entry: Entry) -> tuple[int, int, str]:
    return entry.size, entry.length, entry.name


def _cost(offers: Sequence[Offer], cell: int) -> float:
    most = max(len(each.kept) for each in offers)
    return offers[cell].cost + DROPPED_COSTS * (most - len(offers[cell].kept))


def _blocks(order: Sequence[int], cells: int, draw: Random) -> list[Sequence[int]]:
    """Cut into blocks that hold whole sets of cells; what is over is a block of its own.

    Where the first border falls, and where what is over stands, is drawn.
    """
    size = -(-BLOCK // cells) * cells
    whole, rest = divmod(len(order), size)
    begun = cells * draw.randrange(size // cells) if whole else 0
    sizes = [begun, *[size] * (whole - 1), size - begun] if whole else []
    sizes.insert(draw.randrange(len(sizes) + 1), rest)
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    return [order[end - size : end] for end, size in zip(ends, sizes, strict=True) if size]


def _deck(cells: Sequence[Cell | None], number: int, draw: Random) -> list[int]:
    """Return `number` cells in an order that is drawn: whole sets, and what is over, in which no place in
    the one order leads by two, nor in the other if that can be.
    """
    whole, rest = divmod(number, len(cells))
    deck = list(range(len(cells))) * whole
    over = draw.sample(range(len(cells)), len(cells))
    used: Counter[tuple[str, int | None]] = Counter()
    for _ in range(rest):
        least = min(over, key=lambda at: [used[each] for each in _places(cells[at])])
        used.update(_places(cells[least]))
        over.remove(least)
        deck.append(least)
    draw.shuffle(deck)
    return deck


def _places(cell: Cell | None) -> list[tuple[str, int | None]]:
    return [("length", cell.place), ("context", cell.sharing)] if cell else []
