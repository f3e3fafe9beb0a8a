"""Whether anything is left for a reader, and what they are told where nothing is."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.assignment import checks, consents, practice
from annotation.assignment.holding import IS_HELD
from annotation.assignment.progress import ReaderProgress
from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment, Role, State
from annotation.people.recruiting import ending
from common import wording


def is_something_left(enrolment: Enrolment, progress: ReaderProgress, now: datetime) -> bool:
    """Return whether `next_assignment` would find something. Nothing is claimed, so it may be out of date."""
    if enrolment.study.state != State.OPEN or enrolment.role != Role.ANNOTATOR:
        return False
    if progress.done >= progress.total > 0:
        return False
    own = enrolment.assignments.filter(IS_HELD)
    if practice.is_before_work(enrolment):
        return own.exists() or practice.next_item(enrolment) is not None
    if own.exists() or checks.next_check(enrolment, now) is not None:
        return True
    free = Q(status=AssignmentStatus.FREE) | Q(status=AssignmentStatus.HELD, lease_until__lte=now)
    return _is_met_by(enrolment, free)


def is_read_by_others(enrolment: Enrolment, progress: ReaderProgress, now: datetime) -> bool:
    """Return whether others hold what this reader could be given; asked where nothing is left for them.

    It may come free again: their part has not ended.
    """
    if enrolment.study.state != State.OPEN or enrolment.role != Role.ANNOTATOR:
        return False
    if progress.done >= progress.total > 0 or practice.is_before_work(enrolment):
        return False
    return _is_met_by(enrolment, Q(status=AssignmentStatus.HELD, lease_until__gt=now))


def _is_met_by(enrolment: Enrolment, which: Q) -> bool:
    """Return whether there are such assignments at items that the reader has not had, within their quota."""
    quota = enrolment.most_work
    if quota is not None and enrolment.assignments.work().count() >= quota:
        return False
    mine = enrolment.assignments.values("item")
    rows = Assignment.objects.work().filter(which, study=enrolment.study)
    return rows.filter(item__quarantined=None, item__retired=None).exclude(item__in=mine).exists()


def put_off_items(enrolment: Enrolment, numbers: dict[int, int]) -> list[tuple[int, Assignment]]:
    """Return what this reader put off, with its number for them, longest ago first."""
    held = enrolment.assignments.filter(IS_HELD).exclude(put_off=None)
    return [(numbers.get(each.pk, 0), each) for each in held.order_by("put_off", "pk")]


def came_since(last: Judgment) -> datetime | None:
    """Return when items were last added to the study after a judgment, as `last_saved` finds it; None where
    none were.
    """
    added: datetime | None = getattr(last, "items_added", None)
    return added if added is not None and added > last.created else None


def way_back(reader: Enrolment, progress: ReaderProgress, *, left: bool) -> ending.WayBack | None:
    """Return what leads back to the recruiting service that sent this reader; None for all others, and while
    something is left.
    """
    if left or reader.role != Role.ANNOTATOR:
        return None
    return ending.way_back(reader, ending.ended_as(reader, done=progress.done, left=left))


def where_next(enrolment: Enrolment) -> str:
    """Return the page for a reader who is given no item: consent where it is asked for, else why there is
    none.
    """
    asked = enrolment.study.is_open and consents.consent_to_ask(enrolment) is not None
    return "annotation:consent" if asked else "annotation:done"


def why_nothing_left(
    enrolment: Enrolment, progress: ReaderProgress, back: ending.WayBack | None = None
) -> str:
    """Return the second half of “Nothing left for you, because …”.

    `back`: what leads them to the service that sent them. Who is shown it is not told to ask for help, too.
    """
    study = enrolment.study
    if study.state == State.CLOSED:
        return _("the study is closed.")
    if study.state == State.DRAFT:
        return _("the study is not open yet.")
    if enrolment.role != Role.ANNOTATOR:
        return _("you do not read in this study.")
    # Who has done some of the work has practised.
    if not progress.done and practice.is_before_work(enrolment) and practice.next_item(enrolment) is None:
        at = practice.practice_progress(enrolment)
        said = ngettext(
            "{right} of your {n} practice answer was right, and the work begins with {wanted}. That happens.",
            "{right} of your {n} practice answers were right, and the work begins with {wanted}. "
            "That happens.",
            at.answered,
        ).format(right=at.right, n=at.answered, wanted=at.wanted)
        if back is not None:
            return said
        whom = study.contact or _("the researcher")
        asks = _("Please ask {whom}, who will help you.").format(whom=whom)
        return f"{said} {asks}"
    if progress.done >= progress.total:
        done = ngettext("you have done its one item.", "you have done all {n} items.", progress.total)
        return done.format(n=wording.number(progress.total))
    return _("the items you have not seen have all the readings they need.")
