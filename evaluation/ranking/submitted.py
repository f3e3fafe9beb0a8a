"""RELiC's submission scored against a file that has the starts: recall@k by length, with intervals.

Found at k is a quotation whose start is among the first k of its list (Thai et al. 2022, Table 3); a list
says nothing of ranks beyond its end, so there is no mean rank. Chance is k of the starts that are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from common.errors import BadInput
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Cell, Column, Document, Paragraph, Records, Row, Table, table
from common.tables.text import Style
from evaluation.metrics.ranking.gold_ranks import CUTOFFS, RankEstimate, estimates, recall_at, stored_ranks
from evaluation.values.wording import percent
from retrieval.engine.text.relic import RelicBook
from retrieval.engine.text.submission import submission

MEASURES = tuple(recall_at(k) for k in CUTOFFS)
SEED = 0


class Scored(NamedTuple):
    """The quotations of one length, or all.

    size: in sentences; 0 for all.
    n_quotations: how many.
    estimates: recall at each of `CUTOFFS`.
    """

    size: int
    n_quotations: int
    estimates: tuple[RankEstimate, ...]

    @property
    def label(self) -> str:
        return "all" if not self.size else f"{self.size} sentence{'s' if self.size > 1 else ''}"


def read(data: bytes, name: str) -> dict[str, list[int]]:
    """Return a submission: the starts named for each quotation, best first.

    Raises:
        BadInput: it is no JSON object of lists of whole numbers, or a list names a start twice.
    """
    found = submission(data, name)
    if found is None:
        raise BadInput(f"{name} must be a JSON object in UTF-8: the starts of each quotation by its id.")
    return found


def score(
    submission: Mapping[str, Sequence[int]], books: Mapping[str, RelicBook], resamples: int
) -> list[Scored]:
    """Score all quotations of the file, and those of each length.

    Raises:
        BadInput: the file hides a start, or the submission has none for a quotation, fewer than 100 and not
            all that are allowed, or one that is not allowed.
    """
    rows = [
        (quote.size, *_rank(key, quote.passage, submission.get(key), book.candidates[quote.size]))
        for book in books.values()
        for key, quote in book.quotes.items()
    ]
    sizes = sorted({size for size, _, _ in rows})
    found = []
    for size in (0, *sizes):
        own = [(rank, number) for length, rank, number in rows if size in (0, length)]
        ranks = stored_ranks([rank for rank, _ in own], [number for _, number in own])
        found.append(Scored(size, len(own), estimates(ranks, SEED, resamples, measures=MEASURES)))
    return found


def _rank(key: str, passage: Any, starts: Sequence[int] | None, allowed: Sequence[int]) -> tuple[float, int]:
    """The rank of a quotation's start, infinite where it is not named, among how many."""
    if passage is None:
        raise BadInput(f"The file hides the start of quotation {key!r:.60}; score with one that has them.")
    if starts is None:
        raise BadInput(f"The submission says nothing of quotation {key!r:.60}.")
    wanted = min(max(CUTOFFS), len(allowed))
    if len(starts) < wanted:
        raise BadInput(f"The submission names {len(starts)} starts for quotation {key!r:.60}, not {wanted}.")
    strange = next(iter(set(starts).difference(allowed)), None)
    if strange is not None:
        raise BadInput(f"The start {strange} of quotation {key!r:.60} is not among the file's candidates.")
    return (float(starts.index(passage.first) + 1) if passage.first in starts else inf), len(allowed)


def document(found: list[Scored]) -> Document:
    """Return the numbers by length, and what a random order gives."""
    return Document("", (Paragraph("Recall in percent, with 95 % intervals."), _table(found)))


def _table(found: list[Scored]) -> Table:
    columns = (
        Column("size", "Length", numeric=False),
        Column("n", "Quotations"),
        *(Column(each.slug, each.label) for each in MEASURES),
    )
    random = [Cell(percent(each.random or 0.0), each.random) for each in found[0].estimates]
    return table(
        columns, [*map(_row, found), Row((Cell("random"), Cell(str(found[0].n_quotations)), *random))]
    )


def _row(one: Scored) -> Row:
    cells = [Cell(_worded(each), each.mean.value) for each in one.estimates]
    return Row((Cell(one.label, one.label), Cell(f"{one.n_quotations:,}", one.n_quotations), *cells))


def _worded(each: RankEstimate) -> str:
    value, low, high = each.mean.value, each.mean.low, each.mean.high
    interval = "" if low is None or high is None else f" [{percent(low)}, {percent(high)}]"
    return f"{percent(value or 0.0)}{interval}"


def data(found: list[Scored]) -> list[dict[str, Any]]:
    """Return every number as plain values."""
    return [
        {"size": one.size or None, "n": one.n_quotations, "measure": each.measure.slug, "random": each.random}
        | {name: getattr(each.mean, name) for name in ("value", "low", "high", "method", "resamples", "seed")}
        for one in found
        for each in one.estimates
    ]


def records(found: list[Scored]) -> Records:
    """Return one row a number."""
    rows = data(found)
    return Records(tuple(rows[0]), rows)


def paper(found: list[Scored]) -> Paper:
    """Return the table with its caption."""
    one = next((each.mean for each in found[0].estimates if each.mean.resamples), None)
    how = f": percentile bootstrap, {one.resamples:,} resamples, seed {one.seed}" if one else ""
    caption = (
        f"Recall of {found[0].n_quotations:,} quotations: how often the right passage is among the first "
        f"k, in percent, with 95 % intervals{how}. Random is what a random order of the candidates gives."
    )
    return Paper(_table(found)._replace(caption=caption), "submission")


FORMATS = formats(document, data, records, paper, style=Style(width=None))
