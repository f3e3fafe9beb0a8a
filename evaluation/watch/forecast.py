"""How fast a study fills, and when it would be full."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils import dateformat

from annotation.models import Judgment, Kind, Study
from common.tables.table import Cell, Column, Row, Table, table

DAYS = 7
LONGEST = 3650
"""Days. What lies further ahead is said as such: a date in ten years would be no forecast."""


class Day(NamedTuple):
    """One day of a study.

    ``day``: the date (UTC).
    ``judged``: items judged for the first time on it.
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
    rows = Judgment.objects.filter(
        item__study=study, item__kind=Kind.WORK, revision=1, created__gte=midnights[0]
    )
    # Counted between midnights: SQLite would call Python for the date of every row.
    within = {f"day_{ago}": Q(created__lt=end) for ago, end in enumerate(midnights[1:])}
    n = rows.aggregate(**{name: Count("pk", filter=each) for name, each in within.items()})
    upto = [n[name] for name in within]
    judged = [one - before for one, before in zip(upto, [0, *upto], strict=False)]
    days = tuple(Day(each.date(), number) for each, number in zip(midnights, judged, strict=False))
    since = max(study.opened or now, midnights[0])
    elapsed = max((now - since) / timedelta(days=1), 1.0)
    rate = sum(judged) / elapsed if any(judged) else None
    return Pace(days, rate, since, left, forecast(left, rate, today) if study.is_open else None)


def forecast(left: int, rate: float | None, today: date) -> date | None:
    """The day on which `left` assignments are done at that rate; None without one, or beyond ten years."""
    if not left or rate is None or left / rate > LONGEST:
        return None
    return today + timedelta(days=ceil(left / rate))
