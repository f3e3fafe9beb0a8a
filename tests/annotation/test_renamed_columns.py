"""Columns that got other names: the rows are those of before, and the record still refuses a change."""

import pytest
from django.db import connection

from annotation.models import Assignment, Judgment
from tests import builders
from tests.annotation.test_plain_numbers import columns, judgment, migrate, of_task, refuses


@pytest.fixture
def at_the_end():
    yield
    migrate(None)


def stored(table, column):
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT "{column}" FROM {table} ORDER BY id')
        return [value for (value,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("at_the_end")
def test_channel_and_slot_were_door_and_place(ada):
    study = of_task("choice", {"option": 0}, {"option": 1})
    reader = builders.enrolment(study, ada)
    for assignment in study.assignments.order_by("pk"):
        judgment(assignment, reader, answer={"option": 1}, order=[0, 1, 2]).save()
    migrate("0012_numbers_by_type")
    assert columns("annotation_judgment") & {"door", "channel"} == {"door"}
    assert stored("annotation_judgment", "door") == ["web", "web"]
    assert stored("annotation_assignment", "place") == [1, 1]
    refuses()
    migrate(None)
    assert set(Judgment.objects.values_list("channel", flat=True)) == {"web"}
    assert list(Assignment.objects.values_list("slot", flat=True)) == [1, 1]
    refuses()
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "annotation_assignment")
    assert found["place_once"]["columns"] == ["item_id", "slot"]
