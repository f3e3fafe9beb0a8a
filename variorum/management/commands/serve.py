"""Start the site and its worker."""

from __future__ import annotations

import errno
import os
import socket
from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper
from django.db import connections

from variorum import env
from variorum.server import leftovers, processes, supervisor


class Command(BaseCommand):
    help = "Start the web server and a worker, again whenever it ends. Ctrl-C stops both."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, help="default: VARIORUM_PORT, else 8000")
        parser.add_argument("--workers", type=int, default=2, help="web processes (default 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"] or env.port()
        leftovers.end_leftovers(settings.DATA_DIR, processes.PATIENCE_SECONDS, self.stderr.write)
        with opened(host, port) as listening_socket:
            self.start(host, port, options["workers"], listening_socket)

    def start(self, host: str, port: int, workers: int, listening_socket: socket.socket) -> None:
        """Start everything at a port that is held open: nobody else can take it while things are prepared."""
        self.prepare()
        # Children import the same settings, wherever this was started from.
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        said = self.announcement(url)
        connections.close_all()
        self.stdout.flush()
        self.stderr.flush()
        supervisor.become(
            supervisor.Site(
                web=processes.web_command(host, port, workers, listening_socket),
                worker=processes.worker_command(),
                folder=str(settings.DATA_DIR),
                url=url,
                name=site_name(),
                said=said,
                listening=listening_socket.fileno(),
            )
        )

    def prepare(self) -> None:
        """Bring tables and static files up to date; the demo adds its sample."""
        self.stdout.write("Preparing the database and the static files …")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)

    def announcement(self, url: str) -> str:
        """Return what is said of the site once it really answers."""
        name = site_name()
        known = name in url or name == "localhost"
        terminal, self.stdout = self.stdout, OutputWrapper(StringIO())
        try:
            self.stdout.write(f"Variorum is at {url}" + ("" if known else f", by the name {name}"))
            self.welcome(url)
            self.stdout.write("Ctrl-C stops the site and its worker.", ending="")
            return str(self.stdout.getvalue())
        finally:
            self.stdout = terminal

    def welcome(self, url: str) -> None:
        """Say what else there is to say when the site is up; the demo prints its sign-in links here."""


def opened(host: str, port: int) -> socket.socket:
    """Open the port. Raises `CommandError`, which says what to do, where it cannot be had."""
    try:
        return processes.open_port(host, port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise CommandError(f"{host}:{port} cannot be listened on: {error.strerror}.") from error
        raise CommandError(
            f"Something listens on {host}:{port} already. "
            f"Stop it, or choose another port: VARIORUM_PORT={port + 1}"
        ) from error


def site_name() -> str:
    """Return the first of VARIORUM_HOSTS; where that is a pattern, a name that it takes."""
    first: str = settings.ALLOWED_HOSTS[0]
    return "localhost" if first == "*" else first.lstrip(".")
