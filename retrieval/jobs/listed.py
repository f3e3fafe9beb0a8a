"""The kinds of job that stand in the list of jobs, each with who sees it and what its row says.

A kind of an application above is registered by that application.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import CharField, QuerySet, Value

from retrieval.jobs import status
from retrieval.models import Book, Job, Status


class Said(NamedTuple):
    """What the list says of a job.

    name: what links to it.
    what: what it does.
    source: what it works with beside the book.
    book: the book it is about, None without.
    """

    name: str
    what: str
    source: str = ""
    book: Book | None = None


class JobRow(NamedTuple):
    """A job of the list.

    job: its row.
    kind: its badge.
    said: what the list says of it.
    """

    job: Job
    kind: str
    said: Said


class Listed(NamedTuple):
    """How jobs of a kind stand in the list.

    seen_by: those that a person may see, with what their rows need.
    say: what a row says.
    of_books: whether each is about a book at most; others are left out of a book's list.
    """

    seen_by: Callable[[User], QuerySet[Any]]
    say: Callable[[Any], Said]
    of_books: bool = False


KINDS: dict[type[Job], Listed] = {}


def register(of: type[Job], listed: Listed) -> None:
    """Let jobs of a kind stand in the list."""
    KINDS[of] = listed


def latest(by: User, book: str = "") -> QuerySet[Any]:
    """Return time, key and kind of every job that a person may see, the latest first; of all or of a book."""
    first, *rest = (
        each.seen_by(by)
        .filter(**({"book__slug": book} if book else {}))
        .order_by()
        .values_list("created", "id", Value(of.kind, CharField()))
        for of, each in KINDS.items()
        if each.of_books or not book
    )
    return first.union(*rest, all=True).order_by("-created", "-id")


def rows(by: User, keys: Iterable[tuple[Any, int, str]]) -> list[JobRow]:
    """Return the jobs of these keys, in their order."""
    wanted = [(kind, pk) for _, pk, kind in keys]
    found = {
        of.kind: each.seen_by(by).in_bulk([pk for kind, pk in wanted if kind == of.kind])
        for of, each in KINDS.items()
        if any(kind == of.kind for kind, _ in wanted)
    }
    of_kind = {of.kind: each for of, each in KINDS.items()}
    jobs = ((of_kind[kind], found[kind][pk]) for kind, pk in wanted if pk in found[kind])
    return [JobRow(job, status.BADGES[Status(job.status)], each.say(job)) for each, job in jobs]
