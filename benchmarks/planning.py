"""Print what the planner promises beside what simulated studies find: ``python -m benchmarks.planning``.

Studies are drawn from a large population made by the planner's own models; their intervals are those that
reports print. Widths: the promised half width, the mean of the reports', and 1.96 standard deviations of the
studies' values. Power: the promised chance, and how many of the studies' tests are significant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.coverage.studies import BySpans, ByUnits, ByWeights, Studies
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.fleiss import FLEISS
from evaluation.metrics.nominal.table import FloatArray, Patterns, patterns_from_counts
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.planning import power
from evaluation.metrics.planning.choices import ChoiceModel, choice_model
from evaluation.metrics.planning.grades import (
    answered,
    grade_population,
    graded,
    option_population,
    share_of_item,
)
from evaluation.metrics.planning.pilot import Sampled, piloted
from evaluation.metrics.planning.several_spans import several_marked, several_plan
from evaluation.metrics.planning.spans import marked, span_plan
from evaluation.metrics.planning.widths import Z, half_width
from evaluation.metrics.spans.overlap import LCS_OVERLAP_KAPPA, OBSERVED_OVERLAP
from evaluation.metrics.spans.table import tabulate_spans
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import OVERLAP_OF_ANSWERS

SEED = 16
CHOICES = ((0.85, 0.68, 3, 3), (0.675, 0.4, 3, 3), (0.9, 0.75, 2, 5), (0.6, 0.45, 5, 2))
SPANS = ((0.68, 6.86, 4.83, 3), (0.8, 10.0, 5.0, 2))
SEVERAL = ((0.68, 2.0, 6.86, 4.83, 100, 3), (0.5, 1.3, 3.0, 2.0, 60, 2))
GRADES = ((0.65, 5, 0.4, 3), (0.8, 4, 0.7, 2), (0.4, 3, 0.34, 5))
QUESTIONS = ((0.65, 3, 0.4, 3), (0.5, 2, 0.8, 2))
SIZES = (60, 200)


class Found(NamedTuple):
    """One promise: half widths, or the chance of a difference."""

    what: str
    n_items: int
    promised: float
    reported: float | None
    realised: float


def probabilities(model: ChoiceModel, n_items: int, generator: np.random.Generator) -> FloatArray:
    """(N,) p_i."""
    if model.rho == 0:
        return np.full(n_items, model.accuracy)
    both = (1 - model.rho) / model.rho
    return generator.beta(model.accuracy * both, (1 - model.accuracy) * both, n_items)


def judged(model: ChoiceModel, n_items: int, generator: np.random.Generator) -> Patterns:
    """The answers of one study, gold in turn at each place."""
    right = generator.binomial(model.readers, probabilities(model, n_items, generator))
    wrong = generator.multinomial(model.readers - right, np.full(model.options - 1, 1 / (model.options - 1)))
    gold = np.arange(n_items) % model.options
    counts = np.zeros((n_items, model.options), dtype=np.int64)
    rows = np.arange(n_items)
    counts[rows, gold] = right
    for place in range(model.options - 1):
        counts[rows, (gold + 1 + place) % model.options] = wrong[:, place]
    return patterns_from_counts(counts, gold)


def of_choices(model: ChoiceModel, n_items: int, n_studies: int) -> list[Found]:
    """Widths of accuracy and κ."""
    population = judged(model, 200_000, np.random.default_rng(SEED))
    promised = (model.accuracy_variance, model.majority_variance, model.kappa_variance)
    studies = ByWeights(population, (INDIVIDUAL, MAJORITY, FLEISS)).studies(n_items, n_studies, SEED)
    return [_found(one, variance) for one, variance in zip(studies, promised, strict=True)]


def of_spans(
    overlap: float, length: float, deviation: float, readers: int, n_items: int, n_studies: int
) -> list[Found]:
    """Widths of O_o and of the LCS-overlap κ."""
    said = span_plan(overlap, length, deviation, readers)
    n_population = 2_000
    left, right = marked(overlap, length, deviation, readers, n_population, SEED).astype(np.int64)
    anchor = np.full(n_population, int(left.max()))
    item = np.repeat(np.arange(n_population), readers)
    end = anchor + 1
    table = tabulate_spans(
        item,
        np.tile(np.arange(readers), n_population),
        (anchor - left).T.ravel(),
        (end + right).T.ravel(),
        anchor,
        end,
        end + int(right.max()),
    )
    promised = (said.overlap_variance, said.kappa_variance)
    studies = BySpans(table, (OBSERVED_OVERLAP, LCS_OVERLAP_KAPPA)).studies(n_items, n_studies, SEED)
    return [_found(one, variance) for one, variance in zip(studies, promised, strict=True)]


def of_several(settings: tuple[float, float, float, float, int, int], n_items: int) -> list[Found]:
    """Widths of overlap and unitising α where answers have several spans."""
    plan = several_plan(*settings)
    measures = (OVERLAP_OF_ANSWERS, UNITISING_ALPHA)
    promised = [piloted(Sampled(one, plan.sums)) for one in measures]
    studies = ByUnits(several_marked(plan, *settings[1:], SEED), measures).studies(n_items, 4_000, SEED)
    return [_found(one, said.variance) for one, said in zip(studies, promised, strict=True) if said]


def of_answers(
    population: Patterns, planned: Patterns, measures: tuple[Measure, ...], n_items: int, n_studies: int
) -> list[Found]:
    """Widths of grades or of a question; ``population``: of the same model as ``planned``, drawn anew."""
    promised = [piloted(Sampled(one, planned)) for one in measures]
    studies = ByWeights(population, measures).studies(n_items, n_studies, SEED)
    return [_found(one, said.variance) for one, said in zip(studies, promised, strict=True) if said]


def rows_of_answers(n_studies: int) -> Iterator[Found]:
    """Grades, then questions with options."""
    for settings in GRADES:
        alpha, q, lowest, k = settings
        planned = grade_population(*settings)
        drawn = graded(share_of_item(*settings), q, lowest, k, 200_000, SEED)
        named = f"grades, α {alpha:g}, q {q}, lowest {lowest:g}, k {k}: "
        for n_items in SIZES:
            found = of_answers(drawn, planned, (ORDINAL_ALPHA, EXACT_AGREEMENT), n_items, n_studies)
            yield from (one._replace(what=named + one.what) for one in found)
    for settings in QUESTIONS:
        alpha, q, lowest, k = settings
        planned, drawn = option_population(*settings), answered(*settings, 200_000, SEED)
        named = f"question, α {alpha:g}, q {q}, first {lowest:g}, k {k}: "
        for n_items in SIZES:
            found = of_answers(drawn, planned, (ALPHA, OBSERVED), n_items, n_studies)
            yield from (one._replace(what=named + one.what) for one in found)


def _found(one: Studies, variance: float) -> Found:
    ends = one.intervals()
    reported = float(np.nanmean(ends.high - ends.low) / 2)
    return Found(
        one.measure.label,
        one.n_items,
        half_width(variance, one.n_items),
        reported,
        Z * float(np.nanstd(one.values)),
    )


def of_power(n_items: int, first: float, second: float, differing: float, n_studies: int) -> Found:
    """McNemar's exact test on two systems."""
    from scipy.stats import binomtest

    gap = abs(first - second)
    shares = ((differing + gap) / 2, (differing - gap) / 2, 1 - differing)
    drawn = np.random.default_rng(SEED).multinomial(n_items, shares, n_studies)
    pairs, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    significant = [b + c > 0 and binomtest(int(b), int(b + c)).pvalue <= 0.05 for b, c in pairs]
    what = f"McNemar, {first:g} and {second:g}, {differing:g} discordant"
    return Found(
        what,
        n_items,
        power.paired_power(n_items, first, second, differing),
        None,
        float(np.average(significant, weights=times)),
    )


