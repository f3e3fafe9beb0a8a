"""Rank while somebody waits for the page, and not for longer than one should wait.

Most rankers answer a query at once. Some solve a problem for every passage: those read a passage for each, by
which a job's lease is renewed. Here the same reading says that the time is over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from common.errors import BadInput
from common.wording import counted
from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.indexing import Watched
from retrieval.search.index_cache import IndexCache

LONGEST_RANKING = 8.0
"""Seconds that one query may take while somebody waits: a page gives up after 30."""

index_cache = IndexCache()
"""The indices of this process, but for those of rankers that encode: their vectors lie on disk."""
# One index serves several threads, each with an end of its own.
_end: ContextVar[float] = ContextVar("end", default=math.inf)


class TooLong(BadInput):
    """Raised where ranking takes longer than somebody should wait."""


class Patient(Watched):
    """Texts as a sequence; to read one when the time of the query is over raises `TooLong`."""

    def __init__(self, texts: Sequence[str], label: str) -> None:
        super().__init__(texts, self._look)
        self._label = label

    def _look(self) -> None:
        if time.monotonic() > _end.get():
            raise TooLong(
                f"{self._label} takes longer than {LONGEST_RANKING:g} s for these words and "
                f"{counted(len(self), 'passage')}, too long for a page to wait: take fewer words, shorter "
                "passages or another ranker, or have a job do it."
            )


def scores(
    ranker: rankers.Ranker,
    parameters: Mapping[str, Any],
    texts: Sequence[str],
    query: str,
    key: Hashable,
) -> order.Scores:
    """Return the scores (n_passages,) of a query, by the index of that key, made where it is not kept.

    Raises:
        BadInput: the ranker refuses the passages or its parameters.
        TooLong: the ranking takes longer than `LONGEST_RANKING`; making the index is not counted.
    """
    index = index_cache.get(key, lambda: ranker.prepare(Patient(texts, ranker.label), parameters))
    token = _end.set(time.monotonic() + LONGEST_RANKING)
    try:
        found: order.Scores = index.scores([query])[0]
        return found
    finally:
        _end.reset(token)
