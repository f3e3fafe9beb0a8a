"""How exactly numbers will be known: of each kind of answers by its model, or by a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import sqrt
from typing import NamedTuple

from common.errors import BadField
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.accuracy import MAJORITY
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.table import Patterns
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.planning.choices import ChoiceModel, choice_model
from evaluation.metrics.planning.grades import grade_population, option_population, share_of_item
from evaluation.metrics.planning.pilot import Sampled, piloted
from evaluation.metrics.planning.several_spans import check_passage, several_plan
from evaluation.metrics.planning.spans import span_plan
from evaluation.metrics.planning.widths import half_width, items_for
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import OVERLAP_OF_ANSWERS
from evaluation.planning.assumptions import CHOICES, GRADES, RUBRIC, SEVERAL, SPANS, Assumptions, about
from evaluation.planning.pilot import Pilot

HARDNESS = (
    "Readers answer an item independently; items differ in difficulty by a Beta distribution that has this "
    "accuracy and this κ; wrong answers fall on all wrong options equally often, and options are shuffled."
)


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


def model_of(assumed: Assumptions) -> ChoiceModel:
    with about("kappa"):
        return choice_model(assumed.accuracy / 100, assumed.kappa, assumed.options, assumed.readers)


def _width(
    assumed: Assumptions, slug: str, label: str, value: float, variance: float, definition: str, assumes: str
) -> Width:
    half = half_width(variance, assumed.items)
    needed = items_for(variance, assumed.width / 100)
    return Width(slug, label, value, half, needed, definition, assumes)


def _of_choices(assumed: Assumptions) -> Iterator[Width]:
    model = model_of(assumed)
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
    with about("overlap"):
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


def _of_several(assumed: Assumptions) -> Iterator[Width]:
    if assumed.readers < 2:
        raise BadField("readers", "Agreement on spans needs 2 readers of each item or more.")
    with about("passage"):
        check_passage(assumed.marked, assumed.length, assumed.passage, assumed.readers)
    with about("overlap"):
        found = several_plan(
            assumed.overlap / 100,
            assumed.marked,
            assumed.length,
            assumed.deviation,
            assumed.passage,
            assumed.readers,
        )
    assumes = (
        "Each reader marks each of an item’s spans or, with probability "
        f"{found.astray:.2f}, another one anywhere in the passage; an answer has one span and a "
        "Poisson number more, of gamma distributed lengths."
    )
    for one in (OVERLAP_OF_ANSWERS, UNITISING_ALPHA):
        made = piloted(Sampled(one, found.sums))
        if made is None:
            raise BadField("overlap", "So much alike that nothing can be said: give another overlap.")
        yield _width(assumed, one.slug, one.label, made.value, made.variance, one.definition, assumes)


ON_A_LINE = (
    "Items have a place on a line, readers see it with an error, both normal, and thresholds cut the line "
    "into grades: {:.0%} of the variance are the items’."
)
FITTING = (
    "One option fits an item: a reader gives it with probability √α = {:.2f}, and else any option, each as "
    "often as it is given in all."
)


def _of_grades(assumed: Assumptions) -> Iterator[Width]:
    yield from _graded(assumed, assumed.grades, "", "", 1.0)


def _of_rubric(assumed: Assumptions) -> Iterator[Width]:
    share = assumed.asked / 100
    yield from _graded(assumed, assumed.options, "graded_question-", "a graded question: ", share)
    found = option_population(assumed.alpha, assumed.options, assumed.lowest / 100, assumed.readers)
    told = FITTING.format(sqrt(assumed.alpha))
    for one in (ALPHA, OBSERVED):
        label = f"a question with options: {one.label}"
        yield _simulated(assumed, one, found, f"question-{one.slug}", label, told, share)


def _graded(assumed: Assumptions, grades: int, slug: str, label: str, share: float) -> Iterator[Width]:
    if assumed.readers < 2:
        raise BadField("readers", "Agreement needs 2 readers of each item or more.")
    given = (assumed.alpha, grades, assumed.lowest / 100, assumed.readers)
    found, told = grade_population(*given), ON_A_LINE.format(share_of_item(*given))
    for one in (ORDINAL_ALPHA, EXACT_AGREEMENT):
        yield _simulated(assumed, one, found, slug + one.slug, label + one.label, told, share)


def _simulated(
    assumed: Assumptions, one: Measure, found: Patterns, slug: str, label: str, told: str, share: float
) -> Width:
    """``share``: of the items planned that have answers to it."""
    made = piloted(Sampled(one, found))
    if made is None:
        raise BadField("lowest", "So few answers differ that nothing can be said: give another share.")
    asked = f" It is asked on {assumed.asked:g} % of the items." if share < 1 else ""
    value = assumed.alpha if one in (ALPHA, ORDINAL_ALPHA) else made.value
    return _width(assumed, slug, label, value, made.variance / share, one.definition, told + asked)


MODELS: Mapping[str, Callable[[Assumptions], Iterator[Width]]] = {
    CHOICES: _of_choices,
    SPANS: _of_spans,
    SEVERAL: _of_several,
    GRADES: _of_grades,
    RUBRIC: _of_rubric,
}


def of_model(assumed: Assumptions) -> Iterator[Width]:
    """By the model of these answers. Raises BadField for assumptions that no model has."""
    return MODELS[assumed.answers](assumed)


def of_pilot(assumed: Assumptions, pilot: Pilot) -> Iterator[Width]:
    """By what items of a pilot add to the variance of its measures."""
    more = assumed.readers > pilot.readers
    topics = f", of topics like these {pilot.n_topics:,}, each with as many" if pilot.n_topics else ""
    for one, found in pilot.measures:
        if more and one is MAJORITY:
            continue
        assumes = (
            f"Items to come are like the {found.n_items:,} of “{pilot.title}”, each with "
            f"{min(pilot.readers, assumed.readers)} answers{topics}."
        )
        share = pilot.share(found)
        if share < 1:
            assumes += f" On {100 * share:.0f} % of the items there are two answers to it or more."
        variance = found.variance / share
        made = _width(assumed, one.slug, one.label, found.value, variance, one.definition, assumes)
        yield made._replace(bound=more)
