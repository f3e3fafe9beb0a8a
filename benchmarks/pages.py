"""Every page of every role, beside a study of 2,000 items with three readings each.

    python -m benchmarks.pages [--items 2000] [--rounds 5]

The demonstration is loaded and a large study judged by programs is added; then each address is asked for by
everybody in the cast, in one process, and every reply of 200 is timed. Bars: at most 12 queries, and 300 ms
at the median of the rounds. Exit status 1: one is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any, NamedTuple

from benchmarks import loop, served

QUERIES, MILLISECONDS = 12, 300
STUDY = "large"


class Page(NamedTuple):
    """One address as one person gets it."""

    who: str
    address: str
    queries: int
    milliseconds: float
    kilobytes: float

    @property
    def reached(self) -> bool:
        return self.queries <= QUERIES and self.milliseconds <= MILLISECONDS


def load(items: int) -> None:
    """The demonstration, and the large study: every place filled but the last hundred of its first reader."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.models import Role, Study
    from annotation.people import enrolments
    from variorum.demo import load as demo

    demo.load(now=timezone.now(), say=lambda said: None)
    served.open_study(STUDY, items=items, readers=3, overlap=3)
    loop.judged(STUDY)
    enrolments.enrol(Study.objects.get(slug=STUDY), User.objects.get(username="dora"), Role.RESEARCHER)
    cleo = User.objects.create_user("cleo-adjudicates")
    enrolments.enrol(Study.objects.get(slug=STUDY), cleo, Role.ADJUDICATOR)


def cast() -> dict[str, Any]:
    """Who looks: a reader and an adjudicator of the large study, its researcher, and staff."""
    from django.contrib.auth.models import User

    names = {
        "reader": f"{STUDY}-0",
        "adjudicator": "cleo-adjudicates",
        "researcher": "dora",
        "staff": "stan",
    }
    return {role: User.objects.get(username=name) for role, name in names.items()}


def things() -> dict[str, Any]:
    """What addresses name: the large study and what is in it, and the first of everything else."""
    from annotation.models import Assignment, Study
    from retrieval.models import Book, CandidateJob, Checkpoint, Excerpt, Source

    place = Assignment.objects.filter(study__slug=STUDY, annotator__pseudonym="A").latest("pk")
    book = Book.objects.earliest("pk")
    found = {
        "study": Study.objects.get(slug=STUDY).slug,
        "closed": STUDY,
        "place": place.pk,
        "item": 1,
        "pseudonym": "A",
        "book": book.slug,
        "start": 3,
        "end": 8,
    }
    first = {"source": Source, "excerpt": Excerpt, "job": CandidateJob, "checkpoint": Checkpoint}
    for name, model in first.items():
        row = model.objects.order_by("pk").first()
        if row is not None:
            found[name] = row.slug if name == "source" else row.pk
    return found


def addresses(known: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The addresses that can be made, and the names of those that need something there is none of."""
    from django.urls import NoReverseMatch, reverse

    from tests.routes import routes
    from tests.variorum.whole_site import ARGS

    made, missing = [], []
    for name in routes():
        try:
            made.append(reverse(name, kwargs={key: known[each] for key, each in ARGS.get(name, {}).items()}))
        except (NoReverseMatch, KeyError):
            missing.append(name)
    return made, missing


def measured(who: str, user: Any, address: str, rounds: int) -> Page | None:
    """The page as this person gets it; None where it is not theirs."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    browser = Client()
    browser.force_login(user)
    with CaptureQueriesContext(connection) as queries:
        reply = browser.get(address)
    asked = len(queries)
    if reply.status_code != 200:
        return None
    size = len(b"".join(reply)) / 1024  # type: ignore[arg-type]
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        browser.get(address)
        taken.append(time.perf_counter() - start)
    return Page(who, address, asked, 1000 * statistics.median(taken), size)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000, help="of the large study (default 2000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each page is timed (default 5)")
    asked = parser.parse_args(argv)
    with served.folder() as folder:
        served.prepare(folder)
        from django.conf import settings

        settings.ALLOWED_HOSTS = ["testserver"]
        load(asked.items)
        every, missing = addresses(things())
        pages = [
            page
            for who, user in cast().items()
            for address in every
            if (page := measured(who, user, address, asked.rounds)) is not None
        ]
    for page in sorted(pages, key=lambda page: -page.milliseconds):
        verdict = "" if page.reached else "  MISSED"
        print(
            f"{page.who:12} {page.queries:3} queries {page.milliseconds:7.0f} ms {page.kilobytes:7.0f} KB  "
            f"{page.address}{verdict}"
        )
    late = [page for page in pages if not page.reached]
    print(f"{len(pages)} pages, {len(late)} beyond a bar; not asked for: {', '.join(missing) or 'none'}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
