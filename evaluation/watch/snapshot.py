"""A study while it runs: assignments, pace, agreement, how many items it still needs, readers, items, flags.

Everything is counted by the database or read as columns, in ten queries whatever the size of the study.
A fingerprint of its state tells a page that asks again whether anything has changed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Event,
    Judgment,
    Kind,
    MachineReading,
    Outcome,
    Study,
)
from annotation.people.withdrawal import Withdrawal, withdrawal
from annotation.tasktypes.base import Invalid
from common.lists import count
from common.tables.table import Column, Table, counts
from common.wording import counted
from evaluation.beside.compute import live
from evaluation.kinds.answers import OUTCOMES, Judged
from evaluation.kinds.base import DataKind, seed_of, why_nothing
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.nominal.pairwise_agreement import item_disagreement
from evaluation.values.beside import Live
from evaluation.values.live import Seen
from evaluation.watch.forecast import Pace, pace
from evaluation.watch.headlines import Headline, headline
from evaluation.watch.readers import Held, ReaderRow, reader_rows

FLAGS, EXPIRED, EXPIRED_DAYS = 20, 200, 7


class Assignments(NamedTuple):
    """How many assignments of work are in each state; those of replaced items stand nowhere here.

    ``done``: judged.
    ``held``: claimed and not yet judged.
    ``put_off``: of the held, those put off for later.
    ``lapsed``: of the held, those beyond their lease.
    ``free``: to be given to a reader.
    ``kept_back``: of items in quarantine.
    """

    done: int
    held: int
    put_off: int
    lapsed: int
    free: int
    kept_back: int

    @property
    def total(self) -> int:
        return self.done + self.held + self.free + self.kept_back

    @property
    def left(self) -> int:
        return self.held + self.free


class Questioned(NamedTuple):
    """An item with a judgment.

    `number`: as pages number it.
    `answers`, `undecided`, `broken`: its current judgments by outcome.
    `apart`: how far its readings lie apart, 0 to 1; None below two readings.
    """

    number: int
    answers: int
    undecided: int
    broken: int
    apart: float | None


class Watch(NamedTuple):
    """All that the page shows.

    `assignments`, `pace`: of work, and how fast they are done.
    `spread`: how many of the `n_items` items have so many readings.
    `agreement`: measures, the last one the headline; `problem`: why there are none yet, else empty.
    `readers`: in the order in which they joined.
    `items`: those with a judgment, the greatest disagreement first.
    `flags`: the latest judgments that are no answer, of `n_flags`.
    `expired`: leases that ran out of late; `withdrawn`: who withdrew.
    `kind`: of data, None where there are no measures for it.
    `machines`: machine readers, beside all this and in none of it.
    """

    assignments: Assignments
    spread: Table
    n_items: int
    pace: Pace
    agreement: tuple[Headline, ...]
    problem: str
    readers: tuple[ReaderRow, ...]
    items: tuple[Questioned, ...]
    flags: tuple[Judgment, ...]
    n_flags: int
    expired: tuple[Event, ...]
    withdrawn: tuple[Withdrawal, ...]
    kind: DataKind[Any] | None
    machines: tuple[Live, ...] = ()

    @property
    def n_expired(self) -> int:
        return len(self.expired)


def fingerprinted(studies: QuerySet[Study], now: datetime) -> QuerySet[Study]:
    """With what changes whenever anything on the page does, in the query that finds the study."""
    judged = Judgment.objects.filter(assignment__study=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    read = MachineReading.objects.filter(reader__study=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    event = Event.objects.filter(study=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    assignments = Assignment.objects.filter(study=OuterRef("pk"))
    lease = assignments.order_by().values("study").annotate(last=Max("lease_until")).values("last")
    return studies.annotate(
        last_judgment=Subquery(judged),
        last_event=Subquery(event),
        last_reading=Subquery(read),
        last_lease=Subquery(lease),
        n_done=count(assignments.filter(status=AssignmentStatus.DONE), "study"),
        n_held=count(assignments.filter(status=AssignmentStatus.HELD), "study"),
        n_lapsed=count(assignments.filter(status=AssignmentStatus.HELD, lease_until__lte=now), "study"),
    )


def fingerprint(study: Study, now: datetime, *shown: object) -> str:
    """Of a study found by `fingerprinted`, of the hour (a forecast moves with it), and of what is shown."""
    names = ("last_judgment", "last_event", "last_reading", "last_lease", "n_done", "n_held", "n_lapsed")
    state = [study.pk, study.state, *(getattr(study, name) for name in names), f"{now:%Y%m%d%H}", *shown]
    return hashlib.sha256(repr(state).encode()).hexdigest()[:24]


def watch(study: Study, *, now: datetime) -> Watch:
    """The study as it is now."""
    kind, judged, seen, problem = look(study)
    rows = assignment_rows(study, now)
    assignments = assignments_of(rows)
    readings, by_outcome = readings_of(judged)
    told = events_of(study, now)
    return Watch(
        assignments,
        spread_of(study, readings),
        judged.n_items,
        pace(study, assignments.left, now=now),
        tuple(headline(*each, judged.topics_of_intervals) for each in seen.estimates) if seen else (),
        problem,
        reader_rows(study, judged.readers, seen, held_by(rows), len(kind.habits) if kind else 0),
        questioned(judged, seen, readings, by_outcome),
        tuple(flagged(study)[:FLAGS]),
        int(readings.sum() - by_outcome[OUTCOMES.index(Outcome.ANSWER)].sum()),
        tuple(each for each in told if each.verb == "expired"),
        tuple(withdrawal(each) for each in reversed(told) if each.verb == "withdrawn"),
        kind,
        live(study, kind, judged) if kind and judged.n_items else (),
    )


def events_of(study: Study, now: datetime) -> list[Event]:
    """Withdrawals, the latest first, then leases that ran out of late."""
    lately = Q(verb="expired", created__gte=now - timedelta(days=EXPIRED_DAYS))
    rows = study.events.filter(lately | Q(verb="withdrawn")).order_by("-verb", "-pk")
    return list(rows[:EXPIRED])


def look(study: Study) -> tuple[DataKind[Any] | None, Judged, Seen | None, str]:
    """The kind of data, the judgments, what is computed of them, and why nothing is."""
    kind: DataKind[Any] | None = None
    judged = Judged()
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        problem = why_nothing(kind, judged)
        seen = None if problem else kind.watch(study, judged, seed_of(study))
    except (Unreadable, Invalid) as error:
        return kind, judged, None, str(error)
    return kind, judged, seen, problem


def assignment_rows(study: Study, now: datetime) -> list[Mapping[str, Any]]:
    """Assignments of work counted by who has them and how they stand."""
    kept = study.assignments.filter(item__kind=Kind.WORK, item__retired=None).order_by()
    by = kept.values("annotator", "status", back=Q(item__quarantined__isnull=False))
    lapsed = Q(status=AssignmentStatus.HELD, lease_until__lte=now)
    later = Q(status=AssignmentStatus.HELD, put_off__isnull=False)
    n = by.annotate(n=Count("pk"), n_lapsed=Count("pk", filter=lapsed), n_later=Count("pk", filter=later))
    return list(n)


def assignments_of(rows: list[Mapping[str, Any]]) -> Assignments:
    """The same rows counted by state, whoever has them."""
    n: Counter[str] = Counter()
    for row in rows:
        back = row["back"] and row["status"] == AssignmentStatus.FREE
        n["back" if back else row["status"]] += row["n"]
        n["lapsed"] += row["n_lapsed"]
        n["later"] += row["n_later"]
    return Assignments(
        n[AssignmentStatus.DONE],
        n[AssignmentStatus.HELD],
        n["later"],
        n["lapsed"],
        n[AssignmentStatus.FREE],
        n["back"],
    )


def held_by(rows: list[Mapping[str, Any]]) -> dict[int, Held]:
    """By reader: assignments done, held, put off and lapsed."""
    found: dict[int, Counter[str]] = {}
    for row in rows:
        if row["annotator"] is not None:
            n = found.setdefault(row["annotator"], Counter())
            n[row["status"]] += row["n"]
            n["lapsed"] += row["n_lapsed"]
            n["later"] += row["n_later"]
    return {
        key: Held(n[AssignmentStatus.DONE], n[AssignmentStatus.HELD], n["later"], n["lapsed"])
        for key, n in found.items()
    }


def readings_of(judged: Any) -> tuple[Any, Any]:
    """(N,) current judgments on each item, and (outcomes, N) the same by outcome."""
    n = judged.n_items
    if not n:
        return np.zeros(0, dtype=np.int64), np.zeros((len(OUTCOMES), 0), dtype=np.int64)
    rows = judged.rows
    by = np.bincount(rows.outcome * n + rows.item, minlength=len(OUTCOMES) * n).reshape(len(OUTCOMES), n)
    return by.sum(axis=0), by


def spread_of(study: Study, readings: Any) -> Table:
    """How many items have so many readings, from 0 to k."""
    n = np.bincount(readings, minlength=study.overlap + 1) if len(readings) else np.zeros(0, dtype=np.int64)
    caption = f"{counted(len(readings), 'item')}; each is to have {study.overlap}"
    return counts(Column("readings", "Readings"), "Items", dict(enumerate(n.tolist())), caption)


def questioned(judged: Judged, seen: Seen | None, readings: Any, by: Any) -> tuple[Questioned, ...]:
    """Items with a judgment, those whose readings lie furthest apart first, then by number."""
    if seen is None:
        return ()
    numbers, far = judged.numbers, item_disagreement(seen.agreeing, readings)
    order = np.lexsort((numbers, -np.nan_to_num(far, nan=-1.0)))
    answer, undecided, broken = (
        by[OUTCOMES.index(each)] for each in (Outcome.ANSWER, Outcome.UNDECIDED, Outcome.BROKEN)
    )
    return tuple(
        Questioned(
            int(numbers[at]),
            int(answer[at]),
            int(undecided[at]),
            int(broken[at]),
            None if np.isnan(far[at]) else float(far[at]),
        )
        for at in order[readings[order] > 0].tolist()
    )


def flagged(study: Study) -> QuerySet[Judgment]:
    """Judgments that are no answer, latest first."""
    rows = Judgment.objects.current().filter(item__study=study, item__kind=Kind.WORK, item__retired=None)
    rows = rows.filter(outcome__in=[Outcome.UNDECIDED, Outcome.BROKEN]).order_by("-created", "-pk")
    named = rows.annotate(number=F("item__number"), pseudonym=F("annotator__pseudonym"))
    return named.only("outcome", "reason", "created")
