"""`manage.py worker_alive QUEUE`: the health check of a worker's container."""

from __future__ import annotations

import socket
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.jobs import workers


class Command(BaseCommand):
    help = "Say whether a worker of this machine has lately given a sign of life; fail where none has."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", help="its queue: cpu or gpu")

    def handle(self, *args: Any, **options: Any) -> None:
        quiet = workers.seconds_since_seen(options["queue"], host=socket.gethostname())
        if quiet is None or quiet > workers.ABSENT_SECONDS:
            seen = "never seen" if quiet is None else f"last seen {quiet:.0f} s ago"
            raise CommandError(f"No worker for {options['queue']} on this machine: {seen}.")
        self.stdout.write(f"Seen {quiet:.0f} s ago.")
