"""A database of its own, in a folder that is removed again, with a study of very many judgments in it.

Rows are written past the models, because only reading them is timed; their columns hold what the application
stores: JSON payloads with their texts, answers, shown orders, times.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = ("sed dilectio illa supereminet omni scientiae " * 2 + "et pax illa").split(" ")

OF_ITEMS = ('"group"', "texts_digest", "categories", "number_1", "number_2", "number_3", "gold_1", "gold_2")


@contextmanager
def fresh_database() -> Iterator[None]:
    """Django on an empty SQLite file, as a new installation has it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VARIORUM_DATA_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0)
        yield
        connection.close()


def close() -> None:
    """End the connection: what was filled in leaves SQLite's journal, as when a server stops."""
    from django.db import connection

    connection.close()


def choices(
    choice: np.ndarray, gold: np.ndarray, annotators: int, options: int, generator: np.random.Generator
) -> Any:
    """The study of these choices (N x annotators, item by item), each reader's order drawn anew."""
    payload = {
        "left": [" ".join(WORDS)] * 2,
        "right": [" ".join(WORDS)] * 2,
        "options": [f"{' '.join(WORDS)} {number}" for number in range(options)],
        "language": "la",
        "citation": "A critic",
        "book": "A book",
    }
    text = json.dumps(payload)
    orders = generator.permuted(np.tile(np.arange(options), (len(choice), 1)), axis=1).tolist()
    return _study(
        "choice",
        annotators,
        ((text, json.dumps({"option": right})) for right in gold.tolist()),
        (json.dumps({"option": each}) for each in choice.tolist()),
        (json.dumps(each) for each in orders),
    )


def spans(answers: tuple[np.ndarray, ...], annotators: int, length: int = 60) -> Any:
    """The study of these spans, as ``simulated_spans`` gives them, all moved to passages of one length."""
    item, _, start, end, anchor, _, _, declined = answers
    middle = length // 2
    start, end = start - anchor[item] + middle, end - anchor[item] + middle
    words = [WORDS[number % len(WORDS)] for number in range(length)]
    text = " ".join(words)
    offsets, at = [], 0
    for word in words:
        offsets.append([at, at + len(word)])
        at += len(word) + 1
    payload = {
        "text": text,
        "sha256": "",
        "tokens": offsets,
        "anchor": [middle, middle + 1],
        "language": "la",
        "references": [{"citation": "Eph 3:19", "text": " ".join(WORDS), "language": "la"}],
    }
    passage = json.dumps(payload)
    none = json.dumps({"declined": "no_allusion"})
    return _study(
        "span",
        annotators,
        ((passage, None) for _ in anchor),
        (
            none if away else f'{{"start": {one}, "end": {other}}}'
            for one, other, away in zip(start.tolist(), end.tolist(), declined.tolist(), strict=True)
        ),
        ("[]" for _ in start),
    )


def grades(given: np.ndarray, topic: np.ndarray, annotators: int) -> Any:
    """The study of these grades (N x annotators, item by item), 0 to 4, of documents of topics (N,)."""
    from annotation.tasktypes.scales import SCALES

    def payload(number: int) -> str:
        about = {"id": f"T{number}", "title": " ".join(WORDS[:4])}
        text = {"id": "document", "text": " ".join(WORDS * 5)}
        return json.dumps({"topic": about, "document": text, "scale": SCALES["five"]})

    topics = {number: payload(number) for number in np.unique(topic).tolist()}
    return _study(
        "relevance",
        annotators,
        ((topics[number], None) for number in topic.tolist()),
        (json.dumps({"grade": each}) for each in given.tolist()),
        ("[]" for _ in given),
    )


def _study(
    task: str,
    annotators: int,
    items: Iterable[tuple[str, str | None]],
    answers: Iterable[str],
    orders: Iterable[str],
) -> Any:
    from django.db import connection, transaction

    from annotation.models import Study

    study = Study.objects.create(slug=task, title=task, task=task, overlap=annotators, seed=1, state="closed")
    readers = [_reader(study, number) for number in range(annotators)]
    with transaction.atomic():
        _insert(
            "annotation_item",
            f"study_id,number,payload,gold,kind,provenance,digest,version,{','.join(OF_ITEMS)}",
            (
                (
                    study.pk,
                    number,
                    payload,
                    gold,
                    "work",
                    "{}",
                    f"{task}-{number}",
                    1,
                    *_counted(study, payload, gold),
                )
                for number, (payload, gold) in enumerate(items, 1)
            ),
        )
        keys = list(study.items.order_by("number").values_list("pk", flat=True))
        _insert(
            "annotation_assignment",
            'study_id,item_id,slot,annotator_id,status,claimed,opened,"order",draft,arm',
            (
                (study.pk, item, place + 1, who, "done", moment(number), moment(number + 1), "[]", "{}", "")
                for number, item in enumerate(keys)
                for place, who in enumerate(readers)
            ),
        )
        _judge(study, readers, answers, orders)
    connection.connection.execute("ANALYZE")
    return study


def _reader(study: Any, number: int) -> int:
    from django.contrib.auth.models import User

    user = User.objects.create_user(f"{study.task}-{number}")
    pseudonym = chr(ord("A") + number)
    return int(study.enrolments.create(user=user, role="annotator", pseudonym=pseudonym).pk)


@cache
def _counted(study: Any, payload: str, gold: str | None) -> tuple[int | str | None, ...]:
    from annotation.models import Item

    item = Item(study=study, payload=json.loads(payload), gold=json.loads(gold or "null"))
    item.derive()
    return tuple(getattr(item, name.strip('"')) for name in OF_ITEMS)


def _judge(study: Any, readers: list[int], answers: Iterable[str], orders: Iterable[str]) -> None:
    """One judgment a place, by the readers in turn."""
    places = study.assignments.order_by("item", "slot").values_list("pk", "item", "annotator")
    judged = enumerate(zip(places.iterator(10_000), answers, orders, strict=True))
    _insert(
        "annotation_judgment",
        'assignment_id,item_id,annotator_id,revision,outcome,answer,"order",active_seconds,milliseconds,'
        'number_1,number_2,position,reason,note,basis,previews,submission,channel,created',
        (
            (*place, 1, "answer", answer, order, round(6 + number * 7919 % 3000 / 10, 1),
             6000 + number * 7919 % 3000 * 100, *_said(study, answer, order), "", "", "", 0,
             uuid.UUID(int=study.pk << 64 | number).hex, "web", moment(number))
            for number, (place, answer, order) in judged
        ),
    )  # fmt: skip


def moment(number: int) -> str:
    """Return a moment of its own for each number, as SQLite keeps it: half a minute after the one before."""
    at = WHEN + timedelta(seconds=30.000007 * number)
    return at.replace(tzinfo=None).isoformat(" ", "microseconds")


@cache
def _said(study: Any, answer: str, order: str) -> tuple[int | None, ...]:
    from annotation.models import Assignment, Judgment

    said = Judgment(assignment=Assignment(study=study), answer=json.loads(answer), order=json.loads(order))
    said.derive()
    return said.number_1, said.number_2, said.position


def _insert(table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    from django.db import connection

    marks = ",".join("?" * len(columns.split(",")))
    connection.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
