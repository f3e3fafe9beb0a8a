"""Which words a ranker compares: tokens, lemmas that came with the documents, or lemmas by a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from common.errors import BadField
from retrieval.corpora.models import Corpus, Document, TopicVersion
from retrieval.corpora.searching import indexes
from retrieval.corpora.searching.filters import SEEN
from retrieval.corpora.searching.plans import WORDING, SimilarityPlan, part_of
from retrieval.engine.words.tables import LemmaTable

if TYPE_CHECKING:
    from retrieval.engine.similarity.terms import Reading

TOKENS, GIVEN, TABLE = "tokens", "lemmas of the documents", "lemmas by a table"
"""What a run says of the words it compares."""


def are_here(corpus: Corpus) -> bool:
    """Return whether any of the first `SEEN` documents has lemmas: a page asks no more of a large corpus."""
    rows = corpus.documents.order_by("number").values_list("lemmata", flat=True)
    return any(rows[:SEEN])


def read_by(corpus: Corpus, plan: SimilarityPlan) -> str:
    """Return which words are compared.

    Raises:
        BadField: the documents have lemmas, and the query neither has any nor a table to find them in.
    """
    if not plan.by_lemmas:
        return TOKENS
    if not corpus.documents.exclude(lemmata="").exists():
        return TABLE
    plain = [each for each in plan.fields if not each.startswith(WORDING)]
    if plain and not plan.parameters.get("lemmas"):
        raise BadField(
            "fields",
            f'The documents of "{corpus.slug}" have lemmas, and the {plain[0]} of a topic has none: search '
            f"for a wording that has ({WORDING}NAME), or name a lemma table (lemmas=NAME).",
        )
    return GIVEN


def texts(corpus: Corpus, numbers: Sequence[int], by: str) -> list[str]:
    """Return what is compared of the documents of these numbers, in that order.

    With lemmas that came with the documents these alone: they are those of the text, a title has none.
    """
    if by != GIVEN:
        return indexes.texts_of(corpus, numbers)
    rows = Document.objects.filter(corpus=corpus, number__in=numbers).order_by()
    found = dict(rows.values_list("number", "lemmata"))
    return [found[number] for number in numbers]


class Queries:
    """The queries of topics, in the words that are compared.

    Args:
        plan: Which parts of a topic are the query.
        by: As `read_by` returned it.
        table: The lemma table of the plan, or None.
    """

    def __init__(self, plan: SimilarityPlan, by: str, table: Any) -> None:
        self._plan, self._by = plan, by
        self._table = _reading(table) if isinstance(table, LemmaTable) else None

    def text(self, topic: TopicVersion) -> str:
        """Return the query of a topic; empty where it has no such words, or no lemmas and no table."""
        if self._by != GIVEN:
            return self._plan.query_text(topic)
        return " ".join(filter(None, (self._lemmas(topic, name) for name in self._plan.fields)))

    def _lemmas(self, topic: TopicVersion, name: str) -> str:
        if name.startswith(WORDING) and (said := topic.wording(name.removeprefix(WORDING), "lemmas")):
            return said
        return " ".join(self._table.words(part_of(topic, name))) if self._table else ""


def _reading(table: LemmaTable) -> Reading:
    """Return what reads words by a table; imported here, since it loads scipy and the web needs none."""
    from retrieval.engine.similarity.terms import Reading

    return Reading(table)
