"""Refuse UPDATE on the record in the database itself, on SQLite and on PostgreSQL."""

from django.db import migrations

TABLES = ["annotation_judgment", "annotation_event", "annotation_guideline"]

SQLITE = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only: add a new row'); END
"""
POSTGRESQL = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION variorum_append_only()
"""
FUNCTION = """
CREATE FUNCTION variorum_append_only() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '% is append-only: add a new row', TG_TABLE_NAME; END
$$ LANGUAGE plpgsql
"""


def add(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    if postgresql:
        schema_editor.execute(FUNCTION, params=None)  # a bare % is PL/pgSQL's, not a placeholder
    for table in TABLES:
        schema_editor.execute((POSTGRESQL if postgresql else SQLITE).format(table=table))


def drop(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for table in TABLES:
        schema_editor.execute(f"DROP TRIGGER {table}_append_only" + (f" ON {table}" if postgresql else ""))
    if postgresql:
        schema_editor.execute("DROP FUNCTION variorum_append_only()")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(add, drop)]
