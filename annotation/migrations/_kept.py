"""Triggers that refuse DELETE on the record, on SQLite and on PostgreSQL, where no erasure speaks of the row.

They ask the table of erasures and no other: SQLite makes a table anew to change it, and refuses that while a
trigger elsewhere names it. `restore` puts them back after such a change, that of `_whole` the others.
"""

OF_STUDY = "e.study = OLD.study_id AND e.enrolment IS NULL"
NUMBER = {
    "sqlite": "CAST(json_extract(OLD.data, '$.enrolment') AS TEXT)",
    "postgresql": "OLD.data->>'enrolment'",
}
RULES = {
    "annotation_judgment": "e.extent = 'all' AND e.enrolment = OLD.annotator_id",
    "annotation_decision": "e.extent = 'all' AND e.enrolment = OLD.adjudicator_id",
    "annotation_event": f"({OF_STUDY}) OR (e.study = OLD.study_id AND CAST(e.enrolment AS TEXT) = {{number}})",
    "annotation_erasure": "1 = 0",
    "annotation_seal": "1 = 0",
}
SAYS = "is append-only: a row is deleted only where an erasure says so"


def _function(table):
    return f"variorum_keeps_{table.removeprefix('annotation_')}"


def _sqlite(table, rule):
    return f"""
CREATE TRIGGER {table}_kept BEFORE DELETE ON {table}
WHEN NOT EXISTS (SELECT 1 FROM annotation_erasure e WHERE {rule})
BEGIN SELECT RAISE(ABORT, '{table} {SAYS}'); END
"""


def _postgresql(table, rule):
    yield f"""
CREATE FUNCTION {_function(table)}() RETURNS trigger AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM annotation_erasure e WHERE {rule}) THEN
    RAISE EXCEPTION '{table} {SAYS}';
  END IF;
  RETURN OLD;
END
$$ LANGUAGE plpgsql
"""
    yield f"""
CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {_function(table)}()
"""


def add(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table, rule in RULES.items():
        rule = rule.format(number=NUMBER[vendor])
        for statement in [_sqlite(table, rule)] if vendor == "sqlite" else _postgresql(table, rule):
            schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for table in RULES:
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_kept" + (f" ON {table}" if postgresql else ""))
        if postgresql:
            schema_editor.execute(f"DROP FUNCTION {_function(table)}()")


def restore(apps, schema_editor):
    """Put back what SQLite lost when it made a table anew. PostgreSQL never loses them."""
    if schema_editor.connection.vendor == "sqlite":
        drop(apps, schema_editor)
        add(apps, schema_editor)
