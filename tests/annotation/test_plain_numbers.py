"""Numbers stand in plain columns: right when written, also for rows from before, and still append-only."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotation.items.numbers import strayed_numbers
from annotation.models import Item, Judgment, LeakCheck, LeakFinding, Study
from annotation.models.derived import OF_ANSWER, OF_PAYLOAD
from annotation.tasktypes import registry
from annotation.tasktypes.items import number_at
from tests import builders
from variorum.diagnosis import numbers

APP = "annotation"
NUMBERS = ("number_1", "number_2", "position", "milliseconds")
OF_ITEM = ("categories", "number_1", "number_2", "number_3", "gold_1", "gold_2")
EXAMPLES = {slug: task.example() for slug, task in registry.all_types().items()}


def judgment(assignment, annotator, **fields):
    return Judgment(
        assignment=assignment,
        annotator=annotator,
        submission=uuid.uuid4(),
        channel="web",
        created=timezone.now(),
        **{"outcome": "answer", **fields},
    )


def of_task(slug, *golds, payload=None):
    """A study of that task with an item for each gold answer, all of one payload, and a place at each."""
    study = builders.study(slug, items=0, overlap=1, task=slug)
    for number, gold in enumerate(golds, 1):
        item = study.items.create(
            number=number, payload=payload or EXAMPLES[slug].payload, gold=gold, digest=str(number)
        )
        study.assignments.create(item=item, slot=1)
    return study


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("task", "said", "columns"),
    [
        (
            "choice",
            {"answer": {"option": 2}, "order": [1, 2, 0], "active_seconds": 12.3456},
            (2, None, 1, 12346),
        ),
        ("choice", {"answer": {"option": 2}, "order": []}, (2, None, None, None)),
        ("choice", {"answer": {"option": 2}, "order": [0, 1, 1]}, (2, None, None, None)),
        ("choice", {"outcome": "undecided", "order": [1, 2, 0]}, (None,) * 4),
        ("grade", {"answer": {"grade": 3}}, (3, None, None, None)),
        (
            "span",
            {"answer": {"start": 3, "end": 9}, "active_seconds": 366 * 86400},
            (3, 9, None, 31622400000),
        ),
        ("span", {"answer": {"declined": "no_allusion"}}, (None,) * 4),
    ],
)
def test_columns_of_a_judgment(ada, task, said, columns, many):
    study = of_task(task, None)
    assignment = study.assignments.get()
    made = judgment(assignment, builders.enrolment(study, ada), **said)
    if many:
        Judgment.objects.bulk_create(iter([made]))
    else:
        made.save()
    stored = Judgment.objects.get()
    assert stored.item_id == assignment.item_id
    assert tuple(getattr(stored, name) for name in NUMBERS) == columns


@pytest.mark.parametrize("many", [False, True])
def test_columns_of_an_item_follow_its_payload(db, many):
    rows = [
        ("choice", {"option": 2}, (3, None, None, None, 2, None)),
        ("choice", None, (3, None, None, None, None, None)),
        ("grade", {"grade": 1}, (4, None, None, None, 1, None)),
        ("span", {"start": 0, "end": 9}, (None, 14, 8, 9, 0, 9)),
        ("span", {"declined": "no_allusion"}, (None, 14, 8, 9, None, None)),
    ]
    for number, (task, gold, columns) in enumerate(rows):
        study = builders.study(f"{task}-{number}", items=0, task=task)
        made = Item(study=study, number=1, payload=EXAMPLES[task].payload, gold=gold, digest="1")
        if many:
            Item.objects.bulk_create([made])
        else:
            made.save()
        assert study.items.values_list(*OF_ITEM).get() == columns


@pytest.mark.parametrize("slug", EXAMPLES)
def test_what_a_type_declares_stands_in_its_example(slug):
    task, example = registry.get(slug), EXAMPLES[slug]
    assert len(task.numbers_of_payload(example.payload)) == len(task.payload_numbers) <= len(OF_PAYLOAD)
    assert len(task.numbers_of_answer(example.answer)) == len(task.answer_numbers) <= len(OF_ANSWER)
    found = (*task.numbers_of_payload(example.payload), *task.numbers_of_answer(example.answer))
    assert None not in (*found, *task.numbers_of_answer(example.gold))
    assert set(task.numbers_of_answer(None)) <= {None}


def test_a_list_counts_by_its_length_and_what_is_no_number_not_at_all():
    document = {"words": ["a", "b"], "two": 2, "yes": True, "text": "abc", "half": 0.5, "in": {"it": [7]}}
    paths = [
        ("words",),
        ("two",),
        ("yes",),
        ("text",),
        ("half",),
        ("in", "it", 0),
        ("in", "it", 1),
        ("none",),
    ]
    assert [number_at(document, path) for path in paths] == [2, 2, None, None, None, 7, None, None]


def test_what_an_item_says_is_written_with_its_numbers_or_not_at_all(ada):
    study = builders.study(items=1, overlap=1)
    for wrong in ({"payload": {}}, {"gold": None}, {"gold_1": 2}, {"categories": 9}, {"provenance": {}}):
        with pytest.raises(TypeError, match="written by save"):
            study.items.update(**wrong)
        with pytest.raises(TypeError, match="written by save"), transaction.atomic():
            Item.objects.bulk_update(study.items.all(), [*wrong])
    with (
        pytest.raises(DatabaseError, match="item_numbers_of_gold"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE annotation_item SET gold = NULL")
    made = judgment(study.assignments.get(), builders.enrolment(study, ada), outcome="undecided")
    made.derive = lambda: None
    made.item_id, made.number_1 = made.assignment.item_id, 2
    with pytest.raises(DatabaseError, match="judgment_numbers_of_answer"), transaction.atomic():
        made.save()


def test_what_was_written_past_the_application_is_found(ada):
    study = of_task("grade", {"grade": 1}, None)
    reader = builders.enrolment(study, ada)
    first, second = study.assignments.order_by("item__number")
    judgment(first, reader, answer={"grade": 2}).save()
    assert strayed_numbers(study) == (study, 0, 0)
    assert numbers().ok
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_item SET categories = 5 WHERE number = 2")
    for revision in (1, 2):
        odd = judgment(second, reader, answer={"grade": 2}, revision=revision)
        odd.derive = lambda: None
        odd.item_id, odd.number_1 = second.item_id, 1
        odd.save()
    assert strayed_numbers(study) == (study, 1, 2)
    assert numbers().ok is False
    assert "grade (1 item, 2 judgments)" in numbers().detail


@pytest.mark.services  # migrating back and forth takes seconds
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_rows_from_before_get_their_columns_and_stay_append_only():
    studies = {
        "choice": of_task("choice", {"option": 1}, None),
        "span": of_task("span", {"start": 7, "end": 9}, {"declined": "no_allusion"}),
        "grade": of_task("grade", {"grade": 3}),
    }
    said = {
        "choice": [
            {"answer": {"option": 2}, "order": [1, 0, 2], "active_seconds": 7.25},
            {"outcome": "broken"},
        ],
        "span": [{"answer": {"start": 0, "end": 9}}, {"answer": {"declined": "no_allusion"}}],
        "grade": [{"answer": {"grade": 2}}],
    }
    reader = builders.person("Ada")
    for slug, study in studies.items():
        enrolment = builders.enrolment(study, reader)
        for place, each in zip(study.assignments.order_by("item__number"), said[slug], strict=True):
            judgment(place, enrolment, **each).save()
    check = LeakCheck.objects.create(study=study, code_version="")
    item = study.items.first()
    check.findings.create(kind="gold-twice", item=item, option=0, number=0, spans=[], run=6, share=1.0)
    now = everything()
    migrate("0017_claimed_last")
    assert "look_id" in columns("annotation_leakfinding")
    migrate(None)
    assert LeakFinding.objects.get().leak_check == check
    channels, slots = record()
    migrate("0012_numbers_by_type")
    assert columns("annotation_judgment") & {"door", "channel"} == {"door"}
    assert record("door", "place") == (channels, slots)
    assert (set(channels), set(slots)) == ({"web"}, {1})
    refuses()
    for before, there, away in (
        ("0011_drafts_by_position", "option", "number_1"),
        ("0007_work_counted", "payload", "option"),
    ):
        migrate(before)
        names = columns("annotation_judgment") | columns("annotation_item")
        assert there in names
        assert away not in names
        refuses()
    migrate(None)
    assert everything() == now
    assert record() == (channels, slots)
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "annotation_assignment")
    assert found["place_once"]["columns"] == ["item_id", "slot"]
    refuses()
    with pytest.raises(DatabaseError, match="overlap"), transaction.atomic():
        Study.objects.update(overlap=9)


def everything():
    return (
        list(Judgment.objects.order_by("pk").values_list("item", *NUMBERS)),
        list(Item.objects.order_by("pk").values_list("pk", *OF_ITEM)),
    )


def record(channel="channel", slot="slot"):
    """By what judgments came, and which place of its item each assignment is, under the names of the time."""
    return (
        stored("annotation_judgment", channel),
        stored("annotation_assignment", slot),
    )


def stored(table, column):
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT "{column}" FROM {table} ORDER BY id')
        return [value for (value,) in cursor.fetchall()]


def migrate(name):
    """To that migration of the annotations, and of all others to the last; or to the last of all."""
    executor = MigrationExecutor(connection)
    executor.migrate([(APP, name)] if name else executor.loader.graph.leaf_nodes())


def columns(table):
    with connection.cursor() as cursor:
        return {each.name for each in connection.introspection.get_table_description(cursor, table)}


def refuses():
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE annotation_judgment SET note = 'rewritten'")


def test_the_group_of_an_item_is_stored_beside_it_and_compared(db, monkeypatch):
    """Any type may name one: it stands in a column of its own, and is written with the row alone."""
    monkeypatch.setattr(type(registry.get("grade")), "group", lambda task, payload: payload["book"])
    study = of_task("grade", {"grade": 1}, None)
    assert registry.get("grade").has_groups
    assert not registry.get("choice").has_groups
    assert {item.group for item in study.items.all()} == {EXAMPLES["grade"].payload["book"]}
    assert strayed_numbers(study).items == 0
    with pytest.raises(TypeError, match="group is written by save"):
        study.items.update(group="another")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_item SET \"group\" = 'another' WHERE number = 1")
    assert strayed_numbers(study).items == 1
