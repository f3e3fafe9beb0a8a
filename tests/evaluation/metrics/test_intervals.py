"""Intervals: the pattern bootstrap is the item bootstrap; small and degenerate data get an honest answer."""

import numpy as np
import pytest

from evaluation.metrics.common import intervals
from evaluation.metrics.common.intervals import BOOTSTRAP, resample, wilson
from evaluation.metrics.common.jackknife import LOGIT, ROOT, WILSON, AllButOne, jackknife_error
from evaluation.metrics.nominal.table import patterns_from_counts, tabulate
from evaluation.metrics.registry import MEASURES, measure, report
from tests.evaluation.metrics.published import FLEISS_1971, RELIC_COUNTS, RELIC_GOLD, RELIC_ITEMS
from tests.evaluation.metrics.slow_intervals import ends, student

SLUGS = ["individual_accuracy", "majority_accuracy", "fleiss_kappa", "randolph_kappa", "krippendorff_alpha"]


def lines(patterns, **options):
    return {line.slug: line for line in report(patterns, seed=7, **options)}


@pytest.mark.parametrize("slug", SLUGS)
def test_patterns_and_a_plain_loop_over_items_give_the_same_distribution(slug):
    counts, gold = np.repeat(RELIC_COUNTS, RELIC_ITEMS, axis=0), np.repeat(RELIC_GOLD, RELIC_ITEMS)
    one = measure(slug)
    fast = resample(patterns_from_counts(counts, gold), [one.statistic], seed=3, resamples=4000)[0]
    generator, slow = np.random.default_rng(4), []
    for _ in range(1500):
        drawn = generator.integers(0, len(counts), len(counts))
        slow.append(one.value(patterns_from_counts(counts[drawn], gold[drawn])))
    spread = np.std(slow)
    # Monte-Carlo errors: sd/sqrt(B) of a mean, sd/sqrt(2B) of a spread, 2.7 sd/sqrt(B) of a 2.5 % point.
    assert np.mean(fast) == pytest.approx(np.mean(slow), abs=4 * spread / np.sqrt(1500))
    assert np.std(fast) == pytest.approx(spread, rel=4 / np.sqrt(2 * 1500))
    ends = np.quantile(fast, [0.025, 0.975]), np.quantile(slow, [0.025, 0.975])
    assert ends[0] == pytest.approx(ends[1], abs=4 * 2.7 * spread / np.sqrt(1500))


def test_the_seed_decides_and_the_order_of_rows_does_not():
    generator = np.random.default_rng(0)
    item, annotator = np.repeat(np.arange(80), 3), np.tile(np.arange(3), 80)
    gold, choice = generator.integers(0, 3, 80), generator.integers(0, 3, 240)
    order = generator.permutation(240)
    once = report(tabulate(item, annotator, choice, gold, 3), seed=5)
    again = report(tabulate(item[order], annotator[order], choice[order], gold, 3), seed=5)
    renamed = generator.permutation(80)
    moved = report(tabulate(renamed[item], annotator, choice, gold[np.argsort(renamed)], 3), seed=5)
    other = report(tabulate(item, annotator, choice, gold, 3), seed=6)
    assert once == again == moved
    assert [line.value for line in once] == [line.value for line in other]
    assert [line.low for line in once] == [line.low for line in other]
    assert [line.bootstrap for line in once] != [line.bootstrap for line in other]


def test_blocks_of_resamples_are_the_same_draws(monkeypatch):
    patterns = patterns_from_counts(RELIC_COUNTS, RELIC_GOLD, RELIC_ITEMS)
    whole = resample(patterns, [measure("fleiss_kappa").statistic], seed=1, resamples=100)
    monkeypatch.setattr("evaluation.metrics.common.intervals._CELLS_AT_ONCE", 50)
    # Other draws differ by 0.01; products of other shapes are added up in another order on some processors.
    assert resample(patterns, [measure("fleiss_kappa").statistic], 1, 100) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("one", MEASURES, ids=lambda one: one.slug)
