"""A search of a corpus by words: BM25, and RM3 where there is feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from common.errors import BadField
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.models import Corpus, TopicVersion
from retrieval.corpora.searching import indexes
from retrieval.corpora.searching.filters import Filter
from retrieval.corpora.searching.judged import RESIDUAL, Relevant, relevant
from retrieval.corpora.searching.plans import Plan
from retrieval.corpora.searching.searches import Noticed, Searched
from retrieval.engine.corpora.feedback import FeedbackCorpus, RelevanceFeedback
from retrieval.engine.corpora.index import CorpusIndex
from retrieval.engine.corpora.searching import Query, Searcher


class WordSearch:
    """A search by words: opens the index once, then searches for one topic after the other.

    Args:
        corpus: Ready.
        plan: What to do.
        progress: Called while the index is built, where it is not there yet.

    Raises:
        BadInput: the corpus has no such genre, or no room for its index.
    """

    def __init__(self, corpus: Corpus, plan: Plan, progress: Progress = silent) -> None:
        self.corpus, self.plan = corpus, plan
        self.index: CorpusIndex = indexes.opened(corpus, plan.tokens, progress)
        self.searcher = self._searcher(plan.documents)
        self.feedback = self._feedback()
        asked = plan.feedback.judged if plan.feedback else None
        self._relevant = relevant(corpus, asked) if asked else None
        self.made_with = dict(self.index.manifest.made_with)

    def search_all(self, topics: Sequence[TopicVersion], progress: Progress = silent) -> Iterator[Searched]:
        """Yield what is found for each topic, in their order.

        Raises:
            BadField: feedback comes from judgments of other topics.
        """
        if self._relevant and topics and topics[0].topic.topics_id != self._relevant.qrels.topics_id:
            raise BadField("judged", f'The judgments "{self._relevant.qrels.name}" are of other topics.')
        for n, topic in enumerate(topics, 1):
            yield self._search(topic)
            progress(n, len(topics), "searching, topics")

    def describe(self) -> dict[str, Any]:
        """Return all that a run stores to be repeatable, but for what is noticed."""
        if self.feedback is None or self._relevant is None:
            return (self.feedback or self.searcher).describe()
        return {**self.feedback.describe(), RESIDUAL: self._relevant.used({})}

    def notes(self, noticed: Noticed) -> list[str]:
        """Return sentences on what was searched, and how."""
        if self._relevant is None:
            return []
        used, name = sum(map(len, noticed.used.values())), self._relevant.qrels.name
        said = [
            f'Feedback comes from {counted(used, "document")} that "{name}" judges {self._relevant.level} or '
            "more; they are left out of this run, and of every evaluation of it and of runs beside it."
        ]
        if noticed.without:
            topics = counted(noticed.without, "topic")
            said.append(f"{topics} without a relevant document in the feedback genre: no feedback there.")
        return said

    def _search(self, topic: TopicVersion) -> Searched:
        query = self.index.tokeniser.query(self.plan.query_text(topic))
        unknown = [term for term in query if not self.searcher.frequency(term)]
        if self.feedback is None:
            return Searched(topic, self.searcher.search(query, self.plan.depth).run(), unknown)
        if self._relevant is not None:
            return self._search_residual(topic, query, unknown, self._relevant)
        expanded = self.feedback.search(query, self.plan.depth)
        return Searched(topic, expanded.found.run(), unknown, expanded.without_postings)

    def _search_residual(
        self, topic: TopicVersion, query: Query, unknown: Sequence[str], judged: Relevant
    ) -> Searched:
        """Search with feedback from judgments; the documents it came from are not found again."""
        assert self.feedback is not None  # noqa: S101 - judgments are read for feedback only
        models, used = self.feedback.judged_models(judged.numbers.get(topic.topic_id, ()))
        expanded = self.feedback.search(query, self.plan.depth + len(used), models)
        rows = [row for row in expanded.found.run() if row[0] not in used][: self.plan.depth]
        return Searched(topic, rows, unknown, expanded.without_postings, indexes.ids_of(self.corpus, used))

    def _searcher(self, wanted: Filter) -> Searcher:
        return Searcher(self.index, self.plan.bm25, indexes.subset_of(self.corpus, self.index, wanted))

    def _feedback(self) -> RelevanceFeedback | None:
        if self.plan.feedback is None:
            return None
        corpora = [
            FeedbackCorpus(
                "+".join(genres),
                self._searcher(Filter(tuple(genres))),
                lambda numbers: indexes.texts_of(self.corpus, numbers),
            )
            for genres in self.plan.feedback.sources
        ]
        return RelevanceFeedback(
            self.searcher, corpora, self.plan.feedback.settings, self.plan.feedback.alpha
        )
