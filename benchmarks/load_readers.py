"""Readers of `benchmarks.load`: who works without pause, and what a journal of it must agree with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from random import Random
from typing import NamedTuple

from benchmarks import served


class Journal(NamedTuple):
    """What one reader saw.

    seconds: of each step that was answered.
    kept: ids of submissions that were answered as stored.
    unknown: ids of those whose answer did not come, or was an error.
    errors: what was said instead, with how often.
    """

    seconds: list[float]
    kept: list[str]
    unknown: list[str]
    errors: Counter[str]


def signed_in(port: int, links: Sequence[str], slug: str) -> list[served.Person]:
    """Everybody at their first item."""
    with ThreadPoolExecutor(8) as room:
        people = list(room.map(lambda link: served.Person(port, link), links))
        list(room.map(lambda each: each.begin(slug), people))
    return people


def work(people: Sequence[served.Person], slug: str, seconds: float) -> list[Journal]:
    """Let all work without pause for that time, from the item that their page shows."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(len(people)) as room:
        return list(room.map(lambda one: read(one[1], slug, Random(one[0]), end), enumerate(people)))


def read(person: served.Person, slug: str, random: Random, end: float) -> Journal:
    """Answer until the end, or until nothing is left."""
    journal, place = Journal([], [], [], Counter()), person.place()
    while place is not None and time.monotonic() < end:
        form = person.form(random.randrange(3))
        start = time.perf_counter()
        said = sent(person, place, form)
        taken = time.perf_counter() - start
        if said:
            journal.errors[said] += 1
            journal.unknown.append(form["submission"])
            place = again(person, slug, end)
            continue
        journal.seconds.append(taken)
        journal.kept.append(form["submission"])
        place = person.place()
    return journal


def sent(person: served.Person, place: str, form: dict[str, str]) -> str:
    """Submit a form; what a reader would see instead of the next item, empty where they see it."""
    try:
        reply = person.ask("POST", place, form)
    except (OSError, HTTPException) as error:
        person.connection.close()
        return type(error).__name__
    ended = reply.status in (302, 204) or bool(reply.headers.get("HX-Redirect"))
    return "" if ended or (reply.status == 200 and person.place()) else str(reply.status)


def again(person: served.Person, slug: str, end: float) -> str | None:
    """Begin again after an error, as somebody does who loads the page anew."""
    while time.monotonic() < end:
        try:
            return person.begin(slug)
        except (OSError, HTTPException):
            person.connection.close()
            time.sleep(0.2)
    return None


def faults(slug: str, overlap: int, journals: Sequence[Journal]) -> dict[str, int]:
    """How often an invariant does not hold: in the database, and against what readers were told.

    I1 judgments above the overlap, I2 items read twice by one reader, I3 answers told as stored that are not
    there exactly once, I4 answers of unknown end that are there twice, I5 items with other than k places, I7
    revisions that do not follow each other.
    """
    from django.db.models import Count, F, Max

    from annotation.models import Item, Judgment

    judgments = Judgment.objects.work().filter(assignment__study__slug=slug).order_by()
    stored = Counter(str(each) for each in judgments.values_list("submission", flat=True).iterator())
    by_item = judgments.values("assignment__item").annotate(n=Count("pk"))
    by_reader = judgments.values("assignment__item", "annotator").annotate(n=Count("pk"))
    by_place = judgments.values("assignment").annotate(n=Count("pk"), last=Max("revision"))
    places = Item.objects.work().filter(study__slug=slug).annotate(n=Count("assignments"))
    return {
        "I1": by_item.filter(n__gt=overlap).count(),
        "I2": by_reader.filter(n__gt=1).count(),
        "I3": sum(stored[each] != 1 for journal in journals for each in journal.kept),
        "I4": sum(stored[each] > 1 for journal in journals for each in journal.unknown),
        "I5": places.exclude(n=overlap).count(),
        "I7": by_place.exclude(n=F("last")).count(),
    }
