"""Every environment variable Variorum reads, and nothing else reads the environment.

`VARIABLES` is the single list: `docs/settings.md` is compared with it by a test.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

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
    "VARIORUM_DATABASE_URL": "postgresql://user:password@host:port/name; on another machine with "
    "?sslmode=verify-full&sslrootcert=FILE, on the same one postgresql://user@/name?host=/run/postgresql "
    "by its socket. Unset: SQLite.",
    "VARIORUM_DATABASE_PASSWORD_FILE": "A file that holds the database’s password, instead of writing it "
    "into VARIORUM_DATABASE_URL.",
    "VARIORUM_REDIS_URL": "redis://host:port/db, the workers' queue. Unset: the embedded mode.",
    "VARIORUM_REDIS_PASSWORD_FILE": "A file that holds the password of Redis, instead of writing it into "
    "VARIORUM_REDIS_URL.",
    "VARIORUM_METRICS_TOKEN": "Lets whoever sends it as a bearer token read /metrics. At least 20 "
    "characters. Unset: there is no such address.",
    "VARIORUM_METRICS_TOKEN_FILE": "A file that holds the token, instead of VARIORUM_METRICS_TOKEN.",
    "VARIORUM_LOG_FORMAT": "plain, or json: a line of JSON for each event and each request. Default: plain.",
    "VARIORUM_DEVICE": "Where dense rankers run: cpu, cuda (their jobs go to the queue gpu), or auto: in the "
    "queue cpu, on a GPU where the worker has one. Default: auto.",
    "VARIORUM_LOADING_SECONDS": "How long a worker may look for the quotations of one book in one source, or "
    "read one file. What takes longer ends as failed. Default: 600.",
    "VARIORUM_MODELS": "A TOML file that describes the language models this site may ask, or the TOML itself "
    "(docs/models.md). It names the variables that hold keys, never a key. Unset: none is asked.",
    "VARIORUM_WEBHOOKS": "A TOML file of the receivers that may be told of studies, or the TOML itself "
    "(docs/api.md). It names the variables that hold secrets, never a secret. Unset: nobody is told.",
    "VARIORUM_SITE": "The site's address, such as https://variorum.example.org: links in e-mail, and those "
    "that commands print, begin with it. Unset: commands print paths, and no e-mail is sent.",
    "VARIORUM_MAIL_URL": "How e-mail to readers is sent: smtp://user@host:587 (encrypted by STARTTLS, but on "
    "this machine), smtps://user@host:465, or, to try it, file:///folder or console:. Unset: none is sent, "
    "and pages say which link to send to whom.",
    "VARIORUM_MAIL_PASSWORD_FILE": "A file that holds the password of the mail server, instead of writing it "
    "into VARIORUM_MAIL_URL.",
    "VARIORUM_MAIL_FROM": "Whom e-mail is from: Variorum <variorum@example.org>. Required with "
    "VARIORUM_MAIL_URL.",
    "VARIORUM_PORT": "Port of manage.py serve and make demo. Default: 8000.",
    "VARIORUM_TEST_DATA": "Tests only: a folder with real novels and criticism. Unset: those are skipped.",
}

SHORTEST_TOKEN = 20
LOG_FORMATS = {"plain", "json"}
DEVICES = {"auto", "cpu", "cuda"}
DATABASE_OPTIONS = {
    "host": re.compile("/.+"),
    "sslmode": re.compile("require|verify-ca|verify-full"),
    "sslrootcert": re.compile("/.+"),
}
"""What PostgreSQL's URL may say behind its `?`. A weaker `sslmode` would say encrypted and not be."""
TRUE = {"1", "true", "yes", "on"}
FALSE = {"", "0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """Return the value of a variable listed in `VARIABLES`, or `default` when unset or empty."""
    if name not in VARIABLES:
        raise KeyError(f"{name} is not listed in variorum/env.py")
    return os.environ.get(name, "").strip() or default


def named_secret(name: str) -> str:
    """Return the key of a model or the secret of a receiver: of the variable that its description names, or
    of the file that this name with _FILE names; "" where both are unset.
    """
    return os.environ.get(name, "").strip() or _held_by(f"{name}_FILE", os.environ.get(f"{name}_FILE", ""))


def secret_text(name: str) -> str:
    """Return a secret from the file that `name`_FILE names, else from its variable; "" where neither is set.

    Raises `ImproperlyConfigured` where the file cannot be read or is empty.
    """
    return _held_by(f"{name}_FILE", text(f"{name}_FILE")) or text(name)


def _held_by(name: str, file: str) -> str:
    """Return what stands in the file that the variable `name` names; "" where it names none."""
    if not file:
        return ""
    try:
        held = Path(file).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise ImproperlyConfigured(f"{name}={file}: no text in UTF-8.") from error
    except OSError as error:
        raise ImproperlyConfigured(f"{name}={file}: {error.strerror}.") from error
    if not held:
        raise ImproperlyConfigured(f"{name}={file}: the file is empty.")
    return held


def password(of: str, url_has: bool) -> str:
    """Return the password in the file that `of`_PASSWORD_FILE names; "" where it names none."""
    name = f"{of}_PASSWORD_FILE"
    held = _held_by(name, text(name))
    if held and url_has:
        raise ImproperlyConfigured(f"{of}_URL and {name} both hold a password: take one away.")
    return held


def metrics_token() -> str:
    """Return the bearer token by which /metrics is read; "" where it is not offered."""
    value = secret_text("VARIORUM_METRICS_TOKEN")
    if value and len(value) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(
            f"VARIORUM_METRICS_TOKEN is too short: use at least {SHORTEST_TOKEN} random characters, "
            "for example from: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return value


def log_format() -> str:
    """Return how the log is written, "plain" or "json"."""
    value = text("VARIORUM_LOG_FORMAT", "plain").lower()
    if value not in LOG_FORMATS:
        raise ImproperlyConfigured(f"VARIORUM_LOG_FORMAT={value!r} is unknown: use plain or json.")
    return value


def redis_url() -> str:
    """Return the address of Redis with its password; "" in the embedded mode."""
    url = text("VARIORUM_REDIS_URL")
    held = password("VARIORUM_REDIS", url_has=bool(urlsplit(url).password))
    if not url or not held:
        return url
    scheme, _, rest = url.partition("://")
    user, _, where = rest.rpartition("@")
    return f"{scheme}://{user.rstrip(':')}:{quote(held, safe='')}@{where}"


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
    said = _database_options(parts.query)
    folder = said.pop("host", "")
    if folder and parts.hostname:
        raise ImproperlyConfigured(
            f"VARIORUM_DATABASE_URL names a host ({parts.hostname!r}) and a socket ({folder!r}): "
            "take one away."
        )
    held = password("VARIORUM_DATABASE", url_has=bool(parts.password))
    return {
        "ENGINE": "variorum.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": held or unquote(parts.password or ""),
        "HOST": folder or parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 300,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"prepare_threshold": 0, **said},
    }


def _database_options(query: str) -> dict[str, str]:
    """Return what the database's URL says behind its `?`; what is not read is refused, not passed over."""
    pairs = parse_qsl(query, keep_blank_values=True)
    for name, value in pairs:
        if name not in DATABASE_OPTIONS or not DATABASE_OPTIONS[name].fullmatch(value):
            raise ImproperlyConfigured(
                f"VARIORUM_DATABASE_URL says {f'{name}={value}'!r}: behind ? it may have "
                "host=/folder/of/the/socket, sslmode=require, verify-ca or verify-full, and "
                "sslrootcert=/file/of/certificates."
            )
    if len(pairs) > len(dict(pairs)):
        raise ImproperlyConfigured(f"VARIORUM_DATABASE_URL says something twice: {query!r}.")
    return dict(pairs)


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
