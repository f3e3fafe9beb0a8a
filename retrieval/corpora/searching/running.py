"""A run made here: every topic of a set searched for in a corpus, with or without feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Document, Ranked, Run, TopicSet, TopicVersion
from retrieval.corpora.searching import indexes
from retrieval.corpora.searching.plans import Plan
from retrieval.engine.corpora.feedback import Expanded, FeedbackCorpus, RelevanceFeedback
from retrieval.engine.corpora.index import CorpusIndex
from retrieval.engine.corpora.searching import Found, Searcher
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BATCH = 5_000


class Searched(NamedTuple):
    """What was found for a topic.

    topic: its wording.
    found: the documents.
    unknown: words of the topic that no searched document has.
    expanded: with feedback: the expanded query and its models; None without.
    """

    topic: TopicVersion
    found: Found
    unknown: Sequence[str]
    expanded: Expanded | None


class CorpusSearch:
    """A plan carried out: opens the index once, then searches for one topic after the other.

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

    def search(self, topic: TopicVersion) -> Searched:
        """Return the best documents for a topic."""
        query = self.index.tokeniser.query(self.plan.query_text(topic))
        unknown = [term for term in query if not self.searcher.frequency(term)]
        if self.feedback is None:
            return Searched(topic, self.searcher.search(query, self.plan.depth), unknown, None)
        expanded = self.feedback.search(query, self.plan.depth)
        return Searched(topic, expanded.found, unknown, expanded)

    def describe(self) -> dict[str, object]:
        """Return all that a run stores to be repeatable."""
        return (self.feedback or self.searcher).describe()

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


def make_run(
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    plan: Plan,
    by: User | None = None,
    progress: Progress = silent,
) -> Run:
    """Search a corpus for every topic of a set and store the run, whole.

    Raises:
        BadInput: the name is taken, no topic finds a document, or what `CorpusSearch` refuses.
    """
    run = Run(corpus=corpus, topics=topics, name=name, ranker=plan.ranker, depth=plan.depth, created_by=by)
    check_fields(run, ("name",))
    if Run.objects.filter(corpus=corpus, name=run.name).exists():
        raise BadField(
            "name", f'The corpus "{corpus.slug}" has a run "{run.name}" already; choose another name.'
        )
    search = CorpusSearch(corpus, plan, progress)
    found = list(_searched(search, list(loading.current(topics)), progress))
    if not any(each.found.numbers.size for each in found):
        raise BadInput(
            f'No topic of "{topics.slug}" finds a document: none of their words stands in the corpus.'
        )
    run.parameters = {"fields": list(plan.fields), "depth": plan.depth, **search.describe()}
    run.made_with = dict(search.index.manifest.made_with)
    run.notes = _notes(found)
    try:
        with transaction.atomic():
            run.save(force_insert=True)
            for n, each in enumerate(found):
                _store(run, each)
                progress(n + 1, len(found), "storing, topics")
    except IntegrityError:
        raise BadField("name", f'A run "{run.name}" was stored meanwhile; look at it first.') from None
    return run


def _searched(search: CorpusSearch, topics: Sequence[TopicVersion], progress: Progress) -> Iterator[Searched]:
    for n, topic in enumerate(topics):
        yield search.search(topic)
        progress(n + 1, len(topics), "searching, topics")


def _store(run: Run, searched: Searched) -> None:
    numbers = searched.found.numbers.tolist()
    keys: dict[int, int] = {}
    for start in range(0, len(numbers), BATCH):
        rows = Document.objects.filter(corpus=run.corpus, number__in=numbers[start : start + BATCH])
        keys.update(rows.values_list("number", "pk"))
    Ranked.objects.bulk_create(
        (
            Ranked(run=run, topic=searched.topic, rank=rank, document_id=keys[number], score=score)
            for rank, (number, score) in enumerate(searched.found.run(), 1)
        ),
        batch_size=BATCH,
    )


def _notes(found: Sequence[Searched]) -> list[str]:
    said = []
    nothing = [each.topic.topic.external_id for each in found if not each.found.numbers.size]
    if nothing:
        said.append(f"{counted(len(nothing), 'topic')} without a document: {_listed(nothing)}.")
    if unknown := sorted({term for each in found for term in each.unknown}):
        said.append(f"Words of topics that no searched document has: {_listed(unknown)}.")
    lost = sorted({term for each in found if each.expanded for term in each.expanded.without_postings})
    if lost:
        said.append(f"Terms of feedback that no searched document has: {_listed(lost)}.")
    return said


def _listed(names: Sequence[str], most: int = 20) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")
