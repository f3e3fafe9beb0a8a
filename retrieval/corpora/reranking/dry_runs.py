"""A dry run of three calls before a re-ranking: what is sent and replied, and the estimate by their means.

It is a job like the re-ranking itself, with a budget of its own. What it was told is in the ledger, so that
the re-ranking pays for none of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

from common.chat import Reply, Request
from machines.endpoints import find
from machines.models import Call
from retrieval.corpora.models import Corpus, EndpointJob, TopicSet, What
from retrieval.corpora.reranking import jobs, plans, runs
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.jobs import DRY_RUN, Door, Limits
from retrieval.corpora.reranking.ordering import query_of
from retrieval.corpora.reranking.passages import Shown
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.engine.rerank import estimates, prompts, replies
from retrieval.engine.rerank.asking import UNREADABLE
from retrieval.engine.rerank.windows import windows
from retrieval.jobs import queue
from retrieval.jobs.attempts import LeaseLost
from retrieval.models import Status

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CALLS = 3
ENDING = "-tried"
"""Behind the name of the re-ranking: the two may wait side by side."""
CRITERIA = "criteria"
ALIKE = ("run", "pool", "method", "fields", "objective", "depth", "window", "step", "one_hop", "leave_source")
"""What a re-ranking must have like a dry run for its calls to be like those that were tried."""


def submit(
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    endpoint: str,
    plan: RerankPlan,
    limits: Limits,
    by: User | None = None,
) -> EndpointJob:
    """Store a dry run in the queue; each of its calls may be sent once more where it breaks off.

    Raises:
        BadInput: as `runs.opened` and `jobs.submit`.
    """
    runs.opened(corpus, topics, plan)
    kept = {**plan.as_json(), DRY_RUN: CALLS}
    most = limits._replace(calls=2 * CALLS)
    called = name[: 80 - len(ENDING)] + ENDING
    return jobs.submit(What.RERANK, corpus, topics, called, endpoint, kept, most, by, CALLS)


def work(job: EndpointJob, door: Door) -> None:
    """Ask three times at most, and store with the end of the job what was sent, replied and read."""
    assert job.topics is not None  # noqa: S101 - a re-ranking is stored with its topics
    plan = plans.from_json(job.plan)
    source = runs.opened(job.corpus, job.topics, plan)
    door.beat(0, "Trying")
    places = Random(f"{plan.seed} dry run").sample(  # noqa: S311 - not a secret
        range(len(source.topics)), min(CALLS, len(source.topics))
    )
    shown = list(source.of([source.topics[at] for at in sorted(places)]))
    tried = list(_subtask(door, plan, shown[0]) if plan.method == "subtask" else _others(door, plan, shown))
    if not queue.finish(job, done=job.total, counts={"tried": tried}):
        raise LeaseLost


def _subtask(door: Door, plan: RerankPlan, shown: Shown) -> Iterator[dict[str, Any]]:
    """The criteria of a query; then its first passages by the first of them."""
    query = query_of(plan, shown)
    request = prompts.criteria(query, plan.objective)
    (reply,) = door.ask([request])
    found = replies.criteria(reply.text) if reply else None
    yield {**_told(door, request, reply, "\n".join(found or ())), CRITERIA: len(found or ())}
    if found:
        scored = [prompts.subtask(query, each, found[0]) for each in shown.texts[: CALLS - 1]]
        yield from _scored(door, scored)


def _others(door: Door, plan: RerankPlan, shown: Sequence[Shown]) -> Iterator[dict[str, Any]]:
    queries = [query_of(plan, each) for each in shown]
    if plan.method in plans.LISTS:
        able = [(query, _first(plan, each)) for query, each in zip(queries, shown, strict=True)]
        lists = [(query, texts) for query, texts in able if len(texts) > 1]
        requests = [prompts.rank(query, texts, plan.objective) for query, texts in lists]
        for request, reply, (_, texts) in zip(requests, door.ask(requests), lists, strict=True):
            order = replies.order(reply.text, len(texts)) if reply else None
            yield _told(door, request, reply, " > ".join(f"[{at + 1}]" for at in order or ()))
        return
    made = prompts.score if plan.method == "score" else prompts.reason
    pairs = [
        (queries[topic], each.texts[at])
        for at in range(CALLS)
        for topic, each in enumerate(shown)
        if at < len(each.texts)
    ]
    yield from _scored(door, [made(query, text, plan.objective) for query, text in pairs[:CALLS]])


def _first(plan: RerankPlan, shown: Shown) -> Sequence[str]:
    """The passages of a topic's first prompt: those of its last window, or all of them."""
    there = windows(len(shown.texts), plan.window, plan.step) if plan.method == "rank" else ()
    return shown.texts[slice(*there[0])] if there else shown.texts


