"""Which topics a model can answer without being shown any document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from common.chat import Ask
from common.errors import BadField
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Document, EndpointJob, Recall, TopicSet, TopicVersion
from retrieval.corpora.searching.judged import Judged, Relevant, relevant
from retrieval.corpora.searching.plans import Asked, check_wordings
from retrieval.engine.rerank import contamination
from retrieval.engine.rerank.contamination import REPLICATES, Target

MOST_REPLICATES = 20
MOST_TARGETS = 50
"""Of a topic, the best graded first."""


@dataclass(frozen=True)
class RecallPlan:
    """A check for contamination.

    qrels: the judgments whose relevant documents are the targets.
    level: the least grade that is relevant; None: half the highest, rounded up.
    replicates: how often each topic is asked.
    fields: which parts of a topic are the query.
    seed: sent with the first of them; each further one has the next.

    Raises:
        BadField: a value out of range.
    """

    qrels: str
    level: int | None = None
    replicates: int = REPLICATES
    fields: tuple[str, ...] = ("title",)
    seed: int = 0

    def __post_init__(self) -> None:
        Asked(fields=self.fields)
        if not 1 <= self.replicates <= MOST_REPLICATES:
            raise BadField(
                "replicates", f"A topic is asked 1 to {MOST_REPLICATES} times, not {self.replicates}."
            )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a job keeps it."""
        return asdict(self)


def from_json(kept: Mapping[str, Any]) -> RecallPlan:
    """Return the plan that a job keeps. Raises `BadInput` where this version refuses it."""
    known = {field.name for field in fields(RecallPlan)}
    given = {name: value for name, value in kept.items() if name in known}
    return RecallPlan(**{**given, "fields": tuple(given.get("fields", ("title",)))})


class Sought(NamedTuple):
    """A topic and what answers it."""

    topic: TopicVersion
    query: str
    targets: Sequence[Target]


def sought(corpus: Corpus, topics: TopicSet, plan: RecallPlan) -> list[Sought]:
    """Return the topics that have a target, in their order.

    Raises:
        BadField: the corpus has no such judgments, or they are of other topics.
    """
    found = relevant(corpus, Judged(plan.qrels, plan.level))
    if found.qrels.topics_id != topics.pk:
        raise BadField("qrels", f'The judgments "{plan.qrels}" are of other topics.')
    return list(_sought(corpus, topics, plan, found))


def _sought(corpus: Corpus, topics: TopicSet, plan: RecallPlan, found: Relevant) -> Iterator[Sought]:
    asked = Asked(fields=plan.fields)
    check_wordings(asked, topics)
    for topic in loading.current(topics):
        numbers = found.numbers.get(topic.topic_id, ())[:MOST_TARGETS]
        if numbers:
            rows = Document.objects.filter(corpus=corpus, number__in=numbers)
            yield Sought(
                topic, asked.query_text(topic), [Target(*row) for row in rows.values_list("title", "text")]
            )


def check(
    ask: Ask, plan: RecallPlan, topics: Sequence[Sought]
) -> list[tuple[Sought, int, contamination.Recalled]]:
    """Ask some topics without a passage; return for each how many replies came, and what they gave away."""
    requests = [contamination.requests(each.query, plan.replicates, plan.seed) for each in topics]
    replies = iter(ask([one for those in requests for one in those]))
    found = []
    for each in topics:
        said = [reply.text for reply in (next(replies) for _ in range(plan.replicates)) if reply is not None]
        found.append((each, len(said), contamination.recalled(said, each.targets, each.query)))
    return found


def store(job: EndpointJob, model: str, found: Sequence[tuple[Sought, int, contamination.Recalled]]) -> None:
    """Store what was found of some topics; what a job has stored already stays."""
    Recall.objects.bulk_create(
        (
            Recall(
                topic=each.topic,
                job=job,
                endpoint=job.endpoint,
                model=model,
                qrels=job.plan["qrels"],
                prompt_sha256=contamination.sha256(),
                replicates=replies,
                longest_run=said.run,
                similarity=said.similarity,
                contaminated=said.contaminated,
            )
            for each, replies, said in found
            if replies
        ),
        ignore_conflicts=True,
    )


def marked(topics: TopicSet, endpoint: str) -> dict[str, bool]:
    """Return, by id of the topic, whether its current wording is contaminated for a model.

    The latest check counts; a topic that was not checked, or was reworded since, is not in it.
    """
    rows = Recall.objects.filter(topic__in=loading.current(topics), endpoint=endpoint).order_by("pk")
    return dict(rows.values_list("topic__topic__external_id", "contaminated"))


def checked_models(topics: TopicSet) -> list[str]:
    """Return the aliases of the models that topics of a set were checked for."""
    rows = Recall.objects.filter(topic__topic__topics=topics).order_by("endpoint")
    return list(rows.values_list("endpoint", flat=True).distinct())
