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
from retrieval.candidates import waiting as stored
from retrieval.candidates.waiting import InCell, Stored, Waiting
from retrieval.engine.ranking import matching, places, reuse
from retrieval.engine.ranking.matching import OFF, Matching
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.jobs import queue
from retrieval.jobs.attempts import LeaseLost
from retrieval.models import Candidate, CandidateJob, MatchedExcerpt

STAGE = "Matching negatives"
AT_ONCE = 500


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
    rule = of_job(job)
    found = stored.waiting(job, rule)
    if not found:
        return
    cells = matching.cells(rule, job.parameters["negatives"])
    leading = [each for each in found if not each.follows]
    dealt = places.deal([each.entry for each in leading], cells, job.seed)
    of = {each.asks: at for each, at in zip(leading, dealt, strict=True)}
    at = {each.key: of[each.asks] for each in found}
    chosen = _chosen(job, found, stored.in_cells(job, at))
    costs = matching_costs.reckon(job, rule, found, list(chosen.values()))
    with transaction.atomic():
        if not queue.renew_lease(job, job.done, STAGE, {**job.counts, matching_costs.COUNTED: costs}):
            raise LeaseLost
        for rows in stored.a_few(job, list(chosen)):
            candidates = [one for each in rows for one in _candidates(each, chosen[each.pk])]
            Candidate.objects.bulk_create(candidates, batch_size=AT_ONCE)
            for each in rows:
                cell = cells[at[each.pk]]
                each.place = cell.place if cell else None
                each.kept = list(chosen[each.pk].kept)
                each.options = {}
            MatchedExcerpt.objects.bulk_update(rows, ["place", "kept", "options"])


def _chosen(job: CandidateJob, found: Sequence[Waiting], cells: Mapping[int, InCell]) -> dict[int, Stored]:
    """Return for each excerpt, by the key of its row, the negatives it gets: none that another has, but
    where they ask for the same passage, if that can be.
    """
    reading = _Reading(job)
    following = defaultdict(list)
    for each in found:
        if each.follows:
            following[each.asks].append(cells[each.key].same or [])
    leading = [each for each in found if not each.follows]

    def alternative(each: Waiting, number: int, one: Stored) -> reuse.Alternative:
        theirs = [rows[number] for rows in following[each.asks]]
        fit = all(len(also.chosen) for also in theirs)
        read = [reading.reads(first, each.entry.size) for first in one.chosen]
        leans = [sum(each) for each in zip(*(also.leans for also in (one, *theirs)), strict=True)]
        cost = sum(map(math.log, one.ranks))
        return reuse.Alternative(len(one.kept) if fit else 0, read, cost, leans)

    offered = [[alternative(each, n, one) for n, one in enumerate(cells[each.key].own)] for each in leading]
    taken = reuse.take([each.entry.name for each in leading], offered)
    of = {each.asks: one for each, one in zip(leading, taken, strict=True)}
    return {each.key: _taken(cells[each.key], of[each.asks]) for each in found}


class _Reading:
    """What passages of a job's book read; each is read once."""

    def __init__(self, job: CandidateJob) -> None:
        self._text, self._bounds = job.book.text, job.book.bounds()
        self._known: dict[Passage, str] = {}

    def reads(self, first: int, size: int) -> str:
        each = Passage(first, size)
        if each not in self._known:
            self._known[each] = reads(passages.slice_text(self._text, self._bounds, each))
        return self._known[each]


def _taken(cell: InCell, taken: reuse.Taken) -> Stored:
    if cell.same and len(cell.same[taken.number].chosen):
        one = cell.same[taken.number]
    else:
        one = cell.own[taken.number if cell.same is None else 0]
    return one._replace(kept=tuple(rule for rule in one.kept if rule != "reuse" or taken.fresh))


def _candidates(each: MatchedExcerpt, chosen: Stored) -> list[Candidate]:
    """The gold and the negatives that were dealt out, by rank."""
    gold = each.options["gold"]
    rows = [gold, *(stored.passage(each.options, first) for first in chosen.chosen)]
    own = {"job_id": each.job_id, "excerpt": each.excerpt, "size": each.excerpt.size}
    ordered = sorted(rows, key=lambda row: row["rank"])
    return [Candidate(**own, is_gold=row is gold, **row) for row in ordered]
