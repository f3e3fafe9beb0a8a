"""Try what leans on Django's inside on the newest Django, installed apart in a temporary folder.

    python -m tests.next_django [PYTHON ...]

A failure says what must change in `common/django_internals.py` before Django is raised. A new Django wants a
new Python: the newest on the path is taken, or the first of those named, with which it can be installed.
Where there is none, that is said, and is no failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = [*(f"python3.{minor}" for minor in range(19, 11, -1)), sys.executable]
TESTS = ["tests/common/test_composed.py", "tests/variorum/test_composed_queries.py"]
NEEDED = """djangorestframework drf-spectacular django-filter django-htmx django-template-partials django-csp
            whitenoise numpy rapidfuzz hypothesis pytest pytest-django""".split()


def main(pythons: list[str]) -> int:
    pinned, refused = pins(), "no Python"
    # Not a patch of the release that is pinned.
    newer = re.sub(r"==(\d+\.\d+).*", r">\1,!=\1.*", pinned["django"])
    for python in pythons:
        with tempfile.TemporaryDirectory(prefix="variorum-next-") as folder:
            apart = str(Path(folder) / "bin" / "python")
            refused = ran(python, "-m", "venv", folder) or ran(
                apart, "-m", "pip", "install", "--quiet", newer, *(pinned[name] for name in NEEDED)
            )
            if not refused:
                return tried(apart)
    sys.stdout.write(f"SKIPPED: nothing newer than {pinned['django']} can be installed here ({refused}).\n")
    return 0


def pins() -> dict[str, str]:
    """What the requirements pin: `name==version` by name."""
    text = "".join(
        (ROOT / name).read_text()
        for name in ("requirements-web.txt", "requirements.txt", "requirements-dev.txt")
    )
    return {found[1]: found[0] for found in re.finditer(r"^([\w-]+)==\S+", text, re.MULTILINE)}


def tried(python: str) -> int:
    """The exit status of the tests with that Python."""
    subprocess.run([python, "-m", "django", "--version"], check=True)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def ran(*command: str) -> str:
    """Empty where the command succeeded, else the last that it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return (done.stderr.strip() or "failed").splitlines()[-1] if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or PYTHONS))
