"""Where e-mail goes, read from the environment: a server, a folder, or the terminal."""

from __future__ import annotations

from email.utils import parseaddr
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from variorum import env

SECONDS = 10
"""For one step of a conversation with a server."""
PORTS = {"smtp": 587, "smtps": 465}
BACKENDS = {
    "smtp": "django.core.mail.backends.smtp.EmailBackend",
    "smtps": "django.core.mail.backends.smtp.EmailBackend",
    "file": "django.core.mail.backends.filebased.EmailBackend",
    "console": "django.core.mail.backends.console.EmailBackend",
    "": "django.core.mail.backends.dummy.EmailBackend",
}
HERE = {"localhost", "127.0.0.1", "::1"}


class MailServer(NamedTuple):
    """How e-mail is sent, as Django's settings have it.

    backend: the class that sends; without a server one that sends nothing.
    host, port, user, password: of the server.
    starttls: whether the conversation is encrypted from its second step.
    tls: whether it is from its first.
    folder: where messages are written instead of being sent.
    sender: whom they are from.
    """

    backend: str
    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False
    folder: str = ""
    sender: str = ""


def mail_server() -> MailServer:
    """Return how e-mail is sent. Raises `ImproperlyConfigured`."""
    url = env.text("VARIORUM_MAIL_URL")
    if not url:
        return MailServer(BACKENDS[""])
    parts, sender = urlsplit(url), checked_sender(env.text("VARIORUM_MAIL_FROM"))
    if parts.scheme == "console":
        return MailServer(BACKENDS["console"], sender=sender)
    if parts.scheme == "file" and parts.path.startswith("/"):
        return MailServer(BACKENDS["file"], folder=unquote(parts.path), sender=sender)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            "VARIORUM_MAIL_URL must look like smtp://user@host:587 or smtps://user@host:465, or "
            "file:///folder or console: to try it."
        )
    return MailServer(
        BACKENDS[parts.scheme],
        host=parts.hostname,
        port=checked_port(url) or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=env.password("VARIORUM_MAIL", url_has=bool(parts.password)) or unquote(parts.password or ""),
        starttls=parts.scheme == "smtp" and parts.hostname not in HERE,
        tls=parts.scheme == "smtps",
        sender=sender,
    )


def checked_port(url: str) -> int | None:
    """Return the port of an address, None where it names none. Raises `ImproperlyConfigured`."""
    try:
        return urlsplit(url).port
    except ValueError:
        raise ImproperlyConfigured("VARIORUM_MAIL_URL: the port is a number from 1 to 65535.") from None


def checked_sender(sender: str) -> str:
    """Return whom e-mail is from: a name and an address. Raises `ImproperlyConfigured`."""
    try:
        validate_email(parseaddr(sender)[1])
    except ValidationError:
        raise ImproperlyConfigured(
            f"VARIORUM_MAIL_FROM={sender!r}: VARIORUM_MAIL_URL needs the address that e-mail is from, "
            "such as Variorum <variorum@example.org>."
        ) from None
    return sender


def site() -> str:
    """Return the site's address without a slash at its end; "" where it is not set."""
    value = env.text("VARIORUM_SITE").rstrip("/")
    parts = urlsplit(value)
    plain = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    if value and not (parts.scheme in ("http", "https") and parts.hostname and plain):
        raise ImproperlyConfigured(
            f"VARIORUM_SITE={value!r} is no address of a site: use https:// and its name, and nothing behind."
        )
    return value
