"""Triggers against two ways round `_kept`: TRUNCATE, which fires no trigger of a row, and INSERT OR REPLACE, for
which SQLite deletes the row that stands there and fires none either, unless a connection asks for it.

Names that an INSERT may not take once more are those of the tables' unique constraints. `restore` puts the
triggers back where SQLite has made a table anew.
"""

UNIQUE = {
    "annotation_judgment": ["id", "assignment_id, revision", "submission"],
    "annotation_decision": ["id", "item_id, revision", "submission"],
    "annotation_event": ["id"],
    "annotation_erasure": ["id"],
    "annotation_seal": ["id", "number", "digest"],
}
FUNCTION = """
CREATE FUNCTION variorum_not_emptied() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '% is append-only: it cannot be emptied', TG_TABLE_NAME; END
$$ LANGUAGE plpgsql
"""


def _same(columns):
    return "(" + " AND ".join(f"t.{name} = NEW.{name}" for name in columns.split(", ")) + ")"


def _sqlite(table):
    there = " OR ".join(map(_same, UNIQUE[table]))
    return f"""
CREATE TRIGGER {table}_not_replaced BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} t WHERE {there})
BEGIN SELECT RAISE(ABORT, '{table} is append-only: such a row is there already'); END
"""


def add(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for table in UNIQUE:
            schema_editor.execute(_sqlite(table), params=None)
        return
    schema_editor.execute(FUNCTION, params=None)  # a bare % is PL/pgSQL's, not a placeholder
    for table in UNIQUE:
        schema_editor.execute(
            f"CREATE TRIGGER {table}_not_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION variorum_not_emptied()"
        )


def drop(apps, schema_editor):
    sqlite = schema_editor.connection.vendor == "sqlite"
    for table in UNIQUE:
        name = f"{table}_not_replaced" if sqlite else f"{table}_not_emptied ON {table}"
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")
    if not sqlite:
        schema_editor.execute("DROP FUNCTION variorum_not_emptied()")


def restore(apps, schema_editor):
    """Put back what SQLite lost when it made a table anew. PostgreSQL never loses them."""
    if schema_editor.connection.vendor == "sqlite":
        drop(apps, schema_editor)
        add(apps, schema_editor)
