"""When a study may stop: a rule chosen before it opens, and the looks that were taken at it.

A look counts the first n fully read items, in the order in which they became full, with the answers that were
current when the last of them did. So it says the same whenever it is computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, QuerySet

from annotation.models import Event, Judgment, Kind, Outcome, Role, State, Study
from annotation.studies.lifecycle import close_study
from annotation.webhooks import announcing
from common.errors import BadField, BadInput

VERB = "look"
MOST_LOOKS = 50
MOST_ITEMS = 1_000_000
FIELDS = ("stop_measure", "stop_width", "stop_items", "stop_every", "stop_most", "stop_closes")


class Rule(NamedTuple):
    """When a study may stop.

    measure: slug of what is looked at.
    width: half of its 95 % interval, from which on the study may stop.
    items: fully read items at the first look.
    every: fully read items from one look to the next.
    most: looks at most.
    closes: whether the study is then closed without anybody's doing.
    """

    measure: str
    width: float
    items: int
    every: int
    most: int
    closes: bool = False

    @property
    def schedule(self) -> tuple[int, ...]:
        """Fully read items at each look."""
        return tuple(self.items + self.every * look for look in range(self.most))


class Full(NamedTuple):
    """An item with all its readings: its key, and when the last was given."""

    item: int
    at: datetime


def rule_of(study: Study) -> Rule | None:
    """Return the rule of a study, or None."""
    if not study.stop_measure:
        return None
    return Rule(*(getattr(study, name) for name in FIELDS))


def set_rule(study: Study, rule: Rule | None, *, by: User | None) -> None:
    """Choose the rule of a draft, or None, and record it.

    Raises `BadInput` for a study that has opened, and `BadField` for a number that is out of its bounds.
    """
    if rule is not None:
        check(rule)
    values = dict(zip(FIELDS, rule or ("", None, None, None, None, False), strict=True))
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        if study.state != State.DRAFT:
            raise BadInput(
                "The study has opened: a stopping rule is chosen before the first answer, and stays as it is."
            )
        changed = {name: value for name, value in values.items() if getattr(study, name) != value}
        if changed:
            Study.objects.filter(pk=study.pk).update(**changed)
            Event.objects.create(study=study, actor=by, verb="settings", data={"step": "stopping", **changed})


def check(rule: Rule) -> None:
    """Raise `BadField` for a number out of its bounds."""
    if not 0.001 <= rule.width <= 0.5:
        raise BadField("width", "The half width must lie from 0.001 to 0.5.")
    bounds = {"items": (2, MOST_ITEMS), "every": (1, MOST_ITEMS), "most": (1, MOST_LOOKS)}
    for name, (least, most) in bounds.items():
        if not least <= getattr(rule, name) <= most:
            raise BadField(name, f"It must be a whole number from {least} to {most:,}.")


def full_items(study: Study) -> list[Full]:
    """Return the fully read items of work in the order in which they became full.

    An item is full from the moment when all its readings stood at once: one that was taken back before that
    has to be given again.
    """
    said = Judgment.objects.filter(
        item__study=study,
        item__kind=Kind.WORK,
        item__retired=None,
        annotator__role=Role.ANNOTATOR,
    ).order_by()
    undone = study.assignments.exclude(taken_back=None).order_by().values("item")
    read = said.filter(revision=1).exclude(item__in=undone).values("item", "item__number")
    rows = read.annotate(n=Count("pk"), at=Max("created")).filter(n__gte=study.overlap)
    full = list(rows.values_list("at", "item__number", "item"))
    full += refilled(said.filter(item__in=undone), study.overlap)
    return [Full(item, at) for at, _, item in sorted(full)]


def refilled(said: QuerySet[Judgment], needed: int) -> Iterator[tuple[datetime, int, int]]:
    """Yield when items at which answers were taken back became full, with their numbers and keys."""
    standing: dict[int, set[int]] = defaultdict(set)
    full = set()
    rows = said.order_by("created", "pk").values_list(
        "item", "item__number", "assignment", "outcome", "created"
    )
    for item, number, assignment, outcome, created in rows.iterator():
        if outcome == Outcome.TAKEN_BACK:
            standing[item].discard(assignment)
        else:
            standing[item].add(assignment)
        if len(standing[item]) >= needed and item not in full:
            full.add(item)
            yield created, number, item


def events_of_looks(study: Study) -> list[Event]:
    """Return the looks that were recorded, in their order."""
    return list(study.events.filter(verb=VERB).order_by("pk"))


def met_in(study: Study) -> Event | None:
    """Return the look at which the rule was met, or None."""
    return next((each for each in events_of_looks(study) if each.data["met"]), None)


def record(study: Study, look: Mapping[str, Any], *, now: datetime) -> bool:
    """Record a look with what was seen; return whether it was new.

    Where it meets the rule, those who want to hear of it are told, and the study is closed if it was set up
    so. Of two at once one records.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        taken = events_of_looks(study)
        if any(each.data["met"] or each.data["items"] == look["items"] for each in taken):
            return False
        Event.objects.create(study=study, actor=None, verb=VERB, data=dict(look))
        if look["met"]:
            announcing.met(study, {name: look[name] for name in ("measure", "items", "half_width")})
            if study.stop_closes and study.state == State.OPEN:
                close_study(study, by=None, now=now)
    return True
