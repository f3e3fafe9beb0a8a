"""What SQLite's texts become: moments without what Django asks of each.

Django asks the settings, lazily, and the moment's zone for every moment it reads, which took about a tenth of
the time in which a large study is exported.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.backends.sqlite3 import operations


class DatabaseOperations(operations.DatabaseOperations):
    """Django's, but for moments: they stand in the database in UTC, as text that Python reads by itself."""

    def convert_datetimefield_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return a moment by its text; what is no such text, or in another zone, is left to Django."""
        if type(value) is str and connection.timezone is UTC:
            try:
                found = datetime.fromisoformat(value)
            except ValueError:
                return super().convert_datetimefield_value(value, expression, connection)
            if found.tzinfo is None:
                return found.replace(tzinfo=UTC)
        return super().convert_datetimefield_value(value, expression, connection)
