"""How much a coefficient hangs on one annotator.

The intervals resample items and hold the annotators fixed: with three annotators nothing can be inferred
about others. What can be said is how the value moves when each of them is left out.
"""

from collections.abc import Iterator
from typing import NamedTuple

from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.table import NominalTable, Patterns, distinct, patterns_in


class LeftOut(NamedTuple):
    """The value without this annotator's judgments; None where the rest leave the measure undefined."""

    annotator: int
    value: float | None


def leave_one_annotator_out(table: NominalTable, one: Measure) -> tuple[LeftOut, ...]:
    """The measure without each annotator in turn, by ascending index, annotators with judgments only.

    Leaving one of a changing panel out makes items unequal, so ask for the generalised Fleiss κ rather than
    Fleiss κ there.
    """
    return tuple(LeftOut(who, one.value(rest)) for who, rest in without_each(table))


def without_each(table: NominalTable) -> Iterator[tuple[int, Patterns]]:
    """Each annotator with judgments, by ascending index, and the patterns of the others' judgments."""
    for annotator in distinct(table.annotator):
        own = table.annotator == annotator
        cells = table.item[own] * table.options + table.choice[own]
        counts = table.counts.copy()
        # An annotator judges an item once, so no cell stands there twice.
        counts.ravel()[cells] -= 1
        yield annotator, patterns_in(counts, table.gold)
