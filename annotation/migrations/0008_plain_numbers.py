"""What numbers are made of stands in plain columns, so that a report parses no JSON and joins no tables.

Columns that the database computes would be simpler, but SQLite reads the whole row for one of them, whatever
index holds it. The rows there are get theirs here, for which the judgments' trigger has to step aside.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Cast, Round

from annotation.migrations._json_columns import Entries, Whole, same
from annotation.migrations._triggers import guard, nothing, step_aside

OF_PAYLOAD = {
    "options": Entries("payload", "options"),
    "tokens": Entries("payload", "tokens"),
    "anchor_start": Whole("payload", "anchor", 0),
    "anchor_end": Whole("payload", "anchor", 1),
    "gold_option": Whole("gold", "option"),
    "gold_start": Whole("gold", "start"),
    "gold_end": Whole("gold", "end"),
}
OF_ANSWER = {
    "option": Whole("answer", "option"),
    "start": Whole("answer", "start"),
    "end": Whole("answer", "end"),
}
MEANINGS = {
    "options": "How many options it offers",
    "tokens": "How many tokens its passage has",
    "anchor_start": "The anchor’s first token",
    "anchor_end": "The token behind the anchor",
    "gold_option": "The gold option’s canonical number",
    "gold_start": "The gold span’s first token",
    "gold_end": "The token behind the gold span",
    "option": "The chosen option’s canonical number",
    "start": "The span’s first token",
    "end": "The token behind the span",
    "milliseconds": "The active time, in whole numbers",
}
PLACED = (
    "UPDATE annotation_judgment SET position = ({position}), item_id = "
    "(SELECT item_id FROM annotation_assignment WHERE id = annotation_judgment.assignment_id)"
)
POSITION = {
    "sqlite": """SELECT shown.key FROM JSON_EACH(annotation_judgment."order") AS shown
        WHERE shown.value = JSON_EXTRACT(annotation_judgment.answer, '$.option') LIMIT 1""",
    "postgresql": """SELECT shown.place - 1
        FROM JSONB_ARRAY_ELEMENTS(annotation_judgment."order") WITH ORDINALITY AS shown(number, place)
        WHERE shown.number = annotation_judgment.answer -> 'option' LIMIT 1""",
}


def fill(apps, schema_editor):
    schema_editor.execute(PLACED.format(position=POSITION[schema_editor.connection.vendor]))
    times = Cast(Round(F("active_seconds") * 1000), models.BigIntegerField())
    apps.get_model("annotation", "Judgment").objects.update(**OF_ANSWER, milliseconds=times)
    apps.get_model("annotation", "Item").objects.update(**OF_PAYLOAD)
    if schema_editor.connection.vendor == "postgresql":
        # The new keys are looked up now: a table with checks still to come cannot be altered.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def column(name):
    return models.BigIntegerField(editable=False, help_text=MEANINGS[name], null=True)


def item(**fields):
    return models.ForeignKey(
        editable=False,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="judgments",
        to="annotation.item",
        **fields,
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_work_counted")]

    operations = [
        migrations.RunPython(step_aside, guard),
        migrations.AddField("judgment", "item", item(null=True)),
        migrations.AddField(
            "judgment",
            "position",
            models.PositiveIntegerField(
                editable=False,
                help_text="Where on the page the chosen option stood, from 0; null: nowhere",
                null=True,
            ),
        ),
        *(migrations.AddField("item", name, column(name)) for name in OF_PAYLOAD),
        *(migrations.AddField("judgment", name, column(name)) for name in [*OF_ANSWER, "milliseconds"]),
        migrations.RunPython(fill, nothing),
        migrations.AlterField("judgment", "item", item()),
        migrations.AddConstraint(
            "item", models.CheckConstraint(condition=same(**OF_PAYLOAD), name="item_numbers_of_payload")
        ),
        migrations.AddConstraint(
            "judgment", models.CheckConstraint(condition=same(**OF_ANSWER), name="judgment_numbers_of_answer")
        ),
        migrations.AddIndex(
            "item", models.Index(fields=["study", "kind", "retired", "number", *OF_PAYLOAD], name="item_numbers")
        ),
        migrations.AddIndex(
            "judgment",
            models.Index(
                fields=["annotator", "outcome", "door", "item", "option", "position", "start", "end"]
                + ["milliseconds", "assignment", "revision"],
                name="judgment_numbers",
            ),
        ),
        migrations.AddIndex(
            "judgment",
            models.Index(
                condition=models.Q(revision__gt=1), fields=["assignment", "revision"], name="judgment_revised"
            ),
        ),
        migrations.RunPython(guard, step_aside),
    ]
