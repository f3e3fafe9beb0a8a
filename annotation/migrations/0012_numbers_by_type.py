"""The columns of numbers name no task type any more: what each holds, the type of the study declares.

Where a name can be changed no row is written. Spans share the first column with choices, so theirs are
moved: the judgments' trigger steps aside for it. On the way back every column is read from the JSON again.
"""

from django.db import migrations, models
from django.db.models import F, Q

from annotation.migrations._json_columns import Entries, Whole
from annotation.migrations._triggers import guard, step_aside

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
ITEM = {
    "options": ("categories", "How many answers chance chooses from"),
    "tokens": ("number_1", "The first number that its task type reads of the payload"),
    "anchor_start": ("number_2", "The second"),
    "anchor_end": ("number_3", "The third"),
    "gold_option": ("gold_1", "The first number that its task type reads of an answer, of the gold one"),
    "gold_end": ("gold_2", "The second"),
}
ANSWER = {
    "option": ("number_1", "The first number that its task type reads of an answer"),
    "end": ("number_2", "The second"),
}


def column(meaning):
    return models.BigIntegerField(editable=False, help_text=meaning, null=True)


def renamed(model, names):
    for before, (after, meaning) in names.items():
        yield migrations.RenameField(model, before, after)
        yield migrations.AlterField(model, after, column(meaning))


def index(model, fields, name, **more):
    return migrations.AddIndex(model, models.Index(fields=fields, name=name, **more))


def forwards(apps, schema_editor):
    """Spans move over. Grades were not there before, unless this migration was undone."""
    item, judgment = (apps.get_model("annotation", name).objects.order_by() for name in ("Item", "Judgment"))
    item.exclude(gold_start=None).update(gold_1=F("gold_start"))
    judgment.exclude(start=None).update(number_1=F("start"))
    item.filter(study__task="grade").update(
        categories=Entries("payload", "grades"), gold_1=Whole("gold", "grade")
    )
    judgment.filter(item__study__task="grade").update(number_1=Whole("answer", "grade"))
    settle(schema_editor)


def backwards(apps, schema_editor):
    names = {**{name: after for name, (after, _) in ITEM.items()}, "gold_start": "gold_start"}
    apps.get_model("annotation", "Item").objects.update(
        **{after: OF_PAYLOAD[before] for before, after in names.items()}
    )
    apps.get_model("annotation", "Judgment").objects.update(
        number_1=OF_ANSWER["option"], start=OF_ANSWER["start"], number_2=OF_ANSWER["end"]
    )
    settle(schema_editor)


def settle(schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        # A table with checks still to come cannot be altered.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_drafts_by_position")]

    operations = [
        migrations.RunPython(step_aside, guard),
        migrations.RemoveIndex("item", "item_numbers"),
        migrations.RemoveIndex("item", "item_gold_is_none"),
        migrations.RemoveConstraint("item", "item_numbers_of_payload"),
        migrations.RemoveIndex("judgment", "judgment_numbers"),
        migrations.RemoveConstraint("judgment", "judgment_numbers_of_answer"),
        *renamed("item", ITEM),
        *renamed("judgment", ANSWER),
        migrations.RunPython(forwards, backwards),
        migrations.RemoveField("item", "gold_start"),
        migrations.RemoveField("judgment", "start"),
        migrations.AddConstraint(
            "item",
            models.CheckConstraint(
                condition=Q(gold__isnull=False) | Q(gold_1=None, gold_2=None), name="item_numbers_of_gold"
            ),
        ),
        migrations.AddConstraint(
            "judgment",
            models.CheckConstraint(
                condition=Q(outcome="answer") | Q(number_1=None, number_2=None),
                name="judgment_numbers_of_answer",
            ),
        ),
        index(
            "item",
            ["study", "kind", "retired", "categories", "gold_1", "number"]
            + ["number_1", "number_2", "number_3", "gold_2"],
            "item_numbers",
        ),
        index(
            "item", ["study", "kind", "retired"], "item_gold_is_none", condition=Q(gold__isnull=False, gold_1=None)
        ),
        index(
            "judgment",
            ["annotator", "outcome", "door", "number_1", "position", "item"]
            + ["number_2", "milliseconds", "assignment", "revision"],
            "judgment_numbers",
        ),
        migrations.RunPython(guard, step_aside),
    ]
