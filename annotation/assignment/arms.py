"""Arms: whether a reader sees what a machine answered to an item, and when.

Of each reader's items in a stratum, arms follow each other in blocks whose order is drawn from the seed, so
that each arm stands early as often as late. An arm is drawn when the item is claimed, under the lock on the
reader that every claim holds; it stays with reader and item, should the item go back and return.
"""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from annotation.models import (
    Arm,
    ArmDraw,
    Assignment,
    AssignmentStatus,
    Enrolment,
    Item,
    Judgment,
    Sample,
    SampledItem,
)


class Machine(NamedTuple):
    """What a machine answered to an item.

    answer: in canonical terms.
    reading: key of the machine reading; None where it comes of a file.
    """

    answer: dict[str, Any]
    reading: int | None


def planned(item: Item, me: Enrolment) -> ArmDraw | None:
    """Return the arm in which this reader meets the item, unsaved unless they met it before.

    None where no machine is shown in the study, or the item is none of its sample.
    """
    if not me.study.shows_machine:
        return None
    known = ArmDraw.objects.filter(reader=me, item=item).first()
    if known is not None:
        return known
    drawn = SampledItem.objects.filter(item=item, drawn=True).select_related("sample").first()
    if drawn is None:
        return None
    place = ArmDraw.objects.filter(reader=me, stratum=drawn.stratum).count()
    arm = arm_at(drawn.sample, me.pseudonym, drawn.stratum, place)
    if drawn.machine_answer is None:
        arm = Arm.BLIND
    return ArmDraw(reader=me, item=item, stratum=drawn.stratum, place=place, arm=arm)


def arm_at(sample: Sample, pseudonym: str, stratum: str, place: int) -> str:
    """Return the arm of a reader's item with that place (from 0) in a stratum: the same on every call."""
    block = sample.block
    number, within = divmod(place, len(block))
    Random(f"{sample.seed}:arm:{pseudonym}:{stratum}:{number}").shuffle(block)  # noqa: S311 - not a secret
    return block[within]


def store(draw: ArmDraw | None) -> None:
    """Store an arm that was planned, once its item was claimed."""
    if draw is not None and draw._state.adding:
        draw.save(force_insert=True)


def is_to_reveal(assignment: Assignment) -> bool:
    """Return whether the reader's next answer here is followed by the machine's."""
    return assignment.arm == Arm.REVEAL and assignment.revealed_at is None


def is_followed(judgment: Judgment) -> bool:
    """Return whether the machine's answer was shown upon this judgment: it is the reader's own, and the last
    before it.
    """
    return judgment.assignment.revealed_at == judgment.created


def machine_at(assignment: Assignment) -> Machine | None:
    """Return the machine's answer where the reader of this assignment may see it now; else None."""
    shown = assignment.arm == Arm.PREFILLED or (
        assignment.arm == Arm.REVEAL and assignment.revealed_at is not None
    )
    found = SampledItem.objects.filter(item=assignment.item_id).first() if shown else None
    if found is None or found.machine_answer is None:
        return None
    return Machine(found.machine_answer, found.reading)


def keep(assignment: Assignment, me: Enrolment, *, now: datetime) -> bool:
    """Store that the reader keeps their answer after they saw the machine's; False where nothing was shown.

    The first time counts: pressed again it changes nothing. What they had begun to choose instead goes.
    """
    own = Assignment.objects.filter(pk=assignment.pk, annotator=me, status=AssignmentStatus.DONE)
    shown = own.filter(arm=Arm.REVEAL, revealed_at__isnull=False)
    kept = bool(shown.filter(kept_at=None).update(kept_at=now)) or shown.exists()
    if kept:
        shown.update(draft={}, draft_saved=None)
    return kept
