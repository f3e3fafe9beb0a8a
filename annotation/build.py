"""Candidates or files → items: a draft study from a finished candidate job, or from payloads as they are.

Everything that is drawn is drawn from the study's seed and the excerpts' digests, so
the same job and seed make the same items in any database. What a reader may see goes
into the payload; where the options came from goes into the provenance, beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation import people
from annotation.judging import checked_text
from annotation.models import LEASE_MINUTES, Event, Guideline, Item, OptionOrder, Role, Study
from annotation.payloads import Entry, add_payloads, digest
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from retrieval.engine.errors import BadInput
from retrieval.models import Candidate, CandidateJob, Excerpt, Standing, Status

AT_ONCE = 500
LONGEST_GUIDELINES = 100_000
RESERVED = frozenset({"new"})
"""Short names that would hide a study behind a page of this application."""
TOO_FEW, NO_GOLD, TWICE = "too few candidates", "the gold passage is unknown", "the same item twice"
NOT_IN_USE = "the excerpt was rejected or moved since the job"


class Built(NamedTuple):
    """A new draft study, how many items it has, and why excerpts were left out, counted by reason."""

    study: Study
    items: int
    left_out: Counter[str]


class Material(NamedTuple):
    """One excerpt with the candidates its item is made of, the gold first, then by rank."""

    excerpt: Excerpt
    candidates: list[Candidate]


def build_study(
    *,
    slug: str,
    title: str,
    task: str,
    job: CandidateJob | int,
    overlap: int,
    seed: int,
    by: User | None,
    option_order: str = OptionOrder.PER_ANNOTATOR,
    guidelines: str = "",
    contact: str = "",
    lease_minutes: int = LEASE_MINUTES,
    progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Make a draft study with an item for each of the job's excerpts; all or nothing.

    `by` becomes its researcher. `progress` is called with (excerpts looked at, all).
    Raises `BadInput` or `Invalid`, one sentence, for an unknown or unfinished job, an
    unknown task, a slug that is taken or reserved, a setting out of range, or a job of which no
    item can be made.
    """
    done = finished(job)
    if not registry.get(task).from_candidates:
        raise BadInput(f"Items of the task “{task}” are not made of candidates: load them from a file.")
    checked_text(guidelines, "guidelines", LONGEST_GUIDELINES)
    study = Study(
        slug=slug,
        title=title,
        task=task,
        job=done,
        overlap=overlap,
        seed=seed,
        created_by=by,
        option_order=option_order,
        contact=contact,
        lease_minutes=lease_minutes,
    )
    check_settings(study)
    with transaction.atomic():
        store(study, guidelines, by)
        left_out: Counter[str] = Counter()
        n_items = make_items(study, done, left_out, progress)
        if not n_items:
            reasons = ", ".join(f"{reason} ({n})" for reason, n in left_out.most_common())
            raise BadInput(f"No item can be made of job {done.pk}: {reasons or 'it has no candidates'}.")
        what = {"job": done.pk, "items": n_items, "left_out": dict(left_out)}
        Event.objects.create(study=study, actor=by, verb="build", data=what)
    return Built(study, n_items, left_out)


def build_from_payloads(
    *,
    slug: str,
    title: str,
    task: str,
    entries: Iterable[Entry],
    overlap: int,
    seed: int,
    by: User | None,
    guidelines: str = "",
    contact: str = "",
    source: str = "",
) -> Built:
    """Make a draft study of items that a file holds, numbered from 1 in its order; all or nothing.

    `source` names the file in the record. Raises `BadInput` or `Invalid`, one sentence
    that names the place in the file and the field, for anything that cannot be an item.
    """
    registry.get(task)
    checked_text(guidelines, "guidelines", LONGEST_GUIDELINES)
    study = Study(
        slug=slug, title=title, task=task, overlap=overlap, seed=seed, created_by=by, contact=contact
    )
    check_settings(study)
    with transaction.atomic():
        store(study, guidelines, by)
        added = add_payloads(study, entries, by=by, source=source)
        if not added.new:
            raise BadInput(f"{source or 'The file'} holds no item: nothing was built.")
    return Built(study, added.new, Counter())


def store(study: Study, guidelines: str, by: User | None) -> None:
    """The study's own rows, inside the transaction that makes its items."""
    try:
        with transaction.atomic():
            study.save(force_insert=True)
    except IntegrityError:
        raise BadInput(taken(study.slug)) from None
    if guidelines.strip():
        Guideline.objects.create(study=study, version=1, text=guidelines, created_by=by)
    if by is not None:
        people.enrol(study, by, Role.RESEARCHER)


