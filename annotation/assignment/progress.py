"""How far a reader has come, from their own rows only: it tells nothing of colleagues.

Check items count as any other, so that no number gives them away. Practice is over before
the counting begins.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, cast

from annotation.assignment import checks
from annotation.models import Enrolment
from common.composed import Question, together

# Written out: to put this one statement together takes Django longer than the rest of a page does.
# What was taken out of the study stays the reader's where they had it. Each part is counted inside an index,
# where the comparison with a date finds what is not null without a look at the rest.
COUNTS = """
SELECT
    (SELECT COUNT(*) FROM annotation_item
     WHERE study_id = %(study)s AND kind = 'work' AND retired IS NULL AND quarantined IS NULL),
    (SELECT COUNT(*) FROM annotation_assignment WHERE annotator_id = %(me)s AND item_id IN
        (SELECT id FROM annotation_item
         WHERE study_id = %(study)s AND kind = 'work' AND retired > '0001-01-01'
         UNION ALL SELECT id FROM annotation_item
         WHERE study_id = %(study)s AND kind = 'work' AND retired IS NULL AND quarantined > '0001-01-01')),
    (SELECT COUNT(*) FROM annotation_item WHERE study_id = %(study)s AND kind = 'check'),
    (SELECT COUNT(*) FROM annotation_assignment WHERE annotator_id = %(me)s AND status = 'done'),
    (SELECT COUNT(*) FROM annotation_assignment WHERE annotator_id = %(me)s AND status = 'done' AND item_id IN
        (SELECT id FROM annotation_item WHERE study_id = %(study)s AND kind = 'practice')),
    (SELECT COUNT(*) FROM annotation_assignment
     WHERE annotator_id = %(me)s AND status = 'held' AND put_off IS NOT NULL)
"""


class ReaderProgress(NamedTuple):
    """One reader's counts.

    done: items ended.
    total: items there are for this reader.
    put_off: items put off.
    """

    done: int
    total: int
    put_off: int


def reader_progress(enrolment: Enrolment) -> ReaderProgress:
    """Return the reader's own counts, in one query."""
    (progress,) = together(asked_progress(enrolment))
    return cast(ReaderProgress, progress)


def asked_progress(enrolment: Enrolment) -> Question:
    """Return the same as a question, for `together`."""
    return Question(COUNTS, {"study": enrolment.study_id, "me": enrolment.pk}, partial(_counted, enrolment))


def _counted(enrolment: Enrolment, rows: list[tuple[int, ...]]) -> ReaderProgress:
    ((given, kept, check, ended, practised, later),) = rows
    quota = enrolment.most_work
    n_work = given + kept if quota is None else min(given + kept, quota)
    total = n_work + checks.planned(enrolment, n_work, check)
    return ReaderProgress(done=ended - practised, total=total, put_off=later)
