"""What people said before a machine's answer was shown to them: what estimates may use."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Arm, Judgment, Outcome, Study
from annotation.models.record import JudgmentQuerySet


def first_grades(study: Study) -> JudgmentQuerySet:
    """Return each reader's last judgment of work items that no machine's answer had been shown before.

    Blind assignments give their current judgment, revealed ones the last before the reveal, pre-filled ones
    none. Of a study that shows no machine these are the current judgments. For prediction-powered estimates
    and every number that says how well people agree: a pre-filled grade is pulled towards the machine.
    """
    own = Q(seen__isnull=True) & ~Q(assignment__arm=Arm.PREFILLED)
    later = Judgment.objects.filter(
        assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"), seen__isnull=True
    )
    rows = Judgment.objects.work().filter(own, assignment__study=study)
    return rows.filter(~Exists(later)).exclude(outcome=Outcome.TAKEN_BACK)


class Seen(NamedTuple):
    """How many of a study's current judgments were given with a machine's answer in sight.

    prefilled: begun from its answer.
    revealed: the reader saw it after their own; changed: of those, how many have another answer since.
    blind: without it.
    """

    prefilled: int
    revealed: int
    changed: int
    blind: int


def seen_in(study: Study) -> Seen | None:
    """Return how many judgments saw a machine's answer; None where the study shows none."""
    if not study.shows_machine:
        return None
    current = Judgment.objects.work().filter(assignment__study=study).current()
    arm = {name: Count("pk", filter=Q(assignment__arm=name)) for name in Arm.values}
    revealed = Count("pk", filter=Q(assignment__revealed_at__isnull=False))
    found = current.aggregate(prefilled=arm[Arm.PREFILLED], blind=arm[Arm.BLIND], revealed=revealed)
    return Seen(found["prefilled"], found["revealed"], changed_after_reveal(study), found["blind"])


def changed_after_reveal(study: Study) -> int:
    """Return at how many revealed assignments the current answer is not the last before the reveal."""
    revealed = Q(assignment__revealed_at__isnull=False)
    if not study.task_type.is_one_number:
        return _changed(study, revealed)
    columns = ("assignment", "outcome", "number_1", "number_2")
    before = set(first_grades(study).filter(revealed).values_list(*columns))
    now = Judgment.objects.work().filter(revealed, assignment__study=study).current()
    return len(set(now.values_list(*columns)) - before)


def _changed(study: Study, revealed: Q) -> int:
    """The same of answers with several parts or places, which no column holds."""
    columns, same = ("assignment", "outcome", "answer"), study.task_type.says_the_same
    now = Judgment.objects.work().filter(revealed, assignment__study=study).current()
    before = {row[0]: row[1:] for row in first_grades(study).filter(revealed).values_list(*columns)}
    return sum(
        (outcome, True) != (before[key][0], same(answer, before[key][1]))
        for key, outcome, answer in now.values_list(*columns).iterator(500)
        if key in before
    )
