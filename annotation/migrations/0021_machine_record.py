"""Prompts and readings of machine readers are written once: the database refuses an UPDATE of either."""

from importlib import import_module

from django.db import migrations

RECORD = import_module("annotation.migrations.0002_append_only")
TABLES = ["annotation_promptversion", "annotation_machinereading"]


def add(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for table in TABLES:
        schema_editor.execute((RECORD.POSTGRESQL if postgresql else RECORD.SQLITE).format(table=table))


def drop(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for table in TABLES:
        schema_editor.execute(f"DROP TRIGGER {table}_append_only" + (f" ON {table}" if postgresql else ""))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_machine_readers")]
    operations = [migrations.RunPython(add, drop)]
