"""`manage.py wait_until_ready`: what a worker's container runs first."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from variorum.outside import readiness


class Command(BaseCommand):
    help = "Wait until the database answers with every migration applied, and Redis where it is used."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=float, default=600.0, help="at most so long (default 600)")
        parser.add_argument("--every", type=float, default=2.0, help="ask so often, in seconds (default 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        deadline, said = time.monotonic() + options["seconds"], ""
        while why := readiness.not_ready():
            # A database that was away is asked by a new connection.
            connection.close()
            if why != said:
                self.stdout.write(f"Waiting: {why}")
                self.stdout.flush()
            said = why
            if time.monotonic() >= deadline:
                raise CommandError(f"Not ready after {options['seconds']:g} s: {why}")
            time.sleep(options["every"])
        self.stdout.write("Ready.")
