"""What a plan promises, beside printed values, exact enumeration and simulated studies."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from benchmarks import planning as simulated
from benchmarks.coverage.studies import ByUnits
from benchmarks.looks import alarms, stopped
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.fleiss import GENERALISED_FLEISS
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import patterns_from_counts
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.planning import power
from evaluation.metrics.planning.choices import ChoiceModel, choice_model
from evaluation.metrics.planning.grades import grade_population, option_population
from evaluation.metrics.planning.looks import corrected_level, false_alarms, schedule
from evaluation.metrics.planning.pilot import Sampled, fewer_answers, piloted
from evaluation.metrics.planning.several_spans import several_marked, several_plan
from evaluation.metrics.planning.spans import span_plan
from evaluation.metrics.planning.widths import Z, half_width, items_for
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import OVERLAP_OF_ANSWERS
from evaluation.metrics.spans.units.table import unit_sums

RELIC = patterns_from_counts([[3, 0, 0], [2, 1, 0], [1, 1, 1]], [0, 0, 0], [137, 62, 1])


def test_the_items_that_relics_own_patterns_need():
    """As derived by arithmetic from RELiC's printed percentages: κ ± .10, .07, .05, .03; accuracy ± .05."""
    kappa = piloted(Sampled(RANDOLPH, RELIC))
    assert kappa.value == pytest.approx(0.6825)
    assert [items_for(kappa.variance, wanted) for wanted in (0.1, 0.07, 0.05, 0.03)] == [86, 174, 341, 946]
    assert [items_for(a * (1 - a), 0.05) for a in (0.935, 0.85, 0.675)] == [94, 196, 338]
    assert half_width(kappa.variance, 341) <= 0.05 < half_width(kappa.variance, 340)
    assert piloted(Sampled(MAJORITY, RELIC.keep(RELIC.items < 10))) is None


def test_mcnemars_power_as_printed():
    found = [
        power.paired_power(n, a, b, d)
        for n, a, b, d in ((200, 0.675, 0.6, 0.25), (400, 0.675, 0.6, 0.25), (50, 0.675, 0.388, 0.45))
    ]
    assert found == pytest.approx([0.5, 0.85, 0.84], abs=0.02)
    assert power.items_for_paired(0.675, 0.6, 0.25) in range(360, 400)
    assert power.items_for_paired(0.675, 0.674, 0.25) is None
    assert power.discordance(0.675, 0.6) == pytest.approx(0.465)


@pytest.mark.parametrize(("options", "readers", "rho"), [(3, 3, 0.3), (2, 4, 0.5), (4, 2, 0.0), (3, 4, 1.0)])
def test_every_answer_enumerated(options, readers, rho):
    """All q^k answers to an item, each with its probability under the Beta distribution."""
    model = ChoiceModel(0.7, rho, options, readers)
    agreeing, right, mean, square = 0.0, 0.0, 0.0, 0.0
    for answers in product(range(options), repeat=readers):
        r = answers.count(0)
        chance = _moment(model, r) / (options - 1) ** (readers - r)
        pairs = [one == other for at, one in enumerate(answers) for other in answers[:at]]
        share = sum(pairs) / len(pairs)
        agreeing += chance * share
        square += chance * share**2
        right += chance * (2 * r > readers)
        mean += chance * (r / readers - 0.7) ** 2
    assert model.agreement == pytest.approx(agreeing)
    assert model.majority == pytest.approx(right)
    assert model.accuracy_variance == pytest.approx(mean)
    assert model.kappa_variance == pytest.approx((square - agreeing**2) / (1 - 1 / options) ** 2)
    again = choice_model(0.7, model.kappa, options, readers)
    assert again.rho == pytest.approx(rho, abs=1e-9)


def _moment(model, right):
    """E p^r (1 - p)^(k - r)."""
    a, rho, k = model.accuracy, model.rho, model.readers
    if rho == 0:
        return a**right * (1 - a) ** (k - right)
    if rho == 1:
        return a * (right == k) + (1 - a) * (right == 0)
    both = (1 - rho) / rho
    return beta(a * both, (1 - a) * both).expect(lambda p: p**right * (1 - p) ** (k - right))


def test_studies_drawn_from_the_model_are_as_exact_as_promised():
    """Realised: 1.96 standard deviations of 1,000 studies, whose own error is 2 %; power: 400 studies."""
    found = simulated.of_choices(choice_model(0.85, 0.68, 3, 3), 100, 1_000)
    for one in found:
        assert one.promised == pytest.approx(one.realised, rel=0.08), one
        assert one.promised == pytest.approx(one.reported, rel=0.08), one
    of_spans = simulated.of_spans(0.68, 6.86, 4.83, 3, 60, 100)
    assert [one.promised for one in of_spans] == pytest.approx([one.reported for one in of_spans], rel=0.12)
    test = simulated.of_readers(choice_model(0.85, 0.68, 3, 3), 0.75, 150, 400)
    assert test.promised == pytest.approx(test.realised, abs=0.06)


def test_spans_by_their_overlap():
    plan = span_plan(0.68, 6.86, 4.83, 3)
    assert plan.overlap == pytest.approx(0.68, abs=0.001)
    assert 0.2 < plan.astray < 0.4
    # More readers say more of each item.
    assert span_plan(0.68, 6.86, 4.83, 6).overlap_variance < plan.overlap_variance
    assert plan.overlap_variance < span_plan(0.68, 6.86, 4.83, 2).overlap_variance


