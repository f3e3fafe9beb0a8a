"""Every definition of agreement between grades, and why they differ on the same answers."""

from __future__ import annotations

from evaluation.kinds.ordinal.grades import Graded, table_of
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT, WITHIN_ONE_AGREEMENT
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.gwet import LINEAR_AC2, ORDINAL_AC2, QUADRATIC_AC2
from evaluation.metrics.ordinal.report import grade_estimates, grade_lines
from evaluation.metrics.ordinal.weighted_kappa import (
    LINEAR_KAPPA,
    POOLED_LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    QUADRATIC_KAPPA,
)
from evaluation.values.definitions import Defined, Definitions, Published

MEASURES = (
    EXACT_AGREEMENT,
    WITHIN_ONE_AGREEMENT,
    COHEN,
    LINEAR_KAPPA,
    QUADRATIC_KAPPA,
    POOLED_LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    ORDINAL_ALPHA,
    INTERVAL_ALPHA,
    ORDINAL_AC2,
    LINEAR_AC2,
    QUADRATIC_AC2,
)
_NOT_IN_REPORTS = (LINEAR_AC2, QUADRATIC_AC2)
DIFFERS: dict[str, str] = {
    "exact_agreement": "The strictest: grades next to each other count as little as opposite ones.",
    "within_one_agreement": "The most lenient: high by chance alone where the scale is short, since three of "
    "q grades are within one of a grade in its middle.",
    "cohen_kappa": "Takes grades for mere names: what the order of the scale adds is the difference to the "
    "weighted values below.",
    "linear_kappa": "Every step between two grades costs as much as the one before.",
    "quadratic_kappa": "Two steps cost four times as much as one, so it forgives neighbours and is mostly "
    "the highest of the κ. It grows with the number of grades: compare it only between equal scales.",
    "pooled_linear_kappa": "The same disagreements added over all pairs before they are divided: a pair that "
    "shares few items, or uses one grade, weighs as little as it could have disagreed.",
    "pooled_quadratic_kappa": "As the pooled linear one, with squares: the pair with the widest range of "
    "grades decides most.",
    "ordinal_alpha": "Takes nothing for granted but the order: two grades are as far apart as there are "
    "judgments between them, so a step that hardly anybody uses is short. For items with gaps as well.",
    "interval_alpha": "Takes the grades as equally far apart, as quadratic κ does, but draws chance from all "
    "readers together: the two come out close where readers use the scale alike.",
    "gwet_ac2": "Supposes that few judgments are guesses where one grade takes most of them, so it stays "
    "near the plain agreement there while α and κ fall. Two grades agree the more, the fewer lie between.",
    "gwet_ac2_linear": "The same chance; each step costs 1 / (q - 1) of the agreement.",
    "gwet_ac2_quadratic": "The same chance; near grades agree almost wholly, so it is mostly the highest of "
    "the three.",
}
KRIPPENDORFF = ("Krippendorff 2011", "12 units, four observers with gaps, five categories")
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "ordinal_alpha": (Published(".815", KRIPPENDORFF[0], "section on ordinal data", KRIPPENDORFF[1]),),
    "interval_alpha": (Published(".849", KRIPPENDORFF[0], "section on interval data", KRIPPENDORFF[1]),),
}


def definitions(graded: Graded, seed: int, resamples: int) -> Definitions:
    """Deterministic in the judgments and the seed."""
    table = table_of(graded)
    lines = grade_lines(table, seed, resamples, topics=graded.topic)
    found = {each.measure.slug: each.estimate for each in lines}
    more = grade_estimates(table, _NOT_IN_REPORTS, seed, resamples, topics=graded.topic)
    found |= {one.slug: each for one, each in zip(_NOT_IN_REPORTS, more, strict=True)}
    return Definitions(
        tuple(
            Defined(one, found[one.slug], DIFFERS[one.slug], published=PUBLISHED.get(one.slug, ()))
            for one in MEASURES
        )
    )
