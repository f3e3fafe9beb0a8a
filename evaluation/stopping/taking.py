"""Looks that are due are taken by a worker, and recorded with what was seen."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, F, Q
from django.utils import timezone

from annotation.judging.taking_back import VERB
from annotation.models import AssignmentStatus, State, Study
from annotation.studies.running import stopping
from evaluation.stopping.looks import looked
from evaluation.values.looks import Look


def take_due() -> None:
    """Take the looks that are due in all open studies: a worker's chore."""
    now = timezone.now()
    for study in due():
        take(study, now=now)


def due() -> list[Study]:
    """Open studies whose readings may be enough for a look that was not recorded: one short query.

    An item of k readings is full after k of them, so fewer than n k readings of work never give n full items;
    those that were taken back since are among them.
    """
    looks = Count("events", filter=Q(events__verb=stopping.VERB), distinct=True)
    met = Count("events", filter=Q(events__verb=stopping.VERB, events__data__met=True), distinct=True)
    rows = Study.objects.filter(state=State.OPEN, deleted=None).exclude(stop_measure="")
    rows = rows.annotate(n_looks=looks, n_met=met).filter(n_met=0, n_looks__lt=F("stop_most"))
    return [each for each in rows if _enough(each, each.n_looks)]


def _enough(study: Study, n_looks: int) -> bool:
    rule = stopping.rule_of(study)
    if rule is None:
        return False
    places, needed = study.assignments.counted(), rule.schedule[n_looks] * study.overlap
    given = places.filter(status=AssignmentStatus.DONE).count()
    if given < needed:
        # An item that was full once stays so. Few: asked by the events, not by all places that are not done.
        undone = set(study.events.filter(verb=VERB).values_list("data__assignment", flat=True))
        given += places.filter(pk__in=undone).exclude(status=AssignmentStatus.DONE).count() if undone else 0
    return given >= needed


def take(study: Study, *, now: datetime) -> tuple[Look, ...]:
    """Record the looks of a study that are due; return those that were new."""
    found = looked(study)
    new = list[Look]()
    for one in found.looks if found else ():
        if stopping.record(study, one.data, now=now):
            new.append(one)
    return tuple(new)
