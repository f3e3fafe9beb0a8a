"""Every definition of agreement between spans, why they differ on the same answers, and published values.

Beside the measures of the report stands a variant that nobody should report, because it shows what weights
do: items instead of pairs.
"""

from __future__ import annotations

from dataclasses import replace

from annotation.models import Study
from evaluation.kinds.spans.marked import Marked, table_of
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.intervals import estimates
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import IDENTICAL_PAIRS, LCS_OVERLAP_KAPPA, OBSERVED_OVERLAP
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.table import pairs_of
from evaluation.metrics.spans.token_alpha import TOKEN_ALPHA
from evaluation.values.definitions import Defined, Definitions, Published, zero_of
from evaluation.values.wording import percent

MEASURES = (OBSERVED_OVERLAP, IDENTICAL_PAIRS, LCS_OVERLAP_KAPPA, SPAN_ALPHA, PLACEMENT_KAPPA, TOKEN_ALPHA)
BY_ITEM = replace(
    LCS_OVERLAP_KAPPA,
    slug="lcs_overlap_kappa_by_item",
    label="LCS-overlap κ by item",
    definition="The paper's statistic with the pairs of an item averaged first.",
)
# Of these the value is (a - c) / (1 - c) with a printed above them, so c follows from the two.
FROM_OVERLAP = {each.slug for each in (LCS_OVERLAP_KAPPA, PLACEMENT_KAPPA)}
DIFFERS: dict[str, str] = {
    "observed_overlap": "The agreement all others start from: nothing is taken off for chance.",
    "identical_pairs": "Strict agreement: pairs that differ by one word count nothing.",
    "lcs_overlap_kappa": "The paper’s formula. Its O_e is taken from the very pairs that are judged, so it "
    "is no chance level: the value is −Cov(union, overlap) / mean disagreement, 0 whenever overlap does not "
    "depend on length, and undefined when all agree. A low value does not say that readers disagree.",
    "lcs_overlap_kappa_by_item": "The paper’s formula with every item counting the same instead of every "
    "pair; the same where all items have as many spans.",
    "span_alpha": "Chance is the overlap of two spans of any two items laid over each other at their "
    "anchors. It takes off what a shared anchor gives by itself: the value to report then.",
    "placement_kappa": "Chance puts both spans anywhere in the passage. Too friendly where an anchor holds "
    "them together; the value to report where there is none.",
    "token_alpha": "Counts tokens instead of spans: every token that nobody marked is an agreement, so long "
    "passages raise it. Compare it only between passages of the same length.",
}
MANJAVACAS = "Manjavacas, Long and Kestemont 2019"
ITEMS_OF_MANJAVACAS = "60 allusions in Bernard of Clairvaux, the same three annotators"
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "lcs_overlap_kappa": (Published(".22", MANJAVACAS, "section 4.2", ITEMS_OF_MANJAVACAS),),
    "observed_overlap": (Published(".675", MANJAVACAS, "Figure 3 (a)", ITEMS_OF_MANJAVACAS),),
    "identical_pairs": (Published("22 %", MANJAVACAS, "section 4.2, Figure 3 (b)", ITEMS_OF_MANJAVACAS),),
}


def definitions(study: Study, marked: Marked, seed: int, resamples: int) -> Definitions:
    """Deterministic in the judgments and the seed."""
    table = table_of(marked)
    pairs = pairs_of(table)
    by_pair, by_item = item_sums(table, "pair", pairs), item_sums(table, "item", pairs)
    found = list(zip(MEASURES, estimates(by_pair, MEASURES, seed, resamples), strict=True))
    found.insert(3, (BY_ITEM, estimates(by_item, (BY_ITEM,), seed, resamples)[0]))
    n = len(by_pair.row)
    observed = found[0][1].value
    zeros = {one.slug: zero_of(each.value, observed) for one, each in found if one.slug in FROM_OVERLAP}
    if n:
        zeros[SPAN_ALPHA.slug] = f"{percent(1 - by_pair.chance_apart / (n * (n - 1)))} %"
    return Definitions(
        tuple(
            Defined(one, each, DIFFERS[one.slug], zeros.get(one.slug, ""), PUBLISHED.get(one.slug, ()))
            for one, each in found
        )
    )
