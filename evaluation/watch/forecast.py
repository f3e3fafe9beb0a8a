"""How fast a study fills, and when it would be full."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import NamedTuple

from django.db.models import Count, OuterRef, Q, Subquery
from django.utils import dateformat

from annotation.models import Judgment, Kind, Study
from annotation.models.record import revised
from common.tables.table import Cell, Column, Row, Table, table

DAYS = 7
LONGEST = 3650
"""Days. What lies further ahead is said as such: a date in ten years would be no forecast."""


class Day(NamedTuple):
    """One day of a study.

    ``day``: the date (UTC).
    ``judged``: readings first given on it that stand now.
    """

    day: date
    judged: int


class Pace(NamedTuple):
    """How fast a study fills.

    ``days``: the last seven, the last one today.
    ``rate``: assignments done a day, None where nothing was.
    ``since``: what the rate is of.
    ``left``: assignments still to be done.
    ``full``: when the last one would be done, None without a forecast.
    """

    days: tuple[Day, ...]
    rate: float | None
    since: datetime
    left: int
    full: date | None

    @property
    def table(self) -> Table:
        """The days, each with a bar."""
        most = max((each.judged for each in self.days), default=0) or 1
        columns = (Column("day", "Day", numeric=False), Column("filled", "Given"), Column("bar", ""))
        rows = [
            Row(
                (
                    Cell(dateformat.format(each.day, "D j M")),
                    Cell(str(n := each.judged), n),
                    Cell("", bar=n / most),
                )
            )
            for each in self.days
        ]
        return table(columns, rows, caption="Readings given a day (UTC)")


def pace(study: Study, left: int, *, now: datetime) -> Pace:
    """`left`: assignments still to be done. The rate is that of the last seven days, or since the opening."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=DAYS - 1)
    midnights = [datetime.combine(first + timedelta(days=ago), time.min, UTC) for ago in range(DAYS + 1)]
    judged = given_between(study, midnights)
    days = tuple(Day(each.date(), number) for each, number in zip(midnights, judged, strict=False))
    since = max(study.opened or now, midnights[0])
    elapsed = max((now - since) / timedelta(days=1), 1.0)
    rate = sum(judged) / elapsed if any(judged) else None
    return Pace(days, rate, since, left, forecast(left, rate, today) if study.is_open else None)


def given_between(study: Study, midnights: list[datetime]) -> list[int]:
    """Readings of work that stand now, by the day on which their reader first answered.

    A reading that was taken back is none; a place that changed hands afterwards counts for whoever
    has it. ``midnights``: the first of each day, and the one at which the last day ends.
    """
    rows = Judgment.objects.filter(item__study=study, item__kind=Kind.WORK, created__gte=midnights[0])
    once = rows.filter(revision=1).exclude(assignment__in=revised())
    # Counted between midnights: SQLite would call Python for the date of every row.
    within = {f"day_{ago}": Q(created__lt=end) for ago, end in enumerate(midnights[1:])}
    n = once.aggregate(**{name: Count("pk", filter=each) for name, each in within.items()})
    upto = [n[name] for name in within]
    first = Judgment.objects.filter(assignment=OuterRef("assignment"), annotator=OuterRef("annotator"))
    # Few: places with a second revision.
    again = (
        rows.current()
        .filter(assignment__in=revised())
        .order_by()
        .annotate(first=Subquery(first.order_by("revision").values("created")[:1]))
    )
    for at in again.values_list("first", flat=True):
        upto = [so_far + (midnights[0] <= at < end) for so_far, end in zip(upto, midnights[1:], strict=True)]
    return [one - before for one, before in zip(upto, [0, *upto], strict=False)]


def forecast(left: int, rate: float | None, today: date) -> date | None:
    """The day on which `left` assignments are done at that rate; None without one, or beyond ten years."""
    if not left or rate is None or left / rate > LONGEST:
        return None
    return today + timedelta(days=ceil(left / rate))
