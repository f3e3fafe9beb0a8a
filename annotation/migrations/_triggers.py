"""SQLite makes a table anew to change it, and its triggers go with the old one: here they are put back."""

from importlib import import_module

RECORD = import_module("annotation.migrations.0002_append_only")
FROZEN = import_module("annotation.migrations.0004_overlap_frozen")

JUDGMENT = "annotation_judgment"

# The one change an event allows is that its actor becomes nobody: a person may withdraw.
CHANGED = (
    "NEW.actor_id IS NOT NULL OR NEW.id <> OLD.id OR NEW.verb <> OLD.verb OR NEW.data <> OLD.data "
    "OR NEW.created <> OLD.created OR COALESCE(NEW.study_id, 0) <> COALESCE(OLD.study_id, 0)"
)
EVENT = {
    "sqlite": f"""
CREATE TRIGGER annotation_event_append_only BEFORE UPDATE ON annotation_event WHEN {CHANGED}
BEGIN SELECT RAISE(ABORT, 'annotation_event is append-only: add a new row'); END
""",
    "postgresql": f"""
CREATE TRIGGER annotation_event_append_only BEFORE UPDATE ON annotation_event
FOR EACH ROW WHEN ({CHANGED}) EXECUTE FUNCTION variorum_append_only()
""",
}


def restore(apps, schema_editor):
    """The triggers of migrations 0002, 0004 and 0006. PostgreSQL never loses them."""
    if schema_editor.connection.vendor != "sqlite":
        return
    for table in RECORD.TABLES:
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only")
        event = table == "annotation_event"
        schema_editor.execute(EVENT["sqlite"] if event else RECORD.SQLITE.format(table=table))
    schema_editor.execute("DROP TRIGGER IF EXISTS annotation_study_frozen")
    schema_editor.execute(FROZEN.SQLITE)


def nothing(apps, schema_editor):
    """In this direction the triggers are put back at the other end of the migration."""


def step_aside(apps, schema_editor):
    """Without the judgments’ trigger, while a migration fills columns of theirs."""
    on = f" ON {JUDGMENT}" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER {JUDGMENT}_append_only{on}")


def guard(apps, schema_editor):
    """The judgments' trigger again, and on SQLite those of all tables that were made anew."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(RECORD.POSTGRESQL.format(table=JUDGMENT))
    restore(apps, schema_editor)
