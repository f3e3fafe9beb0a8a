#!/usr/bin/env python3
"""Django's command line for Variorum."""

import os
import sys

NO_DJANGO = "This Python has no Django. Use .venv/bin/python, which `make demo` and `make serve` make."
NO_TABLES = "The database has no tables yet, or older ones: `manage.py migrate` brings them up to date."

STARTS = ["serve"], ["demo"], ["migrate"]
"""What begins an installation, or a new version of it."""


def close_data_directory() -> None:
    """Before the database is opened: an older version left it open to other users."""
    from django.conf import settings

    from variorum import data_directory

    for sentence in data_directory.close_open(settings.DATA_DIR):
        sys.stderr.write(f"{sentence}\n")


def main() -> None:
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
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError, ProgrammingError, OSError) as error:
        # A setting, the database or the disk: for who runs the site, and where in the code helps nobody.
        of_code = isinstance(error, ProgrammingError)
        no_tables = ("does not exist" if of_code else "no such table") in str(error)
        if "--traceback" in sys.argv or (of_code and not no_tables):
            raise
        sys.exit(f"{type(error).__name__}: {error}" + (f"\n{NO_TABLES}" if no_tables else ""))


if __name__ == "__main__":
    main()
