"""Processes full of readers, for tests of races: `python -m tests.annotation.reading_room STUDY A,B C,D …`.

Each group is a process of its own, each reader in it a thread with its own connection,
which works until nothing is left. The processes are parted from one that has loaded
everything, so that they begin together; what happened is printed as JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import django


def main(slug: str, groups: list[str]) -> int:
    django.setup()
    import annotation.judging.judgments  # noqa: F401 - loaded once, before the processes part

    # One group a process: whoever has finished takes no second one.
    with get_context("fork").Pool(len(groups), maxtasksperchild=1) as processes:
        done = processes.starmap(room, [(slug, group.split(",")) for group in groups], chunksize=1)
    total = sum(done, Counter())
    sys.stdout.write(json.dumps(total))
    return 1 if total["errors"] else 0


def room(slug: str, pseudonyms: list[str]) -> Counter[str]:
    with ThreadPoolExecutor(len(pseudonyms)) as readers:
        return sum(readers.map(lambda pseudonym: read(slug, pseudonym), pseudonyms), Counter())


def read(slug: str, pseudonym: str) -> Counter[str]:
    from django.db import connection
    from django.utils import timezone

    from annotation.assignment.claiming import next_assignment
    from annotation.judging.judgments import Stale, submit
    from annotation.judging.submissions import Submission
    from annotation.models import Enrolment

    happened: Counter[str] = Counter()
    try:
        me = Enrolment.objects.get(study__slug=slug, pseudonym=pseudonym)
        while (place := next_assignment(me, now=timezone.now())) is not None:
            sent = Submission(uuid.uuid4(), "answer", {"option": place.item.number % 3})
            try:
                first = submit(place, me, sent, now=timezone.now())
            except Stale:
                happened["stale"] += 1
                continue
            happened["judged"] += 1
            if happened["judged"] % 5 == 0:
                assert submit(place, me, sent, now=timezone.now()).pk == first.pk
                happened["repeated"] += 1
    except Exception:  # noqa: BLE001 - whatever it is, the test must hear of it
        traceback.print_exc()
        happened["errors"] += 1
    finally:
        connection.close()
    return happened


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
