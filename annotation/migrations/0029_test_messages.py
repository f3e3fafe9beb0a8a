"""A message may be a test: what is sent to see whether it arrives."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0028_source_after")]
    operations = [
        migrations.AlterField(
            model_name="delivery",
            name="event",
            field=models.CharField(
                choices=[
                    ("judgment.created", "A judgment was given or revised"),
                    ("item.done", "An item has all its readings"),
                    ("study.done", "All items have all their readings"),
                    ("webhook.test", "A test"),
                ],
                max_length=20,
            ),
        ),
    ]
