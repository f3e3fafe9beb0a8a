"""A study in numbers, for its researchers: counted by the database, in a number of queries that no size
changes.

People appear under their pseudonyms. Nothing here is ever shown to readers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from annotation.judging import messages
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Enrolment,
    EnrolmentState,
    Event,
    Item,
    Judgment,
    Outcome,
    Role,
    State,
    Study,
)
from common.lists import count
from common.wording import counted, day
from retrieval.candidates.outcome import ranker_label
from retrieval.models import Book, CandidateJob, Status

OF_INTEREST = Q(outcome__in=[Outcome.UNDECIDED, Outcome.BROKEN]) | ~Q(note="")


class AssignmentCounts(NamedTuple):
    """The assignments of a study by status.

    done, held, free: how many.
    total: k times the items once the study was opened, else 0.
    """

    done: int
    held: int
    free: int
    total: int


class ReaderSummary(NamedTuple):
    """One enrolled person in numbers; counts are of items.

    pseudonym, role: who.
    simulated: a program.
    left, withdrawn: not active any more.
    done: items ended.
    held: items held and not put off.
    put_off: items put off.
    undecided, broken: judgments without an answer.
    last_active: when last seen.
    """

    pseudonym: str
    role: str
    simulated: bool
    left: bool
    withdrawn: bool
    done: int
    held: int
    put_off: int
    undecided: int
    broken: int
    last_active: datetime | None


def with_counts(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return studies with `n_items`, `n_assignments`, `n_done`, `n_readers` and `simulated`."""
    assignments = Assignment.objects.counted().filter(study=OuterRef("pk"))
    readers = Enrolment.objects.filter(study=OuterRef("pk"), role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE)
    return studies.annotate(
        n_items=count(Item.objects.work().filter(study=OuterRef("pk"), retired=None), "study"),
        n_assignments=count(assignments, "study"),
        n_done=count(assignments.filter(status=AssignmentStatus.DONE), "study"),
        n_readers=count(readers, "study"),
        simulated=Exists(Enrolment.objects.filter(study=OuterRef("pk"), simulated=True)),
    )


def is_simulated(study: Study) -> bool:
    """Return whether any judgment of this study may come from a program."""
    return study.enrolments.filter(simulated=True).exists()


def assignment_counts(study: Study) -> AssignmentCounts:
    """Count the assignments of the study by status."""
    rows = study.assignments.counted().order_by().values_list("status").annotate(n=Count("pk"))
    n = dict(rows)
    done, held, free = (
        n.get(status, 0) for status in (AssignmentStatus.DONE, AssignmentStatus.HELD, AssignmentStatus.FREE)
    )
    return AssignmentCounts(done, held, free, done + held + free)


def items_by_readings(study: Study) -> list[tuple[int, int]]:
    """Return pairs (readings, items that have so many), from 0 to k."""
    of_item = study.assignments.counted().order_by().values("item")
    rows = of_item.annotate(n=Count("pk", filter=Q(status=AssignmentStatus.DONE))).values_list("n", flat=True)
    n = Counter(rows)
    return [(readings, n[readings]) for readings in range(max([study.overlap, *n]) + 1)]


def readers(study: Study) -> list[ReaderSummary]:
    """Return everybody in the study, in the order in which they joined."""
    held, off = Q(status=AssignmentStatus.HELD), Q(put_off__isnull=False)
    own = study.assignments.work().filter(annotator__isnull=False).order_by().values("annotator")
    work = own.annotate(
        n_done=Count("pk", filter=Q(status=AssignmentStatus.DONE)),
        n_held=Count("pk", filter=held & ~off),
        n_put_off=Count("pk", filter=held & off),
        seen=Max(Greatest("claimed", Coalesce("opened", "claimed"), Coalesce("put_off", "claimed"))),
    )
    current = Judgment.objects.current().work().filter(assignment__study=study)
    said = (
        current.order_by()
        .values("annotator")
        .annotate(
            n_undecided=Count("pk", filter=Q(outcome=Outcome.UNDECIDED)),
            n_broken=Count("pk", filter=Q(outcome=Outcome.BROKEN)),
            seen=Max("created"),
        )
    )
    by_work: dict[int, Mapping[str, Any]] = {row["annotator"]: row for row in work}
    by_said: dict[int, Mapping[str, Any]] = {row["annotator"]: row for row in said}
    people = study.enrolments.order_by("pk")
    return [reader(each, by_work.get(each.pk, {}), by_said.get(each.pk, {})) for each in people]


