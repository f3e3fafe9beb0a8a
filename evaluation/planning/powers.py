"""Which differences in accuracy a study will find."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluation.metrics.planning import power
from evaluation.metrics.planning.choices import ChoiceModel
from evaluation.planning.assumptions import CHOICES, GRADES, Assumptions, about
from evaluation.planning.widths import model_of

FINDING = "Two-sided at α = .05."


class Power(NamedTuple):
    """One comparison: the chance to find the difference, and the items for a chance of 80 %, None where more
    than 20,000 are needed; ``reason``: why there is no chance to tell, else empty."""

    slug: str
    label: str
    power: float | None
    needed: int | None
    definition: str
    assumes: str
    reason: str = ""


def powers(assumed: Assumptions) -> Iterator[Power]:
    """Two systems with each other, where answers are right or wrong; with the readers where they choose."""
    if assumed.answers not in (CHOICES, GRADES):
        return
    yield _systems(assumed)
    if assumed.answers == CHOICES:
        yield from _with_readers(assumed, model_of(assumed))


def _systems(assumed: Assumptions) -> Power:
    first, second = assumed.first / 100, assumed.second / 100
    given = assumed.differing is not None
    differing = assumed.differing / 100 if assumed.differing is not None else power.discordance(first, second)
    with about("differing" if given else "second"):
        power.paired_power(1, first, second, differing) if first != second else None
    label = f"two systems, {assumed.first:g} and {assumed.second:g} %"
    return _mcnemar(assumed, "two_systems", label, first, second, differing)


def _with_readers(assumed: Assumptions, model: ChoiceModel) -> Iterator[Power]:
    first, a = assumed.first / 100, model.accuracy
    with about("alike"):
        against_one = power.discordance(first, a, assumed.alike)
    yield _mcnemar(
        assumed, "system_and_reader", f"system, {assumed.first:g} %, and one reader", first, a, against_one
    )
    yield _against_all(assumed, model)
    if assumed.readers > 2:
        with about("alike"):
            against_majority = power.discordance(first, model.majority, assumed.alike)
        yield _mcnemar(
            assumed,
            "system_and_majority",
            f"system, {assumed.first:g} %, and the readers’ majority, {100 * model.majority:.1f} %",
            first,
            model.majority,
            against_majority,
        )


def _mcnemar(
    assumed: Assumptions, slug: str, label: str, first: float, second: float, differing: float
) -> Power:
    definition = "Chance that McNemar’s exact test on the same items finds the difference."
    assumes = f"On {100 * differing:.1f} % of the items only one of the two is right."
    if abs(first - second) < 1e-9:
        return Power(slug, label, None, None, definition, assumes, "There is no difference to find.")
    found = power.paired_power(assumed.items, first, second, differing)
    return Power(slug, label, found, power.items_for_paired(first, second, differing), definition, assumes)


def _against_all(assumed: Assumptions, model: ChoiceModel) -> Power:
    first = assumed.first / 100
    label = f"system, {assumed.first:g} %, and the mean of the readers, {assumed.accuracy:g} %"
    definition = (
        "Chance that a paired test over items, system less share of right readers, finds the difference."
    )
    assumes = (
        f"Right answers of the system and of a reader correlate by {assumed.alike:g} over items; the "
        "difference is about normal."
    )
    if abs(first - model.accuracy) < 1e-9:
        return Power(
            "system_and_readers", label, None, None, definition, assumes, "There is no difference to find."
        )
    found = power.readers_power(assumed.items, model, first, assumed.alike)
    needed = power.items_for_readers(model, first, assumed.alike)
    return Power("system_and_readers", label, found, needed, definition, assumes)
