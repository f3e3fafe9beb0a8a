"""BM25's tuning in every format."""

from __future__ import annotations

from typing import Any

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import NONE, Cell, Column, Document, Paragraph, Records, Row, Table, table
from common.tables.text import Style
from common.wording import counted
from evaluation.metrics.ranking.gold_ranks import RankMeasure
from evaluation.ranking.bm25_tuning import Tried, Tuning
from evaluation.ranking.tables import probability
from evaluation.values.wording import digits

SHOWN = 10


def document(found: Tuning) -> Document:
    """The best settings, the defaults, and whether the difference is more than luck."""
    return Document("", (Paragraph(_head(found)), _settings(found), Paragraph("\n".join(_verdict(found)))))


def _head(found: Tuning) -> str:
    return (
        f"{len(found.tried):,} settings on {found.n_queries:,} excerpts of "
        f"{counted(found.n_books, 'book')}, by {found.objective.label}. Shares in percent."
    )


def _settings(found: Tuning) -> Table:
    """The first settings in their order, and the defaults."""
    columns = (
        Column("place", "Place", numeric=False, short=""),
        Column("k1", "k1", latex="$k_1$"),
        Column("b", "b", latex="$b$"),
        *(Column(each.measure.slug, each.measure.label) for each in found.best.estimates),
    )
    rows = [_row(str(place), each) for place, each in enumerate(found.tried[:SHOWN], 1)]
    return table(columns, [*rows, _row("default", found.default)])


def _row(name: str, each: Tried) -> Row:
    values = [
        Cell(NONE if one.mean.value is None else worded(one.measure, one.mean.value), one.mean.value)
        for one in each.estimates
    ]
    setting = [Cell(f"{number:g}", number) for number in each.setting]
    return Row((Cell(name, name), *setting, *values))


def _verdict(found: Tuning) -> tuple[str, ...]:
    best, each = found.best.setting, found.difference
    caution = (
        "The best of a grid looks better on the excerpts it was chosen on than it is: report it on others."
    )
    if each is None:
        return f"Best is the default, k1 {best.k1:g} and b {best.b:g}.", caution
    within = ""
    if each.low is not None and each.high is not None:
        within = f" [{worded(found.objective, each.low)}, {worded(found.objective, each.high)}]"
    verdict = (
        f"Best is k1 {best.k1:g} and b {best.b:g}: {worded(found.objective, each.difference)}{within} "
        f"from the default in {found.objective.label}, p {probability(each.p)} ({each.test}; not corrected "
        f"for the choice among {len(found.tried):,})."
    )
    return verdict, caution


def worded(measure: RankMeasure, value: float) -> str:
    """A share in percent with two digits, a rank with one."""
    return digits(100 * value, 2) if measure.share else digits(value, 1)


def data(found: Tuning) -> dict[str, Any]:
    """The whole grid as plain values, best first."""
    return {
        "objective": found.objective.slug,
        "n_queries": found.n_queries,
        "n_books": found.n_books,
        "seed": found.seed,
        "resamples": found.resamples,
        "best": _data(found.best),
        "default": _data(found.default),
        "difference": found.difference._asdict() if found.difference else None,
        "grid": [_data(each) for each in found.tried],
    }


def _data(each: Tried) -> dict[str, float | None]:
    return {**each.setting._asdict(), **{one.measure.slug: one.mean.value for one in each.estimates}}


def records(found: Tuning) -> Records:
    """One row a setting, best first."""
    return Records(tuple(_data(found.best)), map(_data, found.tried))


def paper(found: Tuning) -> Paper:
    """The first settings, the defaults, and the verdict as the caption."""
    caption = " ".join((_head(found), *_verdict(found)))
    return Paper(_settings(found)._replace(caption=caption), "bm25")


FORMATS = formats(document, data, records, paper, style=Style(width=None))
