"""A draft on grades whose items a machine has judged in a file, and the sample of it."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.items.payloads import FileItem, add_payloads
from annotation.models import OptionOrder, Sample, State, Study
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from annotation.validation import machine_answers, samples
from annotation.validation.machine_answers import Answers
from tests import builders

GRADES = 5


def draft(
    slug: str = "judged", *, topics: int = 4, each: int = 10, by: User | None = None, more: str = ""
) -> Study:
    """A draft of relevance with so many documents a topic, each with `more` behind its sentence; the
    machine's grade is the number modulo five.
    """
    made = Study.objects.create(
        slug=slug, title="Lamps", task="relevance", overlap=1, seed=7,
        option_order=OptionOrder.CANONICAL, state=State.DRAFT, created_by=by,
    )  # fmt: skip
    example = registry.get("relevance").example().payload
    entries = [
        FileItem(
            f"line {topic} {number}",
            {
                **example,
                "topic": {"id": f"t{topic}", "title": f"lamps of harbour {topic}"},
                "document": {"id": f"d{number}", "text": f"Harbour {topic} has lamp number {number}.{more}"},
            },
        )
        for topic in range(topics)
        for number in range(each)
    ]
    add_payloads(made, entries, by=by)
    if by is not None:
        builders.enrolment(made, by, role="researcher", pseudonym="R1")
    return made


def qrels(topics: int = 4, each: int = 10) -> bytes:
    rows = [f"t{topic} 0 d{number} {number % GRADES}" for topic in range(topics) for number in range(each)]
    return ("\n".join(rows) + "\n").encode()


def json_file(study: Study) -> bytes:
    """The same as JSON lines that name items by their numbers."""
    numbers = study.items.order_by("number").values_list("number", "payload__document__id")
    lines = [json.dumps({"item": n, "grade": int(name[1:]) % GRADES}) for n, name in numbers]
    return "\n".join(lines).encode()


def answers(study: Study, data: bytes = b"") -> Answers:
    return machine_answers.of_file(study, data or qrels(), "machine.qrels")


def sampled(study: Study, *, data: bytes = b"", **wish: Any) -> Sample:
    return samples.take(study, answers(study, data), samples.Wish(**wish), by=None, now=timezone.now())


def opened(*readers: User, by: User | None = None, topics: int = 2, **wish: Any) -> Study:
    """An open study of a sample, with these readers, as A, B …; by default the whole of 20 items."""
    made = draft(topics=topics, by=by)
    sampled(made, **{"data": qrels(topics), "share": 1.0, **wish})
    for reader in readers:
        builders.enrolment(made, reader)
    return open_study(made, by=by, now=timezone.now())


def opened_on(task: str, *readers: User) -> Study:
    """An open study of nine examples of a task of one choice or grade; the machine chose the third in all."""
    made = Study.objects.create(
        slug=task, title="Lamps", task=task, overlap=1, seed=7, state=State.DRAFT,
        option_order=OptionOrder.PER_ANNOTATOR,
    )  # fmt: skip
    payload, text = registry.get(task).example().payload, {"choice": "citation", "grade": "passage"}[task]
    add_payloads(made, [FileItem(f"line {n}", {**payload, text: f"Lamp {n}."}) for n in range(9)], by=None)
    part = {"choice": "option", "grade": "grade"}[task]
    lines = [json.dumps({"item": n, "answer": {part: 2}}) for n in range(1, 10)]
    sampled(made, data="\n".join(lines).encode(), share=1.0)
    for reader in readers:
        builders.enrolment(made, reader)
    return open_study(made, by=None, now=timezone.now())


OTHER = {
    "rubric": {"quality": "2"},
    "span": {"start": 6, "end": 10},
    "spans": {"spans": [[7, 10]]},
}
"""Answers to the examples of tasks with several parts, other than the machine's."""


def opened_of_examples(task: str, *readers: User, slug: str = "", **arms: int) -> Study:
    """An open study of nine examples of a task; the machine gave the example's answer to all."""
    made = Study.objects.create(
        slug=slug or task, title="Lamps", task=task, overlap=1, seed=7, state=State.DRAFT,
        option_order=OptionOrder.CANONICAL,
    )  # fmt: skip
    example = registry.get(task).example()
    entries = [FileItem(f"line {n}", {**example.payload, "citation": f"Chapter {n}"}) for n in range(9)]
    add_payloads(made, entries, by=None)
    lines = [json.dumps({"item": n, "answer": example.answer}) for n in range(1, 10)]
    sampled(made, data="\n".join(lines).encode(), share=1.0, rule="none", **arms)
    for reader in readers:
        builders.enrolment(made, reader)
    return open_study(made, by=None, now=timezone.now())
