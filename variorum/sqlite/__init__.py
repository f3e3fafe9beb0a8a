"""A database backend: SQLite whose writers are served in turn."""
