"""A reader's loop on the real site: submit and get the next item, alone and eight at once.

    python -m benchmarks.loop [--steps 200] [--think 2] [--seconds 30] [--prefetch] [--alone]

The web server runs as `manage.py serve` starts it, with two processes on SQLite; the readers are threads of
this program on the same cores. Printed are the table of bars and what was reached; exit status 1: one missed.
Set VARIORUM_DATABASE_URL for PostgreSQL.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import NamedTuple

from benchmarks import served
from benchmarks.memory import processor_seconds, resident_megabytes

READERS, OVERLAP = 8, 3
SMALL, LARGE, LAST = 500, 20_000, 24


class Bar(NamedTuple):
    """One line of the table: what was measured, in which unit, and the most (or least) it may be, if any."""

    name: str
    value: float
    limit: float | None
    unit: str
    at_least: bool = False

    @property
    def reached(self) -> bool:
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        if self.limit is None:
            return f"{self.name:58} {self.value:9.1f} {self.unit}"
        sign = "≥" if self.at_least else "≤"
        verdict = "reached" if self.reached else "MISSED"
        return f"{self.name:58} {self.value:9.1f} {self.unit:8} {sign} {self.limit:g}  {verdict}"


def alone(port: int, link: str, slug: str, steps: int, *, prefetch: bool = False) -> list[float]:
    """Seconds of each step of one reader who never pauses."""
    person = served.Person(port, link, prefetch=prefetch)
    place, taken = person.begin(slug), []
    while place is not None and len(taken) < steps:
        step = person.answer(place, len(taken) % 3)
        taken.append(step.seconds)
        place = step.place
    return taken


def together(
    port: int, links: Iterable[str], slug: str, *, seconds: float, think: float, prefetch: bool = False
) -> list[float]:
    """Seconds of every step of all readers at once, until the time is over or nothing is left."""
    end = time.monotonic() + seconds

    def read(numbered: tuple[int, str]) -> list[float]:
        number, link = numbered
        person, random = served.Person(port, link, prefetch=prefetch), Random(number)
        place, taken = person.begin(slug), []
        while place is not None and time.monotonic() < end:
            if think:
                time.sleep(random.uniform(0.5, 1.5) * think)
            step = person.answer(place, random.randrange(3))
            taken.append(step.seconds)
            place = step.place
        return taken

    everybody = list(links)
    with ThreadPoolExecutor(len(everybody)) as room:
        return [one for all_ in room.map(read, enumerate(everybody)) for one in all_]


def intrude(port: int, links: list[str], slug: str) -> int:
    """Every reader posts to every place by its address; how many replies were not a refusal."""
    from annotation.models import Assignment

    rows = Assignment.objects.filter(study__slug=slug).select_related("annotator__user")
    taken, accepted = [(each.pk, each.annotator and each.annotator.user_id) for each in rows], 0
    from django.contrib.auth.models import User

    keys = User.objects.in_bulk([f"{slug}-{n}" for n in range(len(links))], field_name="username")
    for number, link in enumerate(links):
        person = served.Person(port, link)
        own = keys[f"{slug}-{number}"].pk
        for place, holder in taken:
            if holder != own:
                reply = person.ask("POST", f"/work/{place}/", {"position": "0"})
                accepted += reply.status != 404
    return accepted


def over(slug: str) -> int:
    """Items with more judgments than the overlap, or twice by one reader: none, or it is a fault."""
    from django.db.models import Count

    from annotation.models import Item

    rows = Item.objects.filter(study__slug=slug).annotate(
        n=Count("assignments__judgments"),
        readers=Count("assignments__judgments__annotator", distinct=True),
    )
    return sum(1 for one in rows if one.n > OVERLAP or one.readers != one.n)


def at(share: float, seconds: list[float]) -> float:
    """A quantile in milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=100, method="inclusive")[round(100 * share) - 1]


def exported(slug: str) -> float:
    """Seconds to write a study's judgments as JSONL."""
    from annotation.export import judgments
    from annotation.models import Study

    start = time.perf_counter()
    for _ in judgments.export(Study.objects.get(slug=slug), "jsonl", by=None):
        pass
    return time.perf_counter() - start


def measured_alone(steps: int, *, prefetch: bool) -> list[Bar]:
    """The lines about one reader of a small study, without the studies of all the others."""
    one, _ = served.open_study("one", items=SMALL, readers=1, overlap=OVERLAP)
    topics, _ = served.open_study("topics", items=SMALL, readers=1, overlap=OVERLAP, task="relevance")
    with served.served() as (port, web):
        return [
            *bars_of_one("one", port, web.pid, one[0], steps, prefetch=prefetch),
            *bars_of_one("topics", port, web.pid, topics[0], steps, prefetch=prefetch),
        ]


