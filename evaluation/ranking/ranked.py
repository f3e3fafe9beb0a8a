"""A job's candidates as arrays: where each gold is ranked, and whether it beats the job's negatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from common.errors import BadInput
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.ranking.gold_ranks import GoldRanks, stored_ranks
from retrieval.candidates.pooling import fusion_in_words
from retrieval.engine.text import passages
from retrieval.models import CandidateJob


class Ranked(NamedTuple):
    """What a job stored of Q excerpts.

    ``keys`` (Q,): of the excerpts.
    ``sizes`` (Q,): lengths of the right passages, in sentences.
    ``ranks``: the gold's.
    ``won`` (Q,): the share of the best-scored options that the gold is (1 alone, 1/2 with one equal, 0 below
    another), NaN without a negative.
    ``n_options`` (Q,): the gold and the negatives.
    """

    keys: IntArray
    sizes: IntArray
    ranks: GoldRanks
    won: FloatArray
    n_options: IntArray

    def take(self, which: IntArray) -> Ranked:
        """The excerpts at these positions, or where a mask is true."""
        return Ranked(
            self.keys[which],
            self.sizes[which],
            self.ranks.take(which),
            self.won[which],
            self.n_options[which],
        )


class Options(NamedTuple):
    """The proxy task of one excerpt.

    ``size``: of its options, in sentences.
    ``rank``: the gold's among all passages.
    ``firsts``: first sentences of its options, the gold's first.
    ``scores``: of the options, in the same order.
    """

    size: int
    rank: int
    firsts: tuple[int, ...]
    scores: tuple[float, ...]


def options(job: CandidateJob) -> dict[int, Options]:
    """Each excerpt's options, by its key; the gold first, the others by rank, with the scores behind it.

    Raises BadInput where a candidate has no score by what the job ranked by.
    """
    fields = ("excerpt_id", "rank", "first", "size", "scores")
    rows = job.candidates.order_by("excerpt_id", "-is_gold", "rank").values_list(*fields)
    by = job.ranker if not fusion_in_words(job) else str(job.parameters["pool"]["method"])
    found: dict[int, Options] = {}
    for key, rank, first, size, scores in rows.iterator(chunk_size=5000):
        if by not in scores:
            raise BadInput(
                f"Job {job.pk} stores no score by {by} for excerpt {key}; run it again, as it ranks by it."
            )
        # None is a gold that the ranker does not rank: every other option beats it.
        score = float("-inf") if scores[by] is None else float(scores[by])
        known = found.get(key)
        if known is None:
            found[key] = Options(size, rank, (first,), (score,))
        else:
            found[key] = known._replace(firsts=(*known.firsts, first), scores=(*known.scores, score))
    return found


def ranked(job: CandidateJob, by_excerpt: dict[int, Options] | None = None) -> Ranked:
    """What the job stored, as arrays. Ranks are those of the job: ties go to the earlier passage.

    Raises BadInput where the book has fewer passages than were ranked.
    """
    known = options(job) if by_excerpt is None else by_excerpt
    sizes = np.array([each.size for each in known.values()], dtype=np.int64)
    numbers = {size: passages.count(job.book.n_sentences, size) for size in np.unique(sizes).tolist()}
    candidates = np.array([numbers[size] for size in sizes.tolist()], dtype=np.int64)
    for each, number in zip(known.values(), candidates.tolist(), strict=True):
        if each.rank > number:
            raise BadInput(
                f"Job {job.pk} ranked a passage of {each.size} sentence(s) at {each.rank:,}, but the book "
                f"has {number:,} of them: its sentences changed since, so run the job again."
            )
    return Ranked(
        np.array(list(known), dtype=np.int64),
        sizes,
        stored_ranks([each.rank for each in known.values()], candidates),
        np.array([won(each.scores) for each in known.values()], dtype=np.float64),
        np.array([len(each.firsts) for each in known.values()], dtype=np.int64),
    )


def won(scores: tuple[float, ...]) -> float:
    """The gold's share of first place among ``scores``, its own first; NaN without another."""
    gold, *others = scores
    if not others:
        return float("nan")
    if max(others) > gold:
        return 0.0
    return 1 / (1 + others.count(gold))
