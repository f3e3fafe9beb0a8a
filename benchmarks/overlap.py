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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

from tqdm import tqdm

from benchmarks import served

STALE, MOST_ERRORS = 409, 20
ACTS = {
    "answer": 50,
    "look_ahead": 10,
    "click_twice": 12,
    "send_again": 6,
    "reload": 6,
    "put_off": 6,
    "begin_in_tab": 6,
    "old_tab": 4,
}
"""What a reader does at an item, of a hundred."""


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


class Reader:
    """One person at their browser: what happened to them in numbers, and what was wrong in words."""

    def __init__(self, port: int, link: str, slug: str, random: Random, think: float) -> None:
        self.slug, self.random, self.think = slug, random, think
        self.happened, self.complaints = Counter[str](), list[str]()
        self.tab = served.Person(port, link)
        self.hand = ThreadPoolExecutor(1)

    def work(self, judged: Callable[[], object]) -> None:
        """Answer until the page says that nothing is left; `judged` is called after each item."""
        with self.hand:
            place = self.begin()
            while place is not None and self.happened["errors"] < MOST_ERRORS:
                time.sleep(self.random.uniform(0, 2 * self.think))
                act = self.random.choices(list(ACTS), weights=list(ACTS.values()))[0]
                place = getattr(self, act)(place)
                if act != "put_off":
                    judged()

    def answer(self, place: str) -> str | None:
        return self.submit(place, self.tab.form(self.random.randrange(3)))

    def look_ahead(self, place: str) -> str | None:
        """As scripts do: the next item's text is fetched early and named when this one is submitted."""
        reply = self.ask(self.tab.tab(), "GET", f"{place}ahead/")
        form = self.tab.form(self.random.randrange(3))
        return self.submit(place, form, ahead=reply.get("X-Ahead", ""))

    def click_twice(self, place: str) -> str | None:
        """The same form twice at once: both replies must show the same next item."""
        form, other = self.tab.form(self.random.randrange(3)), self.tab.tab()
        second = self.hand.submit(self.ask, other, "POST", place, form)
        shown = self.submit(place, form)
        second.result()
        self.together(shown, other.place())
        return shown

    def send_again(self, place: str) -> str | None:
        """The reply was lost on its way, and the form is sent once more."""
        form = self.tab.form(self.random.randrange(3))
        self.ask(self.tab, "POST", place, form)
        return self.submit(place, form)

    def reload(self, place: str) -> str | None:
        self.ask(self.tab, "GET", place)
        return self.answer(place)

    def put_off(self, place: str) -> str | None:
        return self.submit(f"{place}later/", {})

    def begin_in_tab(self, place: str) -> str | None:
        """A second tab asks for an item while the first submits: it gets that one or the first's next."""
        form, other = self.tab.form(self.random.randrange(3)), self.tab.tab()
        second = self.hand.submit(self.ask, other, "POST", f"/studies/{self.slug}/begin/", {})
        shown, at = self.submit(place, form), second.result().get("Location", "")
        if "/work/" in at:
            self.ask(other, "GET", at)
            if at != place:
                self.together(shown, at)
        return shown

    def old_tab(self, place: str) -> str | None:
        """The item stands in two tabs; after the first has submitted, another form of it is refused."""
        other = self.tab.tab()
        self.ask(other, "GET", place)
        shown = self.answer(place)
        self.ask(other, "POST", place, other.form(0), wanted=STALE)
        self.happened["stale"] += 1
        return shown

    def together(self, one: str | None, other: str | None) -> None:
        if one and other and one != other:
            self.happened["apart"] += 1
            self.complaints.append(f"{one} and {other} at once")

    def submit(self, place: str, form: dict[str, str], ahead: str = "") -> str | None:
        """Send a form of this tab; the next item, or None where the page says that nothing is left."""
        reply = self.ask(self.tab, "POST", place, form, ahead=ahead)
        if "Location" in reply:
            return self.follow(reply["Location"])
        shown = self.tab.place()
        if reply.get("X-Ahead") and shown != f"/work/{reply['X-Ahead']}/":
            self.complain(f"{place}: what waited is shown at {reply['X-Ahead']}, not at {shown}")
        return shown or self.begin()

    def follow(self, at: str) -> str | None:
        """Where a redirect leads: an item, or what was done, which offers to go on where there is more."""
        self.ask(self.tab, "GET", at)
        return self.tab.place() or (self.begin() if f"/studies/{self.slug}/begin/" in self.tab.page else None)

    def begin(self) -> str | None:
        at = self.ask(self.tab, "POST", f"/studies/{self.slug}/begin/", {}).get("Location", "")
        if "/work/" not in at:
            return None
        self.ask(self.tab, "GET", at)
        return at

    def ask(
        self,
        tab: served.Person,
        method: str,
        path: str,
        form: dict[str, str] | None = None,
        *,
        wanted: int = 0,
        ahead: str = "",
    ) -> dict[str, str]:
        """A request and its reply's headers; counted as an error where a reader would see one."""
        self.happened["requests"] += 1
        try:
            reply = tab.ask(method, path, form, ahead)
        except OSError as error:
            self.complain(f"{method} {path}: {error!r}")
            return {}
        if reply.status != wanted if wanted else reply.status >= 400:
            self.complain(f"{method} {path}: {reply.status} {tab.page[:200]}")
        return dict(reply.headers)

    def complain(self, what: str) -> None:
        self.happened["errors"] += 1
        self.complaints.append(what)


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

    from annotation.models import Event, Item, Judgment, Place

    judgments = Judgment.objects.work().filter(assignment__study__slug=slug)
    given = judgments.values("assignment__item").annotate(n=Count("pk"))
    pairs = judgments.values("assignment__item", "annotator").annotate(n=Count("pk"))
    done = Q(assignments__status=Place.DONE)
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
