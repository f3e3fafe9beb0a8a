"""A plan: widths, power, hours and cost of a study that nobody has read yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from common.errors import BadField
from evaluation.metrics.common.planning import FEW_ITEMS
from evaluation.metrics.nominal.accuracy import MAJORITY
from evaluation.metrics.planning import power
from evaluation.metrics.planning.choices import ChoiceModel, choice_model
from evaluation.metrics.planning.spans import span_plan
from evaluation.metrics.planning.widths import half_width, items_for
from evaluation.planning.assumptions import CHOICES, Assumptions, checked
from evaluation.planning.pilot import Pilot

HARDNESS = (
    "Readers answer an item independently; items differ in difficulty by a Beta distribution that has this "
    "accuracy and this κ; wrong answers fall on all wrong options equally often, and options are shuffled."
)
FINDING = "Two-sided at α = .05."


class Width(NamedTuple):
    """One number with the interval to expect.

    ``slug``, ``label``: of the measure; ``value``: expected; ``half``: of the 95 % interval at the items
    planned; ``needed``: items for the half width wanted; ``definition``: of the number; ``assumes``: in a
    sentence; ``bound``: whether ``half`` and ``needed`` are upper bounds.
    """

    slug: str
    label: str
    value: float
    half: float
    needed: int
    definition: str
    assumes: str
    bound: bool = False


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


def plan(wanted: Assumptions, pilot: Pilot | None = None) -> Plan:
    """The plan. Raises BadField for assumptions that cannot be, or not together.

    ``pilot``: of which widths are taken instead of the model's.
    """
    assumed = checked(wanted)
    if pilot is not None and pilot.answers != assumed.answers:
        raise BadField("answers", f"“{pilot.title}” has {pilot.answers}: plan these, or without this pilot.")
    answers = assumed.items * assumed.readers
    hours = answers * assumed.seconds / 3600
    powers: tuple[Power, ...] = ()
    if assumed.answers == CHOICES:
        model = _model(assumed)
        widths, powers = tuple(_of_choices(assumed, model)), tuple(_powers(assumed, model))
    else:
        widths = tuple(_of_spans(assumed))
    if pilot is not None:
        widths = tuple(_of_pilot(assumed, pilot))
    cost = hours * assumed.hourly if assumed.hourly else None
    return Plan(assumed, widths, powers, answers, hours, cost, tuple(_notes(assumed, pilot)), pilot)


@contextmanager
def _about(field: str) -> Iterator[None]:
    """Say of which field a model's refusal is."""
    try:
        yield
    except ValueError as error:
        raise BadField(field, str(error)) from error


def _model(assumed: Assumptions) -> ChoiceModel:
    with _about("kappa"):
        return choice_model(assumed.accuracy / 100, assumed.kappa, assumed.options, assumed.readers)


def _width(
    assumed: Assumptions, slug: str, label: str, value: float, variance: float, definition: str, assumes: str
) -> Width:
    half = half_width(variance, assumed.items)
    needed = items_for(variance, assumed.width / 100)
    return Width(slug, label, value, half, needed, definition, assumes)


def _of_choices(assumed: Assumptions, model: ChoiceModel) -> Iterator[Width]:
    assumes = f"{HARDNESS} Right answers of two readers to an item correlate by ρ = {model.rho:.2f}."
    yield _width(
        assumed,
        "individual_accuracy",
        "individual accuracy",
        model.accuracy,
        model.accuracy_variance,
        "Share of single answers that are right. Variance: a (1 - a) (1 + (k - 1) ρ) / (k n).",
        assumes,
    )
    if assumed.readers < 2:
        return
    yield _width(
        assumed,
        "majority_accuracy",
        "majority accuracy",
        model.majority,
        model.majority_variance,
        "Share of items that more than half of the readers answer rightly; a tie is wrong. Variance: "
        "m (1 - m) / n.",
        assumes,
    )
    yield _width(
        assumed,
        "fleiss_kappa",
        "Fleiss κ",
        model.kappa,
        model.kappa_variance,
        "Agreement above chance, which is 1/q here: the same holds of Randolph κ. Variance: that of an "
        "item’s share of agreeing pairs, divided by (1 - 1/q)² n.",
        assumes,
    )


def _of_spans(assumed: Assumptions) -> Iterator[Width]:
    if assumed.readers < 2:
        raise BadField("readers", "Agreement on spans needs 2 readers of each item or more.")
    with _about("overlap"):
        found = span_plan(assumed.overlap / 100, assumed.length, assumed.deviation, assumed.readers)
    assumes = (
        "Each reader follows the item’s own borders or, with probability "
        f"{found.astray:.2f} for each border, sets it as on another item; lengths to the left and right of a "
        "one-word anchor are gamma distributed."
    )
    yield _width(
        assumed,
        "observed_overlap",
        "O_o",
        found.overlap,
        found.overlap_variance,
        "Mean overlap of two spans on one item: words in both over words in either.",
        assumes,
    )
    yield _width(
        assumed,
        "lcs_overlap_kappa",
        "LCS-overlap κ",
        found.kappa,
        found.kappa_variance,
        "The statistic of Manjavacas et al. 2019: (O_o - O_e) / (1 - O_e), O_e = sum A / sum U over the same "
        "pairs; no agreement above chance.",
        assumes,
    )


def _of_pilot(assumed: Assumptions, pilot: Pilot) -> Iterator[Width]:
    more = assumed.readers > pilot.readers
    for one, found in pilot.measures:
        if more and one is MAJORITY:
            continue
        assumes = (
            f"Items to come are like the {found.n_items:,} of “{pilot.title}”, each with "
            f"{min(pilot.readers, assumed.readers)} answers."
        )
        made = _width(assumed, one.slug, one.label, found.value, found.variance, one.definition, assumes)
        yield made._replace(bound=more)


def _powers(assumed: Assumptions, model: ChoiceModel) -> Iterator[Power]:
    first, second, a = assumed.first / 100, assumed.second / 100, model.accuracy
    given = assumed.differing is not None
    differing = assumed.differing / 100 if assumed.differing is not None else power.discordance(first, second)
    with _about("differing" if given else "second"):
        power.paired_power(1, first, second, differing) if first != second else None
    yield _mcnemar(
        assumed,
        "two_systems",
        f"two systems, {assumed.first:g} and {assumed.second:g} %",
        first,
        second,
        differing,
    )
    with _about("alike"):
        against_one = power.discordance(first, a, assumed.alike)
    yield _mcnemar(
        assumed, "system_and_reader", f"system, {assumed.first:g} %, and one reader", first, a, against_one
    )
    yield _against_all(assumed, model)
    if assumed.readers > 2:
        with _about("alike"):
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


def _notes(assumed: Assumptions, pilot: Pilot | None) -> Iterator[str]:
    if assumed.items < FEW_ITEMS:
        yield (
            f"Under {FEW_ITEMS} items intervals by Student’s t are a little wider than planned here, and "
            "a rare answer may be missing altogether."
        )
    yield (
        "Intervals are over items, with the readers that there are: more items tell nothing of other readers."
    )
    if pilot is None:
        yield "Assumptions are guesses: read a few dozen items first, and plan from them as a pilot."
        return
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
            "items needed. It says nothing of the majority of more readers."
        )
