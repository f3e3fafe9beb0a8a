"""Runs, judgments and facets as they are stored with a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

from django.db.models import QuerySet

from common.errors import BadField
from evaluation.metrics.ranking.order import STORED, ordered
from evaluation.runs.files import LaterRun, ReadRun
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Corpus, Grade, Qrels, Ranked, Run, TopicSet
from retrieval.corpora.reranking.recalling import checked_models, marked

BATCH = 5_000
KNOWN = "contamination:"
"""Before the alias of a model: the facet that says which topics it knows by heart."""
SHOWN = 20
"""So many names are listed where one is not there."""
Named = TypeVar("Named", Qrels, Run)


def qrels_of(corpus: Corpus, name: str, topics: TopicSet | None = None) -> Qrels:
    """Return the judgments of this name. Raises `BadField` where the corpus has none for these topics."""
    return _named(Qrels.objects.filter(corpus=corpus), "qrels", "are no judgments", [name], topics)[0]


def runs_of(corpus: Corpus, names: Sequence[str], topics: TopicSet | None = None) -> list[Run]:
    """Return the runs of these names in their order. Raises `BadField` where one is not there."""
    return _named(Run.objects.filter(corpus=corpus), "run", "is no run", names, topics)


def _named(
    rows: QuerySet[Named], field: str, what: str, names: Sequence[str], topics: TopicSet | None
) -> list[Named]:
    if topics is not None:
        rows = rows.filter(topics=topics)
    found = {row.name: row for row in rows.select_related("topics", "corpus")}
    for name in names:
        if name not in found:
            there = ", ".join(sorted(found)[:SHOWN]) or "none"
            raise BadField(field, f"There {what} “{name}” for these topics; there are: {there}.")
    return [found[name] for name in dict.fromkeys(names)]


def read_qrels(given: Qrels) -> dict[str, dict[str, int]]:
    """Return {topic: {document: grade}} of stored judgments."""
    found: dict[str, dict[str, int]] = {}
    rows = Grade.objects.filter(qrels=given).order_by()
    for topic, document, grade in _rows(rows, "topic__external_id", "document__external_id", "grade"):
        found.setdefault(topic, {})[document] = grade
    return found


def later_runs(found: Iterable[Run]) -> list[LaterRun]:
    """Return runs, each read when it is needed, in the order in which it is stored."""
    return [LaterRun(run.name, partial(_read_run, run)) for run in found]


def _read_run(run: Run) -> ReadRun:
    newest = set(current(run.topics).values_list("pk", flat=True))
    rows = Ranked.objects.filter(run=run).order_by("topic", "rank")
    names = ("topic", "topic__topic__external_id", "document__external_id", "score")
    scored: dict[str, tuple[list[str], list[float]]] = {}
    reworded = 0
    for (wording, topic), ranked in groupby(_rows(rows, *names), key=lambda row: row[:2]):
        _, _, documents, scores = zip(*ranked, strict=True)
        scored[topic] = list(documents), list(scores)
        reworded += wording not in newest
    return ReadRun(run.name, ordered(scored, STORED), 0, reworded)


def facet_names(topics: TopicSet) -> list[str]:
    """Return the facets of topics, and one for each model they were checked for: who knows them by heart."""
    return [*topics.facets, *(f"{KNOWN}{alias}" for alias in checked_models(topics))]


def read_facets(topics: TopicSet, facet: str) -> dict[str, str]:
    """Return {topic: its value of the facet}, of topics that have one. Raises `BadField`."""
    names = facet_names(topics)
    if facet in names and facet.startswith(KNOWN):
        found = marked(topics, facet.removeprefix(KNOWN))
        return {topic: "known by heart" if yes else "not known by heart" for topic, yes in found.items()}
    if facet not in names:
        there = ", ".join(names) or "none"
        raise BadField("facet", f"The topics have no facet “{facet}”; there are: {there}.")
    rows = current(topics).values_list("topic__external_id", "facets")
    return {topic: facets[facet] for topic, facets in rows if facets.get(facet)}


def _rows(rows: QuerySet[Any], *names: str) -> Iterator[tuple[Any, ...]]:
    return rows.values_list(*names).iterator(chunk_size=BATCH)
