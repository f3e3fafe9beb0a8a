"""How far a reader has come, from their own rows only: it tells nothing of colleagues.

Check items count as any other, so that no number gives them away. Practice is over before
the counting begins.
"""

from __future__ import annotations

import time
from functools import partial
from typing import NamedTuple, cast

from annotation.assignment import checks
from annotation.models import Enrolment
from common.composed import Question, together

# Written out: to put this one statement together takes Django longer than the rest of a page does.
# What was taken out of the study stays the reader's where they had it. What is in the small indexes of a few
# items (`Item.Meta`) is asked in their own words: that is how a database knows that they hold it.
GIVEN = """
(SELECT COUNT(*) FROM annotation_item
     WHERE study_id = %(study)s AND kind = 'work' AND retired IS NULL AND quarantined IS NULL)"""
REMEMBERED = "CAST(%(given)s AS integer)"
# Where a study has no such item, as most have none, nothing is counted (EXISTS, asked once): PostgreSQL knows
# nothing of a reader yet whose study has just opened, and would go through all that they have done. All of
# theirs are held or done, by a constraint: what is held is counted, which is little.
OF_FEW = """
(SELECT COUNT(*) FROM annotation_assignment
     WHERE EXISTS (SELECT 1 FROM annotation_item WHERE study_id = %(study)s AND {few})
     AND annotator_id = %(me)s {which}
     AND item_id IN (SELECT id FROM annotation_item WHERE study_id = %(study)s AND {few}))"""
TAKEN_OUT = "kind = 'work' AND (retired IS NOT NULL OR quarantined IS NOT NULL)"
OF_PRACTICE = "kind = 'practice' AND NOT kind = 'work'"
COUNTS = """
SELECT
    {given},
    {taken_out},
    (SELECT COUNT(*) FROM annotation_item
     WHERE study_id = %(study)s AND kind = 'check' AND NOT kind = 'work'),
    {practice_done},
    {practice},
    (SELECT COUNT(*) FROM annotation_assignment WHERE annotator_id = %(me)s AND status = 'held'),
    (SELECT COUNT(*) FROM annotation_assignment
     WHERE annotator_id = %(me)s AND status = 'held' AND put_off IS NOT NULL),
    own.*
FROM (SELECT COUNT(*), COUNT(claimed) FROM annotation_assignment WHERE annotator_id = %(me)s) AS own
"""
COUNTING, KNOWING = (
    COUNTS.format(
        given=given,
        taken_out=OF_FEW.format(few=TAKEN_OUT, which=""),
        practice_done=OF_FEW.format(few=OF_PRACTICE, which="AND status = 'done'"),
        practice=OF_FEW.format(few=OF_PRACTICE, which="AND claimed IS NOT NULL"),
    )
    for given in (GIVEN, REMEMBERED)
)
MANY = 2000
"""Items given from which on their number is remembered: to count them takes the longer the more there are."""
SECONDS = 10.0
"""For so long; what is added or taken out meanwhile is counted then, or where a reader has done all."""


class ReaderProgress(NamedTuple):
    """One reader's counts.

    done: items ended.
    total: items there are for this reader.
    put_off: items put off.
    """

    done: int
    total: int
    put_off: int


class ReaderCounts(NamedTuple):
    """One reader's counts, and what numbers their items.

    progress: how far they have come.
    given: assignments they were given, but for those of practice.
    """

    progress: ReaderProgress
    given: int


class Remembered(NamedTuple):
    """How many items of a study are given, and until when that is believed, by a monotonic clock."""

    given: int
    until: float


_remembered: dict[int, Remembered] = {}
"""By study; each web process has its own."""


def reader_progress(enrolment: Enrolment) -> ReaderProgress:
    """Return the reader's own counts, in one query."""
    (counts,) = together(asked_counts(enrolment))
    return cast(ReaderCounts, counts).progress


def asked_counts(enrolment: Enrolment) -> Question:
    """Return a question for `together`, whose answer is `ReaderCounts`."""
    known = _remembered.get(enrolment.study_id)
    if known is None or time.monotonic() >= known.until:
        return _asked_anew(enrolment)
    asked = {"study": enrolment.study_id, "me": enrolment.pk, "given": known.given}
    return Question(KNOWING, asked, partial(_counted_with_known, enrolment))


def _asked_anew(enrolment: Enrolment) -> Question:
    asked = {"study": enrolment.study_id, "me": enrolment.pk}
    return Question(COUNTING, asked, partial(_counted_anew, enrolment))


def _counted_with_known(enrolment: Enrolment, rows: list[tuple[int, ...]]) -> ReaderCounts:
    counts = _counted(enrolment, rows)
    if counts.progress.done < counts.progress.total:
        return counts
    # Nobody is told that they have done all while items have come that are not counted yet.
    (anew,) = together(_asked_anew(enrolment))
    return cast(ReaderCounts, anew)


def _counted_anew(enrolment: Enrolment, rows: list[tuple[int, ...]]) -> ReaderCounts:
    given = rows[0][0]
    if given >= MANY:
        _remembered[enrolment.study_id] = Remembered(given, time.monotonic() + SECONDS)
    else:
        _remembered.pop(enrolment.study_id, None)
    return _counted(enrolment, rows)


def _counted(enrolment: Enrolment, rows: list[tuple[int, ...]]) -> ReaderCounts:
    ((given, kept, check, practised, practice, held, later, own, claimed),) = rows
    quota = enrolment.most_work
    n_work = given + kept if quota is None else min(given + kept, quota)
    total = n_work + checks.planned(enrolment, n_work, check)
    return ReaderCounts(ReaderProgress(own - held - practised, total, later), claimed - practice)