def of_readers(model: ChoiceModel, system: float, n_items: int, n_studies: int) -> Found:
    """A system against the mean of the readers, by Student's t."""
    from scipy.stats import ttest_1samp

    generator = np.random.default_rng(SEED)
    p = probabilities(model, n_items * n_studies, generator).reshape(n_studies, n_items)
    readers = generator.binomial(model.readers, p) / model.readers
    right = generator.random(p.shape) < system
    found = ttest_1samp(right - readers, 0, axis=1).pvalue < 0.05
    what = f"system {system:g} and the mean of {model.readers} readers, {model.accuracy:g}"
    return Found(what, n_items, power.readers_power(n_items, model, system), None, float(found.mean()))


def main() -> None:
    print("| number | items | promised | in reports | realised |\n| --- | --- | --- | --- | --- |")
    rows: list[Found] = []
    for settings in CHOICES:
        for n_items in SIZES:
            model = choice_model(*settings)
            named = f"a {settings[0]:g}, κ {settings[1]:g}, q {settings[2]}, k {settings[3]}: "
            rows += [one._replace(what=named + one.what) for one in of_choices(model, n_items, 4_000)]
    for spans in SPANS:
        for n_items in SIZES:
            named = f"O_o {spans[0]:g}, length {spans[1]:g} ± {spans[2]:g}, k {spans[3]}: "
            rows += [one._replace(what=named + one.what) for one in of_spans(*spans, n_items, 400)]
    for several in SEVERAL:
        for n_items in SIZES:
            named = "several spans, O_o {:g}, {:g} of {:g} ± {:g} in {}, k {}: ".format(*several)
            rows += [one._replace(what=named + one.what) for one in of_several(several, n_items)]
    rows += rows_of_answers(4_000)
    for n_items, differing in ((200, 0.25), (400, 0.25)):
        rows.append(of_power(n_items, 0.675, 0.6, differing, 20_000))
    rows.append(of_power(50, 0.675, 0.388, 0.45, 20_000))
    rows += [of_readers(choice_model(0.85, 0.68, 3, 3), 0.75, n, 4_000) for n in (60, 200)]
    for one in rows:
        reported = "" if one.reported is None else f"{one.reported:.3f}"
        print(f"| {one.what} | {one.n_items} | {one.promised:.3f} | {reported} | {one.realised:.3f} |")


if __name__ == "__main__":
    main()
