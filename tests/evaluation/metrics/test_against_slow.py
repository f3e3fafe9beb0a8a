"""Property tests: an independent exact implementation, statsmodels, and identities between coefficients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.nominal.table import patterns_from_counts, tabulate
from evaluation.metrics.registry import MEASURES, measure
from tests.evaluation.metrics.slow import exact_values


@st.composite
def studies(draw):
    """(item, annotator, choice) rows in any order, gold per item, q; with gaps and items without gold."""
    options = draw(st.integers(2, 5))
    n_items, n_annotators = draw(st.integers(0, 8)), draw(st.integers(1, 5))
    cells = draw(
        st.lists(
            st.one_of(st.none(), st.integers(0, options - 1)),
            min_size=n_items * n_annotators,
            max_size=n_items * n_annotators,
        )
    )
    rows = [
        (place // n_annotators, place % n_annotators, choice)
        for place, choice in enumerate(cells)
        if choice is not None
    ]
    gold = draw(st.lists(st.integers(-1, options - 1), min_size=n_items, max_size=n_items))
    return draw(st.permutations(rows)), gold, options


def table_of(rows, gold, options):
    item, annotator, choice = zip(*rows, strict=True) if rows else ((), (), ())
    return tabulate(item, annotator, choice, gold, options)


@given(studies())
@settings(max_examples=100, deadline=None)
def test_every_measure_equals_the_exact_implementation(study):
    rows, gold, options = study
    patterns = table_of(rows, gold, options).patterns
    exact = exact_values([(item, choice) for item, _, choice in rows], gold, options)
    assert set(exact) == {one.slug for one in MEASURES}
    for one in MEASURES:
        found = one.value(patterns)
        if exact[one.slug] is None:
            assert found is None, one.slug
            assert one.undefined(patterns), one.slug
        else:
            assert found == pytest.approx(float(exact[one.slug]), abs=1e-9), one.slug
            assert one.range[0] - 1e-9 <= found <= one.range[1] + 1e-9


@given(studies(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_renumbering_options_item_by_item_leaves_observed_agreement_and_randolph(study, random):
    rows, gold, options = study
    orders = [random.sample(range(options), options) for _ in gold]
    renumbered = [(item, annotator, orders[item][choice]) for item, annotator, choice in rows]
    gold_too = [orders[item][right] if right >= 0 else -1 for item, right in enumerate(gold)]
    before, after = table_of(rows, gold, options), table_of(renumbered, gold_too, options)
    for one in MEASURES:
        if not one.labelled:
            assert one.value(before.patterns) == pytest.approx(one.value(after.patterns)), one.slug


@pytest.mark.parametrize(("n_items", "judgments", "options"), [(40, 3, 3), (25, 2, 2), (60, 7, 5)])
def test_balanced_data_equal_statsmodels(n_items, judgments, options):
    from statsmodels.stats.inter_rater import fleiss_kappa

    generator = np.random.default_rng(n_items)
    counts = generator.multinomial(judgments, generator.dirichlet(np.ones(options)), size=n_items)
    patterns = patterns_from_counts(counts)
    assert measure("fleiss_kappa").value(patterns) == pytest.approx(fleiss_kappa(counts), abs=1e-12)
    assert measure("randolph_kappa").value(patterns) == pytest.approx(
        fleiss_kappa(counts, method="randolph"), abs=1e-12
    )
    total = n_items * judgments
    assert measure("krippendorff_alpha").value(patterns) == pytest.approx(
        1 - (1 - fleiss_kappa(counts)) * (1 - 1 / total), abs=1e-12
    )
    assert measure("generalised_fleiss_kappa").value(patterns) == pytest.approx(
        fleiss_kappa(counts), abs=1e-12
    )


def test_fleiss_of_random_canonical_shuffles_scatters_round_randolph():
    """RELiC's patterns under shuffles: statistics of the shuffle, .6812 ± .0012, never above Randolph."""
    from tests.evaluation.metrics.published import RELIC_COUNTS, RELIC_ITEMS

    counts = np.repeat(RELIC_COUNTS, RELIC_ITEMS, axis=0)
    generator = np.random.default_rng(1)
    values = [
        measure("fleiss_kappa").value(patterns_from_counts(generator.permuted(counts, axis=1)))
        for _ in range(100)
    ]
    assert np.mean(values) == pytest.approx(0.6812, abs=0.0005)
    assert np.std(values) == pytest.approx(0.0012, abs=0.0005)
    assert max(values) <= 0.6825 + 1e-9
