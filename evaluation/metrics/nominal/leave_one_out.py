"""How much a coefficient hangs on one annotator.

The intervals resample items and hold the annotators fixed: with three annotators nothing can be inferred
about others. What can be said is how the value moves when each of them is left out.
"""

from collections.abc import Iterator

from evaluation.metrics.nominal.table import NominalTable, Patterns, distinct, patterns_in


def without_each(table: NominalTable) -> Iterator[tuple[int, Patterns]]:
    """Each annotator with judgments, by ascending index, and the patterns of the others' judgments."""
    for annotator in distinct(table.annotator):
        own = table.annotator == annotator
        cells = table.item[own] * table.options + table.choice[own]
        counts = table.counts.copy()
        # An annotator judges an item once, so no cell stands there twice.
        counts.ravel()[cells] -= 1
        yield annotator, patterns_in(counts, table.gold)
