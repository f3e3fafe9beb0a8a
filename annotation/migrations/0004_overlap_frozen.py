"""Once a study has left its draft, the database refuses another overlap, task or seed.

The places were made for that overlap, and the orders that readers saw came from that seed.
"""

from django.db import migrations

CHANGED = (
    "OLD.state <> 'draft' AND "
    "(NEW.overlap <> OLD.overlap OR NEW.task <> OLD.task OR NEW.seed <> OLD.seed)"
)
MESSAGE = "overlap, task and seed of a study stay as they were when it opened"
SQLITE = f"""
CREATE TRIGGER annotation_study_frozen BEFORE UPDATE ON annotation_study WHEN {CHANGED}
BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END
"""
FUNCTION = f"""
CREATE FUNCTION variorum_study_frozen() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '{MESSAGE}'; END
$$ LANGUAGE plpgsql
"""
POSTGRESQL = f"""
CREATE TRIGGER annotation_study_frozen BEFORE UPDATE ON annotation_study
FOR EACH ROW WHEN ({CHANGED}) EXECUTE FUNCTION variorum_study_frozen()
"""


def add(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION)
        schema_editor.execute(POSTGRESQL)
    else:
        schema_editor.execute(SQLITE)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER annotation_study_frozen ON annotation_study")
        schema_editor.execute("DROP FUNCTION variorum_study_frozen()")
    else:
        schema_editor.execute("DROP TRIGGER annotation_study_frozen")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_furthest_item")]
    operations = [migrations.RunPython(add, drop)]
