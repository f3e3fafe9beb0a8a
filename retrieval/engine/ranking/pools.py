"""Candidate pools: a few dozen passages for a query, the right one among them.

As in BIRCO (2024, section 3.1), the pool of a query is the best that one ranker or several fused rankers
find, and the gold is put in when they did not find it. What leaves the pool must not show which one that
is: the order is drawn from a seed, the number is the same whether the gold was found or put in, and no two
passages of the pool overlap, since otherwise the gold, whose neighbours are no wrong answers, would be the
one passage that overlaps nothing. Which is the gold, and how each ranker ranked what, stands in fields
beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.ranking import fusion, negatives, order
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.text.passages import Passage

SIZE = 50
BEYOND = 1000
"""RELiC's second study took excerpts whose gold dense-RELiC ranked outside its first thousand."""

Method = Literal["rrf", "alternating", "min-max", "z"]
Drawn = TypeVar("Drawn")


class PoolRanks(NamedTuple):
    """How one passage came into a pool.

    ranks: by each ranker, from 1.
    fused: in the order made of them, from 1.
    score: of that order; −∞ where no ranker ranks it, as a gold that was put in.
    """

    ranks: tuple[int, ...]
    fused: int
    score: float


@dataclass(frozen=True)
class Pool:
    """`passages` is what may be shown; everything else says which the gold is, or helps to guess it."""

    passages: tuple[Passage, ...]
    """In an order drawn from the seed."""
    gold: int
    """The gold's position in `passages`, from 0."""
    inserted: bool
    """Whether the rankers left the gold out and it was put in."""
    places: tuple[PoolRanks, ...]
    """Of each passage, in the order of `passages`."""
    excluded: Mapping[str, int] = field(default_factory=dict)
    """Passages that would have come in and were left out, by the name of the rule in `Rules`."""
    reason: str = ""
    """Why there are fewer than asked for; empty when there are not."""


def pool(
    rankings: Sequence[npt.ArrayLike],
    gold: Passage,
    texts: Sequence[str],
    *,
    seed: int | str,
    size: int = SIZE,
    method: Method = "rrf",
    rules: Rules | None = None,
    context: Sequence[str] = (),
) -> Pool:
    """Return the gold and the `size` − 1 best others, in an order drawn from `seed`.

    Args:
        rankings: One row of scores (n,) a ranker, over all passages of the gold's length by position.
        texts: The n passages' texts.
        seed: Another for every query, or the gold of all queries may come to stand in one place: give the
            study's seed together with the query's name.
        method: How several rankings become one: `rrf`, `alternating`, or the sum of the scores after
            `min-max` or `z`. One ranking is taken as it is.
        rules: Which passages are no wrong answers, as for hard negatives.
        context: The query's runs of text, for the rule on them.

    Raises:
        BadInput: the method is unknown, size is below 2, or what `fusion` and `hard_negatives` refuse.
    """
    if size < 2:
        raise BadInput(
            f"The size of the pool is {size}; it must be 2 or more, the right passage and another."
        )
    fused = _fused(rankings, method)
    if rules and not rules.gold:
        raise BadInput("The rule gold cannot be switched off: the right passage is no negative.")
    # One more than needed tells whether the gold would have come in by itself.
    found = negatives.hard_negatives(fused, gold, texts, size, rules, context=context)
    others = found.chosen[: size - 1]
    beaten = len(found.chosen) == size and found.chosen[-1].rank < found.gold_rank
    inserted = beaten or found.gold_score == order.UNRANKED
    drawn = draw([gold, *(Passage(each.first, each.size) for each in others)], seed)
    excluded = {rule: number for rule, number in sorted(found.excluded.items()) if rule != "gold"}
    short = len(others) < size - 1
    return Pool(
        passages=tuple(drawn),
        gold=drawn.index(gold),
        inserted=inserted,
        places=_places(rankings, fused, drawn),
        excluded=excluded,
        reason=f"Only {len(drawn)} of {size} passages: {_why(excluded, fused)}" if short else "",
    )


def draw(pool: Sequence[Drawn], seed: int | str) -> list[Drawn]:
    """Return the gold and then the others by rank, in the order that the seed draws: what may be shown."""
    drawn = list(pool)
    Random(f"{seed}:pool").shuffle(drawn)  # noqa: S311 - not a secret
    return drawn


def beyond(gold_ranks: npt.ArrayLike, cutoff: int = BEYOND) -> order.Positions:
    """Return the positions of the queries whose gold is ranked beyond `cutoff` (RELiC, section 4, second
    study).

    `gold_ranks` is (n_queries,), from 1; infinity is a gold that was not ranked at all.

    Raises:
        BadInput: a rank is below 1 or NaN, or the cutoff is below 1.
    """
    row = order.checked(gold_ranks)
    if cutoff < 1:
        raise BadInput(f"The cutoff is rank {cutoff}; it must be 1 or more.")
    if (row < 1).any():
        raise BadInput("A gold passage has a rank below 1; ranks count from 1.")
    return np.flatnonzero(row > cutoff).astype(np.int64)


def _fused(rankings: Sequence[npt.ArrayLike], method: Method) -> order.Scores:
    if method not in ("rrf", "alternating", "min-max", "z"):
        raise BadInput(f"There is no way {method!r} to fuse rankings; choose rrf, alternating, min-max or z.")
    if len(rankings) == 1:
        return order.checked(rankings[0])
    if method == "rrf":
        return fusion.reciprocal_rank(rankings)
    if method == "alternating":
        return fusion.alternating(rankings)
    return fusion.combine(rankings, normalise=method)


def _places(
    rankings: Sequence[npt.ArrayLike], fused: order.Scores, drawn: Sequence[Passage]
) -> tuple[PoolRanks, ...]:
    rows, together = [fusion.ranks(row) for row in rankings], fusion.ranks(fused)
    return tuple(
        PoolRanks(
            tuple(int(row[each.first]) for row in rows), int(together[each.first]), float(fused[each.first])
        )
        for each in drawn
    )


def _why(excluded: Mapping[str, int], fused: order.Scores) -> str:
    if not excluded:
        unranked = bool((fused == order.UNRANKED).any())
        return "the others are not ranked." if unranked else "the book has no more."
    by_rule = ", ".join(f"{name} {number:,}" for name, number in sorted(excluded.items()))
    return f"the rules leave out all others ({by_rule})."
