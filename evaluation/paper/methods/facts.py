"""What a study did, as facts that a sentence in any language is made of. Nothing here is worded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from annotation.models import (
    Filling,
    Item,
    Judgment,
    Kind,
    MachineReader,
    OptionOrder,
    Origin,
    Role,
    State,
    Study,
)
from annotation.studies.overview import assignment_counts
from annotation.tasktypes.rubric.questions import Question
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.paper.methods.rubric import Reported, reported, rubric_of
from evaluation.paper.methods.validated import Validated, validated
from evaluation.qrels.of_study import pools_of
from evaluation.report.compute import report
from evaluation.values.report import Report
from retrieval.candidates.outcome import ranker_label
from retrieval.models import CandidateJob


class OfJob(NamedTuple):
    """How a candidate job made items.

    number: of the job; book: the title; ranker: its name.
    left, right: sentences of context; negatives: wrong passages an item.
    pool: passages of a candidate pool, 0 without one.
    matched: in what wrong passages look like the right one; empty where they are the best-ranked.
    seed: of what the job draws.
    """

    number: int
    book: str
    ranker: str
    left: int
    right: int
    negatives: int
    pool: int
    matched: bool
    seed: int


class OfPool(NamedTuple):
    """A pool of a corpus that items were made of: its corpus and topics, how deep, and its runs."""

    corpus: str
    topics: str
    depth: int
    runs: tuple[str, ...]


class Machine(NamedTuple):
    """A machine reader: its pseudonym and name, the model it asked for, its prompt's version, its origin.

    scripted: a program answered in a model's place; prompt: None where answers were read in.
    file: of answers from a file, its name; empty for others.
    temperature, seed, orders, replicates, repeated: how a model was asked: orders of the options, how often
    the same, and how many items so often.
    """

    name: str
    title: str
    model: str
    scripted: bool
    prompt: int | None
    origin: str
    file: str
    temperature: float | None
    seed: int
    orders: int
    replicates: int
    repeated: int


class Facts(NamedTuple):
    """A study. `report` has its numbers; the rest is how they came about.

    n_practice, n_check: items beside the work; n_gold: work items with a known right answer.
    n_readings, n_given: readings that items are to get in all, and those given; 0 before the study is opened.
    own_order: whether options stood in an order of their own for each reader; None where there are none.
    groups: whether items are read topic by topic.
    guidelines, consents: versions that answers were given under, in order.
    lease_minutes: how long an untouched item is kept for a reader.
    own_quotas: readers with a limit of their own; opened, closed: days on which it was, None before.
    n_excerpts: items drawn from the excerpts in use; beyond: only excerpts whose gold was ranked beyond it.
    questions: of a rubric; validated: a sample of what a machine judged.
    """

    report: Report
    task: str
    state: str
    overlap: int
    breadth: bool
    n_practice: int
    n_check: int
    n_gold: int
    n_readings: int
    n_given: int
    quota: int | None
    pass_mark: int | None
    check_every: int | None
    own_order: bool | None
    groups: bool
    job: OfJob | None
    pools: tuple[OfPool, ...]
    guidelines: tuple[int, ...]
    consents: tuple[int, ...]
    machines: tuple[Machine, ...]
    asks: tuple[str, ...]
    rate: str
    lease_minutes: int
    own_quotas: int
    opened: datetime | None
    closed: datetime | None
    n_excerpts: int
    beyond: int | None
    questions: tuple[Question, ...]
    validated: Validated | None

    @property
    def measures(self) -> tuple[Reported, ...]:
        """What has a value, each once, in the order of the report."""
        return reported(line.measure for line in self.report.lines if line.estimate.value is not None)

    @property
    def is_open(self) -> bool:
        """Whether readings may still come in."""
        return self.state != State.CLOSED


def facts(study: Study, resamples: int = RESAMPLES) -> Facts:
    """Collect what a study did until now."""
    found = report(study, resamples=resamples)
    items = study.items.filter(retired=None)
    counts = assignment_counts(study)
    offered = study.task_type.orders_options and found.n_options > 1
    return Facts(
        report=found,
        task=study.task,
        state=study.state,
        overlap=study.overlap,
        breadth=study.filling == Filling.BREADTH,
        n_practice=items.filter(kind=Kind.PRACTICE).count(),
        n_check=items.filter(kind=Kind.CHECK).count(),
        n_gold=Item.objects.work().filter(study=study, retired=None).exclude(gold=None).count(),
        n_readings=counts.total,
        n_given=counts.done,
        quota=study.quota,
        pass_mark=study.pass_mark,
        check_every=study.check_every,
        own_order=study.option_order == OptionOrder.PER_ANNOTATOR if offered else None,
        groups=items.exclude(group="").exists(),
        job=_job(study.job) if study.job else None,
        pools=tuple(_pools(study)),
        guidelines=_versions(study, "guideline__version"),
        consents=_versions(study, "consent_version"),
        machines=tuple(_machines(study, found)),
        asks=tuple(_asks(study)),
        rate=f"{study.rate.normalize():f} {study.currency}".strip() if study.rate else "",
        lease_minutes=study.lease_minutes,
        own_quotas=study.enrolments.filter(role=Role.ANNOTATOR).exclude(quota=None).count(),
        opened=study.opened,
        closed=study.closed if study.state == State.CLOSED else None,
        n_excerpts=0 if study.job else items.filter(provenance__has_key="excerpt").count(),
        beyond=_beyond(study),
        questions=rubric_of(study),
        validated=validated(study),
    )


def _beyond(study: Study) -> int | None:
    """The rank beyond which an excerpt's gold had to be for an item to be made of it; None where some items
    were taken without one."""
    acts = study.events.filter(verb__in=("build", "items out")).order_by("pk").values_list("verb", "data")
    ranks = list[int | None]()
    for verb, data in acts:
        if verb == "items out":
            ranks.clear()
        elif data.get("items"):
            ranks.append(data.get("beyond"))
    known = [rank for rank in ranks if rank is not None]
    return min(known) if known and len(known) == len(ranks) else None


def _job(job: CandidateJob) -> OfJob:
    given = job.parameters
    pool = given.get("pool") or {}
    return OfJob(
        job.pk,
        " ".join(job.book.title.split()),
        ranker_label(job.ranker),
        int(given.get("left", 4)),
        int(given.get("right", 4)),
        int(given.get("negatives", 0)),
        int(pool.get("size", 0)),
        any(value for name, value in (given.get("matching") or {}).items() if name != "band"),
        int(job.seed),
    )


def _pools(study: Study) -> Iterator[OfPool]:
    for each in pools_of(study):
        runs = tuple(sorted(run.name for run in each.runs.all()))
        yield OfPool(each.corpus.title, each.topics.title, each.depth, runs)


def _versions(study: Study, name: str) -> tuple[int, ...]:
    """The versions that current answers name."""
    rows = Judgment.objects.current().work().filter(assignment__study=study).exclude(**{name: None})
    return tuple(sorted(set(rows.order_by().values_list(name, flat=True))))


def _machines(study: Study, found: Report) -> Iterator[Machine]:
    read = {each.name for each in found.beside.machines} if found.beside else set()
    rows = MachineReader.objects.filter(study=study, name__in=read).select_related("prompt", "answer_file")
    for each in rows.order_by("pk"):
        is_file = each.origin == Origin.FILE
        version = each.prompt.version if each.prompt else None
        file = each.answer_file.name if is_file else ""
        yield Machine(
            each.name, each.endpoint, each.model, each.scripted, version, each.origin, file,
            each.parameters.get("temperature"), each.seed, each.orders, each.replicates, each.repeated,
        )  # fmt: skip


def _asks(study: Study) -> Iterator[str]:
    if study.ask_confidence:
        yield "confidence"
    if study.ask_basis:
        yield "basis"
    if study.neighbours:
        yield "neighbours"
    if study.earlier_answers:
        yield "earlier"
    if study.source_after:
        yield "source"
