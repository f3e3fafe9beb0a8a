"""The excerpts of a finished candidate job → items with an order of their options.

Everything that is drawn is drawn from the study's seed and the excerpts' digests, so
the same job and seed make the same items in any database. What a reader may see goes
into the payload; where the options came from goes into the provenance, beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from django.db.models import Max, QuerySet

from annotation.items.option_orders import digest
from annotation.models import Item, Study
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.items import Quotation
from common.errors import BadInput
from retrieval.candidates.missed_gold import missed_gold
from retrieval.models import Candidate, CandidateJob, Excerpt, MatchedExcerpt, Standing, Status

AT_ONCE = 500
TOO_FEW, NO_GOLD, TWICE = "too few candidates", "the gold passage is unknown", "the same item twice"
NOT_IN_USE = "the excerpt was rejected or moved since the job"


class ExcerptCandidates(NamedTuple):
    """What the item of one excerpt is made of.

    excerpt: the criticism around a quotation.
    candidates: the options, the gold first, then by rank.
    matched: in what they look alike, where the job saw to that.
    """

    excerpt: Excerpt
    candidates: list[Candidate]
    matched: MatchedExcerpt | None = None


def finished(job: CandidateJob | int) -> CandidateJob:
    """Return the job as it is now. Raises `BadInput` where there is none or it is not done."""
    pk = job if isinstance(job, int) else job.pk
    found = CandidateJob.objects.select_related("book").filter(pk=pk).first()
    if found is None:
        raise BadInput(f"There is no candidate job {pk}: see the list of jobs for one that is done.")
    if found.status != Status.DONE:
        state = found.get_status_display().lower()
        raise BadInput(f"Job {pk} is not done but {state}: a study can be built when it is done.")
    return found


def make_items(
    study: Study,
    job: CandidateJob,
    left_out: Counter[str],
    progress: Callable[[int, int], None] | None,
    beyond: int | None = None,
) -> int:
    """Store the items after those there are, in an order drawn from the seed; count what is left out.

    `beyond`: only of excerpts whose gold the job ranked beyond that rank; of all where it is None.
    """
    seen = set(study.items.values_list("digest", flat=True))
    # Numbers may have gaps: a version that was undone is gone.
    before = last = study.items.aggregate(last=Max("number"))["last"] or 0
    for looked_at, total, batch in batches(job, study.seed, wanted(job, beyond, left_out)):
        items = []
        for each in batch:
            item = item_or_reason(each, study, job, seen)
            if isinstance(item, str):
                left_out[item] += 1
                continue
            seen.add(item.digest)
            last += 1
            item.number = last
            items.append(item)
        Item.objects.bulk_create(items)
        if progress:
            progress(looked_at, total)
    return last - before


def item_or_reason(each: ExcerptCandidates, study: Study, job: CandidateJob, seen: set[str]) -> Item | str:
    """Return the item an excerpt makes, unsaved and without a number, or the reason why it makes none."""
    wrong = int(job.parameters.get("negatives", 2))
    if each.excerpt.standing != Standing.IN_USE:
        return NOT_IN_USE
    if not each.candidates or not each.candidates[0].is_gold:
        return NO_GOLD
    if len(each.candidates) <= wrong:
        return TOO_FEW
    item = item_of(each.excerpt, each.candidates[: wrong + 1], job, study)
    if each.matched:
        # In what its wrong options look like the right one.
        item.provenance["matched"] = {"place": each.matched.place, "kept": each.matched.kept}
    try:
        study.task_type.check_payload(item.payload)
        item.gold = study.task_type.check_answer(item.payload, item.gold)
    except Invalid as error:
        return str(error).rstrip(".")
    return TWICE if item.digest in seen else item


def wanted(job: CandidateJob, beyond: int | None, left_out: Counter[str]) -> QuerySet[Excerpt]:
    """Return the job's excerpts, or those whose gold it ranked beyond that rank; the others are counted."""
    ids = Candidate.objects.filter(job=job).order_by().values("excerpt")
    every = Excerpt.objects.filter(pk__in=ids)
    if beyond is None:
        return every
    found = missed_gold(job, beyond=beyond)
    if others := every.count() - found.count():
        left_out[f"the ranker found its passage within rank {beyond}"] += others
    return found


def batches(
    job: CandidateJob, seed: int, chosen: QuerySet[Excerpt]
) -> Iterator[tuple[int, int, list[ExcerptCandidates]]]:
    """Yield (excerpts so far, all excerpts, some of them with their candidates), in the order drawn."""
    order = list(chosen.order_by("digest").values_list("pk", flat=True).distinct())
    Random(f"{seed}:items").shuffle(order)  # noqa: S311 - not a secret
    for start in range(0, len(order), AT_ONCE):
        some = order[start : start + AT_ONCE]
        excerpts = Excerpt.objects.select_related("source").in_bulk(some)
        of_excerpt: dict[int, list[Candidate]] = {pk: [] for pk in some}
        rows = Candidate.objects.filter(job=job, excerpt__in=some).order_by("-is_gold", "rank")
        for candidate in rows:
            of_excerpt[candidate.excerpt_id].append(candidate)
        matched = {each.excerpt_id: each for each in job.matched.filter(excerpt__in=some)}
        made = [ExcerptCandidates(excerpts[pk], of_excerpt[pk], matched.get(pk)) for pk in some]
        yield start + len(some), len(order), made


def item_of(
    excerpt: Excerpt, candidates: list[Candidate], job: CandidateJob, study: Study, version: int = 1
) -> Item:
    """Return the item these candidates make, unsaved and unchecked; the gold comes first in `candidates`.

    Its options get an order drawn from the study's seed, another one for each `version` of the item.
    """
    drawn = list(candidates)
    seed = f"{study.seed}:{excerpt.digest}" + (f":{version}" if version > 1 else "")
    Random(seed).shuffle(drawn)  # noqa: S311 - not a secret
    found = Quotation(
        left=list(excerpt.left),
        right=list(excerpt.right),
        passages=[job.book.passage(each.first, each.size) for each in drawn],
        gold=drawn.index(candidates[0]),
        language=job.book.language,
        citation=excerpt.source.citation,
        book=job.book.title,
    )
    payload, gold = study.task_type.of_quotation(found)
    names = ("first", "size", "rank", "scores", "is_gold")
    origins = [{name: getattr(each, name) for name in names} for each in drawn]
    return Item(
        study=study,
        payload=payload,
        gold=gold,
        provenance={"job": job.pk, "excerpt": excerpt.pk, "options": origins, "drawn": True},
        excerpt=excerpt,
        digest=digest(payload),
        version=version,
    )
