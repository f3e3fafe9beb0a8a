#!/usr/bin/env python3
"""Django's command line for Variorum."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError, OSError) as error:
        # A setting, the database or the disk: for who runs the site, and where in the code helps nobody.
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
