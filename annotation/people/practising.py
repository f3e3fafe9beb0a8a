"""How each reader's practice stands, for the researchers: who passed, who is at it, who stopped where."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from annotation.assignment.practice import is_right
from annotation.models import EnrolmentState, Judgment, Kind, Role, Study


class Stands(StrEnum):
    """Where a reader is in practice; the words are those of the pages."""

    NOT_BEGUN = "Not begun"
    UNDER_WAY = "Under way"
    STOPPED = "Stopped: below the pass mark"
    PASSED = "Passed"
    LET_BEGIN = "Let begin"


class Standing(NamedTuple):
    """One reader's practice.

    pseudonym: whose.
    stands: where they are.
    right, answered: first answers that were right, and all of them.
    items, wanted: practice items there are, and right answers that are wanted; None where none are.
    last: when they answered last.
    """

    pseudonym: str
    stands: Stands
    right: int
    answered: int
    items: int
    wanted: int | None
    last: datetime | None

    @property
    def may_be_let_begin(self) -> bool:
        """Whether the work has not begun for this reader."""
        return self.stands in (Stands.NOT_BEGUN, Stands.UNDER_WAY, Stands.STOPPED)


def stands(*, practised: bool, right: int, answered: int, items: int, wanted: int | None) -> Stands:
    """Return where a reader is who gave `answered` first answers to `items` practice items."""
    if practised:
        return Stands.PASSED if right >= (wanted or 0) and answered else Stands.LET_BEGIN
    if not answered:
        return Stands.NOT_BEGUN
    return Stands.STOPPED if answered >= items else Stands.UNDER_WAY


def standings(study: Study) -> list[Standing]:
    """Return how practice stands for everybody who reads here, in the order in which they joined.

    Empty where the study has no practice items. Simulated readers do not practise, and are left out.
    """
    items = study.items.given().filter(kind=Kind.PRACTICE).count()
    if not items:
        return []
    said: dict[int, list[Judgment]] = defaultdict(list)
    firsts = Judgment.objects.filter(assignment__study=study, revision=1, item__kind=Kind.PRACTICE)
    for each in firsts.select_related("assignment__item", "assignment__study").order_by("pk"):
        said[each.annotator_id].append(each)
    here = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE, simulated=False)
    found = []
    for one in here.order_by("pk"):
        own, wanted, practised = said[one.pk], study.pass_mark, one.practised is not None
        right, answered = sum(map(is_right, own)), len(own)
        where = stands(practised=practised, right=right, answered=answered, items=items, wanted=wanted)
        last = own[-1].created if own else None
        found.append(Standing(one.pseudonym, where, right, answered, items, wanted, last))
    return found
