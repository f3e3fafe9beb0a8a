"""Readers of choices in pairs: Cohen κ, its mean over pairs and the table of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.metrics.common.annotator_pairs import PairTable, pair_table
from evaluation.metrics.common.intervals import Estimate, cautioned
from evaluation.metrics.common.pairwise_kappa import pair_estimates
from evaluation.metrics.common.ratings import ratings_of
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.table import NominalTable
from evaluation.values.pairs import ReaderPairs, cells, short
from evaluation.values.tables import PageSection
from evaluation.values.wording import interval, worded


class InPairs(NamedTuple):
    """Cohen κ of a study's readers.

    ``mean``: over the pairs, each counted with its common items.
    ``pairs``: each of them.
    """

    mean: Estimate
    pairs: PairTable


def in_pairs(table: NominalTable, seed: int, resamples: int, caution: str) -> InPairs:
    """Cohen κ with intervals over items; ``caution``: beside the mean, where options may be roles."""
    ratings = ratings_of(table.item, table.annotator, table.choice, None, table.options)
    (mean,) = pair_estimates(ratings, (COHEN,), seed, resamples)
    return InPairs(cautioned(COHEN, mean, caution), pair_table(ratings, COHEN, seed, resamples))


def named(found: InPairs, pseudonyms: Sequence[str]) -> ReaderPairs:
    """The pairs with the names of the readers."""
    caption = "Every two readers on the items that both answered."
    return ReaderPairs(found.pairs, pseudonyms, COHEN, "same_answer", caption)


def sentence(found: InPairs) -> str:
    """The mean, or why there is none."""
    mean = found.mean
    if mean.value is None:
        return f"Cohen κ is not defined here. {mean.reason}"
    value = f"{worded(COHEN, mean.value)} {interval(COHEN, mean.low, mean.high)}".rstrip()
    return f"Cohen κ, mean over pairs of readers: {value}. {mean.reason}".rstrip()


def sections(found: InPairs, pseudonyms: Sequence[str]) -> tuple[PageSection, ...]:
    """The mean and the table; none where no two readers answered one item."""
    pairs = named(found, pseudonyms).table()
    return (PageSection("pairs", "Readers in pairs", sentence(found), pairs),) if pairs.rows else ()


def data(found: InPairs, pseudonyms: Sequence[str]) -> dict[str, Any]:
    """Readers in pairs for the JSON report."""
    return {"cohen_kappa": short(found.mean), **named(found, pseudonyms).data()}


def rows(found: InPairs, pseudonyms: Sequence[str], level: float) -> tuple[dict[str, Any], ...]:
    """Readers in pairs for CSV: the mean, then two rows a pair."""
    mean = {"number": COHEN.slug, "label": COHEN.label, **cells(found.mean)}
    return (mean, *named(found, pseudonyms).rows(level))
