"""Studies of grades with judgments in them, written through the models."""

from __future__ import annotations

from itertools import repeat

from annotation.models import Assignment, Judgment, Outcome, Study
from tests.evaluation.judged import NAMES, UNANSWERED, filled, judgment

SCALE = ["It says nothing of it", "It hints at it", "It says it in part", "It says it in full"]


def payload(number: int, grades: list[str], question: str = "") -> dict:
    return {
        "question": question or "Does the narrator say why the boats stayed?",
        "passage": f"No boat went out in week {number}. The men stood at the wall; nobody asked.",
        "grades": grades,
        "language": "en",
        "citation": f"Chapter {number}",
    }


def graded(
    votes: list[str],
    *,
    slug: str = "tides",
    by=None,
    names=NAMES,
    gold="",
    grades=SCALE,
    fields=None,
    topics=(),
) -> Study:
    """One item a text, one letter a reader: a digit is a grade, u can't decide, b broken, . nothing yet.

    ``gold``: a digit, or . for none, for each item; ``grades``: the scale, or one for each item; ``topics``:
    the question of each item.
    """
    scales = repeat(grades) if isinstance(grades[0], str) else grades
    rights, asked = [*gold, *"." * len(votes)], [*topics, *[""] * len(votes)]
    rows = (
        (payload(number, scale, topic), None if right == "." else {"grade": int(right)}, said)
        for number, (said, right, scale, topic) in enumerate(
            zip(votes, rights, scales, asked, strict=False), 1
        )
    )
    return filled("grade", rows, row, slug=slug, by=by, names=names, fields=fields)


def row(assignment: Assignment, who, said: str, *, revision: int = 1) -> Judgment:
    outcome = UNANSWERED.get(said, Outcome.ANSWER)
    given = {"grade": int(said)} if outcome == Outcome.ANSWER else None
    return judgment(assignment, who, outcome, given, "It lies between two grades", revision)