def reader(each: Enrolment, work: Mapping[str, Any], said: Mapping[str, Any]) -> ReaderSummary:
    """Return one person's numbers, from the rows that count their work and their judgments."""
    seen = [row["seen"] for row in (work, said) if row.get("seen")]
    return ReaderSummary(
        pseudonym=each.pseudonym,
        role=each.role,
        simulated=each.simulated,
        left=each.state != EnrolmentState.ACTIVE,
        withdrawn=each.state == EnrolmentState.WITHDRAWN,
        **{name: work.get(f"n_{name}", 0) for name in ("done", "held", "put_off")},
        **{name: said.get(f"n_{name}", 0) for name in ("undecided", "broken")},
        last_active=max(seen, default=None),
    )


def notes(study: Study) -> QuerySet[Judgment]:
    """Return current judgments that say something to the researcher or have messages.

    First those with a line that no researcher has read, then the latest.
    """
    rows = Judgment.objects.current().filter(
        OF_INTEREST | Q(messages.has_messages()), assignment__study=study
    )
    rows = rows.select_related("assignment__item", "annotator")
    return rows.order_by(messages.unread_by_researchers().desc(), "-created", "-pk")


def late_answers(study: Study, most: int) -> tuple[list[tuple[Event, Item]], int]:
    """Return the latest `most` answers that came too late, each with its item, and how many there are."""
    rows = study.events.filter(verb="late")
    latest = list(rows[:most])
    numbers = [each.data["number"] for each in latest]
    items = {item.number: item for item in study.items.filter(number__in=numbers)}
    return [(each, items[each.data["number"]]) for each in latest], rows.count()


def items(study: Study) -> QuerySet[Item]:
    """Return items with `n_done`, `n_held`, `n_undecided`, `n_broken` and `n_notes`, by number."""
    assignments = Assignment.objects.filter(item=OuterRef("pk"))
    said = Judgment.objects.current().filter(assignment__item=OuterRef("pk"))
    return study.items.order_by("number").annotate(
        n_done=count(assignments.filter(status=AssignmentStatus.DONE), "item"),
        n_held=count(assignments.filter(status=AssignmentStatus.HELD), "item"),
        n_undecided=count(said.filter(outcome=Outcome.UNDECIDED), "assignment__item"),
        n_broken=count(said.filter(outcome=Outcome.BROKEN), "assignment__item"),
        n_notes=count(said.exclude(note=""), "assignment__item"),
    )


def abouts(study: Study, numbers: Iterable[int]) -> dict[int, str]:
    """Return by number what tells these items from the others of the study; those of which something does."""
    rows = study.items.filter(number__in=list(numbers)).values_list("number", "payload")
    found = {number: study.task_type.about(payload) for number, payload in rows}
    return {number: text for number, text in found.items() if text}


def neighbours(item: Item) -> dict[str, int | None]:
    """Return the numbers of the items before and after."""
    own = Item.objects.filter(study=item.study_id)
    before = own.filter(number__lt=item.number).order_by("-number").values("number")[:1]
    after = own.filter(number__gt=item.number).order_by("number").values("number")[:1]
    row = own.filter(pk=item.pk).values(before=Subquery(before), after=Subquery(after)).get()
    return {"before": row["before"], "after": row["after"]}


def judgments(item: Item) -> list[tuple[Judgment, bool | None]]:
    """Return the item's current judgments, each with whether it is the gold answer (None: not known)."""
    task = item.study.task_type
    rows = Judgment.objects.current().filter(assignment__item=item).select_related("annotator", "guideline")
    return [
        (each, task.is_correct(each.answer, item.gold) if each.answer is not None else None)
        for each in rows.order_by("annotator__pk")
    ]


def book_of(item: Item) -> str | None:
    """Return the slug of the book an item's options come from, or None."""
    return Book.objects.filter(excerpts__items=item).values_list("slug", flat=True).first()


def finished_jobs() -> QuerySet[CandidateJob]:
    """Return the jobs a study can be built from, without the text of their books."""
    done = CandidateJob.objects.filter(status=Status.DONE).select_related("book")
    return done.only("ranker", "parameters", "total", "finished", "created", "book__title", "book__slug")


def job_label(job: CandidateJob) -> str:
    """Return a job in words: “BM25 on The Stand of the Tide, 47 excerpts, 2 negatives, 14 November 2026”."""
    parts = [
        f"{ranker_label(job.ranker)} on {job.book.title}",
        counted(job.total, "excerpt"),
        counted(job.parameters["negatives"], "negative"),
        day(job.finished or job.created),
    ]
    return ", ".join(parts)


def state_sentence(study: Study, n: AssignmentCounts) -> str:
    """Return the state in words."""
    if study.state == State.DRAFT:
        return "Draft: readers can join, but see no item until you open it."
    if study.state == State.CLOSED:
        return "Closed: nobody can submit any more. What was said stays."
    if n.total and n.done == n.total:
        return "Open, and every reading is given: you can close it."
    return "Open: readers are at work."
