"""When a study may stop: a rule chosen before it opens, and the looks that were taken at it.

A look counts the first n fully read items, in the order in which they became full, with the answers that were
current when the last of them did. So it says the same whenever it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max

from annotation.models import Event, Judgment, Kind, Origin, Outcome, Role, State, Study
from annotation.models.record import revised
from annotation.studies.lifecycle import close_study
from annotation.webhooks import announcing
from common.errors import BadField, BadInput

VERB = "look"
MOST_LOOKS = 50
MOST_ITEMS = 1_000_000
DIFFERENCE = "difference_from_run"
"""What a rule looks at that compares readers with a run: equality with gold, theirs less that of the run."""
SPENDINGS = ("pocock", "obrien_fleming")
FIELDS = (
    "stop_measure", "stop_width", "stop_items", "stop_every", "stop_most", "stop_closes", "stop_spending",
    "stop_threshold", "stop_run",
)  # fmt: skip


class Rule(NamedTuple):
    """When a study may stop.

    measure: slug of what is looked at.
    width: half of its 95 % interval, from which on the study may stop; None where a comparison is to be
        decided.
    items: fully read items at the first look.
    every: fully read items from one look to the next.
    most: looks at most.
    closes: whether the study is then closed without anybody's doing.
    spending: how a comparison spends its 5 % over the looks, of ``SPENDINGS``; empty in a rule of width.
    threshold: what the measure is compared with; None in a rule of width.
    run: name of the machine reader whose answers were read in, where readers are compared with a run.
    """

    measure: str
    width: float | None
    items: int
    every: int
    most: int
    closes: bool = False
    spending: str = ""
    threshold: float | None = None
    run: str = ""

    @property
    def schedule(self) -> tuple[int, ...]:
        """Fully read items at each look."""
        return tuple(self.items + self.every * look for look in range(self.most))


NONE = ("", None, None, None, None, False, "", None, "")
"""The fields of a study without a rule."""


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

    Raises `BadInput` for a study that has opened, and `BadField` for what is out of its bounds or no run of
    the study.
    """
    if rule is not None:
        check(rule)
        check_run(rule, runs_of(study))
    values = dict(zip(FIELDS, rule or NONE, strict=True))
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state != State.DRAFT:
            raise BadInput(
                "The study has opened: a stopping rule is chosen before the first answer, and stays as it is."
            )
        changed = {name: value for name, value in values.items() if getattr(study, name) != value}
        if changed:
            Study.objects.filter(pk=study.pk).update(**changed)
            Event.objects.create(study=study, actor=by, verb="settings", data={"step": "stopping", **changed})


def runs_of(study: Study) -> list[str]:
    """Return the names of the runs that readers can be compared with: answers that change no more."""
    return list(
        study.machine_readers.exclude(origin=Origin.ASKED).order_by("pk").values_list("name", flat=True)
    )


def check_run(rule: Rule, runs: Iterable[str]) -> None:
    """Raise `BadField` for a rule that names a run that is not there."""
    if rule.run and rule.run not in runs:
        has = f"It has {', '.join(runs)}." if runs else "Read the answers of a system in first."
        raise BadField("run", f"The study has no answers of a run “{rule.run}”. {has}")


def check(rule: Rule) -> None:
    """Raise `BadField` for a number out of its bounds, and for a rule that mixes width and comparison."""
    if rule.spending:
        _check_comparison(rule)
    elif rule.width is None or not 0.001 <= rule.width <= 0.5:
        raise BadField("width", "The half width must lie from 0.001 to 0.5.")
    elif rule.threshold is not None or rule.run:
        name = "run" if rule.run else "threshold"
        raise BadField(name, "A rule of width compares with nothing: choose how a comparison is decided.")
    elif rule.measure == DIFFERENCE:
        raise BadField("measure", "How far readers are from a run is a comparison: choose how it is decided.")
    bounds = {"items": (2, MOST_ITEMS), "every": (1, MOST_ITEMS), "most": (1, MOST_LOOKS)}
    for name, (least, most) in bounds.items():
        if not least <= getattr(rule, name) <= most:
            raise BadField(name, f"It must be a whole number from {least} to {most:,}.")


def _check_comparison(rule: Rule) -> None:
    if rule.spending not in SPENDINGS:
        raise BadField("spending", f"It must be one of {', '.join(SPENDINGS)}, or empty.")
    if rule.width is not None:
        raise BadField("width", "A comparison ends when it is decided, not at a width: leave it empty.")
    if rule.threshold is None or not -1 <= rule.threshold <= 1:
        raise BadField("threshold", "What the measure is compared with must lie from -1 to 1.")
    if (rule.measure == DIFFERENCE) != bool(rule.run):
        raise BadField("run", f"A run is named with {DIFFERENCE}, and only with it.")


def full_items(study: Study) -> list[Full]:
    """Return the fully read items of work in the order in which they became full.

    An item is full from the first moment at which all its readings stood at once: one that had been taken
    back by then is none.
    """
    given = Judgment.objects.filter(
        item__study=study,
        item__kind=Kind.WORK,
        item__retired=None,
        annotator__role=Role.ANNOTATOR,
    ).order_by()
    first = given.filter(revision=1).values("item", "item__number").annotate(n=Count("pk"), at=Max("created"))
    rows = first.filter(n__gte=study.overlap).values_list("item", "item__number", "at")
    full = {item: (at, number) for item, number, at in rows}
    # Few: only a second revision can say that a reading is taken back, or be another reader's first.
    again = given.filter(item__in=Judgment.objects.filter(assignment__in=revised()).values("item"))
    said = again.order_by("item", "created", "revision")
    for (item, number), acts in groupby(
        said.values_list("item", "item__number", "assignment", "outcome", "created"), itemgetter(0, 1)
    ):
        full.pop(item, None)
        if at := _full_at((act[2:] for act in acts), study.overlap):
            full[item] = (at, number)
    return [Full(item, at) for item, (at, _) in sorted(full.items(), key=itemgetter(1))]


def _full_at(acts: Iterable[tuple[int, str, datetime]], overlap: int) -> datetime | None:
    """Return when so many readings stood at once; `acts`: assignment, outcome and moment, in their order."""
    standing = set[int]()
    for assignment, outcome, at in acts:
        if outcome == Outcome.TAKEN_BACK:
            standing.discard(assignment)
        else:
            standing.add(assignment)
        if len(standing) >= overlap:
            return at
    return None


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
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        taken = events_of_looks(study)
        if any(each.data["met"] or each.data["items"] == look["items"] for each in taken):
            return False
        Event.objects.create(study=study, actor=None, verb=VERB, data=dict(look))
        if look["met"]:
            told = ("measure", "items", "value", "low", "high", "level", "half_width")
            announcing.met(study, {name: look[name] for name in told})
            if study.stop_closes and study.state == State.OPEN:
                close_study(study, by=None, now=now)
    return True
