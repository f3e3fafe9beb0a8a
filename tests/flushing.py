"""How tests empty tables that refuse it: on SQLite Django's flush deletes row by row, and triggers see it."""

from __future__ import annotations

from django.db.backends.sqlite3.base import DatabaseOperations

_GUARDS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_kept' ESCAPE '\\'"


def take_guards_aside(monkeypatch):
    """Let a flush on SQLite delete what nobody may delete otherwise; the guards stand again behind it."""
    plain = DatabaseOperations.execute_sql_flush

    def execute_sql_flush(self, sql_list):
        with self.connection.cursor() as cursor:
            guards = cursor.execute(_GUARDS).fetchall()
            for name, _ in guards:
                cursor.execute(f"DROP TRIGGER {name}")
        try:
            plain(self, sql_list)
        finally:
            with self.connection.cursor() as cursor:
                for _, statement in guards:
                    cursor.execute(statement)

    monkeypatch.setattr(DatabaseOperations, "execute_sql_flush", execute_sql_flush)
