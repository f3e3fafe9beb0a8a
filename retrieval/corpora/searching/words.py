"""A search of a corpus by words: BM25, and RM3 where there is feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from common.progress import Progress, silent
from retrieval.corpora.models import Corpus, TopicVersion
from retrieval.corpora.searching import indexes
from retrieval.corpora.searching.plans import Plan
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.corpora.feedback import FeedbackCorpus, RelevanceFeedback
from retrieval.engine.corpora.index import CorpusIndex
from retrieval.engine.corpora.searching import Searcher


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
        self.searcher = self._searcher(plan.genres)
        self.feedback = self._feedback()
        self.made_with = dict(self.index.manifest.made_with)

    def search_all(self, topics: Sequence[TopicVersion], progress: Progress = silent) -> Iterator[Searched]:
        """Yield what is found for each topic, in their order."""
        for n, topic in enumerate(topics, 1):
            yield self._search(topic)
            progress(n, len(topics), "searching, topics")

    def describe(self) -> dict[str, Any]:
        """Return all that a run stores to be repeatable."""
        return (self.feedback or self.searcher).describe()

    def notes(self) -> list[str]:
        """Return sentences on what was searched."""
        return []

    def _search(self, topic: TopicVersion) -> Searched:
        query = self.index.tokeniser.query(self.plan.query_text(topic))
        unknown = [term for term in query if not self.searcher.frequency(term)]
        if self.feedback is None:
            return Searched(topic, self.searcher.search(query, self.plan.depth).run(), unknown)
        expanded = self.feedback.search(query, self.plan.depth)
        return Searched(topic, expanded.found.run(), unknown, expanded.without_postings)

    def _searcher(self, genres: Sequence[str]) -> Searcher:
        return Searcher(self.index, self.plan.bm25, indexes.subset_of(self.corpus, self.index, genres))

    def _feedback(self) -> RelevanceFeedback | None:
        if self.plan.feedback is None:
            return None
        corpora = [
            FeedbackCorpus(
                "+".join(genres),
                self._searcher(genres),
                lambda numbers: indexes.texts_of(self.corpus, numbers),
            )
            for genres in self.plan.feedback.sources
        ]
        return RelevanceFeedback(
            self.searcher, corpora, self.plan.feedback.settings, self.plan.feedback.alpha
        )
