"""System checks of our own: what Django cannot know about this application."""

from __future__ import annotations

import sqlite3
from typing import Any

from csp.constants import NONE, SELF
from django.conf import settings
from django.core import checks

# SQLite 3.7.0 to 3.51.2 can corrupt a WAL database when a checkpoint meets a reset.
WAL_RESET_FIXED = (3, 51, 3)
NEEDED = (
    "default-src",
    "script-src",
    "style-src",
    "form-action",
    "base-uri",
    "frame-ancestors",
    "object-src",
)
"""What a policy says in any case; some of it is not covered by `default-src`."""


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


@checks.register(checks.Tags.security, deploy=True)
def browsers_are_told_what_to_refuse(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse a deployed site whose pages may run what stands in a text, or show what comes from elsewhere."""
    if "csp.middleware.CSPMiddleware" not in settings.MIDDLEWARE:
        told: dict[str, Any] = {}
    else:
        told = settings.CONTENT_SECURITY_POLICY.get("DIRECTIVES", {})
    odd = sorted(
        {name for name in NEEDED if name not in told}
        | {name for name, sources in told.items() if set(sources) - {NONE, SELF}}
    )
    if not odd:
        return []
    return [
        checks.Error(
            f"CONTENT_SECURITY_POLICY leaves pages open: {', '.join(odd)}.",
            hint="Each directive is 'none' or 'self', and none of those of variorum/settings.py is missing.",
            id="variorum.E003",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def messages_hold_no_code(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse a deployed site whose workers would unpack anything but JSON: a pickle runs what it holds."""
    taken = {*settings.CELERY_ACCEPT_CONTENT, *settings.CELERY_RESULT_ACCEPT_CONTENT} - {"json"}
    if not taken:
        return []
    return [
        checks.Error(
            f"Workers take messages of the type {', '.join(sorted(taken))}, which can hold code.",
            hint='CELERY_ACCEPT_CONTENT and CELERY_RESULT_ACCEPT_CONTENT are ["json"].',
            id="variorum.E004",
        )
    ]
