"""Matched negatives of a job: the best for every cell while it ranks, dealt out when all is ranked.

Which place an excerpt's gold takes depends on what it costs all others, so nothing is a candidate before the
last excerpt is ranked. What a chunk found is stored with its progress, and dealing out is one transaction
with the candidates it makes: a job that is killed goes on with what it has, to the same rows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from common.texts.surface import reads
from retrieval.candidates import matching_costs
from retrieval.engine.ranking import matching, places, reuse
from retrieval.engine.ranking.matching import OFF, Matching
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.jobs import queue
from retrieval.jobs.attempts import LeaseLost
from retrieval.models import Candidate, CandidateJob, MatchedExcerpt

STAGE = "Matching negatives"
AT_ONCE = 500

Negatives = Mapping[str, Any]
"""What an excerpt could have: the rules that hold, `kept`, and the passages, `chosen`."""


def of_job(job: CandidateJob) -> Matching:
    """Return what a job matches; nothing, where it is older than matching or keeps pools."""
    given: Mapping[str, Any] | None = job.parameters.get("matching")
    return OFF if given is None else matching.recorded(given)


def sentences_asked_for(job: CandidateJob) -> set[int]:
    """Return the sentences of its golds where none of them may be part of a negative, else nothing."""
    if not of_job(job).reuse:
        return set()
    golds = [each.gold for each in job.excerpts.only("first", "size")]
    return {sentence for gold in golds if gold for sentence in range(gold.first, gold.first + gold.size)}


def deal(job: CandidateJob) -> None:
    """Deal out the places of a job whose excerpts are all ranked, and store its candidates; once.

    Raises:
        LeaseLost: the job was cancelled or claimed by another.
    """
    waiting = list(job.matched.filter(kept__isnull=True).select_related("excerpt").order_by("excerpt"))
    if not waiting:
        return
    cells = matching.cells(of_job(job), job.parameters["negatives"])
    leading = [each for each in waiting if "same" not in each.options]
    of = {_key(each): at for each, at in zip(leading, _cells(leading, cells, job.seed), strict=True)}
    dealt = [of[_key(each)] for each in waiting]
    chosen = _chosen(job, waiting, dealt)
    costs = matching_costs.reckon(job, of_job(job), waiting, chosen)
    candidates = [row for each, one in zip(waiting, chosen, strict=True) for row in _candidates(each, one)]
    for each, at, one in zip(waiting, dealt, chosen, strict=True):
        cell = cells[at]
        each.place = cell.place if cell else None
        each.kept = one["kept"]
        each.options = {}
    with transaction.atomic():
        if not queue.renew_lease(job, job.done, STAGE, {**job.counts, matching_costs.COUNTED: costs}):
            raise LeaseLost
        Candidate.objects.bulk_create(candidates, batch_size=AT_ONCE)
        MatchedExcerpt.objects.bulk_update(waiting, ["place", "kept", "options"], batch_size=AT_ONCE)


def _chosen(job: CandidateJob, waiting: Sequence[MatchedExcerpt], dealt: Sequence[int]) -> list[Negatives]:
    """Return for each excerpt the negatives it gets: none that another has, but where they ask for the same
    passage, if that can be.
    """
    text, bounds = job.book.text, job.book.bounds()
    leading, following = [], defaultdict(list)
    for each, at in zip(waiting, dealt, strict=True):
        if "same" in each.options:
            following[_key(each)].append(each.options["same"][at])
        else:
            leading.append((each, each.options["choices"][at]))

    def alternative(each: MatchedExcerpt, number: int, one: Negatives) -> reuse.Alternative:
        own = [Passage(row["first"], each.excerpt.size or 0) for row in one["chosen"]]
        theirs = [rows[number] for rows in following[_key(each)]]
        fit = all(also["chosen"] for also in theirs)
        reading = [reads(passages.slice_text(text, bounds, passage)) for passage in own]
        leans = [sum(each) for each in zip(*(also["leans"] for also in (one, *theirs)), strict=True)]
        cost = sum(math.log(row["rank"]) for row in one["chosen"])
        return reuse.Alternative(len(one["kept"]) if fit else 0, reading, cost, leans)

    offered = [[alternative(each, n, one) for n, one in enumerate(rows)] for each, rows in leading]
    taken = reuse.take([each.excerpt.digest for each, _ in leading], offered)
    of = {_key(each): one for (each, _), one in zip(leading, taken, strict=True)}
    return [_taken(each, at, of[_key(each)]) for each, at in zip(waiting, dealt, strict=True)]


def _taken(each: MatchedExcerpt, at: int, taken: reuse.Taken) -> Negatives:
    if "same" in each.options and each.options["same"][at][taken.number]["chosen"]:
        one = each.options["same"][at][taken.number]
    else:
        rows = each.options["choices"][at]
        one = rows[0 if "same" in each.options else taken.number]
    return {**one, "kept": [rule for rule in one["kept"] if rule != "reuse" or taken.fresh]}


def _key(each: MatchedExcerpt) -> tuple[int | None, int | None, str]:
    """The same for excerpts that are to have the same negatives."""
    alone = "" if "reuse" in each.options["alone"] else each.excerpt.digest
    return each.excerpt.first, each.excerpt.size, alone


def _cells(leading: Sequence[MatchedExcerpt], cells: Sequence[matching.Cell | None], seed: int) -> list[int]:
    return places.deal([_entry(each) for each in leading], cells, seed)


def _entry(each: MatchedExcerpt) -> places.Entry:
    best = [row[0] for row in each.options["choices"]]
    offers = [places.Offer(tuple(one["kept"]), [row["rank"] for row in one["chosen"]]) for one in best]
    return places.Entry(each.excerpt.digest, each.excerpt.size or 0, each.length, offers)


def _candidates(each: MatchedExcerpt, chosen: Negatives) -> list[Candidate]:
    """The gold and the negatives that were dealt out, by rank."""
    gold = each.options["gold"]
    rows = sorted((gold, *chosen["chosen"]), key=lambda row: row["rank"])
    own = {"job_id": each.job_id, "excerpt": each.excerpt, "size": each.excerpt.size}
    return [Candidate(**own, is_gold=row is gold, **row) for row in rows]
