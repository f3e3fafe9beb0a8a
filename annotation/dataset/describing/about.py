"""study.json: everything of a study that is no table, in words that another installation understands."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from annotation.dataset.columns import VERSION
from annotation.dataset.origins import book_of, described_job, job_name, source_of
from annotation.export.machine_seen import moment
from annotation.models import MachineReader, Sample, Study
from annotation.studies.running.stopping import rule_of
from retrieval.models import Book, CandidateJob, Source

PLAIN = (
    "slug", "title", "task", "overlap", "seed", "option_order", "filling", "lease_minutes", "quota",
    "pass_mark", "check_every", "ask_confidence", "ask_basis", "neighbours", "earlier_answers",
    "source_after", "currency", "shows_machine", "state",
)  # fmt: skip
"""Fields of a study as they are. Whom readers may ask is a person, and stays."""
MOMENTS = ("created", "opened", "closed")
OF_PROMPT = ("version", "system", "template", "sha256", "reason", "guideline_version")
OF_READER = (
    "name", "origin", "endpoint", "model", "scripted", "parameters", "seed", "replicates", "repeated",
    "orders",
)  # fmt: skip
OF_FILE = (
    "name", "sha256", "form", "source", "licence", "n_answers", "n_passed_over", "n_tied", "details",
)  # fmt: skip
OF_SAMPLE = (
    "source", "sha256", "share", "rule", "top_k", "runs", "seed", "blind", "reveal", "prefilled", "told",
    "merged",
)  # fmt: skip


def about(study: Study, licence: str) -> dict[str, Any]:
    """Return what study.json holds."""
    task, first = study.task_type, study.items.order_by("number").first()
    rate = study.rate
    return {
        "version": VERSION,
        "licence": licence,
        **{name: getattr(study, name) for name in PLAIN},
        **{name: moment(getattr(study, name)) for name in MOMENTS},
        "rate": None if rate is None else str(Decimal(rate).quantize(Decimal("0.01"))),
        "task_label": task.label,
        "asks": task.asks,
        "measure": task.measure,
        "shared": {name: first.payload[name] for name in task.shared if name in first.payload}
        if first
        else {},
        "guidelines": [text(each) for each in study.guidelines.order_by("version")],
        "consents": [{**text(each), "keeps": each.keeps} for each in study.consents.order_by("version")],
        "prompts": [
            {**fields(each, OF_PROMPT), "created": moment(each.created)}
            for each in study.prompts.order_by("version")
        ],
        "machine_readers": [machine_reader(each) for each in study.machine_readers.order_by("pk")],
        "sample": sample(study.sample, study) if hasattr(study, "sample") else None,
        **stopping(study),
        **origins(study),
    }


def stopping(study: Study) -> dict[str, Any]:
    """Return the stopping rule, where one was chosen."""
    rule = rule_of(study)
    return {"stopping": rule._asdict()} if rule else {}


def text(each: Any) -> dict[str, Any]:
    """Return one version of the guidelines or the consent."""
    return {"version": each.version, "text": each.text, "created": moment(each.created)}


def fields(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return these fields of a row as they are."""
    return {name: getattr(row, name) for name in names}


def machine_reader(reader: MachineReader) -> dict[str, Any]:
    """Return a machine reader, with the prompt it follows or the file its answers came from."""
    file = getattr(reader, "answer_file", None)
    return {
        **fields(reader, OF_READER),
        "created": moment(reader.created),
        "prompt": reader.prompt.version if reader.prompt else None,
        "answer_file": file and {**fields(file, OF_FILE), "created": moment(file.created)},
    }


def sample(drawn: Sample, study: Study) -> dict[str, Any]:
    """Return how a sample was drawn; its machine reader is named where it is of this study."""
    reader = drawn.machine_reader
    own = reader.name if reader is not None and reader.study_id == study.pk else None
    return {**fields(drawn, OF_SAMPLE), "created": moment(drawn.created), "machine_reader": own}


def origins(study: Study) -> dict[str, Any]:
    """Return the books, sources and candidate jobs behind the items, and the study's own job."""
    found: dict[str, Any] = {"books": [], "sources": [], "jobs": {}, "job": None}
    if (read := getattr(study, "read_from", None)) is not None:
        found |= {name: read.origins[name] for name in found}
    of_items = study.items.exclude(excerpt=None).order_by()
    books = Book.objects.filter(pk__in=of_items.values("excerpt__book"))
    sources = Source.objects.filter(pk__in=of_items.values("excerpt__source"))
    keys = set(
        of_items.filter(provenance__has_key="job").values_list("provenance__job", flat=True).distinct()
    )
    jobs = CandidateJob.objects.select_related("book").filter(
        pk__in=[key for key in keys if type(key) is int]
    )
    if study.job is not None:
        found["job"] = job_name(study.job)
        jobs = jobs | CandidateJob.objects.select_related("book").filter(pk=study.job.pk)
    return {
        "books": together(found["books"], map(book_of, books)),
        "sources": together(found["sources"], map(source_of, sources)),
        "jobs": found["jobs"] | {job_name(each): described_job(each) for each in jobs},
        "job": found["job"],
    }


def together(known: list[dict[str, Any]], more: Any) -> list[dict[str, Any]]:
    """Return texts that were described and others, each once, by their digest."""
    every = {each["sha256"]: each for each in (*known, *more)}
    return [every[name] for name in sorted(every)]
