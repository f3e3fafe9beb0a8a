"""What a report was computed with: Python, packages and their versions, the kind of machine and database.

Nothing here names the machine, its user or a folder of it.
"""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib.metadata import distributions
from typing import Any

from django.conf import settings
from django.db import connection

import annotation
import common
import evaluation
import machines
import retrieval
from common.code_digest import code_digest

CODE = (annotation, common, evaluation, machines, retrieval)


@cache
def sources() -> str:
    """Return a digest of all of Variorum's code that can have a part in a report."""
    return code_digest(*CODE)


def environment() -> dict[str, Any]:
    """Return it as plain values."""
    packages = {each.name: each.version for each in distributions()}
    return {
        "variorum": {"release": settings.VERSION, "sources": sources()},
        "python": {"version": platform.python_version(), "implementation": platform.python_implementation()},
        "platform": {
            "system": platform.system(),
            "machine": platform.machine(),
            "byte_order": sys.byteorder,
        },
        "database": connection.vendor,
        "packages": dict(sorted(packages.items(), key=lambda each: each[0].lower())),
    }
