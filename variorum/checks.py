"""System checks of our own: what Django cannot know about this application."""

from __future__ import annotations

import sqlite3
from typing import Any

from django.conf import settings
from django.core import checks

# SQLite 3.7.0 to 3.51.2 can corrupt a WAL database when a checkpoint meets a reset.
WAL_RESET_FIXED = (3, 51, 3)


@checks.register(checks.Tags.database, deploy=True)
def sqlite_is_for_one_machine(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn before a real deployment on SQLite: what it cannot do, and which versions are safe."""
    if settings.DATABASES["default"]["ENGINE"] != "variorum.sqlite":
        return []
    found: list[checks.CheckMessage] = [
        checks.Warning(
            "SQLite serves one machine; several web machines or paid annotators want PostgreSQL.",
            hint="Set VARIORUM_DATABASE_URL=postgresql://user:password@host:port/name",
            id="variorum.W001",
        )
    ]
    if sqlite3.sqlite_version_info < WAL_RESET_FIXED:
        found.append(
            checks.Warning(
                f"SQLite {sqlite3.sqlite_version} has the WAL-reset fault, mended in 3.51.3: "
                "rare, but a crash at the wrong moment can damage the database.",
                hint="Use a Python built against SQLite 3.51.3 or newer, or PostgreSQL.",
                id="variorum.W002",
            )
        )
    return found


@checks.register(checks.Tags.security, deploy=True)
def no_demonstration(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse the demonstration's links, which can be used again, on a deployed site."""
    if not settings.DEMONSTRATION:
        return []
    return [
        checks.Error(
            "The site runs as the demonstration: its sign-in links may be used again and again.",
            hint="Take VARIORUM_DEMO out of the environment.",
            id="variorum.E001",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def hosts_are_named(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse a deployed site that answers to every name: whoever asks would choose where its links lead."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        checks.Error(
            "VARIORUM_HOSTS=* lets a request name any host: links that the site makes would lead there.",
            hint="Name the hosts by which people reach the site: VARIORUM_HOSTS=variorum.example.org",
            id="variorum.E002",
        )
    ]
