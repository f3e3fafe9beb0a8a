"""An index of a foreign key whose column another index begins with is written for nothing at each step.

Only the indexes go: SQLite would otherwise make each table anew, without its triggers.
"""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import CASCADE, PROTECT, Q

SPARED = [
    ("Item", "study"),
    ("Assignment", "study"),
    ("Assignment", "item"),
    ("Assignment", "annotator"),
    ("Judgment", "assignment"),
    ("Judgment", "annotator"),
]


def drop(apps, schema_editor):
    connection = schema_editor.connection
    for name, field in SPARED:
        model = apps.get_model("annotation", name)
        column = model._meta.get_field(field).column
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, model._meta.db_table)
        for index, about in found.items():
            if about["index"] and not about["unique"] and about["columns"] == [column]:
                schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(index)}")


def create(apps, schema_editor):
    for name, field in SPARED:
        model = apps.get_model("annotation", name)
        schema_editor.execute(schema_editor._create_index_sql(model, fields=[model._meta.get_field(field)]))


def altered(model, field, to, related_name, **others):
    key = models.ForeignKey(
        to=f"annotation.{to}", on_delete=others.pop("on_delete", CASCADE), db_index=False,
        related_name=related_name, **others,
    )  # fmt: skip
    return migrations.AlterField(model, field, key)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("annotation", "0042_item_imports")]

    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                altered("item", "study", "study", "items"),
                altered("assignment", "study", "study", "assignments"),
                altered("assignment", "item", "item", "assignments"),
                altered(
                    "assignment", "annotator", "enrolment", "assignments",
                    on_delete=PROTECT, null=True, blank=True,
                ),
                altered("judgment", "assignment", "assignment", "judgments"),
                altered("judgment", "annotator", "enrolment", "judgments", on_delete=PROTECT),
            ],
            database_operations=[migrations.RunPython(drop, create)],
        ),
        migrations.AddIndex(
            "item",
            models.Index(
                fields=["study", "kind", "retired", "quarantined"],
                name="item_taken_out",
                condition=Q(kind="work") & (Q(retired__isnull=False) | Q(quarantined__isnull=False)),
            ),
        ),
        migrations.AddIndex(
            "item", models.Index(fields=["study", "kind"], name="item_not_work", condition=~Q(kind="work"))
        ),
    ]  # fmt: skip
