"""Matched negatives of a job: the best for every cell while it ranks, dealt out when all is ranked.

Which place an excerpt's gold takes depends on what it costs all others, so nothing is a candidate before the
last excerpt is ranked. What a chunk found is stored with its progress, and dealing out is one transaction
with the candidates it makes: a job that is killed goes on with what it has, to the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from retrieval.candidates import matching_costs
from retrieval.candidates.choosing import TOO_FEW, of_parts, ranked
from retrieval.engine.ranking import matching, negatives, places
from retrieval.engine.ranking.matching import OFF, Choice, Matching
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.ranking.order import Scores
from retrieval.jobs import queue
from retrieval.jobs.attempts import LeaseLost
from retrieval.models import Candidate, CandidateJob, Excerpt, MatchedExcerpt

STAGE = "Matching negatives"
AT_ONCE = 500


class Prepared(NamedTuple):
    """An excerpt that waits to be dealt out, not yet stored, and what is to be counted."""

    rows: list[MatchedExcerpt]
    tally: Counter[str]


def of_job(job: CandidateJob) -> Matching:
    """Return what a job matches; nothing, where it is older than matching or keeps pools."""
    given: Mapping[str, Any] | None = job.parameters.get("matching")
    return OFF if given is None else Matching(**given)


def prepare(
    job: CandidateJob, excerpt: Excerpt, scores: Scores, texts: Sequence[str], parts: Mapping[str, Scores]
) -> Prepared:
    """Find the best negatives for every cell, and beside them the ranker's own best and those by each rule
    alone, which say what matching costs.
    """
    gold, asked = excerpt.gold, job.parameters
    if gold is None:
        return Prepared([], Counter())
    context = (excerpt.context(asked["left"], 0), excerpt.context(0, asked["right"]))
    rules, number, rule = Rules(**asked["rules"]), asked["negatives"], of_job(job)
    best = negatives.hard_negatives(scores, gold, texts, number, rules, context=context)
    shelf = matching.shelf(scores, gold, texts, rules, context=context)

    def stored(each: negatives.Candidate) -> dict[str, Any]:
        made = ranked(job, excerpt, each, **of_parts(parts, each.first))
        return {"first": made.first, "rank": made.rank, "scores": made.scores}

    def found(by: Matching) -> list[Choice]:
        return [shelf.choose(by, number, cell) for cell in matching.cells(by, number)]

    choices = found(rule)
    options = {
        "gold": stored(negatives.Candidate(gold.first, gold.size, best.gold_rank, best.gold_score)),
        "choices": [{"kept": each.kept, "chosen": list(map(stored, each.chosen))} for each in choices],
        "best": [each.rank for each in best.chosen],
        "alone": {
            name: [{"kept": each.kept, "ranks": [one.rank for one in each.chosen]} for each in found(by)]
            for name, by in rule.alone().items()
        },
    }
    waiting = MatchedExcerpt(job=job, excerpt=excerpt, length=shelf.gold.length, options=options)
    short = all(len(each.chosen) < number for each in choices)
    return Prepared([waiting], Counter(best.excluded) + Counter({TOO_FEW: int(short)}))


def deal(job: CandidateJob) -> None:
    """Deal out the places of a job whose excerpts are all ranked, and store its candidates; once.

    Raises:
        LeaseLost: the job was cancelled or claimed by another.
    """
    waiting = list(job.matched.filter(kept__isnull=True).select_related("excerpt").order_by("excerpt"))
    if not waiting:
        return
    cells = matching.cells(of_job(job), job.parameters["negatives"])
    dealt = places.deal([_entry(each) for each in waiting], cells, job.seed)
    counts = {**job.counts, matching_costs.COUNTED: matching_costs.reckon(job, of_job(job), waiting, dealt)}
    candidates = [row for each, at in zip(waiting, dealt, strict=True) for row in _candidates(each, at)]
    for each, at in zip(waiting, dealt, strict=True):
        cell = cells[at]
        each.place = cell.place if cell else None
        each.kept = each.options["choices"][at]["kept"]
        each.options = {}
    with transaction.atomic():
        if not queue.renew_lease(job, job.done, STAGE, counts):
            raise LeaseLost
        Candidate.objects.bulk_create(candidates, batch_size=AT_ONCE)
        MatchedExcerpt.objects.bulk_update(waiting, ["place", "kept", "options"], batch_size=AT_ONCE)


def _entry(each: MatchedExcerpt) -> places.Entry:
    choices = [
        places.Offer(tuple(one["kept"]), [row["rank"] for row in one["chosen"]])
        for one in each.options["choices"]
    ]
    return places.Entry(each.excerpt.digest, each.excerpt.size or 0, each.length, choices)


def _candidates(each: MatchedExcerpt, at: int) -> list[Candidate]:
    """The gold and the negatives of the cell that was dealt out, by rank."""
    gold = each.options["gold"]
    rows = sorted((gold, *each.options["choices"][at]["chosen"]), key=lambda row: row["rank"])
    own = {"job_id": each.job_id, "excerpt": each.excerpt, "size": each.excerpt.size}
    return [Candidate(**own, is_gold=row is gold, **row) for row in rows]
