"""The registry: order of the lines, what every measure says of itself, and what it loads."""

import subprocess
import sys

import pytest

from evaluation.metrics.nominal.table import patterns_from_counts
from evaluation.metrics.registry import ALL_MEASURES, MEASURES, measure, report


def test_nominal_measures_in_report_order():
    assert [one.label for one in ALL_MEASURES if one.data == "nominal"] == [
        "individual accuracy",
        "majority accuracy",
        "plurality accuracy",
        "all agree",
        "none agree",
        "Fleiss κ",
        "generalised Fleiss κ",
        "Randolph κ",
        "Krippendorff α",
        "Gwet AC1",
        "observed agreement",
    ]


def test_span_measures_in_report_order_the_papers_first():
    assert [one.label for one in ALL_MEASURES if one.data == "spans"] == [
        "LCS-overlap κ",
        "O_o",
        "identical pairs",
        "span_alpha",
        "placement_kappa",
        "token_alpha",
    ]
    assert [one.label for one in ALL_MEASURES if one.data == "units"] == ["unitising α"]


def test_measures_of_grades_in_report_order_against_gold_first():
    assert [one.label for one in ALL_MEASURES if one.data == "ordinal"] == [
        "mean absolute difference from gold",
        "mean difference from gold",
        "exact agreement with gold",
        "agreement with gold within ±1",
        "Krippendorff α (ordinal)",
        "Krippendorff α (interval)",
        "Gwet AC2",
        "quadratic weighted κ",
        "linear weighted κ",
        "quadratic weighted κ, pooled",
        "linear weighted κ, pooled",
        "exact agreement",
        "agreement within ±1",
    ]
    assert [one.label for one in ALL_MEASURES if one.data == "annotator pairs"] == ["Cohen κ"]


def test_a_complete_study_of_three_prints_all_but_what_only_others_need():
    found = [line.slug for line in report(patterns_from_counts([[3, 0, 0], [1, 1, 1]], [0, 1]), seed=1)]
    others = {"plurality_accuracy", "generalised_fleiss_kappa"}
    assert found == [one.slug for one in MEASURES if one.slug not in others]


@pytest.mark.parametrize("one", ALL_MEASURES, ids=lambda one: one.slug)
def test_every_measure_explains_itself(one):
    assert measure(one.slug) is one
    assert one.definition.endswith(".")
    assert one.formula
    assert one.source
    assert one.chance.endswith(".")
    assert one.range[0] < one.range[1]


def test_unknown_measure():
    with pytest.raises(ValueError, match="No measure is called 'kappa'; there are individual_accuracy, "):
        measure("kappa")


def test_loading_the_measures_loads_neither_statsmodels_nor_scipy_nor_pandas():
    code = (
        "import sys, evaluation.metrics.registry, evaluation.metrics.common.mcnemar\n"
        "import evaluation.metrics.nominal.chance, evaluation.metrics.spans.reuse\n"
        "sys.exit(' '.join({'statsmodels', 'scipy', 'pandas', 'django'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
