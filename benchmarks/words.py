"""What adding a file of word vectors takes, in time and memory: `python -m benchmarks.words`.

The file is drawn: 50,000 words of 300 numbers, as text, gzip. A process of its own then opens what is kept,
and reads the vectors of 2,000 words. A page counts as the process's own where no file is behind it.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import cast

import numpy as np

from retrieval.engine.words import keeping
from retrieval.engine.words.kinds import KINDS
from retrieval.engine.words.vectors import WordVectors

AT_ONCE = 1_000
USED = 2_000
MB = 1_000_000


def write(path: Path, words: int, width: int) -> None:
    """Write a file of drawn vectors."""
    random = np.random.default_rng(0)
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(f"{words} {width}\n".encode())
        for start in range(0, words, AT_ONCE):
            rows = random.normal(size=(min(AT_ONCE, words - start), width))
            for number, row in enumerate(rows, start):
                out.write(f"word{number} {' '.join(f'{each:.4f}' for each in row.tolist())}\n".encode())


def memory() -> tuple[float, float]:
    """Return MB that the process holds in all, and of these its own."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    found = {line.split(":")[0]: int(line.split()[1]) * 1024 / MB for line in lines}
    return found["Rss"], found["Anonymous"]


def use(folder: Path) -> None:
    """Open what is kept, read some vectors, and print what that took."""
    import resource

    before = memory()
    began = time.perf_counter()
    vectors = cast("WordVectors", keeping.opened(folder, KINDS["vectors"]))
    seconds, opened = time.perf_counter() - began, memory()
    step = max(1, len(vectors.words) // USED)
    rows = vectors.rows([f"word{number * step}" for number in range(USED)])
    np.asarray(vectors.matrix[rows], dtype=np.float32).sum()
    used = memory()
    for what, now in (("opened", opened), ("used", used)):
        total, own = (after - first for after, first in zip(now, before, strict=True))
        sys.stdout.write(f"{what:>10} {total:8.1f} MB more in all, {own:8.1f} MB of them its own\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    sys.stdout.write(f"   opened in {seconds:.1f} s; peak {peak:.0f} MB\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.open:
        use(asked.open)
        return
    with tempfile.TemporaryDirectory() as at:
        file = Path(at, "drawn.vec.gz")
        write(file, asked.words, asked.width)
        began = time.perf_counter()
        sha256, counts = keeping.keep(file, Path(at, "kept"), KINDS["vectors"])
        seconds = time.perf_counter() - began
        sys.stdout.write(
            f"{counts.words:,} words of {counts.width}: file {file.stat().st_size / MB:.0f} MB, matrix "
            f"{counts.words * counts.width * 4 / MB:.0f} MB, added in {seconds:.0f} s\n"
        )
        folder = keeping.place(Path(at, "kept"), KINDS["vectors"], sha256)
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", "benchmarks.words", "--open", str(folder)], check=True)


if __name__ == "__main__":
    main()
