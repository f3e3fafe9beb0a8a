"""Candidates or files → items: a draft study from a finished candidate job, or from payloads as they are.

Either at once, or step by step: an empty draft first, then items from either until it opens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.items.from_candidates import finished, make_items
from annotation.items.payloads import FileItem, add_payloads
from annotation.judging.submissions import checked_text
from annotation.models import LEASE_MINUTES, Event, Guideline, OptionOrder, Role, State, Study
from annotation.people import enrolments
from annotation.tasktypes import registry
from common.errors import BadInput
from retrieval.candidates import matching_costs
from retrieval.models import CandidateJob

LONGEST_GUIDELINES = 100_000
RESERVED = frozenset({"new"})
"""Short names that would hide a study behind a page of this application."""


class Built(NamedTuple):
    """A new draft study, how many items it has, and why excerpts were left out, counted by reason."""

    study: Study
    items: int
    left_out: Counter[str]


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
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Make a draft study with an item for each of the job's excerpts; all or nothing.

    `by` becomes its researcher; `settings`: further fields of `Study`. `progress` is called
    with (excerpts looked at, all). Raises `BadInput` or `Invalid`, one sentence, for an
    unknown or unfinished job, an unknown task, a slug that is taken or reserved, a setting
    out of range, or a job of which no item can be made.
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
        **(settings or {}),
    )
    check_settings(study)
    with transaction.atomic():
        store(study, guidelines, by)
        return items_of_job(study, done, by, progress)


def items_of_job(
    study: Study, job: CandidateJob, by: User | None, progress: Callable[[int, int], None] | None = None
) -> Built:
    """The items, stored and noted; `BadInput` where not one can be made."""
    left_out: Counter[str] = Counter()
    n_items = make_items(study, job, left_out, progress)
    if not n_items:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in left_out.most_common())
        raise BadInput(f"No item can be made of job {job.pk}: {reasons or 'it has no candidates'}.")
    what: dict[str, Any] = {"job": job.pk, "items": n_items, "left_out": dict(left_out)}
    if costs := matching_costs.of_job(job):
        what["matching"] = costs.sentence
    Event.objects.create(study=study, actor=by, verb="build", data=what)
    return Built(study, n_items, left_out)


def build_from_payloads(
    *,
    slug: str,
    title: str,
    task: str,
    entries: Iterable[FileItem],
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


def make_draft(*, by: User, **settings: Any) -> Study:
    """A draft without items yet; `settings` are fields of `Study`. `BadInput` names one that cannot be."""
    study = Study(created_by=by, **settings)
    registry.get(study.task)
    check_settings(study)
    with transaction.atomic():
        store(study, "", by)
        Event.objects.create(study=study, actor=by, verb="build", data={"items": 0})
    return study


def add_from_job(study: Study, job: CandidateJob | int, *, by: User | None) -> Built:
    """Append an item for each of the job's excerpts that a draft does not have yet; all or nothing."""
    done = finished(job)
    if not study.task_type.from_candidates:
        raise BadInput(f"Items of the task “{study.task}” are not made of candidates: load them from a file.")
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        if study.state != State.DRAFT:
            raise BadInput(f"“{study.slug}” is {study.state}: only a draft takes new items.")
        built = items_of_job(study, done, by)
        Study.objects.filter(pk=study.pk, job=None).update(job=done)
    return built


def take_items_out(study: Study, *, by: User | None) -> int:
    """Empty a draft of all its items; how many there were."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        if study.state != State.DRAFT:
            raise BadInput(f"“{study.slug}” is {study.state}: its items stay as they were read.")
        n_items = study.items.count()
        # A version protects the one it replaces.
        study.items.update(replaces=None)
        study.items.all().delete()
        Study.objects.filter(pk=study.pk).update(job=None)
        Event.objects.create(study=study, actor=by, verb="items out", data={"items": n_items})
    return n_items


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
        enrolments.enrol(study, by, Role.RESEARCHER)


def check_settings(study: Study) -> None:
    """`BadInput` that names the first setting which cannot be."""
    if study.slug in RESERVED:
        raise BadInput(reserved(study.slug))
    if Study.objects.filter(slug=study.slug).exists():
        raise BadInput(taken(study.slug))
    if study.rate is not None and study.rate < 0:
        raise BadInput(f"The rate {study.rate} is no amount to be paid: use 0 or more.")
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
