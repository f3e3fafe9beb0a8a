"""Every definition of agreement between choices, and why they differ on the same answers.

Beside the measures of the report stand variants that nobody should report, because they show what the choice
of labels does: roles or places on the screen as categories.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.models import Study
from evaluation.kinds.nominal.choices import Choices, suspected, table_of
from evaluation.kinds.nominal.pairs import in_pairs, sections
from evaluation.metrics.common.intervals import LEVEL, Estimate, cautioned, estimate, resample
from evaluation.metrics.common.measure import Measure, MeasureOf
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.gwet import AC1
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import NominalTable, Patterns, patterns_from_counts, tabulate
from evaluation.values.definitions import Defined, Definitions, Published, zero_of

MEASURES = (OBSERVED, FLEISS, GENERALISED_FLEISS, RANDOLPH, ALPHA, AC1)
BY_ROLE = replace(
    FLEISS,
    slug="fleiss_kappa_by_role",
    label="Fleiss κ with roles as categories",
    definition="Fleiss κ on gold, first and second wrong option instead of shuffled option numbers.",
    labelled=False,
    chance="Readers who draw roles from the margins that all of them produced: gold most of the time.",
)
BY_PLACE = replace(
    FLEISS,
    slug="fleiss_kappa_by_place",
    label="Fleiss κ with places on the screen as categories",
    definition="Fleiss κ on where the chosen option stood on each reader's screen.",
    labelled=False,
    chance="Readers who draw places from the margins that all of them produced.",
)
# Of these the value is (a - c) / (1 - c) with a printed above them, so c follows from the two.
FROM_OBSERVED = {each.slug for each in (FLEISS, GENERALISED_FLEISS, RANDOLPH, AC1)}
DIFFERS: dict[str, str] = {
    "observed_agreement": "The agreement all others start from: nothing is taken off for chance.",
    "fleiss_kappa": "Chance follows the option numbers that readers used. After a shuffle these are used "
    "about equally, so it comes out next to Randolph’s; numbers that are roles make it collapse. RELiC’s .68 "
    "is this one by name and cannot be told from Randolph’s.",
    "generalised_fleiss_kappa": "The same for items with unequal numbers of answers; equal to Fleiss κ where "
    "every item has as many.",
    "randolph_kappa": "Chance is fixed at 1/q, whatever readers did. It cannot be moved by renumbering "
    "options, and is the one to report where an option’s number means nothing.",
    "krippendorff_alpha": "Like Fleiss κ, but two different answers are drawn without replacement: higher by "
    "a little, and by less the more answers there are.",
    "cohen_kappa": "Chance follows each reader’s own use of the option numbers, pair by pair; the value is "
    "the mean over pairs. Near Fleiss κ where readers use the numbers alike, above it where they do not.",
    "gwet_ac1": "Chance is largest when options are used evenly and small when one takes most answers: it "
    "stays high where the others fall because nearly everybody chose the same option.",
    "fleiss_kappa_by_role": "The same answers with gold as the first category. Most answers then fall into "
    "one, chance agreement rises, and κ collapses though nobody answered differently. Not to be reported: it "
    "shows why labels are part of the definition.",
    "fleiss_kappa_by_place": "The same answers by where the chosen passage stood on each reader’s screen. "
    "Where readers saw own orders two who agree stand at different places, and κ goes to 0. Not to be "
    "reported.",
}

# Facts to compare with, not to reach: their items and readers are others than ours.
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


def definitions(study: Study, choices: Choices, seed: int, resamples: int) -> Definitions:
    """All definitions of agreement beside each other; the same judgments and seed give the same values."""
    table = table_of(choices)
    roles = suspected(study, choices)
    found: list[tuple[MeasureOf[Any], Estimate]] = []
    found += estimated(table.patterns, MEASURES, seed, resamples, roles)
    compared = in_pairs(table, seed, resamples, roles)
    found.append((COHEN, compared.mean))
    found += estimated(_by_role(table.patterns), (BY_ROLE,), seed, resamples)
    places = _by_place(choices, table)
    if places is not None:
        found += estimated(places.patterns, (BY_PLACE,), seed, resamples)
    observed = found[0][1].value
    defined = tuple(
        Defined(
            one,
            each,
            DIFFERS[one.slug],
            zero_of(each.value, observed) if one.slug in FROM_OBSERVED else "",
            PUBLISHED.get(one.slug, ()),
        )
        for one, each in found
    )
    return Definitions(defined, sections(compared, [each.pseudonym for each in choices.readers]))


def estimated(
    patterns: Patterns, measures: tuple[Measure, ...], seed: int, resamples: int, caution: str = ""
) -> Iterator[tuple[Measure, Estimate]]:
    draws = resample(patterns, [one.statistic for one in measures], seed, resamples)
    for one, drawn in zip(measures, draws, strict=True):
        yield one, cautioned(one, estimate(one, patterns, drawn, seed, LEVEL), caution)


def _by_role(patterns: Patterns) -> Patterns:
    """Gold as category 0, the other options behind it in their canonical order; items with gold only."""
    known = patterns.keep(patterns.gold >= 0)
    if not len(known.gold):
        return patterns_from_counts(np.zeros((1, patterns.options), dtype=np.int64))
    place = np.arange(patterns.options)[None, :]
    moved = np.where(place == known.gold[:, None], -1, place)
    order = np.argsort(moved, axis=1)
    counts = np.take_along_axis(known.counts, order, axis=1)
    return patterns_from_counts(counts, np.zeros(len(counts), dtype=np.int64), known.items)


def _by_place(choices: Choices, table: NominalTable) -> NominalTable | None:
    """Choices by their place in the order shown; None where an order is not stored."""
    places = choices.position[choices.rows.answered]
    if (places < 0).any():
        return None
    return tabulate(table.item, table.annotator, places, np.full(len(choices.keys), -1), choices.options)
