"""The indexes of a report's numbers in the order in which it groups them: by what has few values, first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_bound_keys")]
    operations = [
        migrations.RemoveIndex("item", "item_numbers"),
        migrations.AddIndex(
            "item",
            models.Index(
                fields=["study", "kind", "retired", "options", "gold_option", "number", "tokens"]
                + ["anchor_start", "anchor_end", "gold_start", "gold_end"],
                name="item_numbers",
            ),
        ),
        migrations.AddIndex(
            "item",
            models.Index(
                fields=["study", "kind", "retired"],
                name="item_gold_is_none",
                condition=models.Q(gold__isnull=False, gold_option=None, gold_start=None),
            ),
        ),
        migrations.RemoveIndex("judgment", "judgment_numbers"),
        migrations.AddIndex(
            "judgment",
            models.Index(
                fields=["annotator", "outcome", "door", "option", "position", "item", "start", "end"]
                + ["milliseconds", "assignment", "revision"],
                name="judgment_numbers",
            ),
        ),
    ]