def test_jackknife_equals_leaving_out_item_by_item(one):
    gold = [row % 5 for row in range(30)]
    left_out = [
        one.value(patterns_from_counts(FLEISS_1971[:i] + FLEISS_1971[i + 1 :], gold[:i] + gold[i + 1 :]))
        for i in range(30)
    ]
    expected = np.sqrt(29 / 30 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    found = jackknife_error(one, patterns_from_counts(FLEISS_1971, gold))
    assert found == pytest.approx(expected, abs=1e-12)


def test_all_but_one_are_the_weights_that_lack_an_item():
    items, values = np.array([3, 1, 2]), np.arange(12.0).reshape(3, 4)
    written_out = np.repeat(items[None, :], 3, axis=0) - np.eye(3)
    assert (AllButOne(items) @ values).tolist() == (written_out @ values).tolist()
    assert (AllButOne(items) @ values[:, 1]).tolist() == (written_out @ values[:, 1]).tolist()
    assert len(AllButOne(items)) == 3


SPREAD = ("individual_accuracy", "fleiss_kappa", "randolph_kappa", "krippendorff_alpha", "gwet_ac1")


@pytest.mark.parametrize("slug", [*SPREAD, "observed_agreement"])
def test_the_interval_is_that_of_items_left_out_one_by_one(slug):
    gold, one = [row % 5 for row in range(30)], measure(slug)
    left_out = [
        one.value(patterns_from_counts(FLEISS_1971[:i] + FLEISS_1971[i + 1 :], gold[:i] + gold[i + 1 :]))
        for i in range(30)
    ]
    patterns = patterns_from_counts(FLEISS_1971, gold)
    line = lines(patterns)[slug]
    assert (line.low, line.high) == pytest.approx(ends(one, one.value(patterns), student(left_out)), abs=1e-9)
    assert line.method == (LOGIT if one.range == (0.0, 1.0) else ROOT)


def test_shares_of_items_have_wilsons_interval():
    """6 of 8 items agree: one of two values an item, so their number is binomial."""
    line = lines(patterns_from_counts([[2, 0], [1, 1]], [0, 1], [6, 2]))
    for slug, right in (("all_agree", 6), ("majority_accuracy", 6), ("none_agree", 2)):
        assert (line[slug].low, line[slug].high) == pytest.approx(wilson(right, 8))
        assert line[slug].method == WILSON
    assert line["individual_accuracy"].method == LOGIT


def test_one_item_with_most_of_the_answers_makes_the_interval_long():
    """60 answers of one item weigh as much as those of 20 others: the items are not 30 throws of a coin."""
    patterns = patterns_from_counts([[3, 0], [2, 1], [0, 60]], [0, 0, 0], [20, 9, 1])
    line = lines(patterns)["individual_accuracy"]
    assert line.method == LOGIT
    assert (line.low, line.high) == pytest.approx((0.055, 0.956), abs=0.002)
    assert wilson(30 * line.value, 30) == pytest.approx((0.359, 0.695), abs=0.001)


def test_the_bootstrap_stands_beside_it_unless_there_are_too_many_patterns(monkeypatch):
    patterns = patterns_from_counts(RELIC_COUNTS, RELIC_GOLD, RELIC_ITEMS)
    line = lines(patterns)["randolph_kappa"]
    assert (line.method, line.bootstrap.method, line.resamples) == (ROOT, BOOTSTRAP, 2000)
    (drawn,) = resample(patterns, [measure("randolph_kappa").statistic], seed=7)
    assert line.bootstrap[:2] == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    monkeypatch.setattr(intervals, "MOST_RESAMPLED_CELLS", 1999 * len(patterns.items))
    assert lines(patterns)["randolph_kappa"] == line._replace(bootstrap=None, resamples=0)


def test_wilson_of_relics_majority():
    assert wilson(187, 200) == pytest.approx((0.892, 0.962), abs=0.0005)


class TestDegenerate:
    def test_no_items(self):
        for line in report(tabulate([], [], [], [], 3), seed=1):
            assert (line.value, line.low, line.high, line.n_items, line.resamples) == (None, None, None, 0, 0)
            assert line.reason.endswith(".")

    def test_one_judgment_on_every_item(self):
        found = lines(tabulate([0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 2, 0], [0, 1, 2, 1], 3))
        assert found["individual_accuracy"].value == found["majority_accuracy"].value == 0.75
        for slug in ("all_agree", "none_agree", "fleiss_kappa", "randolph_kappa", "gwet_ac1"):
            assert found[slug].value is None
            assert found[slug].reason == "No item has two judgments."

    def test_one_option_only(self):
        found = lines(patterns_from_counts([[3, 0, 0]], items=[40]))
        for slug in ("fleiss_kappa", "krippendorff_alpha"):
            assert found[slug].value is None
            assert "without variation" in found[slug].reason
        assert found["gwet_ac1"].value == found["randolph_kappa"].value == pytest.approx(1)

    def test_equal_items_get_wilson_not_a_point(self):
        found = lines(patterns_from_counts([[3, 0, 0], [0, 3, 0], [0, 0, 3]], items=[10, 10, 10]))
        agree, randolph, fleiss = found["all_agree"], found["randolph_kappa"], found["fleiss_kappa"]
        assert (agree.low, agree.high) == pytest.approx(wilson(30, 30))
        assert agree.resamples == 0
        assert agree.method.startswith("Wilson")
        assert randolph.low == pytest.approx((wilson(30, 30)[0] - 1 / 3) * 1.5)
        assert (fleiss.value, fleiss.low, fleiss.bootstrap) == (pytest.approx(1), None, None)
        assert "items do not differ" in fleiss.reason

    def test_often_undefined_resamples_give_no_interval(self):
        fleiss = lines(patterns_from_counts([[3, 0], [0, 3]], items=[19, 1]))["fleiss_kappa"]
        assert fleiss.value == pytest.approx(1)
        assert fleiss.low is None
        assert "resamples of the items leave it undefined" in fleiss.reason

    def test_unbalanced(self):
        found = lines(patterns_from_counts([[3, 0], [1, 1], [0, 3]], items=[30, 5, 30]))
        assert found["fleiss_kappa"].value is None
        assert "Items have 2 to 3 judgments" in found["fleiss_kappa"].reason
        assert found["generalised_fleiss_kappa"].value == pytest.approx(0.84615, abs=1e-5)

    def test_no_resamples_asked_for(self):
        patterns = patterns_from_counts([[3, 0], [1, 2], [2, 1]])
        line, drawn = (lines(patterns, resamples=n)["randolph_kappa"] for n in (0, 200))
        assert line == drawn._replace(bootstrap=None, resamples=0)

    def test_an_item_without_which_there_is_no_value_leaves_no_interval(self):
        fleiss = lines(patterns_from_counts([[3, 0], [0, 3]], items=[19, 1]), resamples=0)["fleiss_kappa"]
        assert (fleiss.low, fleiss.reason) == (
            None,
            "No interval: with one item left out there would be no value.",
        )
