"""Questions written by a model in a job: each is checked as it comes, and stored batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from common.errors import BadField
from machines.endpoints import find
from retrieval.corpora.models import EndpointJob, Question, QuestionEdit, QuestionSet, Standing, What
from retrieval.corpora.reranking import estimating, jobs
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.jobs import Door, Limits
from retrieval.engine.questions import writing
from retrieval.engine.rerank.asking import Answer, Tally, read_all
from retrieval.questions.checks import assess, kept_texts

if TYPE_CHECKING:
    from django.contrib.auth.models import User

AT_ONCE = 20
"""Asked together, and stored in one transaction."""


def expected(found: QuestionSet, endpoint: str) -> Expected:
    """Return what writing the questions that wait takes. Raises `BadInput` for an unknown model."""
    waiting = found.questions.filter(standing=Standing.WAITING)
    return estimating.of_questions(find(endpoint), waiting.values_list("paragraph", flat=True))


def submit(
    found: QuestionSet, endpoint: str, limits: Limits, seed: int = 0, by: User | None = None
) -> EndpointJob:
    """Store a job that writes the questions of a set that wait.

    Raises:
        BadInput: no question waits, there is no such model or no limit, or a job has not ended.
    """
    total = found.questions.filter(standing=Standing.WAITING).count()
    if not total:
        raise BadField("name", f"No question of “{found}” waits to be written.")
    plan = {"prompt_sha256": writing.sha256(), "most_overlap": found.most_overlap, "seed": seed}
    return jobs.submit(What.QUESTIONS, found.corpus, None, found.slug, endpoint, plan, limits, by, total)


def work(job: EndpointJob, door: Door) -> None:
    """Write the questions of a set that wait, and store each with what was found of it."""
    found = QuestionSet.objects.get(slug=job.name)
    waiting = found.questions.filter(standing=Standing.WAITING).prefetch_related("targets").order_by("number")
    tally, done = Tally(), 0
    rows = list(waiting)
    for start in range(0, len(rows), AT_ONCE):
        batch = rows[start : start + AT_ONCE]
        requests = [writing.request(each.paragraph, int(job.plan.get("seed", 0))) for each in batch]
        said = read_all(door.ask, requests, lambda _, text: writing.read(text), writing.COMPLAINT, tally)
        done += len(batch)
        with transaction.atomic():
            _store(found, batch, said, job.endpoint, door.endpoint.model)
            door.beat(done, f"Writing questions: {done:,} of {len(rows):,}", _counts(found))


def _store(
    found: QuestionSet, batch: Sequence[Question], said: Sequence[Answer[str]], endpoint: str, model: str
) -> None:
    others = kept_texts(found)
    edits, stored = [], []
    # What somebody left out or wrote while the model was asked stays theirs.
    waiting = found.questions.filter(standing=Standing.WAITING).select_for_update(of=("self",))
    still = set(waiting.values_list("pk", flat=True))
    for question, answer in zip(batch, said, strict=True):
        if question.pk not in still:
            continue
        stored.append(question)
        question.call = answer.call
        question.writer, question.model, question.prompt_sha256 = endpoint, model, writing.sha256()
        if answer.value is None:
            question.standing = Standing.UNREADABLE
            continue
        question.text = answer.value
        assess(question, others, found.most_overlap)
        edits.append(QuestionEdit(question=question, after=answer.value, writer=endpoint))
        if question.standing == Standing.WRITTEN:
            others.append(question.text)
    names = (
        "text",
        "standing",
        "refused",
        "overlap",
        "overlap_all",
        "writer",
        "model",
        "prompt_sha256",
        "call",
    )
    Question.objects.bulk_update(stored, names)
    QuestionEdit.objects.bulk_create(edits)


def _counts(found: QuestionSet) -> dict[str, int]:
    return {each: found.questions.filter(standing=each).count() for each in Standing.values}
