"""A cue audit as a value: what readers who never read would get right, as a table and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from common.tables.table import Cell, Column, Records, Row, Table, table
from evaluation.metrics.cues.model import FEWEST
from evaluation.metrics.cues.readers import ALL_MARKS, CueResult
from evaluation.values.wording import NONE, counted, percent, probability

WHAT_IT_IS = (
    "A reader who never reads must stay at chance. Each row is such a reader: it sees one mark of the "
    "passages, takes one of them by it, and draws lots where several are equal in it."
)
HOW_TO_READ = (
    "p: the probability of a share that lies as far from chance, had lots decided which passage is right "
    "(of the last row: as far above it); adjusted for the number of rows by Holm’s method. “Decides”: items "
    "on which the mark tells some passages from others. The last reader is a logistic model of all marks, "
    "fitted to nine tenths of the items and tried on the tenth, each tenth in turn; its interval is wider "
    "for that."
)


class CueAudit(NamedTuple):
    """The audit of one study.

    n_items: items that entered: work items with gold.
    n_left: items with gold that were not drawn, where there are too many to read all.
    n_options: q, options on every item.
    seed: of the draws.
    results: one a reader of the surface; empty where there is a problem.
    problem: why nothing could be tried, or empty.
    """

    n_items: int
    n_left: int
    n_options: int
    seed: int
    results: tuple[CueResult, ...] = ()
    problem: str = ""

    @property
    def chance(self) -> float:
        """What lots alone get right."""
        return 1 / self.n_options

    @property
    def telling(self) -> tuple[CueResult, ...]:
        """Readers who beat chance, the best first."""
        found = [each for each in self.results if each.tells(self.chance)]
        return tuple(sorted(found, key=lambda each: -(each.value or 0.0)))

    @property
    def avoided(self) -> tuple[CueResult, ...]:
        """Readers who are right less often than chance, the most telling first."""
        found = [each for each in self.results if each.avoided(self.chance)]
        return tuple(sorted(found, key=lambda each: each.value or 0.0))


def sentences(audit: CueAudit) -> tuple[str, ...]:
    """What the audit says, in plain words: what tells, or that nothing does."""
    return tuple(_sentences(audit))


def _sentences(audit: CueAudit) -> Iterator[str]:
    if audit.problem:
        yield audit.problem
        return
    chance = f"chance gives {percent(audit.chance)} %"
    for each in audit.telling:
        yield (
            f"The answer shows without reading: {_who(each)} is right on {_value(each)} "
            f"of the items, where {chance}."
        )
    for each in audit.avoided:
        yield (
            f"The right passage is too seldom {each.takes}: a reader who takes that is right on "
            f"{_value(each)} of the items, where {chance}, so one who avoids it gains."
        )
    if not audit.telling and not audit.avoided:
        highest = max((each.high for each in audit.results if each.high is not None), default=None)
        bound = "" if highest is None else f" No interval reaches beyond {percent(highest)} %."
        items = counted(audit.n_items, "item", "items")
        chance = f"chance ({percent(audit.chance)} %)"
        yield f"On {items}, no reader of the surface can be told from {chance}.{bound}"
    if audit.n_left:
        yield f"Tried on {audit.n_items:,} items, drawn by the study’s seed; {audit.n_left:,} were not read."
    if audit.results and audit.results[-1].value is None:
        yield f"The reader of all marks needs {FEWEST} items with gold."


def _who(each: CueResult) -> str:
    if each.slug == ALL_MARKS:
        return "a model of all these marks"
    return f"a reader who sees only the {each.sees} and takes {each.takes}"


def _value(each: CueResult) -> str:
    return f"{percent(each.value or 0.0)} % [{percent(each.low or 0.0)}, {percent(each.high or 0.0)}]"


def cue_table(audit: CueAudit) -> Table:
    """A reader of the surface a row, and what lots give below them."""
    columns = (
        Column("sees", "Sees only", numeric=False, short=""),
        Column("takes", "Takes", numeric=False, short="takes"),
        Column("right", "Right", main=True, short="right"),
        Column("interval", "95 % interval"),
        Column("p", "p (Holm)"),
        Column("decided", "Decides", short="decides"),
    )
    rows = [_row(each, audit) for each in audit.results]
    random = Row(
        (
            Cell("lots"),
            Cell("any of them"),
            Cell(f"{percent(audit.chance)} %", audit.chance),
            Cell(""),
            Cell(""),
            Cell(""),
        ),
        aside=True,
    )
    return table(columns, [*rows, random], caption=HOW_TO_READ)


def _row(each: CueResult, audit: CueAudit) -> Row:
    told = "tells" if each.tells(audit.chance) else "avoided" if each.avoided(audit.chance) else ""
    between = "" if each.low is None or each.high is None else f"[{percent(each.low)}, {percent(each.high)}]"
    return Row(
        (
            Cell(each.sees, each.sees, badge=told),
            Cell(each.takes, each.takes),
            Cell(NONE if each.value is None else f"{percent(each.value)} %", each.value),
            Cell(between),
            Cell(NONE if each.adjusted is None else probability(each.adjusted), each.adjusted),
            Cell(f"{each.decided:,}", each.decided),
        ),
        name=each.slug,
    )


def cue_data(audit: CueAudit) -> dict[str, Any]:
    """The audit as plain values with full precision, for JSON."""
    return {
        "n_items": audit.n_items,
        "n_items_not_drawn": audit.n_left,
        "n_options": audit.n_options,
        "seed": audit.seed,
        "problem": audit.problem,
        "chance": None if audit.problem else audit.chance,
        "readers": [
            {**each._asdict(), "tells": each.tells(audit.chance), "avoided": each.avoided(audit.chance)}
            for each in audit.results
        ],
        "sentences": list(sentences(audit)),
    }


COLUMNS = ("reader", "sees", "takes", "value", "low", "high", "method", "p", "adjusted", "decided", "n_items")


def cue_records(audit: CueAudit) -> Records:
    """A reader of the surface a row, for CSV."""
    rows = ({**each._asdict(), "reader": each.slug, "n_items": audit.n_items} for each in audit.results)
    return Records(COLUMNS, [{name: row[name] for name in COLUMNS} for row in rows])