def finished(job: CandidateJob | int) -> CandidateJob:
    """The job as it is now, or `BadInput` when there is none or it is not done."""
    pk = job if isinstance(job, int) else job.pk
    found = CandidateJob.objects.select_related("book").filter(pk=pk).first()
    if found is None:
        raise BadInput(f"There is no candidate job {pk}: see the list of jobs for one that is done.")
    if found.status != Status.DONE:
        state = found.get_status_display().lower()
        raise BadInput(f"Job {pk} is not done but {state}: a study can be built when it is done.")
    return found


def check_settings(study: Study) -> None:
    """`BadInput` that names the first setting which cannot be."""
    if study.slug in RESERVED:
        raise BadInput(reserved(study.slug))
    if Study.objects.filter(slug=study.slug).exists():
        raise BadInput(taken(study.slug))
    for field in ("title", "contact"):
        checked_text(getattr(study, field), field, 200)
    try:
        study.full_clean(exclude=["job", "created_by"])
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        value = getattr(study, field, "")
        raise BadInput(f"The study’s {field.replace('_', ' ')} cannot be {value!r}: {messages[0]}") from None


def reserved(slug: str) -> str:
    return f"“{slug}” is the address of a page: choose another short name."


def taken(slug: str) -> str:
    return f"There is a study “{slug}” already: choose another short name."


def make_items(
    study: Study, job: CandidateJob, left_out: Counter[str], progress: Callable[[int, int], None] | None
) -> int:
    """Store the items, numbered from 1 in an order drawn from the seed; count what is left out."""
    seen: set[str] = set()
    for looked_at, total, batch in batches(job, study.seed):
        items = []
        for each in batch:
            item = item_or_reason(each, study, job, seen)
            if isinstance(item, str):
                left_out[item] += 1
                continue
            seen.add(item.digest)
            item.number = len(seen)
            items.append(item)
        Item.objects.bulk_create(items)
        if progress:
            progress(looked_at, total)
    return len(seen)


def item_or_reason(each: Material, study: Study, job: CandidateJob, seen: set[str]) -> Item | str:
    """The item an excerpt makes, unsaved and unnumbered, or the reason why it makes none."""
    wrong = int(job.parameters.get("negatives", 2))
    if each.excerpt.standing != Standing.IN_USE:
        return NOT_IN_USE
    if not each.candidates or not each.candidates[0].is_gold:
        return NO_GOLD
    if len(each.candidates) <= wrong:
        return TOO_FEW
    item = choice_item(each.excerpt, each.candidates[: wrong + 1], job, study)
    try:
        study.task_type.check_payload(item.payload)
        item.gold = study.task_type.check_answer(item.payload, item.gold)
    except Invalid as error:
        return str(error).rstrip(".")
    return TWICE if item.digest in seen else item


def batches(job: CandidateJob, seed: int) -> Iterator[tuple[int, int, list[Material]]]:
    """The job's excerpts with their candidates, some at a time, in the order drawn for the items."""
    ids = Candidate.objects.filter(job=job).order_by().values("excerpt")
    order = list(
        Excerpt.objects.filter(pk__in=ids).order_by("digest").values_list("pk", flat=True).distinct()
    )
    Random(f"{seed}:items").shuffle(order)  # noqa: S311 - not a secret
    for start in range(0, len(order), AT_ONCE):
        some = order[start : start + AT_ONCE]
        excerpts = Excerpt.objects.select_related("source").in_bulk(some)
        of_excerpt: dict[int, list[Candidate]] = {pk: [] for pk in some}
        rows = Candidate.objects.filter(job=job, excerpt__in=some).order_by("-is_gold", "rank")
        for candidate in rows:
            of_excerpt[candidate.excerpt_id].append(candidate)
        yield start + len(some), len(order), [Material(excerpts[pk], of_excerpt[pk]) for pk in some]


def choice_item(excerpt: Excerpt, candidates: list[Candidate], job: CandidateJob, study: Study) -> Item:
    """An item whose options stand in an order drawn once from the seed; `candidates`: the gold first."""
    options = list(candidates)
    Random(f"{study.seed}:{excerpt.digest}").shuffle(options)  # noqa: S311 - not a secret
    payload: dict[str, Any] = {
        "left": list(excerpt.left),
        "right": list(excerpt.right),
        "options": [job.book.passage(option.first, option.size) for option in options],
        "language": job.book.language,
        "citation": excerpt.source.citation,
        "book": job.book.title,
    }
    names = ("first", "size", "rank", "scores", "is_gold")
    drawn = [{name: getattr(option, name) for name in names} for option in options]
    return Item(
        study=study,
        payload=payload,
        gold={"option": options.index(candidates[0])},
        provenance={"job": job.pk, "excerpt": excerpt.pk, "options": drawn},
        excerpt=excerpt,
        digest=digest(payload),
    )
