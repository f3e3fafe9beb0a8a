"""Which items a reader was given, in their order, and how far they have come."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from django.db.models import Count, DateTimeField, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce

from annotation.assignment import practice
from annotation.assignment.progress import ReaderProgress, asked_counts, reader_progress
from annotation.judging import messages
from annotation.models import Assignment, Enrolment, Kind, Message
from common.composed import Composed, Given, together


class BesideItem(NamedTuple):
    """What a page says beside an item.

    messages: about it, and unread ones elsewhere.
    before: the assignment the reader was given before, with its number as `so_far`; else their last.
    progress: how far they have come, in practice or in the work.
    """

    messages: list[Message]
    before: Any
    progress: ReaderProgress


def beside_item(assignment: Assignment, me: Enrolment, *, is_mine: bool) -> BesideItem:
    """Return what a page says beside the item, asked together where it is the reader's."""
    is_practice = assignment.item.kind == Kind.PRACTICE
    said = messages.here_or_new(assignment.item, me)
    if not is_mine:
        (found,) = together(said)
        before = last_with_number(assignments_given(me, assignment.item.kind)).first()
        return BesideItem(found, before, practice_counts(me) if is_practice else reader_progress(me))
    own = BEFORE_PRACTICE if is_practice else BEFORE_WORK[me.practised is not None]
    earlier = own.asked(me=me.pk, claimed=assignment.claimed, pk=assignment.pk)
    if is_practice:
        found, rows = together(said, earlier)
        return BesideItem(found, next(iter(rows), None), practice_counts(me))
    found, rows, counts = together(said, earlier, asked_counts(me))
    before = next(iter(rows), None)
    if before is not None:
        before.so_far = counts.given - before.behind - 1
    return BesideItem(found, before, counts.progress)


def assignments_given(enrolment: Enrolment, kind: str = Kind.WORK) -> QuerySet[Assignment]:
    """Return the assignments this reader was given; of practice, those of practice.

    Check items stand among the work: readers do not know them.
    """
    return of_kind(kind, enrolment.practised is not None).filter(annotator=enrolment)


def of_kind(kind: str, practised: bool) -> QuerySet[Assignment]:
    """Return the assignments of practice, or all others; `practised`: whether there was practice."""
    if kind == Kind.PRACTICE:
        return Assignment.objects.filter(item__kind=Kind.PRACTICE)
    # Who has not practised has nothing to be left out, and needs no look at the items.
    return Assignment.objects.exclude(item__kind=Kind.PRACTICE) if practised else Assignment.objects.all()


def given_before(claimed: Any, pk: Any) -> Q:
    """Return a condition: assignments a reader was given before the one with that time and key."""
    return Q(claimed__lt=claimed) | Q(claimed=claimed, pk__lt=pk)


def last_with_number(own: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Return the one of these assignments that was given last, with their number as `so_far`."""
    numbered = own.annotate(so_far=Window(Count("pk"))).only("pk")
    return numbered.order_by("-claimed", "-pk")[:1]


def before_practice() -> QuerySet[Assignment]:
    """Return a query for the last practice assignment given before another, with its number."""
    earlier = given_before(Given("claimed", DateTimeField()), Given("pk"))
    return last_with_number(of_kind(Kind.PRACTICE, True).filter(earlier, annotator=Given("me")))


def before_work(practised: bool) -> QuerySet[Assignment]:
    """Return a query for the last assignment the reader was given before another, and as `behind` how many
    they were given after that other.

    Nearly always none: to count those before would take the longer the more they have done.
    """
    own, claimed = (
        of_kind(Kind.WORK, practised).filter(annotator=Given("me")),
        Given("claimed", DateTimeField()),
    )
    # A database finds the beginning of these in an index, which of two conditions joined by OR it does not.
    later = own.filter(claimed__gte=claimed).exclude(claimed=claimed, pk__lte=Given("pk"))
    behind = later.order_by().values("annotator").values_list(Count("pk"))
    last = own.filter(given_before(claimed, Given("pk"))).order_by("-claimed", "-pk").only("pk")
    return last.annotate(behind=Coalesce(Subquery(behind), 0))[:1]


BEFORE_PRACTICE = Composed(before_practice)
BEFORE_WORK = {practised: Composed(partial(before_work, practised)) for practised in (False, True)}


def practice_counts(enrolment: Enrolment) -> ReaderProgress:
    """Return how far the practice has come: it may end before its last item."""
    at = practice.practice_progress(enrolment)
    return ReaderProgress(done=at.answered, total=at.items, put_off=0)
