"""Numbers that others have printed of agreement between choices, each with where it stands.

Facts to compare with, not to reach: their items and readers are others than yours. Recomputed marks what the
paper does not print itself and what follows from the figures that it does print.
"""

from __future__ import annotations

from evaluation.values.definitions import Published

RELIC = "Thai, Chang, Krishna and Iyyer 2022 (RELiC)"
ITEMS_OF_RELIC = "200 items, three of six experts on each, three options"
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "observed_agreement": (
        Published(".788", RELIC, "from the 68.5 % and 0.5 % of Table 4", ITEMS_OF_RELIC, recomputed=True),
    ),
    "fleiss_kappa": (
        Published(".68", RELIC, "Table 4 and footnote 17", ITEMS_OF_RELIC),
        Published(".430", "Fleiss 1971", "Table 1", "30 patients, six diagnoses each, five categories"),
    ),
    "randolph_kappa": (
        Published(".6825", RELIC, "from the 68.5 % and 0.5 % of Table 4", ITEMS_OF_RELIC, recomputed=True),
    ),
    "krippendorff_alpha": (
        Published(
            ".743", "Krippendorff 2011", "section on nominal data", "12 units, four observers with gaps"
        ),
    ),
    "fleiss_kappa_by_role": (
        Published(
            ".04 to .27",
            RELIC,
            "what Table 4 would be with roles as categories",
            ITEMS_OF_RELIC,
            recomputed=True,
        ),
    ),
}
