"""Choose what is stored of one excerpt's ranking: the gold and its hard negatives, or a candidate pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from retrieval.candidates.pooling import RANKS
from retrieval.engine.ranking import negatives, order, pools
from retrieval.engine.ranking.indexing import Ranking
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.ranking.order import Scores
from retrieval.models import Candidate, CandidateJob, Excerpt

TOO_FEW = "too_few"
"""The tally of excerpts for which the rules left fewer candidates than asked for."""
INSERTED = "inserted"
"""The tally of pools that the rankers left the gold out of, so that it was put in."""


class Chosen(NamedTuple):
    """What is stored of one excerpt's ranking.

    rows: its candidates by rank, not yet stored.
    tally: what is to be counted, by rule or by `TOO_FEW` and `INSERTED`.
    """

    rows: list[Candidate]
    tally: Counter[str]


def choose(
    job: CandidateJob,
    excerpt: Excerpt,
    rankings: Sequence[Ranking],
    scores: Sequence[Scores],
    texts: Sequence[str],
    parts: Mapping[str, Scores] | None = None,
) -> Chosen:
    """Choose the candidates of an excerpt whose place is known, from one row of scores for each ranking.

    `parts`: the rows, by ranker, that the job's own row was fused from.
    """
    asked = job.parameters
    context = (excerpt.context(asked["left"], 0), excerpt.context(0, asked["right"]))
    if asked.get("pool"):
        return _pool(job, excerpt, rankings, scores, texts, context)
    return _negatives(job, excerpt, scores[0], texts, context, parts or {})


def _negatives(
    job: CandidateJob,
    excerpt: Excerpt,
    scores: Scores,
    texts: Sequence[str],
    context: Sequence[str],
    parts: Mapping[str, Scores],
) -> Chosen:
    """Return the gold at its true rank and the negatives."""
    gold = excerpt.gold
    if gold is None:
        return Chosen([], Counter())
    rules = Rules(**job.parameters["rules"])
    number = job.parameters["negatives"]
    found = negatives.hard_negatives(scores, gold, texts, number, rules, context=context)
    right = negatives.Candidate(gold.first, gold.size, found.gold_rank, found.gold_score)
    rows = [
        ranked(job, excerpt, each, is_gold=each is right, **of_parts(parts, each.first))
        for each in sorted((right, *found.chosen), key=lambda candidate: candidate.rank)
    ]
    return Chosen(rows, Counter(found.excluded) + Counter({TOO_FEW: int(bool(found.reason))}))


def ranked(
    job: CandidateJob, excerpt: Excerpt, each: negatives.Candidate, is_gold: bool = False, **scores: Any
) -> Candidate:
    """A row for a passage at its rank, with its score by the job's ranker and these beside it."""
    scores = {job.ranker: known(each.score), **scores}
    place = {"rank": each.rank, "first": each.first, "size": each.size}
    return Candidate(job=job, excerpt=excerpt, **place, scores=scores, is_gold=is_gold)


def known(score: float) -> float | None:
    """Return a score as it is stored, None for a passage that is not ranked, such as a gold put in a pool."""
    return None if score == order.UNRANKED else float(score)


def of_parts(parts: Mapping[str, Scores], first: int) -> dict[str, Any]:
    """Return a passage's score and rank by each ranker that was fused."""
    if not parts:
        return {}
    by = {slug: known(row[first]) for slug, row in parts.items()}
    return {**by, RANKS: {slug: order.rank(row, first) for slug, row in parts.items()}}


def _pool(
    job: CandidateJob,
    excerpt: Excerpt,
    rankings: Sequence[Ranking],
    scores: Sequence[Scores],
    texts: Sequence[str],
    context: Sequence[str],
) -> Chosen:
    """Return the pool by its fused rank. The order in which it is shown is drawn when it is exported."""
    gold, asked = excerpt.gold, job.parameters["pool"]
    if gold is None:
        return Chosen([], Counter())
    found = pools.pool(
        scores,
        gold,
        texts,
        seed=job.seed,
        size=asked["size"],
        method=asked["method"],
        rules=Rules(**job.parameters["rules"]),
        context=context,
    )
    rows = []
    for passage, place in zip(found.passages, found.places, strict=True):
        by = {each.label: known(row[passage.first]) for each, row in zip(rankings, scores, strict=True)}
        ranks = dict(zip(by, place.ranks, strict=True))
        rows.append(
            Candidate(
                job=job,
                excerpt=excerpt,
                rank=place.fused,
                first=passage.first,
                size=passage.size,
                scores=by if len(by) == 1 else {**by, asked["method"]: known(place.score), RANKS: ranks},
                is_gold=passage == gold,
            )
        )
    tally = Counter({INSERTED: int(found.inserted), TOO_FEW: int(bool(found.reason))})
    return Chosen(sorted(rows, key=lambda row: row.rank), Counter(found.excluded) + tally)
