"""A plan: widths, power, hours and cost of a study that nobody has read yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from common.errors import BadField
from evaluation.metrics.common.planning import FEW_ITEMS
from evaluation.planning.assumptions import CHOICES, GRADES, RUBRIC, Assumptions, checked
from evaluation.planning.pilot import Pilot
from evaluation.planning.powers import Power, powers
from evaluation.planning.widths import Width, of_model, of_pilot
from evaluation.values.sentences import few_topics


class Plan(NamedTuple):
    """All of it. ``answers``: judgments in all; ``hours``; ``cost``: None where nobody is paid."""

    assumed: Assumptions
    widths: tuple[Width, ...]
    powers: tuple[Power, ...]
    answers: int
    hours: float
    cost: float | None
    notes: tuple[str, ...]
    pilot: Pilot | None = None

    @property
    def over(self) -> str:
        """What intervals are over."""
        return "topics" if self.pilot and self.pilot.n_topics else "items"


def plan(wanted: Assumptions, pilot: Pilot | None = None) -> Plan:
    """The plan. Raises BadField for assumptions that cannot be, or not together.

    ``pilot``: of which widths are taken instead of the model's.
    """
    assumed = checked(wanted)
    if pilot is not None and pilot.answers != assumed.answers:
        raise BadField("answers", f"“{pilot.title}” has {pilot.answers}: plan these, or without this pilot.")
    answers = assumed.items * assumed.readers
    hours = answers * assumed.seconds / 3600
    widths = of_model(assumed) if pilot is None else of_pilot(assumed, pilot)
    cost = hours * assumed.hourly if assumed.hourly else None
    return Plan(
        assumed,
        tuple(widths),
        tuple(powers(assumed)),
        answers,
        hours,
        cost,
        tuple(_notes(assumed, pilot)),
        pilot,
    )


def _notes(assumed: Assumptions, pilot: Pilot | None) -> Iterator[str]:
    if assumed.items < FEW_ITEMS:
        yield (
            f"Under {FEW_ITEMS} items intervals by Student’s t are a little wider than planned here, and "
            "a rare answer may be missing altogether."
        )
    over = "topics" if pilot and pilot.n_topics else "items"
    yield (
        f"Intervals are over {over}, with the readers that there are: more items tell nothing of other "
        "readers."
    )
    if assumed.answers == GRADES and pilot is None:
        yield (
            "Documents of one topic are judged alike: where items have topics, reports leave out whole "
            "topics, and intervals are wider than planned from assumptions. Plan from a pilot there."
        )
    if pilot is None:
        yield "Assumptions are guesses: read a few dozen items first, and plan from them as a pilot."
        return
    if pilot.n_topics and (caution := few_topics(pilot.n_topics)):
        yield caution
    if assumed.answers in (GRADES, RUBRIC):
        yield "Of the pilot come the widths: α and the shares above are not read for them."
    yield f"Widths are from {pilot.n_items:,} items of “{pilot.title}”, so they are estimates themselves."
    kappa = pilot.value("generalised_fleiss_kappa")
    if assumed.answers == CHOICES and kappa is not None and abs(kappa - assumed.kappa) > 0.001:
        yield (
            f"Power is from the model with κ {assumed.kappa:.2f}, not from the pilot, whose κ is "
            f"{kappa:.2f}: the model has none so low or high for this accuracy, or another was typed in."
        )
    if assumed.readers > pilot.readers:
        yield (
            f"The pilot’s items have {pilot.readers} answers and {assumed.readers} are planned: more answers "
            "make intervals narrower by what a pilot cannot say. Its widths are upper bounds, and so are the "
            "items needed."
            + (" It says nothing of the majority of more readers." if assumed.answers == CHOICES else "")
        )
