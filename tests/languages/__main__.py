"""Bring the catalogues up to date with the sources, compile them, and say what is not translated.

python -m tests.languages
"""

from __future__ import annotations

import os
import sys

import django


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
    django.setup()
    from tests.languages import catalogues

    wrong = 0
    for language in catalogues.languages():
        for name in catalogues.SOURCES:
            catalogues.update(language, name)
        for name in catalogues.COMPILED:
            catalogues.file(language, name).write_bytes(catalogues.compiled(language, name))
        for fault in catalogues.faults(language):
            sys.stdout.write(f"{language}: {fault}\n")
            wrong += 1
    sys.stdout.write(f"{wrong} faults: see docs/languages.md.\n" if wrong else "Every word is translated.\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
