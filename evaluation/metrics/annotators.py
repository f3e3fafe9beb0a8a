"""How much a coefficient hangs on one annotator.

The intervals resample items and hold the annotators fixed: with three annotators nothing can be inferred
about others. What can be said is how the value moves when each of them is left out.
"""

from typing import NamedTuple

import numpy as np

from evaluation.metrics.measure import Measure
from evaluation.metrics.table import NominalTable, tabulate


class LeftOut(NamedTuple):
    """The value without this annotator's judgments; None where the rest leave the measure undefined."""

    annotator: int
    value: float | None


def leave_one_annotator_out(table: NominalTable, one: Measure) -> tuple[LeftOut, ...]:
    """The measure without each annotator in turn, by ascending index, annotators with judgments only.

    Leaving one of a changing panel out makes items unequal, so ask for the generalised Fleiss κ rather than
    Fleiss κ there.
    """
    rows = []
    for annotator in np.unique(table.annotator).tolist():
        kept = table.annotator != annotator
        rest = tabulate(
            table.item[kept], table.annotator[kept], table.choice[kept], table.gold, table.options
        )
        rows.append(LeftOut(annotator, one.value(rest.patterns)))
    return tuple(rows)