def test_several_spans_by_their_overlap():
    settings = (0.68, 2.0, 6.86, 4.83, 100, 3)
    plan = several_plan(*settings)
    drawn = unit_sums(several_marked(plan, *settings[1:], seed=7))
    for sums in (plan.sums, drawn):
        assert Sampled(OVERLAP_OF_ANSWERS, sums).measure.value(sums) == pytest.approx(0.68, abs=0.01)
    # Studies drawn from another population are as exact as promised.
    table = several_marked(plan, *settings[1:], seed=8)
    studies = ByUnits(table, (OVERLAP_OF_ANSWERS, UNITISING_ALPHA)).studies(60, 1_000, seed=9)
    for one in studies:
        promised = half_width(piloted(Sampled(one.measure, plan.sums)).variance, 60)
        assert Z * one.values.std() == pytest.approx(promised, rel=0.1)
    # A reader who goes astray more often agrees less; more spans in an answer average out.
    assert several_plan(0.4, *settings[1:]).astray > plan.astray
    few, many = (several_plan(0.68, spans, 3.0, 2.0, 100, 2).sums for spans in (1.0, 5.0))
    of_few, of_many = (piloted(Sampled(OVERLAP_OF_ANSWERS, sums)) for sums in (few, many))
    assert of_many.variance < of_few.variance


def test_fewer_answers_keep_so_many_of_each_item():
    item = np.array([0, 2, 1, 0, 0, 2, 3])
    kept = fewer_answers(item, 2, seed=5)
    assert np.bincount(item[kept]).tolist() == [2, 1, 2, 1]
    assert (fewer_answers(item, 9, seed=5)).all()
    three = piloted(Sampled(GENERALISED_FLEISS, RELIC))
    assert three.variance > 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: choice_model(0.85, 0.1, 3, 3), r"a κ from 0\.60 .* to 0\.89"),
        (lambda: span_plan(0.1, 6.86, 4.83, 3), "overlap by 0.39"),
        (lambda: several_plan(0.05, 2.0, 6.86, 4.83, 100, 3), "overlap by 0.08 when they are marked at"),
        (lambda: several_plan(0.6, 9.0, 6.86, 4.83, 100, 3), "fill more than half of 100"),
        (lambda: several_plan(0.6, 2.0, 6.86, 4.83, 1000, 50), "too many for the model"),
        (lambda: several_plan(0.6, 0.5, 6.86, 4.83, 100, 3), "one span or more"),
        (lambda: power.paired_power(100, 0.7, 0.6, 0.05), "10.0 to 70.0 %"),
        (lambda: power.discordance(0.9, 0.5, 0.9), "nearer to 0"),
        (lambda: ChoiceModel(0.8, 0.1, 3, 1).kappa_variance, "at least 2 readers"),
        (lambda: items_for(1.0, 0.0), "greater than 0"),
    ],
)
def test_what_cannot_be_is_refused_with_what_could(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_models_of_grades_and_options_have_the_agreement_and_margins_typed_in():
    population = grade_population(0.7, 4, 0.6, 3)
    assert ORDINAL_ALPHA.value(population) == pytest.approx(0.7, abs=1e-3)
    assert population.margins[0] / population.margins.sum() == pytest.approx(0.6, abs=0.01)
    # Two readers and two options: an item agrees or not, so its variance is that of one toss.
    found = piloted(Sampled(OBSERVED, option_population(0.5, 2, 0.8, 2)))
    agree = 0.5 + 0.5 * (0.8**2 + 0.2**2)
    assert found is not None
    assert (found.value, found.variance) == pytest.approx((agree, agree * (1 - agree)), rel=0.02)
    with pytest.raises(ValueError, match="α must lie"):
        grade_population(1.0, 4, 0.6, 3)


def test_what_looking_often_costs_as_printed():
    """Armitage, McPherson and Rowe 1969, table 2, and Pocock 1977, table 1, at 5 %."""
    looks = (1, 2, 3, 4, 5, 10)
    found = [false_alarms(range(1, most + 1)) for most in looks]
    assert found == pytest.approx([0.05, 0.083, 0.107, 0.126, 0.142, 0.193], abs=5e-4)
    levels = [corrected_level(tuple(range(1, most + 1))) for most in looks]
    assert levels == pytest.approx([0.05, 0.0294, 0.0221, 0.0182, 0.0158, 0.0106], abs=1e-4)
    drawn = alarms(schedule(60, 20, 8), 0.05, 20_000)
    assert false_alarms(schedule(60, 20, 8)) == pytest.approx(drawn, abs=0.01)
    with pytest.raises(ValueError, match="rising numbers"):
        false_alarms((60, 60))


def test_intervals_after_stopping_by_width_keep_nearly_what_they_claim():
    population = simulated.judged(choice_model(0.85, 0.68, 3, 3), 20_000, np.random.default_rng(1))
    found = stopped(population, INDIVIDUAL, 0.07, schedule(60, 20, 10), n_studies=500)
    assert found.met == 1
    assert 60 <= found.items < 90
    assert found.covered > 0.91
