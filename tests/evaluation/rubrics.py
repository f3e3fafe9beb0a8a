"""Studies of a rubric with judgments in them, written through the models."""

from __future__ import annotations

from annotation.models import Assignment, Judgment, Outcome, Study
from tests.evaluation.judged import NAMES, UNANSWERED, filled, judgment

QUESTIONS = [
    {
        "key": "type",
        "prompt": "What is the quotation for?",
        "kind": "nominal",
        "required": True,
        "options": [{"value": value, "label": value.capitalize()} for value in ("claim", "retold", "other")],
    },
    {
        "key": "quality",
        "prompt": "How well does it fit?",
        "kind": "ordinal",
        "required": True,
        "when": [{"question": "type", "in": ["claim", "retold"]}],
        "options": [{"value": value, "label": f"Grade {value}"} for value in "012"],
    },
    {
        "key": "remark",
        "prompt": "What would fit better?",
        "kind": "text",
        "when": [{"question": "quality", "in": ["1", "2"]}],
    },
]
SAID = {
    "r": {"type": "claim", "quality": "2", "remark": "Nothing would."},
    "w": {"type": "claim", "quality": "1"},
    "s": {"type": "claim", "quality": "2", "remark": "Nothing  would."},
    "p": {"type": "retold", "quality": "0"},
    "d": {"type": "other"},
}


def answered(votes: list[str], *, slug: str = "quoted", by=None, names=NAMES, gold="r", fields=None) -> Study:
    """One item a text, one letter a reader: one of SAID, u can't decide, b broken, . nothing yet.

    ``gold``: a letter for all items, empty for none.
    """
    rows = (
        (
            {"text": f"The tide came in {number} times.", "topic": "Why?", "rubric": QUESTIONS},
            SAID.get(gold),
            said,
        )
        for number, said in enumerate(votes, 1)
    )
    return filled("rubric", rows, row, slug=slug, by=by, names=names, fields=fields)


def row(assignment: Assignment, who, said: str, *, revision: int = 1) -> Judgment:
    outcome = UNANSWERED.get(said, Outcome.ANSWER)
    return judgment(assignment, who, outcome, SAID.get(said), "A question is unclear", revision)
