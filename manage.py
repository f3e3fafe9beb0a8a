#!/usr/bin/env python3
"""Django's command line for Variorum."""

import os
import select
import sys
from typing import TextIO

NO_DJANGO = "This Python has no Django. Use .venv/bin/python, which `make demo` and `make serve` make."
NO_TABLES = "The database has no tables yet, or older ones: `manage.py migrate` brings them up to date."

STARTS = ["serve"], ["demo"], ["migrate"]
"""What begins an installation, or a new version of it."""

SAFE = {
    "check", "collectstatic", "dbshell", "diffsettings", "doctor", "findstatic", "help", "makemigrations",
    "shell", "showmigrations", "spectacular", "sqlmigrate", "test", "version",
}  # fmt: skip
"""Commands that older code may run on a newer database: they write nothing there by themselves."""

SIGPIPE_STATUS = 141
"""What a shell says of a program whose reader has gone."""


def close_data_directory() -> None:
    """Before the database is opened: an older version left it open to other users."""
    from django.conf import settings

    from variorum import data_directory

    for sentence in data_directory.close_open(settings.DATA_DIR):
        sys.stderr.write(f"{sentence}\n")


def refuse_newer_database() -> None:
    """End with a sentence where the database is newer than this code, before a command can misread it."""
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in SAFE or command.startswith("-") or {"--help", "-h"} & set(sys.argv):
        return
    import django

    django.setup()

    from variorum.server import newer_database

    said = newer_database.refusal()
    if said:
        sys.exit(said)


def run() -> None:
    """Run the command that the command line names; end with a sentence where settings or database fail."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
        from django.db import OperationalError, ProgrammingError
    except ModuleNotFoundError as error:
        if error.name != "django":
            raise
        sys.exit(NO_DJANGO)

    try:
        if sys.argv[1:2] in STARTS:
            close_data_directory()
        refuse_newer_database()
        execute_from_command_line(sys.argv)
    except BrokenPipeError:
        raise
    except (ImproperlyConfigured, OperationalError, ProgrammingError, OSError) as error:
        # A setting, the database or the disk: for who runs the site, and where in the code helps nobody.
        of_code = isinstance(error, ProgrammingError)
        no_tables = ("does not exist" if of_code else "no such table") in str(error)
        if "--traceback" in sys.argv or (of_code and not no_tables):
            raise
        sys.exit(f"{type(error).__name__}: {error}" + (f"\n{NO_TABLES}" if no_tables else ""))


def is_unread(stream: TextIO) -> bool:
    """Return whether what is written there goes into a pipe that nobody reads any more (head, less)."""
    asked = select.poll()
    asked.register(stream, 0)
    return any(state & select.POLLERR for _, state in asked.poll(0))


def main() -> None:
    try:
        try:
            run()
        finally:
            if sys.stdout is not None:  # As it is where nothing is open to write to.
                sys.stdout.flush()
    except BrokenPipeError as error:
        unread = [each for each in (sys.stdout, sys.stderr) if each is not None and is_unread(each)]
        if not unread:
            sys.exit(f"BrokenPipeError: {error}")  # Of the network, not of whoever reads what is printed.
        for each in unread:
            # Nothing may complain again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), each.fileno())
        # Rows that were still to be read are let go of after their database was closed.
        sys.unraisablehook = lambda _: None
        sys.exit(SIGPIPE_STATUS)


if __name__ == "__main__":
    main()
