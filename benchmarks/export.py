"""How long a study of very many judgments takes to become a data set, and what memory that needs.

    python -m benchmarks.export --judgments 1000000

Fills a study of choices in a database of its own, three readers an item, and writes it in processes of their
own: as a folder, with and without Parquet, and as the zip file of the page, whose first bytes are timed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from benchmarks.filled import choices, close, fresh_database

READERS, OPTIONS = 3, 3
HOW = ("folder", "folder without Parquet", "zip")


def most_held() -> float:
    """The most memory that this process has held, in MB; that of the process it came from is not counted."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def written(how: str) -> None:
    """Write the data set, and print seconds, seconds to the first bytes, bytes, and the most memory held."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
    import django

    django.setup()
    from annotation.dataset.write import write_dataset, zipped
    from annotation.models import Study

    study, began, worked = Study.objects.get(), perf_counter(), process_time()
    before, first, size = most_held(), 0.0, 0
    with TemporaryDirectory() as folder:
        if how == "zip":
            for piece in zipped(study):
                first = first or perf_counter() - began
                size += len(piece)
        else:
            write_dataset(study, Path(folder) / "set", parquet=how == "folder")
            size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    took, busy, most = perf_counter() - began, process_time() - worked, most_held()
    begins = f", first bytes after {first:.2f} s" if first else ""
    print(f"{how}: {took:.1f} s ({busy:.1f} s of the processor){begins}, {size / 1e6:,.0f} MB, "
          f"at most {most:.0f} MB of memory "
          f"({before:.0f} MB before it began)")  # fmt: skip


def main() -> None:
    """Fill and time, as the arguments say."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--judgments", type=int, default=1_000_000)
    arguments.add_argument("--how", choices=HOW, help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.how:
        written(asked.how)
        return
    generator = np.random.default_rng(0)
    items = -(-asked.judgments // READERS)
    with fresh_database():
        gold = generator.integers(OPTIONS, size=items)
        choices(generator.integers(OPTIONS, size=(items, READERS)).ravel(), gold, READERS, OPTIONS, generator)
        close()
        for how in HOW:
            subprocess.run([sys.executable, "-m", "benchmarks.export", "--how", how], check=True)


if __name__ == "__main__":
    main()
