"""Drafts: what a reader has chosen and typed and not yet submitted, stored with the assignment.

A draft is what the form held, field by field; nobody else ever sees it. It ends when
its assignment is judged, is given to somebody else, or when the reader throws it away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Case, DateTimeField, Exists, OuterRef, QuerySet, When
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.assignment.holding import lease, renewed
from annotation.judging import conflicts
from annotation.judging.submissions import LONGEST_NOTE, checked_text, plausible_seconds, single_values
from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment, State
from annotation.tasktypes.base import Answer, Invalid
from common import wording

LONGEST, MOST_FIELDS = 40_000, 40
AROUND = {"csrfmiddlewaretoken", "submission", "revision", "answer", "undecided", "broken", "discard"} | {
    conflicts.KNOWN,
    "keep",
}
COUNTED = {"active_seconds", "previews"}
BESIDE = COUNTED | {conflicts.VERSION}
ATTEMPTS = 3
OLD_PAGE = gettext_noop("this page is older than the site. Load it again and choose once more")


def save(
    assignment: Assignment, reader: Enrolment, fields: Mapping[str, Any], *, seen: int, now: datetime
) -> bool:
    """Keep what the form holds, and renew the lease: somebody is at work here.

    `seen` is the revision the form was made from. False: the study is closed, the assignment
    is somebody else's by now, or it was judged meanwhile; nothing is kept then. Raises
    `Invalid` for what could not be stored, and `Elsewhere` where another window's draft would be lost.
    """
    # Over an earlier answer an emptied field is a change as well.
    words = checked_fields(fields, emptied=seen > 0)
    if outdated_fields(assignment, words):
        raise Invalid(_(OLD_PAGE), "draft")
    until = lease(assignment.study, now)
    held = Case(
        When(status=AssignmentStatus.HELD, then=renewed(until)), default=None, output_field=DateTimeField()
    )
    rows = own_assignment(assignment, reader).filter(~Exists(newer_judgments(seen)), study__state=State.OPEN)
    for _attempt in range(ATTEMPTS):
        if conflicts.is_overtaken(assignment.draft, words.get(conflicts.VERSION, "")):
            return True
        refuse_unseen(assignment, fields)
        unchanged = rows.filter(draft_saved=assignment.draft_saved)
        if unchanged.update(draft=words, draft_saved=now, lease_until=held):
            assignment.draft_saved = now
            return True
        # Nothing to write to, or another window wrote since this assignment was read.
        now_there = own_assignment(assignment, reader).only("draft", "draft_saved").first()
        if now_there is None or now_there.draft_saved == assignment.draft_saved:
            return False
        assignment.draft, assignment.draft_saved = now_there.draft, now_there.draft_saved
    return False


def refuse_unseen(assignment: Assignment, sent: Mapping[str, Any]) -> None:
    """Raise `WindowConflict` where there is a draft that the form does not know and would lose.

    A form that does not say what it knows is no page's.
    """
    known, version = sent.get(conflicts.KNOWN), assignment.draft.get(conflicts.VERSION, "")
    if known is None or conflicts.is_known(version, f"{known} {sent.get(conflicts.VERSION, '')}"):
        return
    if conflicts.would_lose(typed_fields(assignment), sent):
        raise conflicts.WindowConflict


def outdated_fields(assignment: Assignment, fields: Mapping[str, Any]) -> set[str]:
    """Return the fields that only a page of an earlier version has: stored, they would be misread."""
    return assignment.study.task_type.former.keys() & fields.keys()


def own_assignment(assignment: Assignment, reader: Enrolment) -> QuerySet[Assignment]:
    """Return the assignment as a query, as long as it is this reader's."""
    return Assignment.objects.filter(pk=assignment.pk, annotator=reader)


def newer_judgments(seen: int) -> QuerySet[Judgment]:
    """Return the judgments at the outer query's assignment that are newer than revision `seen`."""
    return Judgment.objects.filter(assignment=OuterRef("pk"), revision__gt=seen)


def checked_fields(fields: Mapping[str, Any], *, emptied: bool = False) -> dict[str, str]:
    """Return the fields worth keeping, each with one value that can be stored. Raises `Invalid`."""
    values = single_values(fields)
    words = {name: value for name, value in values.items() if name not in AROUND and (value or emptied)}
    for name, value in words.items():
        checked_text(value, checked_text(name, "name of a field", 80), LONGEST_NOTE)
    if len(words) > MOST_FIELDS or sum(map(len, words.values())) > LONGEST:
        said = _("A draft has at most {fields} fields and {characters} characters.")
        raise Invalid(said.format(fields=MOST_FIELDS, characters=wording.number(LONGEST)), "draft")
    return words


def discard(assignment: Assignment, reader: Enrolment) -> bool:
    """Delete the draft; return False where the assignment is not this reader's any more."""
    return bool(own_assignment(assignment, reader).update(draft={}, draft_saved=None))


def typed_fields(assignment: Assignment) -> dict[str, str]:
    """Return what the reader chose and typed; empty where the draft holds counted time only, or nothing."""
    return {name: value for name, value in assignment.draft.items() if name not in BESIDE}


def answer_in_draft(assignment: Assignment, order: Sequence[int]) -> Answer | None:
    """Return what the draft of a reader who sees the options in this order holds of an answer, or None."""
    return assignment.study.task_type.begun(assignment.item.payload, typed_fields(assignment), order)


def counted_time(assignment: Assignment) -> dict[str, float | int | None]:
    """Return the counted time and previews of a reader who left without an answer."""
    kept = {name: assignment.draft.get(name, "") for name in COUNTED}
    try:
        seconds = plausible_seconds(float(kept["active_seconds"]))
    except ValueError:
        seconds = None
    previews = kept["previews"][:9]
    return {"active_seconds": seconds, "previews": int(previews) if previews.isdecimal() else None}
