"""A person may withdraw: their enrolment and the events they caused are then nobody's."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from annotation.migrations._triggers import EVENT, RECORD


def allow(apps, schema_editor):
    replace(schema_editor, EVENT[schema_editor.connection.vendor])


def refuse(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    trigger = RECORD.POSTGRESQL if postgresql else RECORD.SQLITE
    replace(schema_editor, trigger.format(table="annotation_event"))


def replace(schema_editor, trigger):
    on = " ON annotation_event" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER annotation_event_append_only{on}")
    schema_editor.execute(trigger)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_study_life"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.AlterField(
            model_name="enrolment",
            name="user",
            field=models.ForeignKey(
                help_text="Null once the person has withdrawn",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="enrolments",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(allow, refuse),
    ]
