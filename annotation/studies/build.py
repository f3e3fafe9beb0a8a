"""Make draft studies: of a finished candidate job, of a file of items, or empty to be filled step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.items.from_candidates import finished, make_items
from annotation.items.payloads import LARGE, Entry, add_in_parts, add_payloads, checked, takers
from annotation.judging.submissions import checked_text
from annotation.models import Event, Guideline, Role, Sample, State, Study
from annotation.people import enrolments
from annotation.tasktypes import registry
from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.candidates import matching_costs
from retrieval.models import CandidateJob

LONGEST_GUIDELINES = 100_000
RESERVED = frozenset({"new"})
"""Short names that would hide a study behind a page of this application."""


class Built(NamedTuple):
    """A draft with the items made of a job.

    study: the draft.
    items: how many were made now.
    left_out: excerpts of which no item was made, counted by reason.
    """

    study: Study
    items: int
    left_out: Counter[str]


class LoadedItems(NamedTuple):
    """A study with the items of a file.

    study: the study.
    created: whether it was made now.
    new: how many items were stored now.
    known: how many of the file it had before.
    """

    study: Study
    created: bool
    new: int
    known: int


def build_study(
    *,
    job: CandidateJob | int,
    by: User | None,
    guidelines: str = "",
    progress: Callable[[int, int], None] | None = None,
    beyond: int | None = None,
    **settings: Any,
) -> Built:
    """Make a draft study with an item for each of the job's excerpts; all or nothing.

    With `beyond` only of those whose gold the job ranked beyond that rank, as in RELiC's second
    study (Thai et al. 2022, section 4: 1,000). `by` becomes its researcher; `settings` are fields
    of `Study`, among them `slug`, `title`, `task`, `overlap` and `seed`. `progress` is called with
    (excerpts looked at, all). Raises `BadInput` or `Invalid`, one sentence, for an unknown or
    unfinished job, an unknown task, a slug that is taken or reserved, a setting out of range, or a
    job of which no item can be made.
    """
    done = finished(job)
    with transaction.atomic():
        study = empty_draft(by=by, guidelines=guidelines, job=done, **settings)
        check_task_of_jobs(study)
        return items_of_job(study, done, by, progress, beyond)


def load_items(
    slug: str,
    task: str,
    entries: Iterable[Entry],
    *,
    source: str,
    title: str = "",
    overlap: int = 3,
    seed: int = 0,
    by: User | None = None,
    guidelines: str = "",
    **settings: Any,
) -> LoadedItems:
    """Put the items of a file into the study of that name; all or nothing. Run again it adds nothing.

    Where there is no such study it is made: a draft of the task with the title, overlap, seed,
    guidelines and `settings` (further fields of `Study`), which a study that is there ignores.
    `source` names the file in the record. Raises `BadInput` or `Invalid`, one sentence that
    names the place in the file and the field, for anything that cannot be an item.
    """
    with transaction.atomic():
        known = Study.objects.filter(slug=slug, deleted=None).first()
        study = known or empty_draft(
            by=by,
            guidelines=guidelines,
            slug=slug,
            title=title or slug,
            task=task,
            overlap=overlap,
            seed=seed,
            **settings,
        )
        if study.task != task:
            raise BadInput(f"“{slug}” is a study of the task “{study.task}”, not “{task}”: use another name.")
        added = add_payloads(study, entries, by=by, source=source)
        if known is None and not added.new:
            raise BadInput(f"{source} holds no item: nothing was built.")
    return LoadedItems(study, known is None, added.new, added.known)


def load_file(
    slug: str,
    task: str,
    entries: Callable[[], Iterable[Entry]],
    *,
    source: str,
    progress: Progress = silent,
    **about: Any,
) -> LoadedItems:
    """Do as `load_items` does with a file of any size, whose `entries` can be read twice.

    It is checked as a whole first. If it is large its items are then stored in parts, so that readers of
    other studies go on; cut off in the middle it leaves a draft, which the same call completes.
    """
    known = Study.objects.filter(slug=slug, deleted=None).first()
    fits = known is None or (known.task == task and known.state in takers(to_open=False))
    seed = known or Study(slug=slug, task=task, seed=about.get("seed", 0), overlap=about.get("overlap", 3))
    ready = checked(seed, entries(), progress) if fits else None
    if ready is None or ready.new <= LARGE:
        return load_items(slug, task, entries(), source=source, **about)
    study = known
    if study is None:
        title, overlap, seed_of = about.pop("title", ""), about.pop("overlap", 3), about.pop("seed", 0)
        with transaction.atomic():
            study = empty_draft(
                slug=slug, title=title or slug, task=task, overlap=overlap, seed=seed_of, **about
            )
    added = add_in_parts(study, ready, by=about.get("by"), source=source, progress=progress)
    return LoadedItems(study, known is None, added.new, added.known)


def make_draft(*, by: User, **settings: Any) -> Study:
    """Make a draft without items; `settings` are fields of `Study`. `BadInput` names one that cannot be."""
    with transaction.atomic():
        study = empty_draft(by=by, **settings)
        Event.objects.create(study=study, actor=by, verb="build", data={"items": 0})
    return study


def empty_draft(*, by: User | None, guidelines: str = "", **settings: Any) -> Study:
    """Store a draft with its guidelines and its researcher `by`, in the transaction that makes its items."""
    study = Study(created_by=by, **settings)
    registry.get(study.task)
    checked_text(guidelines, "guidelines", LONGEST_GUIDELINES)
    check_settings(study)
    try:
        with transaction.atomic():
            study.save(force_insert=True)
    except IntegrityError:
        raise BadInput(taken(study.slug)) from None
    if guidelines.strip():
        Guideline.objects.create(study=study, version=1, text=guidelines, created_by=by)
    if by is not None:
        enrolments.enrol(study, by, Role.RESEARCHER)
    return study


def items_of_job(
    study: Study,
    job: CandidateJob,
    by: User | None,
    progress: Callable[[int, int], None] | None = None,
    beyond: int | None = None,
) -> Built:
    """Make the job's items, store and record them; `BadInput` where not one can be made."""
    left_out: Counter[str] = Counter()
    n_items = make_items(study, job, left_out, progress, beyond)
    if not n_items:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in left_out.most_common())
        raise BadInput(f"No item can be made of job {job.pk}: {reasons or 'it has no candidates'}.")
    what: dict[str, Any] = {"job": job.pk, "items": n_items, "left_out": dict(left_out)}
    if beyond is not None:
        what["beyond"] = beyond
    if costs := matching_costs.of_job(job):
        what["matching"] = costs.sentence
    Event.objects.create(study=study, actor=by, verb="build", data=what)
    return Built(study, n_items, left_out)


