"""10,000 judgments of 25 topics held to code that shares nothing with ours: libraries, sets and loops."""

from __future__ import annotations

from itertools import combinations
from statistics import median_low

import numpy as np
import pytest
from scipy.stats import t as student

from evaluation.metrics.ordinal.report import grade_lines
from evaluation.metrics.ordinal.table import tabulate_grades
from evaluation.metrics.ranking.from_grades import Given, qrels_of

krippendorff = pytest.importorskip("krippendorff")
TOPICS, DOCUMENTS, READERS, GRADES = 25, 100, 4, 5


@pytest.fixture(scope="module")
def given():
    """(2500, 4) grades, readers with a threshold of their own on each topic; and the topic of each item."""
    random = np.random.default_rng(10)
    relevance = random.normal(1.5, 1.3, (TOPICS, DOCUMENTS, 1))
    moved = random.normal(0, 0.4, (TOPICS, 1, READERS))
    read = relevance + moved + random.normal(0, 0.5, (TOPICS, DOCUMENTS, READERS))
    grades = np.clip(np.rint(read), 0, GRADES - 1).astype(int).reshape(-1, READERS)
    return grades, np.repeat(np.arange(TOPICS), DOCUMENTS)


@pytest.fixture(scope="module")
def lines(given):
    grades, topic = given
    item, reader = np.divmod(np.arange(grades.size), READERS)
    table = tabulate_grades(item, reader, grades.ravel(), np.full(len(grades), -1), GRADES)
    return {each.measure.slug: each.estimate for each in grade_lines(table, 1, 100, topics=topic)}


def alpha(grades):
    return krippendorff.alpha(
        reliability_data=grades.T, level_of_measurement="ordinal", value_domain=list(range(GRADES))
    )


def overlap(grades):
    both = either = 0
    for one, other in combinations(range(READERS), 2):
        first, second = ({int(at) for at in np.flatnonzero(grades[:, who] >= 2)} for who in (one, other))
        both, either = both + len(first & second), either + len(first | second)
    return both / either


def over_topics(function, given, scale, back):
    """Each topic left out in turn, on another scale, without a line of ours."""
    grades, topic = given
    value = function(grades)
    without = np.array([function(grades[topic != each]) for each in range(TOPICS)])
    error = np.sqrt((TOPICS - 1) / TOPICS * ((without - without.mean()) ** 2).sum())
    step = 1e-6
    slope = abs(scale(value + step) - scale(value - step)) / (2 * step)
    reach = student.ppf(0.975, TOPICS - 1) * slope * error
    return value, *sorted((back(scale(value) - reach), back(scale(value) + reach)))


def test_alpha_and_its_interval_over_topics(given, lines):
    found = lines["ordinal_alpha"]
    expected = over_topics(alpha, given, lambda v: np.sqrt(1 - v), lambda g: 1 - g**2)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert "over topics" in found.method


def test_the_overlap_and_its_interval_over_topics(given, lines):
    found = lines["relevant_overlap"]
    expected = over_topics(overlap, given, lambda v: np.log(v / (1 - v)), lambda g: 1 / (1 + np.exp(-g)))
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("slug", "weights"), [("linear_kappa", "linear"), ("quadratic_kappa", "quadratic")])
def test_kappas_of_pairs(given, lines, slug, weights):
    from sklearn.metrics import cohen_kappa_score

    grades, _ = given
    pairs = combinations(range(READERS), 2)
    expected = [
        cohen_kappa_score(grades[:, one], grades[:, other], weights=weights, labels=range(GRADES))
        for one, other in pairs
    ]
    assert lines[slug].value == pytest.approx(np.mean(expected), abs=1e-9)


def test_qrels_by_every_rule(given):
    grades, topic = given
    said = [
        Given(f"t{topic[item]}", f"d{item}", "ABCD"[who], int(grades[item, who]))
        for item in range(len(grades))
        for who in range(READERS)
    ]
    rules = {
        "median": lambda row: median_low(row),
        "majority": lambda row: int(np.bincount(row).argmax()),
        "mean": lambda row: int(np.floor(np.mean(row) + 0.5)),
    }
    for rule, function in rules.items():
        made = qrels_of(said, rule)
        expected = {
            (f"t{topic[item]}", f"d{item}"): function(grades[item].tolist()) for item in range(len(grades))
        }
        found = {(one, document): grade for one, of in made.qrels.items() for document, grade in of.items()}
        assert found == expected
        assert set(made.annotators.values()) == {READERS}
