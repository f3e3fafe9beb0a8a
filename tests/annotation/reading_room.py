"""One process full of readers, for the tests of races: `python -m tests.annotation.reading_room STUDY A B …`.

Each reader is a thread with its own connection and works until nothing is left. The
process says “ready”, waits for a line on standard input so that all begin together,
and prints what happened as JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import django


def main(slug: str, pseudonyms: list[str]) -> int:
    django.setup()
    with ThreadPoolExecutor(len(pseudonyms)) as readers:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        done = list(readers.map(lambda pseudonym: read(slug, pseudonym), pseudonyms))
    total = sum(done, Counter())
    sys.stdout.write(json.dumps(total))
    return 1 if total["errors"] else 0


def read(slug: str, pseudonym: str) -> Counter[str]:
    from django.db import connection
    from django.utils import timezone

    from annotation.assignment import next_place
    from annotation.judging import Stale, Submission, submit
    from annotation.models import Enrolment

    happened: Counter[str] = Counter()
    try:
        me = Enrolment.objects.get(study__slug=slug, pseudonym=pseudonym)
        while (place := next_place(me, now=timezone.now())) is not None:
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
