"""Every coefficient against numbers that others have printed."""

import pytest

from evaluation.metrics.nominal.position import roles_suspected
from evaluation.metrics.nominal.table import Patterns, patterns_from_counts
from evaluation.metrics.registry import measure, report
from tests.evaluation.metrics.published import (
    FLEISS_1971,
    RELIC_COUNTS,
    RELIC_GOLD,
    RELIC_ITEMS,
    WIKIPEDIA,
    krippendorff_counts,
)


def value(slug: str, patterns: Patterns) -> float:
    found = measure(slug).value(patterns)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("counts", "slug", "printed", "digits"),
    [
        (FLEISS_1971, "observed_agreement", 0.5556, 4),
        (FLEISS_1971, "fleiss_kappa", 0.430, 3),
        (WIKIPEDIA, "observed_agreement", 0.378, 3),
        (WIKIPEDIA, "fleiss_kappa", 0.210, 3),
        (krippendorff_counts(), "krippendorff_alpha", 0.743, 3),
        (krippendorff_counts(), "generalised_fleiss_kappa", 0.76117, 5),
        (krippendorff_counts(), "gwet_ac1", 0.77544, 5),
        (krippendorff_counts(), "observed_agreement", 0.81818, 5),
        ([[7, 1], [3, 5]], "fleiss_kappa", 0.161905, 6),
        ([[7, 1], [3, 5]], "randolph_kappa", 0.214286, 6),
        ([[6, 1, 0], [0, 7, 0]], "fleiss_kappa", 0.708333, 6),
        ([[6, 1, 0], [0, 7, 0]], "randolph_kappa", 0.785714, 6),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_printed_value(counts, slug, printed, digits):
    assert round(value(slug, patterns_from_counts(counts)), digits) == printed


class TestRelic:
    patterns = patterns_from_counts(RELIC_COUNTS, RELIC_GOLD, RELIC_ITEMS)

    def test_randolph_with_its_interval(self):
        randolph = next(line for line in report(self.patterns, seed=2022) if line.slug == "randolph_kappa")
        assert randolph.value == pytest.approx(0.6825, abs=1e-12)
        assert randolph.low == pytest.approx(0.615, abs=0.01)
        assert randolph.high == pytest.approx(0.750, abs=0.01)
        assert (randolph.n_items, randolph.n_judgments, randolph.seed) == (200, 600, 2022)

    def test_agreement_lines(self):
        assert value("all_agree", self.patterns) == pytest.approx(0.685)
        assert value("none_agree", self.patterns) == pytest.approx(0.005)
        assert value("observed_agreement", self.patterns) == pytest.approx((137 + 62 / 3) / 200)
        assert value("fleiss_kappa", self.patterns) == pytest.approx(0.6812, abs=0.0024)

    # Majority accuracy 187/200 leaves open which items the other 13 are; these two cases are the extremes.
    @pytest.mark.parametrize(
        ("right", "wrong", "two_right", "one_right", "individual"),
        [(137, 0, 50, 12, 524 / 600), (125, 12, 62, 0, 500 / 600)],
        ids=["highest", "lowest"],
    )
    def test_bounds_of_individual_accuracy(self, right, wrong, two_right, one_right, individual):
        rows = [[3, 0, 0], [0, 3, 0], [2, 1, 0], [1, 2, 0], [1, 1, 1]]
        patterns = patterns_from_counts(rows, [0] * 5, [right, wrong, two_right, one_right, 1])
        assert value("majority_accuracy", patterns) == pytest.approx(187 / 200)
        assert value("randolph_kappa", patterns) == pytest.approx(0.6825)
        assert value("individual_accuracy", patterns) == pytest.approx(individual)

    def test_labelled_by_role_fleiss_collapses_and_the_report_cautions(self):
        by_role = patterns_from_counts(
            [[3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0], [1, 1, 1]], [0] * 5, [132, 3, 2, 62, 1]
        )
        assert value("randolph_kappa", by_role) == pytest.approx(0.6825)
        assert 0.04 < value("fleiss_kappa", by_role) < 0.28
        caution = roles_suspected([200, 0, 0])
        assert "gold stands at option 1, 2, … in 200, 0, 0 items" in caution
        lines = {line.slug: line for line in report(by_role, seed=1, caution=caution)}
        plain = {line.slug: line for line in report(by_role, seed=1)}
        assert lines["fleiss_kappa"].value == pytest.approx(value("fleiss_kappa", by_role))
        for slug in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
            assert lines[slug] == plain[slug]._replace(reason=caution)
        assert lines["randolph_kappa"] == plain["randolph_kappa"]