def bars_of_one(slug: str, port: int, web: int, link: str, steps: int, *, prefetch: bool) -> list[Bar]:
    """The steps of one reader of this study, and the web's processor time for one of them."""
    assert alone(port, link, slug, 10)
    before = processor_seconds(web)
    taken = alone(port, link, slug, steps, prefetch=prefetch)
    computed = processor_seconds(web) - before
    step = "step, 1 reader" if slug == "one" else "step by topics, 1 reader"
    return [
        Bar(f"{step}, p50", at(0.5, taken), 15, "ms"),
        Bar(f"{step}, p95", at(0.95, taken), 25, "ms"),
        Bar(f"{step}, processor time of the web", 1000 * computed / len(taken), 8, "ms"),
    ]


def measured(steps: int, think: float, seconds: float, *, prefetch: bool) -> list[Bar]:
    one, _ = served.open_study("one", items=SMALL, readers=1, overlap=OVERLAP)
    topics, _ = served.open_study("topics", items=SMALL, readers=1, overlap=OVERLAP, task="relevance")
    eight, _ = served.open_study("eight", items=4 * SMALL, readers=READERS, overlap=OVERLAP)
    slow, _ = served.open_study("slow", items=SMALL, readers=READERS, overlap=OVERLAP)
    last, _ = served.open_study("last", items=LAST, readers=READERS, overlap=OVERLAP)
    many, stored = served.open_study("many", items=LARGE, readers=1, overlap=OVERLAP)
    served.open_study("full", items=LARGE // OVERLAP, readers=0, overlap=OVERLAP)
    judged("full")
    with served.served() as (port, web):
        single = bars_of_one("one", port, web.pid, one[0], steps, prefetch=prefetch)
        single += bars_of_one("topics", port, web.pid, topics[0], steps, prefetch=prefetch)
        small = alone(port, one[0], "one", steps, prefetch=prefetch)
        large = alone(port, many[0], "many", steps, prefetch=prefetch)
        start = time.monotonic()
        rush = together(port, eight, "eight", seconds=seconds, think=0, prefetch=prefetch)
        rate = len(rush) / (time.monotonic() - start)
        pauses = together(port, slow, "slow", seconds=seconds, think=think, prefetch=prefetch)
        together(port, last, "last", seconds=600, think=0)
        forced = intrude(port, last, "last")
        memory = resident_megabytes(web.pid)
    return [
        *single,
        Bar(f"step, {READERS} readers without pause", rate, 150, "steps/s", at_least=True),
        Bar(f"step, {READERS} readers without pause, p95", at(0.95, rush), 80, "ms"),
        Bar(f"step, {READERS} readers without pause, longest", 1000 * max(rush), 500, "ms"),
        Bar(f"step, {READERS} readers, {think:g} s to think, p95", at(0.95, pauses), 80, "ms"),
        Bar("items with too many judgments: no pause", over("eight"), 0, ""),
        Bar("items with too many judgments: with pauses", over("slow"), 0, ""),
        Bar("items with too many judgments: queue exhausted", over("last"), 0, ""),
        Bar("judgments taken by a direct link to another's place", forced, 0, ""),
        Bar(f"p50 on {LARGE:,} items over p50 on {SMALL:,}", at(0.5, large) / at(0.5, small), 1.1, "times"),
        Bar(f"storing {LARGE:,} items", stored, 3, "s"),
        Bar(f"exporting {LARGE:,} judgments", exported("full"), 2, "s"),
        Bar("memory of the web after the runs", memory, 250, "MB"),
    ]


def judged(slug: str) -> str:
    """Every place of that study ended with a judgment; its short name."""
    from django.utils import timezone

    from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment

    now, rows = timezone.now(), Assignment.objects.filter(study__slug=slug)
    for place, reader in enumerate(Enrolment.objects.filter(study__slug=slug).order_by("pk"), 1):
        rows.filter(slot=place).update(
            annotator=reader, status=AssignmentStatus.DONE, claimed=now, order=[0, 2, 1]
        )
    Judgment.objects.bulk_create(
        (
            Judgment(
                assignment=one,
                annotator_id=one.annotator_id,
                outcome="answer",
                answer={"option": one.pk % 3},
                order=[0, 2, 1],
                submission=uuid.uuid4(),
                channel="web",
                created=now,
            )
            for one in rows.iterator()
        ),
        batch_size=2000,
    )
    return slug


def main(argv: list[str] | None = None, say: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=200, help="of one reader (default 200)")
    parser.add_argument("--think", type=float, default=2, help="mean pause in seconds (default 2)")
    parser.add_argument("--seconds", type=float, default=30, help="of each run of eight (default 30)")
    parser.add_argument(
        "--prefetch", action="store_true", help="fetch the next item before each answer, as the page does"
    )
    parser.add_argument("--alone", action="store_true", help="one reader of a small study only")
    asked = parser.parse_args(argv)
    with served.folder() as folder:
        served.prepare(folder)
        if asked.alone:
            bars = measured_alone(asked.steps, prefetch=asked.prefetch)
        else:
            bars = measured(asked.steps, asked.think, asked.seconds, prefetch=asked.prefetch)
    for bar in bars:
        say(str(bar))
    return 0 if all(bar.reached for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
