"""Each two readers on the items that both judged: as a table, as JSON and as rows of CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from common.tables.table import Cell, Row, Table, table
from evaluation.metrics.common.annotator_pairs import AnnotatorPair, PairTable
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.pairwise_kappa import FEW_COMMON_ITEMS, PairMeasure
from evaluation.values.tables import column, named
from evaluation.values.wording import interval, percent, worded

# What a script reads of an estimate beside the measure it is of.
CELLS = tuple(name for name in Estimate._fields if name not in ("slug", "label", "bootstrap"))


class ReaderPairs(NamedTuple):
    """Pairs of readers, with the words for what they are compared in.

    ``found``: the pairs.
    ``pseudonyms``: of all readers, in the order of their indices.
    ``measure``: the κ.
    ``same``: the name of equal answers in scripts, as ``same_grade``.
    ``caption``: the first sentence above the table.
    """

    found: PairTable
    pseudonyms: Sequence[str]
    measure: PairMeasure
    same: str
    caption: str

    def table(self) -> Table:
        """A row a pair; no rows where there is none."""
        caption = self.caption
        if self.found.n_pairs > len(self.found.pairs):
            caption += f" Of {self.found.n_pairs:,} pairs those with most common items."
        if any(each.n_items < FEW_COMMON_ITEMS for each in self.found.pairs):
            caption += (
                f" Below {FEW_COMMON_ITEMS} common items κ is biased towards 0 and its interval too short: "
                "such rows say little."
            )
        same = self.same.replace("_", " ")
        columns = (named("readers"), *map(column, ("items", same, "κ", "95 % interval")))
        return table(columns, map(self._row, self.found.pairs), caption=caption)

    def _row(self, each: AnnotatorPair) -> Row:
        names = ", ".join(self._names(each))
        same = f"{percent(each.agreement)} % [{percent(each.low)}, {percent(each.high)}]"
        kappa = each.kappa
        return Row(
            (
                Cell(names, names),
                Cell(f"{each.n_items:,}", each.n_items),
                Cell(same, each.agreement),
                Cell(worded(self.measure, kappa.value), kappa.value),
                Cell(interval(self.measure, kappa.low, kappa.high)),
            )
        )

    def data(self) -> dict[str, Any]:
        """Keys for JSON: how many pairs there are, and those that are shown."""
        return {
            "n_pairs_of_readers": self.found.n_pairs,
            "pairs_of_readers": [
                {
                    **dict(zip(("first", "second"), self._names(each), strict=True)),
                    "n_items": each.n_items,
                    self.same: each.agreement,
                    f"{self.same}_low": each.low,
                    f"{self.same}_high": each.high,
                    self.measure.slug: short(each.kappa),
                }
                for each in self.found.pairs
            ],
        }

    def rows(self, level: float) -> Iterator[dict[str, Any]]:
        """Two rows a pair for CSV; ``annotator`` names both readers. ``level``: of the intervals."""
        for each in self.found.pairs:
            names = " ".join(self._names(each))
            yield {
                "annotator": names,
                "number": self.same,
                "value": each.agreement,
                "low": each.low,
                "high": each.high,
                "level": level,
                "method": "Wilson score",
                "n_items": each.n_items,
            }
            yield {"annotator": names, "number": self.measure.slug, **cells(each.kappa)}

    def _names(self, each: AnnotatorPair) -> tuple[str, str]:
        return self.pseudonyms[each.first], self.pseudonyms[each.second]


def short(each: Estimate) -> dict[str, Any]:
    """What JSON says of an estimate inside another value."""
    return {name: getattr(each, name) for name in ("value", "low", "high", "n_items", "method", "reason")}


def cells(each: Estimate) -> dict[str, Any]:
    """What CSV says of an estimate."""
    return {name: getattr(each, name) for name in CELLS}