def _scored(door: Door, requests: Sequence[Request]) -> Iterator[dict[str, Any]]:
    for request, reply in zip(requests, door.ask(requests), strict=True):
        score = replies.score(reply.text) if reply else None
        yield _told(door, request, reply, "" if score is None else str(score))


def _told(door: Door, request: Request, reply: Reply | None, read: str) -> dict[str, Any]:
    """A call as a page shows it; `read`: what was made of its reply, "" where nothing could be.

    Tokens that the model did not count are reckoned by words.
    """
    call = reply.call if reply else None
    if call is not None and not read:
        door.unreadable(call, UNREADABLE)
    price = Call.objects.filter(pk=call or 0).values_list("price", flat=True).first()
    text = reply.text if reply else ""
    sent, back = (reply.prompt_tokens, reply.completion_tokens) if reply else (None, None)
    words = sum(len(each.content.split()) for each in request.messages)
    return {
        "messages": [each._asdict() for each in request.messages],
        "text": text[:10_000],
        "read": read,
        "refused": reply is None,
        "counted": sent is not None and back is not None,
        "tokens_in": estimates.tokens(words) if sent is None else sent,
        "tokens_out": estimates.tokens(len(text.split())) if back is None else back,
        "price": price,
    }


def expected(corpus: Corpus, topics: TopicSet, endpoint: str, plan: RerankPlan) -> Expected:
    """Return what a re-ranking takes: by the means of the latest dry run of the same, else by lengths.

    Raises `BadInput` as `runs.expected`.
    """
    found = runs.expected(corpus, topics, endpoint, plan)
    done = EndpointJob.objects.filter(
        what=What.RERANK, corpus=corpus, topics=topics, endpoint=endpoint, status=Status.DONE
    )
    for job in done.filter(plan__has_key=DRY_RUN).order_by("-pk")[:20]:
        if _parts(plans.from_json(job.plan)) == _parts(plan):
            n_topics = len(runs.opened(corpus, topics, plan).topics)
            return _by_means(found, endpoint, n_topics, job.counts["tried"])
    return found


def _parts(plan: RerankPlan) -> list[Any]:
    return [getattr(plan, name) for name in ALIKE]


def _by_means(found: Expected, endpoint: str, n_topics: int, tried: Sequence[Mapping[str, Any]]) -> Expected:
    """The estimate by the mean of what was replied to; unchanged where that is nothing, or criteria alone."""
    tried = [each for each in tried if not each["refused"]]
    once = [each for each in tried if CRITERIA in each]
    rest = [each for each in tried if CRITERIA not in each]
    if not rest:
        return found
    calls, asked = found.calls, 0
    if once:
        # Of Subtask the criteria are asked for once a topic, and there are as many as the model wrote.
        asked = n_topics
        calls = round((found.calls - asked) / estimates.CRITERIA * once[0][CRITERIA])
    sent, back = (
        round(calls * fmean(each[name] for each in rest) + asked * sum(each[name] for each in once))
        for name in ("tokens_in", "tokens_out")
    )
    prices = find(endpoint).prices
    return Expected(calls + asked, sent, back, prices.cost(sent, back), prices.currency, len(tried))
