"""Machine readings → rows → lines: what models said, in a file of its own, never mixed with judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.export.judgments import FORMATS, lines, task_columns
from annotation.machine.asking import question
from annotation.machine.jobs import purpose_of
from annotation.models import MachineReader, MachineReading, Study
from annotation.record.exporting import note_export
from annotation.tasktypes.base import TaskType
from common.errors import BadInput
from machines.ledger.keys import prompt_sha256
from machines.models import Call, State

AT_ONCE = 500
Request = tuple[str, str, int, int]
"""Purpose, sha256 of the messages, seed and replicate."""
BEFORE = {
    "study": "the study’s short name",
    "task": "the task type",
    "item": "the item’s number in the study",
    "item_digest": "sha256 of the item as it was built",
    "version": "of the item’s candidate set, from 1",
    "replaced": "whether another version has taken the item’s place",
    "reader": "the machine reader: M1, M2 …",
    "origin": "asked, file (its answers were read in), or ranker (one of ours)",
    "model": "the alias under which the installation knows the model, or the name of the system",
    "scripted": "whether a script answered in a model’s place",
    "prompt": "version of the prompt",
    "prompt_sha256": "of both texts of that version",
    "temperature": "0 asks for the likeliest words",
    "max_tokens": "the longest reply",
    "seed": "sent with the request",
    "replicate": "0 for the first time, another number for the same question asked again",
    "order": "0 for the first order of the options, another number for another",
    "state": "answered, undecided, unreadable, refused or failed (no reply)",
}
AFTER = {
    "correct": "whether the answer is the gold one; empty without an answer or without gold",
    "probabilities": "of each number an answer may have, where the model’s endpoint told them",
    "reason": "why there is no answer",
    "asked": "how many requests it took: 2 where the first reply could not be read",
    "shown": "canonical option numbers in the order in which the model was shown them",
    "position": "where the chosen option was shown, from 0",
    "looks_like_instruction": "whether a text of the item looks like an instruction to a model",
    "prompt_tokens": "sent, over all requests of the reading, as the endpoint counted",
    "completion_tokens": "received, likewise",
    "price": "of all requests of the reading, in millionths of the currency",
    "milliseconds": "until the replies were there, added up over all requests",
    "request_sha256": "of the messages as they were sent the last time",
    "text": "the reply as it came",
    "created": "when the reading was stored",
    "file_sha256": "of the file that the answer was read from",
    "source": "where that file came from",
    "licence": "under which its answers may be used",
}


def export(study: Study, format: str, *, by: User | None) -> Iterator[str]:  # noqa: A002 - the word people use
    """Return the readings as lines of text, and record it. Raises `BadInput` for a wrong format."""
    if format not in FORMATS:
        raise BadInput(f"There is no export format “{format}”: use {' or '.join(FORMATS)}.")
    data = {"format": format, "what": "readings", "readings": count(study)}
    note_export(study, by=by, **data)
    return lines(rows(study), format, columns(study))


def count(study: Study) -> int:
    """Return how many rows there are now."""
    return readings(study).count()


def readings(study: Study) -> QuerySet[MachineReading]:
    """Return the study's machine readings as a query, by reader, item, replicate and order."""
    return MachineReading.objects.filter(reader__study=study).order_by(
        "reader", "item__number", "replicate", "order"
    )


def columns(study: Study) -> list[str]:
    """Return the names of the columns, in order; those of the answer are the task type's."""
    return [*BEFORE, *task_columns(study), *AFTER]


def rows(study: Study) -> Iterator[dict[str, Any]]:
    """Yield each reading as a dict of `columns`."""
    task, names, first = study.task_type, list(task_columns(study)), first_calls(study)
    found = (
        readings(study)
        .select_related("item__replaced_by", "reader__prompt", "reader__answer_file")
        .iterator(chunk_size=AT_ONCE)
    )
    while those := list(islice(found, AT_ONCE)):
        calls = Call.objects.in_bulk([each.call for each in those if each.call is not None])
        for each in those:
            each.reader.study = study
            asked = [first.get(first_request(each)) if each.asked > 1 else None, calls.get(each.call or 0)]
            yield row(task, names, each, [call for call in asked if call is not None])


def first_calls(study: Study) -> dict[Request, Call]:
    """Return the calls of the study's machine readers whose reply could not be read, by what they asked."""
    purposes = [purpose_of(each) for each in study.machine_readers.all()]
    rows = Call.objects.filter(purpose__in=purposes, state=State.UNREADABLE).defer("text")
    return {(row.purpose, row.prompt_sha256, row.seed, row.replicate): row for row in rows.iterator(AT_ONCE)}


def first_request(each: MachineReading) -> Request:
    """Return what a reading asked first, made again from what is stored: its row names its last call."""
    request = question(each.reader, each.item.payload, each.shown, each.replicate).request
    return purpose_of(each.reader), prompt_sha256(request), request.seed, request.replicate


def row(task: TaskType, names: list[str], each: MachineReading, calls: list[Call]) -> dict[str, Any]:
    """Return one reading as a dict of `columns`; `calls` are those it took, the last one last."""
    item, reader = each.item, each.reader
    answer = task.rows(item.payload, each.answer) if each.answer is not None else {}
    return {
        "study": reader.study.slug,
        "task": reader.study.task,
        "item": item.number,
        "item_digest": each.item_digest,
        "version": item.version,
        "replaced": item.retired is not None and not item.is_left_out,
        "reader": reader.name,
        "origin": reader.origin,
        "model": reader.endpoint,
        "scripted": reader.scripted,
        "prompt": reader.prompt.version if reader.prompt else None,
        "prompt_sha256": reader.prompt.sha256 if reader.prompt else None,
        **{name: reader.parameters.get(name) for name in ("temperature", "max_tokens")},
        "seed": reader.seed,
        "replicate": each.replicate,
        "order": each.order,
        "state": each.state,
        **{name: answer.get(name) for name in names},
        "correct": task.is_correct(each.answer, item.gold) if each.answer is not None else None,
        "probabilities": each.probabilities,
        "reason": each.reason,
        "asked": each.asked,
        "shown": each.shown,
        "position": each.position,
        "looks_like_instruction": each.looks_like_instruction,
        "prompt_tokens": each.prompt_tokens,
        "completion_tokens": each.completion_tokens,
        "price": total(call.price for call in calls),
        "milliseconds": total(call.milliseconds for call in calls),
        "request_sha256": calls[-1].prompt_sha256 if calls else None,
        "text": each.text,
        "created": each.created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        **of_file(reader),
    }


def total(values: Iterable[int | None]) -> int | None:
    """Return the sum of what is known; None where nothing is."""
    known = [each for each in values if each is not None]
    return sum(known) if known else None


def of_file(reader: MachineReader) -> dict[str, Any]:
    """Return the columns on the file that answers were read from; empty where a model was asked."""
    kept = None if reader.is_asked else reader.answer_file
    names = {"file_sha256": "sha256", "source": "source", "licence": "licence"}
    return {column: getattr(kept, name, None) for column, name in names.items()}
