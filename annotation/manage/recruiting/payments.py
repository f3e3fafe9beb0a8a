"""The list for payment: who, by the id of their service, has done how much. It names no pseudonym."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from annotation.assignment.progress import reader_progress
from annotation.models import OutsideId, Study
from annotation.people.recruiting.ending import ended_as
from annotation.reading.after_last import is_read_by_others, is_something_left

COLUMNS = ("outside_id", "standing", "items", "amount", "currency", "joined")


def lines(study: Study, now: datetime) -> Iterator[str]:
    """Yield the list as CSV, a line each, by outside id: `items` ended, without practice, and what they earn.

    Without pseudonyms, so that it does not join a person to judgments.
    """
    yield _line(COLUMNS)
    rows = OutsideId.objects.filter(study=study).select_related("enrolment__study")
    for each in rows.order_by("value").iterator():
        me = each.enrolment
        progress = reader_progress(me)
        left = is_something_left(me, progress, now) or is_read_by_others(me, progress, now)
        standing = ended_as(me, done=progress.done, left=left) or "reading"
        rate = me.study.rate
        amount = "" if rate is None else str(Decimal(progress.done) * rate)
        currency = me.study.currency if rate is not None else ""
        yield _line((each.value, standing, progress.done, amount, currency, each.created.date()))


def _line(values: tuple[object, ...]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(values)
    return written.getvalue()
