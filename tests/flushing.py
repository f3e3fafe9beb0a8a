"""How tests empty tables that refuse it.

On SQLite Django's flush deletes row by row, on PostgreSQL it truncates, and triggers see either.
"""

from __future__ import annotations

from django.db.backends.postgresql.base import DatabaseOperations as PostgreSQL
from django.db.backends.sqlite3.base import DatabaseOperations as SQLite

_GUARDS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_kept' ESCAPE '\\'"
_EACH = """
DO $$ DECLARE guard record;
BEGIN
  FOR guard IN SELECT tgrelid::regclass AS of, tgname FROM pg_trigger WHERE tgname LIKE '%\\_not\\_emptied'
  LOOP EXECUTE format('ALTER TABLE %s {} TRIGGER %I', guard.of, guard.tgname); END LOOP;
END $$
"""


def take_guards_aside(monkeypatch):
    """Let a flush delete what nobody may delete otherwise; the guards stand again behind it."""
    deleting, truncating = SQLite.execute_sql_flush, PostgreSQL.execute_sql_flush

    def delete(self, sql_list):
        with self.connection.cursor() as cursor:
            guards = cursor.execute(_GUARDS).fetchall()
            for name, _ in guards:
                cursor.execute(f"DROP TRIGGER {name}")
        try:
            deleting(self, sql_list)
        finally:
            with self.connection.cursor() as cursor:
                for _, statement in guards:
                    cursor.execute(statement)

    def truncate(self, sql_list):
        # In one transaction: without its end the guards never went.
        truncating(self, [_EACH.format("DISABLE"), *sql_list, _EACH.format("ENABLE")] if sql_list else [])

    monkeypatch.setattr(SQLite, "execute_sql_flush", delete)
    monkeypatch.setattr(PostgreSQL, "execute_sql_flush", truncate)
