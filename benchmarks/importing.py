"""How long a file of very many items takes to be imported, and what memory that needs.

    python -m benchmarks.importing --items 1000000 [--profile]

Writes a file of generated choices and imports it as `manage.py import_items` does, in a process of its own:
on SQLite or, where VARIORUM_DATABASE_URL names one, into a new database of that PostgreSQL. Printed are
seconds by the clock and of the processor until all lines were checked, and until all were stored, and the
most memory that the process held; with --profile the functions that took most.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.export import most_held
from tests.cases.installation import HERE, Installation, installation


def write(path: Path, items: int) -> None:
    """Write a file of choices, about 230 bytes a line, as the case I08 does."""
    with path.open("w", encoding="utf-8") as file:
        for at in range(items):
            left = [f"A critic writes sentence {at} here. and so on and so on "]
            options = [f"Lamp {at} burns low.", f"A boat left on day {at}."]
            line = {"id": f"i{at}", "left": left, "right": ["And goes on."], "options": options}
            file.write(json.dumps({**line, "gold": {"option": at % 2}}) + "\n")


def imported(file: Path, *, profile: bool) -> None:
    """Import the file in this process, and print what it took."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.management.commands import import_items

    began, worked, times = perf_counter(), process_time(), {}

    def progress(done: int, total: int, stage: str) -> None:
        times[stage] = perf_counter() - began, process_time() - worked

    import_items.bar = lambda: nullcontext(progress)  # type: ignore[attr-defined]
    before, profiler = most_held(), cProfile.Profile()
    if profile:
        profiler.enable()
    call_command("import_items", "big", str(file), task="choice", overlap=1)
    if profile:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
    for stage, (clock, busy) in times.items():
        sys.stdout.write(f"{stage}: until {clock:.1f} s ({busy:.1f} s of the processor)\n")
    sys.stdout.write(f"at most {most_held():.0f} MB of memory ({before:.0f} MB before it began)\n")


def main() -> None:
    """Write, import and time, as the arguments say."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--items", type=int, default=1_000_000)
    arguments.add_argument("--profile", action="store_true")
    arguments.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.file:
        imported(asked.file, profile=asked.profile)
        return
    with tempfile.TemporaryDirectory() as folder, installation(Path(folder) / "here") as here:
        file = Path(folder) / "items.jsonl"
        write(file, asked.items)
        size = file.stat().st_size / 1e6
        sys.stdout.write(f"{asked.items:,} items, {size:,.0f} MB, {HERE}; load {os.getloadavg()[0]:.1f}\n")
        sys.stdout.flush()
        run(here, file, asked.profile)


def run(here: Installation, file: Path, profile: bool) -> None:
    """Import the file in a process of its own."""
    words = ["-m", "benchmarks.importing", "--file", str(file), *(["--profile"] if profile else [])]
    subprocess.run(here.command(*words), env=here.environment, check=True)


if __name__ == "__main__":
    main()
