"""What a model is shown: the first documents of each topic, and what stands behind them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from common.errors import BadField, BadInput
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Citation, Corpus, Document, Pool, PoolEntry, Question, Run, TopicVersion
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.searching.indexes import searched_text
from retrieval.engine.rerank import onehop

AT_ONCE = 5_000


class Shown(NamedTuple):
    """The documents of one topic.

    topic: the wording.
    numbers: of the documents that are shown, in their first order.
    ids: their ids in files.
    texts: their titles and texts.
    scores: those of the run they come from, higher is better; None for what only a citation brought.
    tail: numbers of the documents behind them, which keep their order.
    """

    topic: TopicVersion
    numbers: Sequence[int]
    ids: Sequence[str]
    texts: Sequence[str]
    scores: Sequence[float | None]
    tail: Sequence[int]


class Source:
    """What a re-ranking starts from, topic by topic.

    Args:
        corpus: Of the documents.
        plan: Names the run or the pool, and how deep it is read.
        pool: The pool that it names.
        run: The run that it names.

    Raises:
        BadInput: there is nothing in it; or one-hop is asked for and nothing is known of citations.
    """

    def __init__(self, corpus: Corpus, plan: RerankPlan, run: Run | None, pool: Pool | None) -> None:
        self.corpus, self.plan, self.run, self.pool = corpus, plan, run, pool
        if plan.one_hop and not Citation.objects.filter(citing__corpus=corpus).exists():
            raise BadField(
                "one_hop",
                f'Nothing is known of what documents of "{corpus.slug}" cite; run load_citations first.',
            )
        self.topics = list(self._wordings())
        if not self.topics:
            raise BadInput(f"{run or pool} holds no document: there is nothing to put into order.")
        self._left_out = self._sources() if plan.leave_source else {}

    def __iter__(self) -> Iterator[Shown]:
        """Yield the documents of each topic, in the order of the set."""
        yield from self.of(self.topics)

    def of(self, topics: Iterable[TopicVersion]) -> Iterator[Shown]:
        """Yield the documents of some of its topics."""
        for topic in topics:
            yield self._shown(topic, self._left_out.get(topic.topic_id, ()))

    def _wordings(self) -> Iterator[TopicVersion]:
        if self.run is not None:
            used = TopicVersion.objects.filter(pk__in=self.run.rows.values("topic"))
            yield from used.select_related("topic").order_by("topic__number")
        elif self.pool is not None:
            pooled = set(PoolEntry.objects.filter(pool=self.pool).values_list("topic", flat=True))
            yield from (each for each in loading.current(self.pool.topics) if each.topic_id in pooled)

    def _sources(self) -> dict[int, tuple[int, ...]]:
        """The number of the document that each topic was written from, by key of the topic."""
        rows = Question.objects.filter(
            topic__in=[each.topic_id for each in self.topics], source__corpus=self.corpus
        )
        found: dict[int, tuple[int, ...]] = {
            topic: (number,) for topic, number in rows.values_list("topic", "source__number")
        }
        if not found:
            raise BadField(
                "leave_source", "Of no topic of this set it is known from which document it was written."
            )
        return found

    def _shown(self, topic: TopicVersion, left_out: Collection[int]) -> Shown:
        ranked = {number: score for number, score in self._ranked(topic) if number not in left_out}
        numbers = list(ranked)
        if self.plan.one_hop:
            numbers = onehop.joined(
                numbers, self._cites(numbers[: self.plan.first]), self.plan.first, self.plan.joined, left_out
            )
        shown, behind = numbers[: self.plan.depth], numbers[self.plan.depth :]
        tail = list(dict.fromkeys((*behind, *(each for each in ranked if each not in set(numbers)))))
        rows = Document.objects.filter(corpus=self.corpus, number__in=shown)
        found = {row[0]: row for row in rows.values_list("number", "external_id", "title", "text")}
        return Shown(
            topic,
            shown,
            [found[number][1] for number in shown],
            [searched_text(*found[number][2:]) for number in shown],
            [ranked.get(number) for number in shown],
            tail,
        )

    def _ranked(self, topic: TopicVersion) -> Iterator[tuple[int, float]]:
        if self.run is not None:
            rows = self.run.rows.filter(topic=topic).order_by("rank")
            yield from rows.values_list("document__number", "score").iterator(chunk_size=AT_ONCE)
            return
        entries = PoolEntry.objects.filter(pool=self.pool, topic=topic.topic_id)
        for number, rank in entries.order_by("best_rank", "document__number").values_list(
            "document__number", "best_rank"
        ):
            yield number, -float(rank)

    def _cites(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        rows = Citation.objects.filter(citing__corpus=self.corpus, citing__number__in=numbers)
        cites: dict[int, list[int]] = {}
        for citing, cited in rows.order_by("citing", "place").values_list("citing__number", "cited__number"):
            cites.setdefault(citing, []).append(cited)
        return cites
