"""How long a study of very many judgments takes to be exported, and what memory that needs.

    python -m benchmarks.export --judgments 1000000

Fills a study of choices in a database of its own, three readers an item, and writes it in processes of their
own: its judgments as JSON lines and as CSV, as a page sends them; its data set as a folder, with and without
Parquet, and as the zip file of the page; and the digests of its tables, which the report of a bundle holds.
Printed are seconds by the clock and of the processor, the first bytes of what is sent, and the most memory
that the process held.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.filled import choices, close, fresh_database

if TYPE_CHECKING:
    from annotation.models import Study

READERS, OPTIONS = 3, 3
LINES = ("jsonl", "csv")
SENT = (*LINES, "zip")
HOW = (*SENT, "folder", "folder without Parquet", "digests")


def most_held() -> float:
    """The most memory that this process has held, in MB; that of the process it came from is not counted."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def written(how: str) -> None:
    """Export the study, and print seconds, seconds to the first bytes, bytes, and the most memory held."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
    import django

    django.setup()
    from annotation.models import Study

    study, before, first, size = Study.objects.get(), most_held(), 0.0, 0
    began, worked = perf_counter(), process_time()
    for length in sent(study, how):
        first = first or perf_counter() - began
        size += length
    took, busy = perf_counter() - began, process_time() - worked
    begins = f", first bytes after {first:.2f} s" if how in SENT else ""
    print(f"{how}: {took:.1f} s ({busy:.1f} s of the processor){begins}, {size / 1e6:,.0f} MB, at most "
          f"{most_held():.0f} MB of memory ({before:.0f} MB before it began)", flush=True)  # fmt: skip


def sent(study: Study, how: str) -> Iterator[int]:
    """Yield the bytes of each piece that is sent; of a folder, of each file when all are written; of digests
    nothing.
    """
    from annotation.dataset.write import write_dataset, zipped
    from annotation.export import judgments
    from evaluation.bundle.basis import basis

    if how in LINES:
        yield from (len(line.encode()) for line in judgments.export(study, how, by=None))
    elif how == "zip":
        yield from map(len, zipped(study))
    elif how == "digests":
        basis(study)
    else:
        with TemporaryDirectory() as folder:
            write_dataset(study, Path(folder) / "set", parquet=how == "folder")
            yield from (path.stat().st_size for path in Path(folder).rglob("*.*"))


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
        print(f"{items * READERS:,} judgments; load {os.getloadavg()[0]:.1f}", flush=True)
        for how in HOW:
            subprocess.run([sys.executable, "-m", "benchmarks.export", "--how", how], check=True)


if __name__ == "__main__":
    main()
