"""What a reader is told of their studies on their home page: what waits, what is new, what was decided."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, F, Max

from annotation.assignment.progress import ReaderProgress, reader_progress
from annotation.models import AssignmentStatus, Decision, Enrolment, Event, Guideline, State
from annotation.reading.mine.own_page import OwnNumbers, own_numbers
from annotation.studies.running.adding import VERB as ADDED


class OwnStudy(NamedTuple):
    """One study of a reader.

    me: the enrolment.
    progress: items done, in all, put off.
    own: time and pace; None where the study is not open.
    added: when items were added after this reader's last answer; None where none were.
    told: whether the guidelines have changed since this reader read them.
    decided: on how many items that this reader judged an adjudicator decided; 0 until the study is closed.
    """

    me: Enrolment
    progress: ReaderProgress
    own: OwnNumbers | None
    added: datetime | None
    told: bool
    decided: int

    @property
    def waits(self) -> bool:
        """Whether there is something to read."""
        return self.me.study.state == State.OPEN and self.progress.done < self.progress.total


def own_studies(enrolments: Sequence[Enrolment]) -> list[OwnStudy]:
    """Return these readers' studies: first those that wait, of them the one read last.

    Three queries, and two for each open study.
    """
    studies = [each.study_id for each in enrolments if each.study.state == State.OPEN]
    versions = Guideline.objects.filter(study__in=studies).order_by().values("study")
    latest = dict(versions.annotate(last=Max("version")).values_list("study", "last"))
    events = Event.objects.filter(study__in=studies, verb=ADDED).order_by().values("study")
    added = dict(events.annotate(at=Max("created")).values_list("study", "at"))
    decided = decided_by_enrolment(enrolments)
    rows = [of_study(each, latest, added, decided.get(each.pk, 0)) for each in enrolments]
    return sorted(rows, key=lambda row: (not row.waits, row.me.study.state != State.OPEN, -last_read(row)))


def last_read(row: OwnStudy) -> float:
    """Return when this reader answered last, as seconds; 0 for never."""
    return row.own.last.timestamp() if row.own and row.own.last else 0.0


def of_study(me: Enrolment, latest: dict[int, int], added: dict[int, datetime], decided: int) -> OwnStudy:
    """Return one study; `latest`: the version of guidelines by study, `added`: when items came last."""
    own = own_numbers(me) if me.study.state == State.OPEN else None
    came = added.get(me.study_id)
    last = own.last if own else None
    return OwnStudy(
        me=me,
        progress=own.progress if own else reader_progress(me),
        own=own,
        added=came if came and last and came > last else None,
        told=me.guideline_seen not in (None, latest.get(me.study_id, me.guideline_seen)),
        decided=decided,
    )


def decided_by_enrolment(enrolments: Sequence[Enrolment]) -> dict[int, int]:
    """Return on how many items of closed studies that each of them judged somebody decided."""
    closed = [each.pk for each in enrolments if each.study.state == State.CLOSED]
    places = {"item__assignments__annotator__in": closed, "item__assignments__status": AssignmentStatus.DONE}
    rows = Decision.objects.filter(**places).order_by().values(me=F("item__assignments__annotator"))
    return dict(rows.annotate(n=Count("item", distinct=True)).values_list("me", "n")) if closed else {}
