"""Coefficients of grades against a table of reference values, and against krippendorff and scikit-learn.

The values are those of krippendorff 0.9.0, scikit-learn 1.9.1 and irrCAC 0.4.4, nine digits of each. irrCAC
pins an old scipy, so it is here by its values alone.
"""

import krippendorff
import numpy as np
import pytest

from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.gwet import AC1
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.gwet import LINEAR_AC2, ORDINAL_AC2, QUADRATIC_AC2
from evaluation.metrics.ordinal.table import tabulate_grades
from evaluation.metrics.ordinal.weighted_kappa import (
    LINEAR_KAPPA,
    POOLED_LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    QUADRATIC_KAPPA,
)
from tests.evaluation.metrics.published import KRIPPENDORFF_2011

OF_ITEMS = (ALPHA, ORDINAL_ALPHA, INTERVAL_ALPHA, AC1, LINEAR_AC2, QUADRATIC_AC2, ORDINAL_AC2)
KAPPAS = (COHEN, LINEAR_KAPPA, QUADRATIC_KAPPA)
GAP = -1


def crossed(counts):
    """Two readers from a table of how often the one gave k and the other l."""
    pairs = [(k, m) for k, row in enumerate(counts) for m, times in enumerate(row) for _ in range(times)]
    return np.array(pairs).T


def written(*readers):
    """Readers as strings of grades, a dot for a gap."""
    return np.array([[GAP if each == "." else int(each) for each in one] for one in readers])


