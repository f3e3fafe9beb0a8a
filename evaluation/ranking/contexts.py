"""The same excerpts with less context: how a ranker does with L sentences before the gap and R after it.

RELiC's Table 3 compares L/R of 0/1, 0/4, 1/0, 4/0, 1/1 and 4/4. The job's ranker is prepared once a passage
length and asked once a context; nothing is stored. An excerpt that has no sentence on the only side asked for
makes an empty query: all candidates tie, and its expected rank is the middle of the book.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from common.errors import BadInput
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.ranking.gold_ranks import GoldRanks, gold_ranks, together
from evaluation.ranking.ranked import Options, won
from retrieval.candidates.pooling import fusion_in_words
from retrieval.engine.ranking import rankers
from retrieval.engine.text import passages
from retrieval.models import CandidateJob, Excerpt
from retrieval.words import freezing

Context = tuple[int, int]
Progress = Callable[[int, int], None]
Part = tuple[GoldRanks, list[float], int]
"""Ranks, shares of first place and the number of empty queries of some excerpts."""

CONTEXTS: tuple[Context, ...] = ((0, 1), (0, 4), (1, 0), (4, 0), (1, 1), (4, 4))
AT_ONCE = 16


class ContextRanks(NamedTuple):
    """One context's results on Q excerpts.

    ``left``, ``right``: its sentences on both sides of the quotation.
    ``keys`` (Q,): of the excerpts.
    ``ranks``: the gold's, with ties.
    ``won`` (Q,): the proxy task, as in `Ranked`.
    ``n_empty``: excerpts without a word of context.
    ``own``: whether it is the context of the job.
    ``n_changed``: of its excerpts, those whose stored rank is not among the ranks found now, as the book, the
    ranker or its library changed since.
    """

    left: int
    right: int
    keys: IntArray
    ranks: GoldRanks
    won: FloatArray
    n_empty: int
    own: bool
    n_changed: int

    @property
    def label(self) -> str:
        return f"{self.left}/{self.right}"


def by_context(
    job: CandidateJob,
    options: Mapping[int, Options],
    contexts: Sequence[Context] = CONTEXTS,
    progress: Progress | None = None,
) -> tuple[ContextRanks, ...]:
    """Each context of ``contexts``, and the job's own, over the excerpts of ``options``.

    ``progress`` is called with (excerpts done, all). Raises BadInput as the ranker does.
    """
    own = (int(job.parameters["left"]), int(job.parameters["right"]))
    asked = list(dict.fromkeys([*contexts, own]))
    order: list[int] = []
    parts: list[list[Part]] = [[] for _ in asked]
    for keys, found in _chunks(job, options, asked):
        order += keys
        for part, each in zip(parts, found, strict=True):
            part.append(each)
        if progress:
            progress(len(order), len(options))
    # Lengths were ranked one after the other; the order of keys makes resamples those of the report.
    placed = np.argsort(np.array(order, dtype=np.int64), kind="stable")
    keys_in_order = np.array(order, dtype=np.int64)[placed]
    stored = np.array([options[key].rank for key in keys_in_order.tolist()])
    results = []
    for context, part in zip(asked, parts, strict=True):
        ranks = together(each[0] for each in part).take(placed)
        shares = np.array([share for each in part for share in each[1]], dtype=np.float64)[placed]
        outside = int(((stored < ranks.lowest) | (stored > ranks.highest)).sum()) if context == own else 0
        n_empty = sum(each[2] for each in part)
        results.append(ContextRanks(*context, keys_in_order, ranks, shares, n_empty, context == own, outside))
    return tuple(results)


def _chunks(
    job: CandidateJob, options: Mapping[int, Options], asked: Sequence[Context]
) -> Iterator[tuple[list[int], list[Part]]]:
    """Keys of some excerpts, and each context's results for them, one passage length after the other."""
    if fusion_in_words(job):
        raise BadInput(
            f"Job {job.pk} fuses several rankings, which are not made again with less context; leave the "
            "contexts out, or take a job of one ranker."
        )
    ranker = rankers.get(job.ranker)
    values = {name: job.parameters[name] for name in ranker.parameters if name in job.parameters}
    bounds = job.book.bounds()
    for size in sorted({each.size for each in options.values()}):
        texts = passages.texts(job.book.text, bounds, size)
        index = ranker.prepare(
            texts, freezing.opened(ranker, values, checkpoint=job.checkpoint, words=job.words)
        )
        keys = sorted(key for key, each in options.items() if each.size == size)
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            excerpts = Excerpt.objects.in_bulk(some)
            ordered = [excerpts[key] for key in some]
            proxies = [options[key] for key in some]
            yield some, [_ranked(index, ordered, proxies, context) for context in asked]


def _ranked(
    index: rankers.Index, excerpts: Sequence[Excerpt], proxies: Sequence[Options], context: Context
) -> Part:
    queries = [excerpt.query(*context) for excerpt in excerpts]
    scores = index.scores(queries)
    ranks = gold_ranks(scores, [each.firsts[0] for each in proxies])
    shares = [won(tuple(row[list(each.firsts)].tolist())) for row, each in zip(scores, proxies, strict=True)]
    return ranks, shares, sum(not excerpt.context(*context).strip() for excerpt in excerpts)
