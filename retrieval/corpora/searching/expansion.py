"""The terms that feedback from each genre adds to a topic, side by side (Table 2 of the paper on historical
retrieval), and what was dropped on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Cell, Column, Document, Paragraph, Points, Records, Row, Table, table
from common.wording import counted
from retrieval.corpora.models import Corpus, TopicVersion
from retrieval.corpora.searching.plans import Feedback, Plan
from retrieval.corpora.searching.words import WordSearch
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.relevance import Model

SHOWN = 20
"""Dropped terms that are named, of each reason."""


class Expansion(NamedTuple):
    """What feedback adds to one topic.

    topic: its wording.
    query: the words that were searched for.
    models: the relevance model of each feedback corpus, by its name.
    """

    topic: TopicVersion
    query: str
    models: dict[str, Model]


def expansions(
    corpus: Corpus,
    topics: Sequence[TopicVersion],
    plan: Plan,
    sources: Sequence[Sequence[str]],
    settings: FeedbackSettings,
) -> list[Expansion]:
    """Return the terms that feedback from each of these lists of genres adds to each topic.

    Raises:
        BadInput: the corpus has no such genre, or no room for its index.
    """
    searches = {
        "+".join(genres): WordSearch(corpus, replace(plan, feedback=Feedback((tuple(genres),), settings)))
        for genres in sources
    }
    return [
        Expansion(
            topic, plan.query_text(topic), {name: _model(each, topic) for name, each in searches.items()}
        )
        for topic in topics
    ]


def _model(search: WordSearch, topic: TopicVersion) -> Model:
    assert search.feedback is not None  # noqa: S101 - every plan here has some
    query = search.index.tokeniser.query(search.plan.query_text(topic))
    return search.feedback.models(query)[0]


def adds(found: Expansion) -> bool:
    """Return whether any feedback adds a term."""
    return any(model.terms for model in found.models.values())


def terms(found: Expansion) -> Table:
    """Return the terms of a topic, a column a feedback corpus, heaviest first."""
    columns = (
        Column("place", "Place"),
        *(Column(f"terms_{n}", name, numeric=False) for n, name in enumerate(found.models, 1)),
    )
    lists = zip_longest(*(model.terms.items() for model in found.models.values()))
    rows = (
        Row((Cell(str(place), place), *(_term(each) for each in row))) for place, row in enumerate(lists, 1)
    )
    return table(columns, rows, title=f"{found.topic.topic.external_id}: {found.query}")


def _term(given: tuple[str, float] | None) -> Cell:
    return Cell(f"{given[0]} ({given[1]:.3f})", given[0]) if given else Cell("")


def dropped(found: Expansion) -> tuple[str, ...]:
    """Return a sentence for every feedback corpus and reason for which it dropped terms."""
    return tuple(
        f"{name}: {counted(len(gone), 'term')} dropped, {reason}: {', '.join(gone[:SHOWN])}"
        + (" …" if len(gone) > SHOWN else "")
        for name, model in found.models.items()
        for reason, gone in model.dropped.items()
    )


def _document(found: Sequence[Expansion]) -> Document:
    return Document("", tuple(block for each in found for block in (_terms(each), Points(dropped(each)))))


def _terms(found: Expansion) -> Table | Paragraph:
    if adds(found):
        return terms(found)
    return Paragraph(f"{found.topic.topic.external_id}: {found.query}: feedback adds no term.")


def _rows(found: Sequence[Expansion]) -> list[dict[str, Any]]:
    return [
        {
            "topic": each.topic.topic.external_id,
            "feedback": name,
            "place": place,
            "term": term,
            "weight": weight,
        }
        for each in found
        for name, model in each.models.items()
        for place, (term, weight) in enumerate(model.terms.items(), 1)
    ]


def _paper(found: Sequence[Expansion]) -> Paper:
    names = list(found[0].models) if found else []
    columns = (
        Column("topic", "Topic", numeric=False),
        *(Column(name, name, numeric=False) for name in names),
    )
    rows = (
        Row((Cell(each.query, each.query), *(Cell(", ".join(each.models[name].terms)) for name in names)))
        for each in found
    )
    caption = (
        f"Expansion terms of {len(found):,} topics: the words that the first documents of each feedback "
        "corpus add to a topic, heaviest first."
    )
    return Paper(table(columns, rows, caption=caption), "expansion", wide=True)


FORMATS = formats(
    _document,
    _rows,
    lambda found: Records(("topic", "feedback", "place", "term", "weight"), _rows(found)),
    _paper,
)
"""The terms of some topics in every format."""
