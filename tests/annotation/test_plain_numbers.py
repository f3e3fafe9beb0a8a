"""Numbers stand in plain columns: right when written, also for rows from before, and still append-only."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotation.models import Item, Judgment, Study
from tests import builders

BEFORE, AFTER = ("annotation", "0007_work_counted"), ("annotation", "0008_plain_numbers")
COLUMNS = ("option", "position", "start", "end", "milliseconds")


def judgment(assignment, annotator, **fields):
    return Judgment(
        assignment=assignment,
        annotator=annotator,
        submission=uuid.uuid4(),
        door="web",
        created=timezone.now(),
        **{"outcome": "answer", **fields},
    )


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("said", "columns"),
    [
        ({"answer": {"option": 2}, "order": [1, 2, 0], "active_seconds": 12.3456}, (2, 1, None, None, 12346)),
        ({"answer": {"option": 2}, "order": []}, (2, None, None, None, None)),
        ({"answer": {"option": 2}, "order": [0, 1, 1]}, (2, None, None, None, None)),
        ({"answer": {"start": 3, "end": 9}, "active_seconds": 366 * 86400}, (None, None, 3, 9, 31622400000)),
        ({"answer": {"declined": "no_allusion"}}, (None,) * 5),
        ({"outcome": "undecided", "order": [1, 2, 0]}, (None,) * 5),
    ],
)
def test_columns_of_a_judgment(ada, said, columns, many):
    study = builders.study(items=1, overlap=1)
    assignment = study.assignments.get()
    made = judgment(assignment, builders.enrolment(study, ada), **said)
    if many:
        Judgment.objects.bulk_create(iter([made]))
    else:
        made.save()
    stored = Judgment.objects.get()
    assert stored.item_id == assignment.item_id
    assert tuple(getattr(stored, name) for name in COLUMNS) == columns


@pytest.mark.parametrize("many", [False, True])
def test_columns_of_an_item_follow_its_payload(db, many):
    study = builders.study(items=1)
    item = study.items.get()
    assert (item.options, item.gold_option, item.tokens) == (3, item.gold["option"], None)
    payload = {"tokens": [[0, 4], [5, 9]], "anchor": [1, 2], "options": "three"}
    for number, gold in ((2, {"start": 0, "end": 2}), (3, {"declined": "no_allusion"}), (4, None)):
        made = Item(study=study, number=number, payload=payload, gold=gold, digest=str(number))
        if many:
            Item.objects.bulk_create([made])
        else:
            made.save()
    names = ("tokens", "anchor_start", "anchor_end", "options", "gold_option", "gold_start", "gold_end")
    assert list(study.items.filter(number__gt=1).order_by("number").values_list(*names)) == [
        (2, 1, 2, None, None, 0, 2),
        (2, 1, 2, None, None, None, None),
        (2, 1, 2, None, None, None, None),
    ]


def test_the_database_refuses_numbers_that_the_json_does_not_say(ada):
    study = builders.study(items=1, overlap=1)
    for wrong in ({"options": 4}, {"gold_option": None}, {"gold": None}, {"payload": {"options": []}}):
        with pytest.raises(DatabaseError, match="item_numbers_of_payload"), transaction.atomic():
            study.items.update(**wrong)
    made = judgment(study.assignments.get(), builders.enrolment(study, ada), answer={"option": 2})
    made.derive = lambda: None
    made.item_id = made.assignment.item_id
    for made.option in (None, 1):
        with pytest.raises(DatabaseError, match="judgment_numbers_of_answer"), transaction.atomic():
            made.save()


@pytest.mark.django_db(transaction=True)
def test_rows_from_before_get_their_columns_and_stay_append_only():
    study = builders.study(items=2, overlap=1)
    reader = builders.enrolment(study, builders.person("Ada"))
    places = list(study.assignments.order_by("item__number"))
    judgment(places[0], reader, answer={"option": 2}, order=[1, 0, 2], active_seconds=7.25).save()
    judgment(places[1], reader, outcome="broken", order=[0, 1, 2]).save()
    migrate(BEFORE)
    assert "option" not in columns("annotation_judgment") | columns("annotation_item")
    refuses()
    migrate(AFTER)
    found = Judgment.objects.order_by("pk").values_list("item", *COLUMNS)
    assert list(found) == [
        (places[0].item_id, 2, 2, None, None, 7250),
        (places[1].item_id, None, None, None, None, None),
    ]
    assert set(Item.objects.values_list("options", flat=True)) == {3}
    refuses()
    with pytest.raises(DatabaseError, match="overlap"), transaction.atomic():
        Study.objects.update(overlap=9)


def migrate(target):
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    executor.migrate([target] if target == BEFORE else leaves)


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
