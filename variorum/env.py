"""Every environment variable Variorum reads, and nothing else reads the environment.

`VARIABLES` is the single list: `docs/settings.md` is compared with it by a test.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from variorum import data_directory

VARIABLES: dict[str, str] = {
    "VARIORUM_DEBUG": "Show errors in the browser. Off unless set to 1; never on a machine others can reach.",
    "VARIORUM_DEMO": "1: the demonstration’s links may be used again, from its own machine. "
    "Set by make demo; never on a machine others can reach. Default: off.",
    "VARIORUM_SECRET_KEY": "Signs sessions and links. At least 50 characters. "
    "Generated in the data directory for the embedded mode, required with VARIORUM_REDIS_URL.",
    "VARIORUM_SECRET_KEY_FILE": "A file that holds the secret key, instead of VARIORUM_SECRET_KEY.",
    "VARIORUM_SIGNER": "Who signs this installation's bundles (docs/bundle.md), as the check of one says it, "
    "such as the name of a project. Default: no name.",
    "VARIORUM_HOSTS": "Host names of the site, separated by commas. Default: localhost,127.0.0.1,[::1].",
    "VARIORUM_HTTPS": "1 when reached by https only: secure cookies, redirect, HSTS. Default: off.",
    "VARIORUM_PROXIES": "How many proxies of yours stand before the site and set or add to "
    "X-Forwarded-For; with any, they limit clients, not the site. Default: 0.",
    "VARIORUM_DATA_DIR": "Where the database, the generated key, models and collected files lie: a folder of "
    "its own, closed to other users. Default: ./var.",
    "VARIORUM_DATABASE_URL": "postgresql://user:password@host:port/name. Unset: SQLite.",
    "VARIORUM_REDIS_URL": "redis://host:port/db, the workers' queue. Unset: the embedded mode.",
    "VARIORUM_DEVICE": "Where dense rankers run: cpu, cuda (their jobs go to the queue gpu), or auto: in the "
    "queue cpu, on a GPU where the worker has one. Default: auto.",
    "VARIORUM_LOADING_SECONDS": "How long a worker may look for the quotations of one book in one source, or "
    "read one file. What takes longer ends as failed. Default: 600.",
    "VARIORUM_MODELS": "A TOML file that describes the language models this site may ask, or the TOML itself "
    "(docs/models.md). It names the variables that hold keys, never a key. Unset: none is asked.",
    "VARIORUM_WEBHOOKS": "A TOML file of the receivers that may be told of studies, or the TOML itself "
    "(docs/api.md). It names the variables that hold secrets, never a secret. Unset: nobody is told.",
    "VARIORUM_PORT": "Port of manage.py serve and make demo. Default: 8000.",
    "VARIORUM_TEST_DATA": "Tests only: a folder with real novels and criticism. Unset: those are skipped.",
}

DEVICES = {"auto", "cpu", "cuda"}
TRUE = {"1", "true", "yes", "on"}
FALSE = {"", "0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """Return the value of a variable listed in `VARIABLES`, or `default` when unset or empty."""
    if name not in VARIABLES:
        raise KeyError(f"{name} is not listed in variorum/env.py")
    return os.environ.get(name, "").strip() or default


def named_secret(name: str) -> str:
    """Return the key of a model or the secret of a receiver, from the variable that its description names;
    "" where unset.
    """
    return os.environ.get(name, "").strip()


def flag(name: str, default: bool = False) -> bool:
    """Return a yes/no variable. Anything that is neither is refused rather than guessed."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is neither on nor off: use 1 or 0.")


def names(name: str, default: str) -> list[str]:
    """Return a comma-separated list."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def device() -> str:
    """Return where dense rankers run."""
    value = text("VARIORUM_DEVICE", "auto").lower()
    if value not in DEVICES:
        raise ImproperlyConfigured(f"VARIORUM_DEVICE={value!r} is unknown: use auto, cpu or cuda.")
    return value


def proxies() -> int:
    """Return how many entries of X-Forwarded-For, from the right, were written by proxies of this site."""
    value = text("VARIORUM_PROXIES", "0")
    if not value.isdecimal() or int(value[:6]) > 9:
        raise ImproperlyConfigured(f"VARIORUM_PROXIES={value!r} is not a number of proxies: use 0 to 9.")
    return int(value)


def loading_seconds() -> int:
    """Return how long a search for quotations or an import may take, 1 second to a week."""
    value = text("VARIORUM_LOADING_SECONDS", "600")
    if not value.isdecimal() or not 1 <= int(value[:9]) <= 604_800:
        raise ImproperlyConfigured(
            f"VARIORUM_LOADING_SECONDS={value!r} is no time in seconds: use a number from 1 to 604800."
        )
    return int(value)


def port() -> int:
    """Return the port to serve on, 1 to 65535."""
    value = text("VARIORUM_PORT", "8000")
    if not value.isdigit() or not 1 <= int(value) <= 65535:
        raise ImproperlyConfigured(f"VARIORUM_PORT={value!r} is not a port: use a number from 1 to 65535.")
    return int(value)


def database(data_dir: Path) -> dict[str, Any]:
    """Return Django's DATABASES["default"]: PostgreSQL from the URL, else SQLite in `data_dir`."""
    url = text("VARIORUM_DATABASE_URL")
    if not url:
        return sqlite(data_dir / data_directory.DATABASE)
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            "VARIORUM_DATABASE_URL must look like postgresql://user:password@host:port/name "
            f"(found the scheme {parts.scheme!r} and the database name {parts.path.strip('/')!r})."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(path: Path) -> dict[str, Any]:
    """Return SQLite's settings for eight writers: the write lock is taken when a transaction begins.

    Django's deferred default upgrades from reading to writing in mid-transaction,
    which fails at once with "database is locked" whatever the timeout. `variorum.sqlite`
    serves waiting writers in turn; five seconds are for what writes beside it. The
    write-ahead log is turned on by a migration; connections are kept, because the last
    one to close folds the log up and the next must open it again.
    """
    return {
        "ENGINE": "variorum.sqlite",
        "NAME": path,
        "CONN_MAX_AGE": 60,
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5},
        "TEST": {"NAME": ":memory:"},
    }