def add_from_job(
    study: Study,
    job: CandidateJob | int,
    *,
    by: User | None,
    beyond: int | None = None,
    to_open: bool = False,
) -> Built:
    """Append an item for each of the job's excerpts that a draft does not have yet; all or nothing.

    `beyond` as `build_study` takes it, `to_open` as `add_payloads` does.
    """
    done = finished(job)
    check_task_of_jobs(study)
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state not in takers(to_open=to_open):
            raise BadInput(f"“{study.slug}” is {study.state}: only a draft takes new items.")
        built = items_of_job(study, done, by, beyond=beyond)
        Study.objects.filter(pk=study.pk, job=None).update(job=done)
    return built


def take_items_out(study: Study, *, by: User | None) -> int:
    """Take all items out of a draft, and return how many there were."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state != State.DRAFT:
            raise BadInput(f"“{study.slug}” is {study.state}: its items stay as they were read.")
        n_items = study.items.count()
        # A version protects the one it replaces.
        study.items.update(replaces=None)
        study.items.all().delete()
        Sample.objects.filter(study=study).delete()
        Study.objects.filter(pk=study.pk).update(job=None, shows_machine=False)
        Event.objects.create(study=study, actor=by, verb="items out", data={"items": n_items})
    return n_items


def check_task_of_jobs(study: Study) -> None:
    """Raise `BadInput` where items of this study's task are not made of candidates."""
    if not study.task_type.from_candidates:
        raise BadInput(f"Items of the task “{study.task}” are not made of candidates: load them from a file.")


def check_settings(study: Study) -> None:
    """Raise `BadInput` that names the first setting which cannot be."""
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
    """Return the sentence that refuses a short name which is a page's address."""
    return f"“{slug}” is the address of a page: choose another short name."


def taken(slug: str) -> str:
    """Return the sentence that refuses a short name which another study has."""
    return f"There is a study “{slug}” already: choose another short name."
