"""Every definition of agreement between grades, and why they differ on the same answers."""

from __future__ import annotations

from evaluation.kinds.ordinal.grades import Graded, table_of
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT, WITHIN_ONE_AGREEMENT
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.report import grade_lines
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA, QUADRATIC_KAPPA
from evaluation.values.definitions import Defined, Definitions, Published

MEASURES = (
    EXACT_AGREEMENT,
    WITHIN_ONE_AGREEMENT,
    COHEN,
    LINEAR_KAPPA,
    QUADRATIC_KAPPA,
    ORDINAL_ALPHA,
    INTERVAL_ALPHA,
)
DIFFERS: dict[str, str] = {
    "exact_agreement": "The strictest: grades next to each other count as little as opposite ones.",
    "within_one_agreement": "The most lenient: high by chance alone where the scale is short, since three of "
    "q grades are within one of a grade in its middle.",
    "cohen_kappa": "Takes grades for mere names: what the order of the scale adds is the difference to the "
    "weighted values below.",
    "linear_kappa": "Every step between two grades costs as much as the one before.",
    "quadratic_kappa": "Two steps cost four times as much as one, so it forgives neighbours and is mostly "
    "the highest of the κ. It grows with the number of grades: compare it only between equal scales.",
    "ordinal_alpha": "Takes nothing for granted but the order: two grades are as far apart as there are "
    "judgments between them, so a step that hardly anybody uses is short. For items with gaps as well.",
    "interval_alpha": "Takes the grades as equally far apart, as quadratic κ does, but draws chance from all "
    "readers together: the two come out close where readers use the scale alike.",
}
KRIPPENDORFF = ("Krippendorff 2011", "12 units, four observers with gaps, five categories")
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "ordinal_alpha": (Published(".815", KRIPPENDORFF[0], "section on ordinal data", KRIPPENDORFF[1]),),
    "interval_alpha": (Published(".849", KRIPPENDORFF[0], "section on interval data", KRIPPENDORFF[1]),),
}


def definitions(graded: Graded, seed: int, resamples: int) -> Definitions:
    """Deterministic in the judgments and the seed."""
    found = {each.measure.slug: each.estimate for each in grade_lines(table_of(graded), seed, resamples)}
    return Definitions(
        tuple(
            Defined(one, found[one.slug], DIFFERS[one.slug], published=PUBLISHED.get(one.slug, ()))
            for one in MEASURES
        )
    )
