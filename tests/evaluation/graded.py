"""Studies of grades with judgments in them, written through the models."""

from __future__ import annotations

import uuid
from hashlib import sha256

from annotation.models import Assignment, AssignmentStatus, Item, Judgment, Outcome, State, Study
from tests import builders
from tests.evaluation.judged import NAMES, NOW, readers

SCALE = ["It says nothing of it", "It hints at it", "It says it in part", "It says it in full"]


def payload(number: int, grades: list[str]) -> dict:
    return {
        "question": "Does the narrator say why the boats stayed?",
        "passage": f"No boat went out in week {number}. The men stood at the wall; nobody asked.",
        "grades": grades,
        "language": "en",
        "citation": f"Chapter {number}",
    }


def graded(
    votes: list[str], *, slug: str = "tides", by=None, names=NAMES, gold="", grades=SCALE, fields=None
) -> Study:
    """One item a text, one letter a reader: a digit is a grade, u can't decide, b broken, . nothing yet.

    ``gold``: a digit, or . for none, for each item; ``grades``: the scale, or one for each item.
    """
    study = builders.study(slug, items=0, overlap=len(names), by=by, state=State.DRAFT)
    study.task, study.state = "grade", State.OPEN
    study.save()
    people = readers(study, names, **(fields or {}))
    rows = []
    for number, said in enumerate(votes, 1):
        right = gold[number - 1] if number <= len(gold) else "."
        item = Item.objects.create(
            study=study,
            number=number,
            payload=payload(number, grades if isinstance(grades[0], str) else grades[number - 1]),
            gold=None if right == "." else {"grade": int(right)},
            digest=sha256(f"{slug} {number}".encode()).hexdigest(),
        )
        for place, (who, each) in enumerate(zip(people, said, strict=False), 1):
            assignment = Assignment.objects.create(
                study=study,
                item=item,
                place=place,
                annotator=None if each == "." else who,
                status=AssignmentStatus.FREE if each == "." else AssignmentStatus.DONE,
            )
            if each != ".":
                rows.append(row(assignment, who, each))
    Judgment.objects.bulk_create(rows)
    return study


def row(assignment: Assignment, who, said: str, *, revision: int = 1) -> Judgment:
    outcome = {"u": Outcome.UNDECIDED, "b": Outcome.BROKEN}.get(said, Outcome.ANSWER)
    return Judgment(
        assignment=assignment,
        annotator=who,
        revision=revision,
        outcome=outcome,
        answer={"grade": int(said)} if outcome == Outcome.ANSWER else None,
        reason="" if outcome == Outcome.ANSWER else "It lies between two grades",
        active_seconds=20.0,
        submission=uuid.uuid4(),
        door="web",
        created=NOW,
    )
