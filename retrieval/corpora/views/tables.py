"""The tables on pages about test collections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from common.tables.table import Cell, Column, Row, Table, table, tally
from retrieval.corpora.models import State

_NAME, _TITLE = Column("name", "Name", numeric=False), Column("title", "Title", numeric=False)


def corpora(rows: Iterable[Any]) -> Table:
    """Return a row for each corpus, with `n_runs`."""
    columns = (_TITLE, Column("language", "Language", numeric=False), *_numbers("Documents", "Words", "Runs"))
    return table(columns, (Row((_corpus(each), Cell(each.language), *_counts(each))) for each in rows))


def _corpus(row: Any) -> Cell:
    if row.state == State.LOADING:
        return Cell(row.title, row.slug, badge="being loaded", badge_kind="wait")
    return Cell(row.title, row.slug, link=reverse("corpora:corpus", args=[row.slug]))


def _counts(row: Any) -> tuple[Cell, ...]:
    return tuple(_count(number) for number in (row.n_documents, row.n_words, row.n_runs))


def topic_sets(rows: Iterable[Any]) -> Table:
    """Return a row for each set of topics, with `n_topics`."""
    columns = (_TITLE, Column("facets", "Facets", numeric=False), *_numbers("Topics"))
    cells = (
        (
            _topics(each),
            Cell(", ".join(each.facets)),
            _count(each.n_topics),
        )
        for each in rows
    )
    return table(columns, map(Row, cells))


def _topics(row: Any) -> Cell:
    return Cell(row.title, row.slug, link=reverse("corpora:topics", args=[row.slug]))


def genres(rows: Iterable[tuple[str, int]]) -> Table:
    """Return how many documents each genre has."""
    named = ((name or "none named", number) for name, number in rows)
    return tally(Column("genre", "Genre", numeric=False), named, "Documents")


def runs(rows: Iterable[Any]) -> Table:
    """Return a row for each run of a corpus, with `n_rows`."""
    columns = (
        _NAME,
        Column("ranker", "Ranker", numeric=False),
        Column("topics", "Topics", numeric=False),
        *_numbers("Depth", "Rows"),
    )
    cells = (
        (
            Cell(each.name, each.name),
            # The head of a row has no room for what stands below a cell.
            Cell(each.ranker or f"loaded from {each.file_name}", each.ranker, below=_about(each)),
            _topics(each.topics),
            _count(each.depth),
            _count(each.n_rows),
        )
        for each in rows
    )
    return table(columns, map(Row, cells))


def _about(run: Any) -> str:
    """Return where a run of ours searched, where its feedback came from, and its notes."""
    feedback = run.parameters.get("feedback", {}).get("corpora", [])
    searched = run.parameters.get("subset", {}).get("name", "")
    said = [
        f"Searched: {searched}." if searched else "",
        f"Feedback: {' and '.join(each['name'] for each in feedback)}." if feedback else "",
    ]
    return " ".join(filter(None, (*said, *run.notes)))


def pools(rows: Iterable[Any]) -> Table:
    """Return a row for each pool of a corpus, with `n_entries`."""
    columns = (
        Column("pool", "Pool", numeric=False),
        Column("runs", "Runs", numeric=False),
        *_numbers("Depth", "Documents to judge"),
    )
    cells = (
        (
            Cell(str(each), each.number),
            Cell(", ".join(each.counts)),
            _count(each.depth),
            _count(each.n_entries),
        )
        for each in rows
    )
    return table(columns, map(Row, cells))


def _numbers(*headings: str) -> tuple[Column, ...]:
    return tuple(Column(heading.lower().replace(" ", "_"), heading) for heading in headings)


def _count(number: int) -> Cell:
    return Cell(f"{number:,}", number)
