"""A rank report query by query: one row an excerpt, with where its right passage was ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Cell, Document, Paragraph, Records, Row, Table, table
from evaluation.metrics.ranking.gold_ranks import CUTOFFS
from evaluation.ranking.ranked import ranked
from evaluation.values.tables import column, named
from evaluation.values.wording import digits
from retrieval.models import CandidateJob, Excerpt

FIELDS = (
    "job", "excerpt", "id", "size", "rank", "candidates", *(f"recall_at_{k}" for k in CUTOFFS),
    "reciprocal_rank", "proxy", "options",
)  # fmt: skip
HOW = (
    "A row is an excerpt: the rank of its right passage among all passages of its length, 1/rank, and the "
    "share of the first place that it has among the job’s options (a dash without a wrong one)."
)


class Query(NamedTuple):
    """One excerpt.

    digest, external_id: of the excerpt; the second empty where it has none.
    size: of the right passage, in sentences.
    rank, candidates: its rank, and of how many.
    proxy: its share of the first place among the options; None without a wrong one.
    options: how many options there are.
    """

    digest: str
    external_id: str
    size: int
    rank: int
    candidates: int
    proxy: float | None
    options: int


class Queries(NamedTuple):
    """All excerpts of a job: its number, its ranker and book, and a row for each, in the order of keys."""

    job: int
    ranker: str
    book: str
    rows: tuple[Query, ...]


def queries(job: CandidateJob) -> Queries:
    """Read what the job stored of each excerpt. Raises BadInput where that fits its book no more."""
    found = ranked(job)
    keys = found.keys.tolist()
    names = Excerpt.objects.filter(pk__in=keys).values_list("pk", "digest", "external_id")
    known = {pk: (digest, external) for pk, digest, external in names}
    ranks = found.ranks
    columns = (keys, found.sizes, ranks.lowest, ranks.candidates, found.won, found.n_options)
    rows = zip(*columns, strict=True)
    return Queries(
        job.pk,
        job.ranker,
        job.book.slug,
        tuple(
            Query(
                *known[key], int(size), int(rank), int(n), None if np.isnan(won) else float(won), int(options)
            )
            for key, size, rank, n, won, options in rows
        ),
    )


def values(found: Queries) -> list[dict[str, Any]]:
    """A dict of `FIELDS` a row, with full precision."""
    return [
        {"job": found.job, "excerpt": one.digest, "id": one.external_id, "size": one.size, "rank": one.rank}
        | {"candidates": one.candidates, "reciprocal_rank": 1 / one.rank, "proxy": one.proxy}
        | {f"recall_at_{k}": int(one.rank <= k) for k in CUTOFFS}
        | {"options": one.options}
        for one in found.rows
    ]


def _table(found: Queries) -> Table:
    columns = (
        named("excerpt"),
        *map(column, ("sentences", "rank", "of", "1/rank", "first among options", "options")),
    )
    return table(columns, [_row(one) for one in found.rows], caption=HOW)


def _row(one: Query) -> Row:
    cells: Sequence[Cell] = (
        Cell(one.external_id or one.digest[:16], one.external_id or one.digest),
        Cell(str(one.size), one.size),
        Cell(f"{one.rank:,}", one.rank),
        Cell(f"{one.candidates:,}", one.candidates),
        Cell(digits(1 / one.rank, 3), 1 / one.rank),
        Cell("–" if one.proxy is None else digits(one.proxy, 2), one.proxy),
        Cell(str(one.options), one.options),
    )
    return Row(tuple(cells))


def document(found: Queries) -> Document:
    """For a terminal or a note."""
    n = len(found.rows)
    title = f"Job {found.job}, query by query: {found.ranker} on {found.book}"
    return Document(title, (Paragraph(f"{n:,} excerpts."), _table(found)))


def data(found: Queries) -> dict[str, Any]:
    """For scripts."""
    return {"job": found.job, "ranker": found.ranker, "book": found.book, "queries": values(found)}


def records(found: Queries) -> Records:
    """A row an excerpt."""
    return Records(FIELDS, values(found))


def paper(found: Queries) -> Paper:
    """For a paper."""
    return Paper(_table(found), f"job-{found.job}-queries")


FORMATS = formats(document, data, records, paper)
"""The rows in every format, by name."""
