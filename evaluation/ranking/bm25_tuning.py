"""BM25's k1 and b chosen on validation excerpts, by a full grid.

RELiC took k1 = 0.5 and b = 0.9 after tuning on validation data as per Kamphuis et al. (2020); the values
tried and what was maximised are not printed. Here every pair of k1 0.1 … 2.0 and b 0.1 … 1.0 in steps of
0.1 is tried on the same excerpts, in the variant of rank_bm25, one index a book and passage length as in
a job.

A grid picks the best of many noisy numbers: the best pair looks better on the excerpts it was chosen on than
it is. The report therefore says how far it is from the ranker's defaults with a paired test, and the number
to publish is that of other excerpts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from common.errors import BadInput
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.common.paired import PairedComparison, comparisons
from evaluation.metrics.ranking.gold_ranks import (
    MEASURES,
    GoldRanks,
    RankEstimate,
    RankMeasure,
    estimates,
    gold_ranks,
    together,
)
from retrieval.engine.ranking.bm25 import BLOCK, Bm25Ranker, count
from retrieval.engine.ranking.reweighing import Reweighed
from retrieval.engine.text import passages
from retrieval.engine.text.tokens import words
from retrieval.models import Book, Excerpt

K1 = tuple(round(0.1 * step, 10) for step in range(1, 21))
B = tuple(round(0.1 * step, 10) for step in range(1, 11))
OBJECTIVE = "mrr"

Progress = Callable[[int, int], None]


class Setting(NamedTuple):
    """Both parameters of BM25.

    ``k1``: how soon a repeated word stops to count more.
    ``b``: how much long passages are marked down, 0 to 1.
    """

    k1: float
    b: float


class Tried(NamedTuple):
    """What one setting gave.

    ``setting``: the parameters.
    ``value``: the objective's mean over all queries.
    ``estimates``: every measure with its interval.
    """

    setting: Setting
    value: float
    estimates: tuple[RankEstimate, ...]


class Tuning(NamedTuple):
    """The grid and the best of it.

    ``objective``: the measure to be as good as possible.
    ``n_queries``, ``n_books``: what was ranked.
    ``tried``: best first (equal ones: smaller k1, then smaller b).
    ``default``: the ranker's defaults.
    ``difference``: of the best to them; None where the default itself is best.
    ``seed``, ``resamples``: of the intervals.
    """

    objective: RankMeasure
    n_queries: int
    n_books: int
    tried: tuple[Tried, ...]
    default: Tried
    difference: PairedComparison | None
    seed: int
    resamples: int

    @property
    def best(self) -> Tried:
        return self.tried[0]


class _Queries(NamedTuple):
    """One book and passage length.

    ``index``: of its passages.
    ``queries``: the words of each query.
    ``golds``: positions of their right passages.
    """

    index: Reweighed
    queries: list[list[str]]
    golds: list[int]


def tune(
    excerpts: Iterable[Excerpt],
    *,
    k1: Sequence[float] = K1,
    b: Sequence[float] = B,
    objective: str = OBJECTIVE,
    left: int = 4,
    right: int = 4,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> Tuning:
    """Every pair of ``k1`` and ``b``, and the ranker's defaults, on the placed ones of ``excerpts``.

    ``progress`` is called with (settings tried, all).

    Raises BadInput: the objective is unknown, a value is out of the ranker's range or the grid empty, the
    context is empty, or there is no excerpt with a place in its book.
    """
    measure = _measure(objective)
    grid, default = _grid(k1, b)
    if left == right == 0:
        raise BadInput("The context is empty: left and right are both 0; at least one must be 1 or more.")
    parts, n_books = _read(excerpts, left, right)
    ranks: dict[Setting, GoldRanks] = {}
    for setting in dict.fromkeys([*grid, default]):
        ranks[setting] = together(_ranked(part, setting) for part in parts)
        if progress:
            progress(len(ranks), len({*grid, default}))
    values = {setting: measure.per_query(found) for setting, found in ranks.items()}
    sign = -1 if measure.up else 1
    order = sorted(grid, key=lambda setting: (sign * float(values[setting].mean()), setting))

    def tried(setting: Setting, draws: int = 0) -> Tried:
        found = estimates(ranks[setting], seed, draws)
        return Tried(setting, float(values[setting].mean()), found)

    best = order[0]
    pair = {"best": values[best], "default": values[default]}
    difference = None if best == default else comparisons(pair, "default", seed, resamples)[0]
    return Tuning(
        objective=measure,
        n_queries=ranks[default].n_queries,
        n_books=n_books,
        tried=(tried(best, resamples), *(tried(setting) for setting in order[1:])),
        default=tried(default, resamples),
        difference=difference,
        seed=seed,
        resamples=resamples,
    )


def _measure(objective: str) -> RankMeasure:
    for each in MEASURES:
        if each.slug == objective:
            return each
    raise BadInput(
        f"There is no objective {objective!r}; choose one of: {', '.join(each.slug for each in MEASURES)}."
    )


def _grid(k1: Sequence[float], b: Sequence[float]) -> tuple[list[Setting], Setting]:
    ranker = Bm25Ranker()
    for name, values in (("k1", k1), ("b", b)):
        if not values:
            raise BadInput(f"The grid has no value of {name}; give at least one.")
        for value in values:
            ranker.parameters[name].check(name, value)
    grid = [Setting(float(one), float(other)) for one in sorted({*k1}) for other in sorted({*b})]
    return grid, Setting(ranker.defaults["k1"], ranker.defaults["b"])


def _read(excerpts: Iterable[Excerpt], left: int, right: int) -> tuple[list[_Queries], int]:
    placed: defaultdict[tuple[int, int], list[Excerpt]] = defaultdict(list)
    for each in sorted(excerpts, key=lambda excerpt: excerpt.pk):
        if each.size is not None:
            placed[each.book_id, each.size].append(each)
    if not placed:
        raise BadInput("There is no excerpt with a place in its book to tune on; find excerpts first.")
    books = Book.objects.in_bulk({book for book, _ in placed})
    parts = []
    for (book, size), some in sorted(placed.items()):
        texts = passages.texts(books[book].text, books[book].bounds(), size)
        parts.append(
            _Queries(
                Reweighed(count(map(words, texts))),
                [words(each.context(left, right)) for each in some],
                [each.first for each in some if each.first is not None],
            )
        )
    return parts, len(books)


def _ranked(part: _Queries, setting: Setting) -> GoldRanks:
    """By the batch path: its last bits may differ from a job's, which moves only near-ties."""
    part.index.weigh(setting.k1, setting.b)
    found = []
    for start in range(0, len(part.queries), BLOCK):
        scores = part.index.batch_scores(part.queries[start : start + BLOCK])
        found.append(gold_ranks(scores, np.array(part.golds[start : start + BLOCK])))
    return together(found)
