"""What a machine answered to the items of a study: of a machine reader, or of a file made elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.assignment.arms import Machine
from annotation.items.lines import json_lines
from annotation.models import Item, MachineReader, MachineReading, ReadingState, Study
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from retrieval.engine.interchange.qrels import qrels


class Answers(NamedTuple):
    """A machine's answers to items of a study.

    source: whose they are, in words.
    of: by primary key of the item.
    passed_over: how many of them are to what the study does not have.
    reader: the machine reader; None of a file. sha256: of the file.
    """

    source: str
    of: dict[int, Machine]
    passed_over: int
    reader: MachineReader | None = None
    sha256: str = ""


def of_reader(study: Study, reader: MachineReader) -> Answers:
    """Return the first readings of a machine reader, also of another study whose items are the same.

    Items are the same by what a study holds once (topic and document), else by their words.
    """
    rows = MachineReading.objects.filter(reader=reader, replicate=0, order=0, state=ReadingState.ANSWERED)
    said = {
        known_by(digest, made): Machine(answer, pk)
        for pk, answer, digest, made in rows.values_list(
            "pk", "answer", "item__digest", "item__provenance"
        ).iterator(2000)
        if answer is not None
    }
    found = {pk: said[name] for pk, name in names_of(study) if name in said}
    refuse_none(found, f"{reader.name} has read no item of “{study.slug}”: let it read them first.")
    source = f"{reader.name}, {reader.title}, of “{reader.study.slug}”"
    return Answers(source, checked(study, found, source), len(said) - len(found), reader)


def of_file(study: Study, data: bytes, name: str) -> Answers:
    """Return the answers of a file: TREC's qrels, or JSON lines.

    A line of JSON names an item by `item`, its number, or by `topic` and `document`, and has the `answer`, or
    the `grade` alone. A grade below 0 means that it was not judged. Raises `BadInput` with file and line.
    """
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    lines = of_json(data, name) if is_json else of_qrels(data, name)
    numbers = dict(frame(study).values_list("number", "pk"))
    pairs = {pair_of(payload): pk for pk, payload in frame(study).values_list("pk", "payload").iterator(500)}
    found: dict[int, Machine] = {}
    where_of: dict[int, str] = {}
    passed_over = 0
    for where, what, answer in lines:
        pk = numbers.get(what) if isinstance(what, int) else pairs.get(what)
        if pk is None:
            passed_over += 1
            continue
        if pk in found:
            raise BadInput(f"{where}: the item of {where_of[pk]} again. Each has one answer.")
        found[pk], where_of[pk] = Machine(answer, None), where
    refuse_none(found, f"{name} holds no answer to an item of “{study.slug}”.")
    return Answers(name, checked(study, found, name, where_of), passed_over, None, sha256(data).hexdigest())


Line = tuple[str, int | tuple[str, str], dict[str, Any]]


def of_qrels(data: bytes, name: str) -> Iterator[Line]:
    """Yield place, topic with document, and answer of each judged line of a file of qrels."""
    for topic, document, grade, line in qrels(io.BytesIO(data), name).rows():
        if grade >= 0:
            yield f"{name}, line {line}", (topic, document), {"grade": grade}


def of_json(data: bytes, name: str) -> Iterator[Line]:
    """Yield place, item (a number, or topic with document) and answer of each line of JSON."""
    for where, fields in json_lines(data, name):
        what: int | tuple[str, str]
        if isinstance(fields.get("item"), int) and not isinstance(fields["item"], bool):
            what = fields["item"]
        elif "topic" in fields and "document" in fields:
            what = str(fields["topic"]), str(fields["document"])
        else:
            raise BadInput(
                f"{where}: names no item. Give “item”, its number in the study, or “topic” and “document”."
            )
        answer = fields.get("answer", {"grade": fields["grade"]} if "grade" in fields else None)
        if not isinstance(answer, dict):
            raise BadInput(f"{where}: has no answer. Give “grade”, or “answer”, an object as in the exports.")
        grade = answer.get("grade")
        if not (isinstance(grade, int) and grade < 0):
            yield where, what, answer


def frame(study: Study) -> QuerySet[Item]:
    """Return the items that can be drawn: work, of each the version that was not replaced, left out by no
    hand.
    """
    return study.items.work().filter(retired=None).order_by("number")


def names_of(study: Study) -> Iterator[tuple[int, str]]:
    """Yield key and name of each item that can be drawn."""
    for pk, digest, made in frame(study).values_list("pk", "digest", "provenance").iterator(2000):
        yield pk, known_by(digest, made)


def known_by(digest: str, provenance: dict[str, Any]) -> str:
    """Return what an item is known by in other studies."""
    return str(provenance.get("identity") or provenance.get("content") or digest)


def pair_of(payload: dict[str, Any]) -> tuple[str, str]:
    """Return the ids of topic and document; empty ones where an item has none."""
    parts = (payload.get("topic"), payload.get("document"))
    topic, document = (str(part.get("id", "")) if isinstance(part, dict) else "" for part in parts)
    return topic, document


def checked(
    study: Study, found: dict[int, Machine], source: str, where_of: dict[int, str] | None = None
) -> dict[int, Machine]:
    """Return the answers in the form in which the study stores them. Raises `BadInput` at a wrong one."""
    task, sound = study.task_type, {}
    for pk, number, payload in frame(study).values_list("pk", "number", "payload").iterator(500):
        if pk in found:
            try:
                sound[pk] = found[pk]._replace(answer=task.check_answer(payload, found[pk].answer))
            except Invalid as error:
                where = (where_of or {}).get(pk, source)
                raise BadInput(f"{where}, to item {number}: {error}") from None
    return sound


def refuse_none(found: dict[int, Machine], why: str) -> None:
    """Raise `BadInput` where there is no answer at all."""
    if not found:
        raise BadInput(why)


def readers_for(study: Study) -> QuerySet[MachineReader]:
    """Return the machine readers of the study that have read something."""
    rows = MachineReader.objects.filter(study=study, readings__state=ReadingState.ANSWERED)
    return rows.distinct().order_by("pk")


def items_of(study: Study) -> list[Item]:
    """Return the items that can be drawn, without their texts."""
    return list(frame(study).only("pk", "number", "group", "study_id", "provenance"))
