"""A web process that dies at a given moment of a submission: `python -m tests.annotation.failpoints STUDY A`.

For every moment at which a submission touches the database, a process parted from this one submits and kills
itself there, as kill -9 or a lost machine would; then another submits the same form again, as a reader does
who got no reply. What is in the database after each is printed as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import django


class Bomb:
    """Kills its process when it has been touched so many times."""

    def __init__(self, at: int) -> None:
        self.left = at

    def touch(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


@contextmanager
def armed(bomb: Bomb) -> Iterator[None]:
    """Touched before each statement that writes, and before and after each commit."""
    from django.db import connection

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip().startswith("SELECT"):
            bomb.touch()
        return execute(sql, params, many, context)

    commit = connection.commit

    def watched() -> None:
        bomb.touch()
        commit()
        bomb.touch()

    connection.commit = watched  # type: ignore[method-assign]
    with connection.execute_wrapper(watch):
        yield


def parted(work: Callable[[], int]) -> int:
    """Do it in a process of its own; its exit status, negative when a signal ended it."""
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def send(user: int, place: int, submission: str, bomb: Bomb | None) -> int:
    """Post the form as a browser does; 0 when the reply was the next item or the end."""
    from django.contrib.auth.models import User
    from django.test import Client

    browser = Client()
    browser.force_login(User.objects.get(pk=user))
    data = {"submission": submission, "revision": "0", "position": "1"}

    def post() -> int:
        reply = browser.post(f"/work/{place}/", data, headers={"HX-Request": "true"})
        return 0 if reply.status_code in (200, 302) else 1

    if bomb is None:
        return post()
    with armed(bomb):
        return post()


def next_one(slug: str, pseudonym: str, into: int) -> int:
    """Claim the next place and write its key to the pipe."""
    from django.utils import timezone

    from annotation.assignment.claiming import next_assignment
    from annotation.models import Enrolment

    me = Enrolment.objects.get(study__slug=slug, pseudonym=pseudonym)
    place = next_assignment(me, now=timezone.now())
    os.write(into, json.dumps([me.user_id, place and place.pk]).encode())
    return 0


def stored(submission: str, into: int) -> int:
    from annotation.models import Judgment

    os.write(into, str(Judgment.objects.filter(submission=submission).count()).encode())
    return 0


def answer_of(work: Callable[[int], int]) -> Any:
    """What such a process writes."""
    out, into = os.pipe()
    assert parted(lambda: work(into)) == 0
    os.close(into)
    with os.fdopen(out) as pipe:
        return json.loads(pipe.read())


def plain_files() -> None:
    """As for every test: pages without the manifest of collected static files."""
    from django.conf import settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]


def warm(slug: str, pseudonym: str) -> None:
    """One whole submission here, so that code and templates are loaded once, before the processes part."""
    from django.db import connection

    with open(os.devnull, "wb") as nothing:
        next_one(slug, pseudonym, nothing.fileno())
    user, place = first_held(slug, pseudonym)
    assert send(user, place, str(uuid.uuid4()), None) == 0
    connection.close()


def first_held(slug: str, pseudonym: str) -> tuple[int, int]:
    from annotation.models import Assignment

    place = Assignment.objects.select_related("annotator").get(
        study__slug=slug, annotator__pseudonym=pseudonym
    )
    assert place.annotator is not None
    assert place.annotator.user_id is not None
    return place.annotator.user_id, place.pk


def main(slug: str, pseudonym: str) -> int:
    django.setup()
    plain_files()
    warm(slug, pseudonym)
    happened = []
    for moment in range(100):
        user, place = answer_of(lambda into: next_one(slug, pseudonym, into))
        if place is None:
            raise SystemExit("There are fewer items than moments to die at.")
        submission = str(uuid.uuid4())
        first = parted(lambda: send(user, place, submission, Bomb(moment)))  # noqa: B023 - done before the next
        between = answer_of(lambda into: stored(submission, into))  # noqa: B023
        again = parted(lambda: send(user, place, submission, None))  # noqa: B023
        after = answer_of(lambda into: stored(submission, into))  # noqa: B023
        happened.append([first, between, again, after])
        if first == 0:
            break
    sys.stdout.write(json.dumps(happened))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
