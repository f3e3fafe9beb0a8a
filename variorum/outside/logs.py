r"""The log: plain lines, or lines of JSON with the ids of the request, the person and the job.

    {"time": "2026-11-23T13:05:16.123456+00:00", "level": "INFO", "logger": "variorum.request",
     "message": "request", "request": "9f…", "person": "5b…", "route": "/read/<slug:slug>/", …}

Nothing of a request but what is named in `FIELDS` comes into a line. A line is an event: what somebody typed
cannot begin another, since line ends are written as `\n`.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.http import HttpRequest

UNMATCHED = "unmatched"
SECRET = "token"  # noqa: S105 - the name of a part
"""What of a path is one: codes of links from before they stood behind `#`, and the key that ends e-mail."""
REFUSALS = ("django.request", "django.security.csrf")
"""Loggers of Django whose lines name the path."""
REQUEST_ID = "variorum.request_id"
"""Where among the request's META its id stands."""
FIELDS = ("request", "person", "job", "method", "route", "status", "seconds")
"""What may stand beside time, level, logger, message and traceback."""

current_request: ContextVar[tuple[str, HttpRequest] | None] = ContextVar("current_request", default=None)
"""The id of the request that this thread answers, and the request."""
current_job: ContextVar[str] = ContextVar("current_job", default="")
"""The job that this worker computes: its kind and key."""


class Context(logging.Filter):
    """Adds the ids of the request, the person and the job that a line is about.

    `private`: whether Django's lines on refusals and failures name the route in place of the path; else it
    stands there as far as it is no secret.
    """

    def __init__(self, private: bool = False) -> None:
        super().__init__()
        self._private = private

    def filter(self, record: logging.LogRecord) -> bool:
        """Set the ids, whatever the caller gave under these names."""
        held = current_request.get()
        given: Any = record.__dict__.get("request")
        # Django gives the whole request, also when it is through with ours.
        if held is None and hasattr(given, "META"):
            held = given.META.get(REQUEST_ID), given
        if held and record.name in REFUSALS and isinstance(record.args, tuple):
            path = held[1].path
            said = route(held[1]) if self._private else shown_path(path)
            record.args = tuple(said if each == path else each for each in record.args)
        record.request = held[0] if held else None
        record.person = person(held[1]) if held else None
        record.job = current_job.get() or None
        return True


class OneLine(logging.Formatter):
    """Plain lines whose message cannot begin another line; a traceback follows in lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """Return the line."""
        return super().formatMessage(record).replace("\r", r"\r").replace("\n", r"\n")


def route(request: HttpRequest) -> str:
    """Return the pattern that led a request: `/studies/<slug:slug>/`."""
    return f"/{request.resolver_match.route}" if request.resolver_match else UNMATCHED


def shown_path(path: str) -> str:
    """Return a path as a log may have it: its pattern where it holds a `SECRET`, and nothing where it leads
    nowhere, since then nobody knows what it holds.
    """
    from django.conf import settings
    from django.urls import Resolver404, resolve

    if path.startswith(f"/{settings.STATIC_URL.strip('/')}/") and path.isprintable():
        return path
    try:
        found = resolve(path)
    except Resolver404:
        return UNMATCHED
    return f"/{found.route}" if SECRET in found.kwargs else path


def person(request: HttpRequest) -> str | None:
    """Return the key of whoever is signed in, if this request has asked for that already: no query."""
    user = getattr(request, "_cached_user", None)
    return person_key(user.pk) if user is not None and user.pk else None


@lru_cache(1024)
def person_key(pk: int) -> str:
    """Return the key by which the log knows an account: the same each time, and without the site's secret
    key nobody's. Who withdraws leaves no number in logs that leads to what else is kept.
    """
    from django.utils.crypto import salted_hmac

    return salted_hmac("variorum.outside.logs", str(pk), algorithm="sha256").hexdigest()[:16]


def json_formatter() -> logging.Formatter:
    """Return what writes a line of JSON; `FIELDS` alone go beside what every line has."""
    from pythonjsonlogger.json import JsonFormatter

    class Lines(JsonFormatter):
        def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
            kept = ("time", "level", "logger", "message", *FIELDS, "exc_info", "stack_info")
            return {name: log_data[name] for name in kept if log_data.get(name) is not None}

    renamed = {"levelname": "level", "name": "logger", "timestamp": "time"}
    return Lines(
        "%(levelname)s %(name)s %(message)s", rename_fields=renamed, timestamp=True, json_ensure_ascii=False
    )


def configuration(log_format: str) -> dict[str, Any]:
    """Return the logging of a process of the site, for `logging.config.dictConfig`."""
    json = {"()": "variorum.outside.logs.json_formatter"}
    plain = {
        "()": "variorum.outside.logs.OneLine",
        "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"context": {"()": "variorum.outside.logs.Context", "private": log_format == "json"}},
        "formatters": {"line": json if log_format == "json" else plain},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["context"]}
        },
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "django.server": {"level": "WARNING"},
            "fontTools": {"level": "WARNING"},
            # They would write down addresses of models, and more where they are asked to.
            "httpx2": {"level": "WARNING"},
            "httpcore2": {"level": "WARNING"},
        },
    }


def web_configuration(log_format: str) -> dict[str, Any]:
    """Return gunicorn's logging, which it sets before Django; {} where it keeps its own, plain lines.

    Its line for each request is left out: ours has the ids, and the route in place of the address.
    """
    if log_format != "json":
        return {}
    told = configuration(log_format)
    own = {"level": "INFO", "handlers": ["console"], "propagate": False}
    told["loggers"] = {"gunicorn.error": own, "gunicorn.access": {**own, "handlers": []}}
    return told