A = ("0012430124", "0112330034")
STUDIES = {
    "Krippendorff 2011": (np.array(KRIPPENDORFF_2011) - 1, 5),
    "Stuart 1953": (
        crossed([[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]),
        4,
    ),
    "Fleiss, Cohen and Everitt 1969": (crossed([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 3),
    "ten items": (written(*A), 5),
    "a third reader with gaps": (written(*A, "10.24.0223"), 5),
    "never equal, always next": (crossed(20 * np.eye(5, k=1, dtype=int)[:4]), 5),
    "95 % zeros": (
        crossed([[190, 2, 0, 0, 0], [2, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]),
        5,
    ),
}
# α nominal, ordinal, interval; AC1; AC2 linear, quadratic, ordinal.
EXPECTED = {
    "Krippendorff 2011": (
        *(0.743421053, 0.815387504, 0.849107143),
        *(0.775444068, 0.858739136, 0.914000724, 0.898939770),
    ),
    "Stuart 1953": (
        *(0.595387721, 0.706163182, 0.702283360),
        *(0.616043995, 0.717282736, 0.795916343, 0.770455335),
    ),
    "Fleiss, Cohen and Everitt 1969": (
        *(0.488461538, 0.493519608, 0.445833333),
        *(0.575971731, 0.609756098, 0.638554217, 0.627560521),
    ),
    "ten items": (
        *(0.515923567, 0.888279400, 0.909952607),
        *(0.502332815, 0.756838906, 0.905325444, 0.863713799),
    ),
    "a third reader with gaps": (
        *(0.432038835, 0.854181185, 0.861538462),
        *(0.459833795, 0.713114754, 0.870967742, 0.826388889),
    ),
    "never equal, always next": (
        *(-0.272, 0.693287037, 0.66875),
        *(-0.242718447, 0.396226415, 0.766423358, 0.663157895),
    ),
    "95 % zeros": (
        *(0.616100064, 0.753133711, 0.931293767),
        *(0.969403756, 0.992034306, 0.997977176, 0.996773656),
    ),
}
# Cohen κ, linear, quadratic, of the studies with two readers.
EXPECTED_KAPPAS = {
    "Stuart 1953": (0.595388828, 0.652380430, 0.702334252),
    "Fleiss, Cohen and Everitt 1969": (0.491525424, 0.473684211, 0.454545455),
    "ten items": (0.5, 0.756097561, 0.905213270),
    "never equal, always next": (-0.230769231, 0.333333333, 0.714285714),
    "95 % zeros": (0.615137909, 0.818236898, 0.931121570),
}


def table_of(name):
    grades, q = STUDIES[name]
    reader, item = np.nonzero(grades != GAP)
    return tabulate_grades(item, reader, grades[reader, item], np.full(grades.shape[1], -1), q)


@pytest.mark.parametrize("name", STUDIES)
def test_the_reference_table(name):
    found = [one.value(table_of(name).patterns) for one in OF_ITEMS]
    assert found == pytest.approx(EXPECTED[name], abs=6e-10)


@pytest.mark.parametrize("name", EXPECTED_KAPPAS)
def test_the_kappas_of_the_reference_table(name):
    ratings = table_of(name).ratings()
    assert [one.value(ratings) for one in KAPPAS] == pytest.approx(EXPECTED_KAPPAS[name], abs=6e-10)
    # Of one pair the pooled κ is the same.
    pooled = [one.value(ratings) for one in (POOLED_LINEAR_KAPPA, POOLED_QUADRATIC_KAPPA)]
    assert pooled == pytest.approx(EXPECTED_KAPPAS[name][1:], abs=6e-10)


@pytest.mark.parametrize("name", STUDIES)
def test_alpha_equals_krippendorffs_package(name):
    grades, q = STUDIES[name]
    given = np.where(grades == GAP, np.nan, grades)
    measured = ((ALPHA, "nominal"), (ORDINAL_ALPHA, "ordinal"), (INTERVAL_ALPHA, "interval"))
    for one, level in measured:
        theirs = krippendorff.alpha(
            reliability_data=given, level_of_measurement=level, value_domain=list(range(q))
        )
        assert one.value(table_of(name).patterns) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", EXPECTED_KAPPAS)
def test_kappa_equals_scikit_learn(name):
    from sklearn.metrics import cohen_kappa_score

    (first, second), q = STUDIES[name]
    ratings = table_of(name).ratings()
    for one, weights in zip(KAPPAS, (None, "linear", "quadratic"), strict=True):
        theirs = cohen_kappa_score(first, second, labels=list(range(q)), weights=weights)
        assert one.value(ratings) == pytest.approx(theirs, abs=1e-9)


def test_random_studies_equal_both_packages():
    from sklearn.metrics import cohen_kappa_score

    generator = np.random.default_rng(4)
    for _ in range(40):
        q, n_items, n_readers = generator.integers(2, 7), generator.integers(5, 40), generator.integers(2, 5)
        truth = generator.integers(0, q, n_items)
        grades = np.clip(truth + generator.integers(-1, 2, (n_readers, n_items)), 0, q - 1)
        grades[generator.random(grades.shape) < 0.2] = GAP
        reader, item = np.nonzero(grades != GAP)
        table = tabulate_grades(item, reader, grades[reader, item], np.full(n_items, -1), q)
        for one, level in ((ORDINAL_ALPHA, "ordinal"), (INTERVAL_ALPHA, "interval")):
            theirs = krippendorff.alpha(
                reliability_data=np.where(grades == GAP, np.nan, grades),
                level_of_measurement=level,
                value_domain=list(range(q)),
            )
            assert one.value(table.patterns) == pytest.approx(theirs, abs=1e-9)
        first, second = grades[:2, (grades[:2] != GAP).all(axis=0)]
        only = tabulate_grades(
            np.tile(np.arange(len(first)), 2),
            np.repeat([0, 1], len(first)),
            np.concatenate([first, second]),
            np.full(len(first), -1),
            q,
        )
        theirs = cohen_kappa_score(first, second, labels=list(range(q)), weights="linear")
        assert LINEAR_KAPPA.value(only.ratings()) == pytest.approx(theirs, abs=1e-9)


def test_quadratic_kappa_ignores_agreement_on_the_middle_and_linear_does_not():
    """Both means on the middle grade: .67 whether nobody or everybody agreed on it besides."""
    found = []
    for often in (0, 10, 1000):
        counts = np.diag([10, 10, often, 10, 10]).astype(int)
        counts[0, 4] = counts[4, 0] = 3
        counts[1, 3] = counts[3, 1] = 3
        grades = crossed(counts)
        n = grades.shape[1]
        table = tabulate_grades(
            np.tile(np.arange(n), 2), np.repeat([0, 1], n), grades.ravel(), np.full(n, -1), 5
        )
        found.append([one.value(table.ratings()) for one in (QUADRATIC_KAPPA, LINEAR_KAPPA)])
    quadratic, linear = zip(*found, strict=True)
    assert quadratic == pytest.approx([quadratic[0]] * 3)
    assert linear[0] < linear[1] < linear[2]
