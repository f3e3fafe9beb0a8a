"""What refuses to change an answered call, in the database itself.

SQLite makes a table anew to change it, and its triggers go with the old one: a migration that does puts them
back by `guard`.
"""

TABLE = "machines_call"
# Of an answer only this may change: that it could not be read, once, with the reason; and its budget may go.
FREE = {"state", "problem", "budget_id"}

FUNCTION = """
CREATE OR REPLACE FUNCTION machines_append_only() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '% is append-only once it is answered', TG_TABLE_NAME; END
$$ LANGUAGE plpgsql
"""
POSTGRESQL = """
CREATE TRIGGER machines_call_append_only BEFORE UPDATE ON machines_call
FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION machines_append_only()
"""
SQLITE = """
CREATE TRIGGER machines_call_append_only BEFORE UPDATE ON machines_call WHEN {condition}
BEGIN SELECT RAISE(ABORT, 'machines_call is append-only once it is answered'); END
"""


def condition(columns, differs):
    """When an UPDATE is refused."""
    frozen = " OR ".join(f"NEW.{name} {differs} OLD.{name}" for name in sorted(set(columns) - FREE))
    marked = "OLD.state = 'answered' AND NEW.state = 'unreadable'"
    same = f"NEW.state = OLD.state AND NOT (NEW.problem {differs} OLD.problem)"
    budget = f"NEW.budget_id IS NOT NULL AND NEW.budget_id {differs} OLD.budget_id"
    return (
        f"OLD.state IN ('answered', 'unreadable') AND ({frozen} OR {budget} "
        f"OR NOT (({marked}) OR ({same})))"
    )


def guard(apps, schema_editor):
    columns = [field.column for field in apps.get_model("machines", "Call")._meta.concrete_fields]
    drop(apps, schema_editor)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION, params=None)  # a bare % is PL/pgSQL's, not a placeholder
        schema_editor.execute(POSTGRESQL.format(condition=condition(columns, "IS DISTINCT FROM")))
    else:
        schema_editor.execute(SQLITE.format(condition=condition(columns, "IS NOT")))


def drop(apps, schema_editor):
    on = f" ON {TABLE}" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER IF EXISTS machines_call_append_only{on}")
    if on:
        schema_editor.execute("DROP FUNCTION IF EXISTS machines_append_only()")
