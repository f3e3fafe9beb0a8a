"""R01 at full size, on the real site: every item gets exactly its k judgments and no reader sees an error.

    python -m benchmarks.overlap [--readers 32] [--items 2000] [--overlap 3] [--seeds 20] [--keep FILE]

The web server runs as `manage.py serve` starts it, with two processes; the readers are signed in, each with
a session of their own, and answer over HTTP until their page says that nothing is left. The seed decides how
long they think and what else they do: click twice, send again what seemed lost, reload, put off, open a
second tab, submit in an old one. On SQLite; on PostgreSQL:

    python tests/services/start.py python -m benchmarks.overlap

A line a seed tells what the database holds then; exit status 1: one of the lines is not as it should be.
With `--keep` every finished seed is written to a file of JSON lines, and not run again when it stands there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

from tqdm import tqdm

from benchmarks import served
from benchmarks.overlap_reader import Reader


class Size(NamedTuple):
    """Readers, items, judgments an item, and the readers' mean pause in seconds."""

    readers: int
    items: int
    overlap: int
    think: float


class Race(NamedTuple):
    """What one seed left in the database, and what the readers saw.

    `over`: items with more than k judgments; `twice`: pairs of item and reader with more than one; `inexact`:
    items without exactly k judgments at k ended places; `late`: answers for which no place was left; `apart`:
    times when two tabs of one reader were at two new items; `errors`: replies 4xx, 5xx or none.
    """

    seed: int
    judgments: int
    over: int
    twice: int
    inexact: int
    late: int
    apart: int
    errors: int
    stale: int
    requests: int
    seconds: float

    def is_exact(self, size: Size) -> bool:
        faults = (self.over, self.twice, self.inexact, self.late, self.apart, self.errors)
        return self.judgments == size.items * size.overlap and not any(faults)

    def line(self, size: Size) -> str:
        verdict = "exact" if self.is_exact(size) else "WRONG"
        return (
            f"seed {self.seed:3}  {self.judgments} of {size.items * size.overlap} judgments  "
            f"{self.over} over  {self.twice} duplicates  {self.inexact} items not at {size.overlap}  "
            f"{self.late} late  {self.apart} at two items  {self.errors} errors in {self.requests} requests "
            f"({self.stale} old tabs refused)  {self.seconds:.0f} s  {verdict}"
        )


def raced(port: int, seed: int, size: Size) -> tuple[Race, list[str]]:
    """One seed: a study of its own, all readers at once, then what is stored; and what they complained of."""
    from django.db import connections

    slug = f"overlap-{seed}"
    links, _ = served.open_study(slug, items=size.items, readers=size.readers, overlap=size.overlap)
    connections.close_all()
    start = time.monotonic()
    with (
        tqdm(total=size.items * size.overlap, desc=f"seed {seed}", disable=None, leave=False) as bar,
        ThreadPoolExecutor(size.readers) as room,
    ):
        readers = [
            Reader(port, link, slug, Random(f"{seed}:{number}"), size.think)
            for number, link in enumerate(links)
        ]
        list(room.map(lambda reader: reader.work(bar.update), readers))
    seconds = time.monotonic() - start
    happened = sum((reader.happened for reader in readers), Counter[str]())
    seen = {name: happened[name] for name in ("apart", "errors", "stale", "requests")}
    race = Race(seed=seed, **stored(slug, size.overlap), **seen, seconds=round(seconds, 1))
    return race, [each for reader in readers for each in reader.complaints]


def stored(slug: str, overlap: int) -> dict[str, int]:
    """What the database holds of that study, by the names of `Race`."""
    from django.db.models import Count, Q

    from annotation.models import AssignmentStatus, Event, Item, Judgment

    judgments = Judgment.objects.work().filter(assignment__study__slug=slug)
    given = judgments.values("assignment__item").annotate(n=Count("pk"))
    pairs = judgments.values("assignment__item", "annotator").annotate(n=Count("pk"))
    done = Q(assignments__status=AssignmentStatus.DONE)
    items = (
        Item.objects.work()
        .filter(study__slug=slug)
        .annotate(
            given=Count("assignments__judgments", distinct=True),
            places=Count("assignments", distinct=True),
            ended=Count("assignments", distinct=True, filter=done),
        )
    )
    return {
        "judgments": judgments.count(),
        "over": given.filter(n__gt=overlap).count(),
        "twice": pairs.filter(n__gt=1).count(),
        "inexact": items.exclude(given=overlap, places=overlap, ended=overlap).count(),
        "late": Event.objects.filter(study__slug=slug, verb="late").count(),
    }


def races(seeds: range, size: Size, known: dict[int, Race]) -> Iterator[tuple[Race, list[str]]]:
    """Every seed in turn, on a new folder; those that are known are not run."""
    missing = [seed for seed in seeds if seed not in known]
    yield from ((known[seed], []) for seed in seeds if seed in known)
    if not missing:
        return
    with served.folder() as folder:
        served.prepare(folder)
        with served.served() as (port, _):
            for seed in missing:
                yield raced(port, seed, size)


def kept(file: Path | None, of: dict[str, object]) -> dict[int, Race]:
    """The races in a file that were of this size and database, by their seeds."""
    if file is None or not file.exists():
        return {}
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["race"]["seed"]: Race(**row["race"]) for row in rows if row["of"] == of}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", type=int, default=32, help="signed in at once (default 32)")
    parser.add_argument("--items", type=int, default=2000, help="of each seed's study (default 2000)")
    parser.add_argument("--overlap", type=int, default=3, help="k, judgments an item (default 3)")
    parser.add_argument("--seeds", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--think", type=float, default=0.1, help="mean pause in seconds (default 0.1)")
    parser.add_argument("--keep", type=Path, help="a file of the finished seeds, to go on from")
    asked = parser.parse_args(argv)
    size = Size(asked.readers, asked.items, asked.overlap, asked.think)
    database = "PostgreSQL" if os.environ.get("VARIORUM_DATABASE_URL") else "SQLite"
    of: dict[str, object] = {"database": database, **size._asdict()}
    print(f"{database}: {size.readers} readers, {size.items} items, {size.overlap} judgments each")
    exact = True
    seeds, known = range(asked.first, asked.first + asked.seeds), kept(asked.keep, of)
    for race, complaints in races(seeds, size, known):
        if asked.keep and race.seed not in known:
            with asked.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": of, "race": race._asdict()}) + "\n")
        print(race.line(size), flush=True)
        for each in complaints[:5]:
            print(f"    {each}", flush=True)
        exact &= race.is_exact(size)
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main())
