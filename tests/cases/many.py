"""Very many rows, made in the database out of one that the models stored, on SQLite and on PostgreSQL."""

from __future__ import annotations

from typing import Any

MANY = """
from annotation.models import Assignment, Item, Judgment
from django.utils import timezone
import uuid

LITE = connection.vendor == "sqlite"

def copies(model, template, n, **said):
    '''n rows like the template; `said`: SQL for columns that differ, in which n.i counts from 1.'''
    names = [field.column for field in model._meta.local_concrete_fields]
    q = connection.ops.quote_name
    chosen = ", ".join(said[name] if name in said else f"t.{q(name)}" for name in names)
    table = q(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(map(q, names))}) "
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s) "
            f"SELECT {chosen} FROM {table} t, n WHERE t.{q('id')} = %s", [n, template.pk])

def large(n, overlap=1, slug="large"):
    '''A study of n items, each read by one; its first item is the template.'''
    study = builders.study(slug, items=1, overlap=1)
    reader = builders.enrolment(study, builders.person("Many" + slug))
    item, place = study.items.get(), study.assignments.get()
    place.annotator, place.status = reader, "done"
    place.save()
    said = Judgment.objects.create(
        assignment=place, annotator=reader, outcome="answer", answer={"option": 1}, order=[2, 0, 1],
        active_seconds=4.5, submission=uuid.uuid4(), channel="web", created=timezone.now())
    digest = "'d' || lpad(n.i::text, 15, '0')" if not LITE else "printf('d%%015d', n.i)"
    unique = "lpad(to_hex(n.i), 32, '0')::uuid" if not LITE else "printf('%%032x', n.i)"
    copies(Item, item, n - 1, id=f"{item.pk} + n.i", number="1 + n.i", digest=digest)
    copies(Assignment, place, n - 1, id=f"{place.pk} + n.i", item_id=f"{item.pk} + n.i")
    copies(Judgment, said, n - 1, id=f"{said.pk} + n.i", assignment_id=f"{place.pk} + n.i",
           item_id=f"{item.pk} + n.i", submission=unique)
    builders.analyse()
    return study
"""
"""Lines for `Installation.script`: `large(n)` makes a study of n items with a judgment each."""


def peak(lines: str) -> str:
    """Return lines that measure: they may use `grown()`, MB that this process has taken since `mark()`."""
    return (
        """
import resource
def held():
    with open("/proc/self/status") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) / 1024
def mark():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    global _at
    _at = held()
def grown():
    return held() - _at
"""
        + lines
    )


def words(*many: Any) -> list[str]:
    """Return arguments as words of a command line."""
    return [str(each) for each in many]
