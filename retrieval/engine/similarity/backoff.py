"""Tesserae where it is defined, Word Mover's Distance where not: a ranker, and the oracle of the paper.

Tesserae scores only passages that share two words with the query. The two scores have no common scale, so
the ranker backs off by ranks, and looks at nothing but the texts: first the passages that Tesserae scores, in
its order, then all others by WMD.

    score(q, d) = 1 + the number of lower Tesserae scores of this query, where Tesserae is defined
                  −WMD(q, d), at most 0, where it is not

The T+WMD of Manjavacas, Long and Kestemont 2019 is something else: an oracle that knows the relevant passage
(their footnote 6: "an optimal score given perfect scaling"). It is here as a function for tables, by that
name; no ranker does that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.similarity.embedded import read
from retrieval.engine.similarity.movers import MoversIndex, MoversRanker
from retrieval.engine.similarity.tesserae import TesseraeIndex, TesseraeRanker

PARTS: tuple[rankers.Ranker, ...] = (TesseraeRanker(), MoversRanker())


class BackoffIndex:
    """The passages, indexed by both.

    Args:
        tesserae: Scores some passages of a query.
        movers: Scores the others.
        exact: How many of the first of a ranking must not be bounds.
    """

    def __init__(self, tesserae: TesseraeIndex, movers: MoversIndex, exact: int) -> None:
        self._tesserae, self._movers, self._exact = tesserae, movers, exact

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return scores (n_queries, n_passages), −∞ for a passage that neither of the two ranks."""
        first = self._tesserae.scores(queries)
        rows = [self._row(query, row) for query, row in zip(queries, first, strict=True)]
        return np.array(rows, dtype=np.float64).reshape(first.shape)

    def _row(self, query: str, tesserae: Scores) -> Scores:
        scored = np.isfinite(tesserae)
        wanted = max(0, self._exact - int(scored.sum()))
        row = 0.0 - self._movers.distances(query, ~scored, wanted).values
        row[scored] = 1.0 + np.unique(tesserae[scored], return_inverse=True)[1]
        return np.asarray(row)


def oracle(tesserae: Scores, wmd: Scores, relevant: Collection[int]) -> Scores:
    """Return the ranking that the paper's oracle takes for one query: an upper bound, and no retrieval.

    It looks at the answer: where a relevant passage shares two words with the query (Tesserae scores it),
    all passages are ranked by Tesserae, otherwise all by WMD.

    tesserae, wmd: the scores of the query (n_passages,).
    relevant: the positions of the relevant passages.

    Raises:
        BadInput: no passage is relevant, or one is not there.
    """
    positions = np.array(sorted(relevant), dtype=np.int64)
    if not positions.size or positions[0] < 0 or positions[-1] >= len(tesserae):
        raise BadInput(
            f"The oracle of a query is given {positions.size} relevant passages; it needs at least one, "
            f"all of them among the {len(tesserae):,} positions from 0."
        )
    return tesserae if np.isfinite(tesserae[positions]).any() else wmd


class BackoffRanker:
    """Tesserae, and behind it Word Mover's Distance."""

    slug = "tesserae-wmd"
    label = "Tesserae, then Word Mover's Distance"
    queue: rankers.Queue = "cpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        name: parameter for part in PARTS for name, parameter in part.parameters.items()
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults of Tesserae and of Word Mover's Distance."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> BackoffIndex:
        """Prepare Tesserae and Word Mover's Distance on the same passages.

        Raises:
            BadInput: as both of them raise it.
        """
        embedded, values = read(self, passages, parameters)
        return BackoffIndex(
            TesseraeIndex(passages, embedded.reading),
            MoversIndex(embedded, values["cost"], int(values["exact"]), passages),
            int(values["exact"]),
        )

    def describe(self) -> Mapping[str, str]:
        """Return of each ranker its library, version, variant and tokeniser."""
        told = [part.describe() for part in PARTS]
        return {name: "; ".join(dict.fromkeys(each[name] for each in told)) for name in told[0]}


rankers.register(BackoffRanker())
