"""The tables on pages about test collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def spread(name: str, heading: str, rows: Iterable[tuple[str, int]]) -> Table:
    """Return how many documents there are of each genre, language or time."""
    named = ((each or "none named", number) for each, number in rows)
    return tally(Column(name, heading, numeric=False), named, "Documents")._replace(
        title=f"Documents by {heading.lower()}"
    )


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
            Cell(each.name, each.name, link=reverse("corpora:run", args=[each.corpus.slug, each.name])),
            # The head of a row has no room for what stands below a cell.
            Cell(each.ranker or f"loaded from {each.file_name}", each.ranker, below=searched(each)),
            _topics(each.topics),
            _count(each.depth),
            _count(each.n_rows),
        )
        for each in rows
    )
    return table(columns, map(Row, cells))


def about(run: Any) -> str:
    """Return where a run of ours searched, where its feedback came from, and its notes."""
    return " ".join(filter(None, (searched(run), *run.notes)))


def searched(run: Any) -> str:
    """Return where a run of ours searched and where its feedback came from."""
    feedback = run.parameters.get("feedback", {}).get("corpora", [])
    subset = run.parameters.get("subset", {}).get("name", "").removeprefix("genre=")
    said = [
        f"Searched: {subset}." if subset else "",
        f"Feedback: {' and '.join(each['name'] for each in feedback)}." if feedback else "",
    ]
    return " ".join(filter(None, said))


def pools(rows: Iterable[Any]) -> Table:
    """Return a row for each pool of a corpus, with `n_entries`."""
    columns = (
        Column("pool", "Pool", numeric=False),
        Column("runs", "Runs", numeric=False),
        *_numbers("Depth", "Documents to judge"),
    )
    cells = (
        (
            Cell(f"Pool {each.number} of {each.topics}", each.number, link=_pool(each)),
            Cell(", ".join(each.counts)),
            _count(each.depth),
            _count(each.n_entries),
        )
        for each in rows
    )
    return table(columns, map(Row, cells))


def _pool(row: Any) -> str:
    return reverse("corpora:pool", args=[row.corpus.slug, row.topics.slug, row.number])


def gave(counts: Mapping[str, Mapping[str, int]]) -> Table:
    """Return what each run gave to a pool."""
    columns = (Column("run", "Run", numeric=False), *_numbers("Documents", "From no other run"))
    cells = ((Cell(name, name), _count(each["gave"]), _count(each["alone"])) for name, each in counts.items())
    return table(columns, map(Row, cells))


def by_topic(rows: Iterable[tuple[str, int]]) -> Table:
    """Return how many documents of a pool each topic has."""
    return tally(Column("topic", "Topic", numeric=False), rows, "Documents")


def holes(rows: Iterable[tuple[Any, int, int]]) -> Table:
    """Return how much was judged: judgments, documents they know, documents there are."""
    columns = (Column("qrels", "Judgments", numeric=False), *_numbers("Judged", "Unjudged", "Share judged"))
    cells = (
        (
            Cell(each.name, each.name, below=each.source),
            _count(judged),
            _count(of - judged),
            Cell(f"{100 * judged / of:.1f} %" if of else "", judged / of if of else None),
        )
        for each, judged, of in rows
    )
    return table(columns, map(Row, cells))


def _numbers(*headings: str) -> tuple[Column, ...]:
    return tuple(Column(heading.lower().replace(" ", "_"), heading) for heading in headings)


def _count(number: int) -> Cell:
    return Cell(f"{number:,}", number)
