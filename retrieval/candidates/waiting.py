"""Excerpts that wait until their job deals out its places: what is stored of them, and read a few at a time.

What an excerpt could have is some ten to a hundred kilobytes, and as objects ten times that: of a thousand
excerpts a gigabyte at once. So a passage is stored once, choices name it by its first sentence; and dealing
out reads the rows three times over, each time keeping what it needs: first what the cells cost, then the
choices in the cell that was dealt, then the passages that were chosen.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from retrieval.engine.ranking import places
from retrieval.engine.ranking.matching import Matching
from retrieval.models import CandidateJob, MatchedExcerpt

AT_ONCE = 10
"""Excerpts that are read at once."""

Kept = tuple[str, ...]


class Waiting(NamedTuple):
    """An excerpt that waits, and what its cells cost.

    key: of its row.
    entry: what it would have in each cell; nothing where it follows another.
    asks: the place of its gold; excerpts that ask alike get the same negatives.
    follows: whether another with the same gold chooses for it.
    best: the ranks of the ranker's best negatives.
    alone: what it would have by each rule alone, in each cell of that rule.
    """

    key: int
    entry: places.Entry
    asks: tuple[int | None, int | None, str]
    follows: bool
    best: Sequence[int]
    alone: Mapping[str, Sequence[places.Offer]]


class Stored(NamedTuple):
    """One choice of negatives.

    kept: the rules that hold.
    chosen: the first sentence of each.
    ranks: the rank of each.
    leans: by how much the gold lies above the mean of its options, in every measure that is balanced.
    """

    kept: Kept
    chosen: Sequence[int]
    ranks: Sequence[int]
    leans: Sequence[float]


class InCell(NamedTuple):
    """What an excerpt could have in one cell.

    own: its own choices.
    same: those of the excerpt that it follows, at its own ranks; None where it follows none.
    """

    own: list[Stored]
    same: list[Stored] | None


def waiting(job: CandidateJob, rule: Matching) -> list[Waiting]:
    """Return all excerpts of a job that wait, in the order of their keys."""
    same = _Same()
    return [_waiting(each, rule, same) for each in _rows(job.matched.filter(kept__isnull=True))]


def in_cells(job: CandidateJob, dealt: Mapping[int, int]) -> dict[int, InCell]:
    """Return what excerpts could have in the cells that were dealt to them, by the keys of their rows."""
    found, same = {}, _Same()
    for each in _rows(job.matched.filter(pk__in=dealt)):
        ranks = {first: rank for first, rank, _ in each.options["passages"]}
        at, rows = dealt[each.pk], each.options.get("same")
        own = [_stored(one, ranks, same) for one in each.options["choices"][at]]
        found[each.pk] = InCell(own, [_stored(one, ranks, same) for one in rows[at]] if rows else None)
    return found


def a_few(job: CandidateJob, keys: Sequence[int]) -> Iterator[list[MatchedExcerpt]]:
    """Yield the rows with these keys, each list small enough to be held."""
    rows = job.matched.select_related("excerpt").order_by("excerpt")
    for start in range(0, len(keys), AT_ONCE):
        yield list(rows.filter(pk__in=keys[start : start + AT_ONCE]))


def passage(options: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Return the columns of the candidate that begins with a sentence."""
    rank, scores = next((rank, scores) for at, rank, scores in options["passages"] if at == first)
    return {"first": first, "rank": rank, "scores": scores}


class _Same:
    """Of equal tuples of names one, so that thousands of choices do not hold as many copies."""

    def __init__(self) -> None:
        self._known: dict[Kept, Kept] = {}

    def kept(self, names: Sequence[str]) -> Kept:
        found = tuple(names)
        return self._known.setdefault(found, found)


def _rows(rows: QuerySet[MatchedExcerpt]) -> Iterator[MatchedExcerpt]:
    return rows.select_related("excerpt").order_by("excerpt").iterator(chunk_size=AT_ONCE)


def _waiting(each: MatchedExcerpt, rule: Matching, same: _Same) -> Waiting:
    options, excerpt = each.options, each.excerpt
    ranks = {first: rank for first, rank, _ in options["passages"]}
    follows = "same" in options
    best = [] if follows else [_stored(row[0], ranks, same) for row in options["choices"]]
    offers = [places.Offer(one.kept, one.ranks) for one in best]
    return Waiting(
        each.pk,
        places.Entry(excerpt.digest, excerpt.size or 0, each.length, offers),
        (excerpt.first, excerpt.size, "" if rule.reuse else excerpt.digest),
        follows,
        array("I", options["best"]),
        {
            name: [places.Offer(same.kept(one["kept"]), array("I", one["ranks"])) for one in row]
            for name, row in options["alone"].items()
        },
    )


def _stored(one: Mapping[str, Any], ranks: Mapping[int, int], same: _Same) -> Stored:
    chosen = array("I", one["chosen"])
    return Stored(same.kept(one["kept"]), chosen, array("I", (ranks[at] for at in chosen)), one["leans"])
