"""Scales of grades: the ready ones with our wording, what a scale must be, and how grades are read.

A scale is `{"name": text, "grades": [{"label", "definition", "example"}]}`, the lowest grade first; an
example may be left out. A grade is counted from 0, its place in the list.

The number of grades and what they are for follow those named with each scale; the words are our own, and the
name says so: grades with other words are other grades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.asked import AskedOfModels, one_of
from annotation.tasktypes.base import Answer, Invalid, Payload
from annotation.tasktypes.fields import is_whole, whole_number
from common.translation import gettext as _
from common.translation import gettext_noop

FEWEST, MOST = 2, 10
LONGEST_LABEL, LONGEST_WORDS = 200, 1_000
PARTS, NEEDED = {"label", "definition", "example"}, {"label", "definition"}
GRADES = gettext_noop("The answer must be one of the grades, 0 to {last}.")


def _grade(label: str, definition: str, example: str) -> dict[str, str]:
    return {
        "label": label,
        "definition": definition,
        "example": f"Asked how fishing boats were lit: {example}",
    }


SCALES: dict[str, dict[str, Any]] = {
    # Five grades from not to fully relevant, as in experiments on historical retrieval (BL19).
    "five": {
        "name": "0 to 4, wording by Variorum",
        "grades": [
            _grade("Not relevant", "It has nothing to do with the topic.", "a page on the price of bread."),
            _grade(
                "On the subject only",
                "It touches the subject and says nothing that answers the question.",
                "a page on fishing boats, with no word of light.",
            ),
            _grade(
                "Partly relevant",
                "It says a little that answers the question, in passing or among much else.",
                "a letter from a voyage with half a sentence on a lamp at the bow.",
            ),
            _grade(
                "Largely relevant",
                "It answers a good part of the question, or all of it without detail.",
                "a report on accidents that tells which boats carried lamps, and not how.",
            ),
            _grade(
                "Fully relevant",
                "It answers the question: whoever asked would quote it.",
                "a description of the lamps, their oil and where they hung.",
            ),
        ],
    },
    # Four grades, as the Deep Learning tracks of TREC use for passages (Craswell et al. 2020).
    "trec": {
        "name": "0 to 3 as in TREC, wording by Variorum",
        "grades": [
            _grade("Irrelevant", "It has nothing to do with the question.", "a page on the price of bread."),
            _grade(
                "Related",
                "It is on the subject and does not answer the question.",
                "a page on fishing boats, with no word of light.",
            ),
            _grade(
                "Relevant",
                "It holds some of the answer, unclearly or among other things.",
                "a letter from a voyage with a sentence on a lamp at the bow.",
            ),
            _grade(
                "Perfectly relevant",
                "It is about the question and holds the exact answer.",
                "a description of the lamps, their oil and where they hung.",
            ),
        ],
    },
    "binary": {
        "name": "Relevant or not, wording by Variorum",
        "grades": [
            _grade(
                "Not relevant",
                "Nothing in it could be used in a report on the topic.",
                "a page on fishing boats, with no word of light.",
            ),
            _grade(
                "Relevant",
                "Something in it could be used in a report on the topic, however little.",
                "a letter from a voyage with half a sentence on a lamp at the bow.",
            ),
        ],
    },
}
"""The ready scales, by the name that commands and files give them."""


def named_scale(name: str) -> dict[str, Any]:
    """Return the ready scale of that name. Raises `Invalid` with the names there are."""
    if name not in SCALES:
        raise Invalid(
            f"There is no scale “{name}”: use {', '.join(SCALES)}, or write one of your own.", "scale"
        )
    return SCALES[name]


def check_scale(scale: Any) -> None:
    """Raise `Invalid` unless this is a scale whose grades can be told apart."""
    if not isinstance(scale, Mapping) or set(scale) != {"name", "grades"}:
        raise Invalid(
            "“scale” must have a name and grades, or be the name of a ready one: " + ", ".join(SCALES) + ".",
            "scale",
        )
    passage.check_text(scale["name"], "scale", LONGEST_LABEL)
    grades = scale["grades"]
    if not passage.is_list(grades) or not FEWEST <= len(grades) <= MOST:
        raise Invalid(f"A scale has {FEWEST} to {MOST} grades in a list, the lowest first.", "scale")
    for number, grade in enumerate(grades):
        _check_grade(number, grade)
    if len({grade["label"] for grade in grades}) < len(grades):
        raise Invalid("Two grades of the scale have the same label: nobody could tell them apart.", "scale")


def _check_grade(number: int, grade: Any) -> None:
    if not isinstance(grade, Mapping) or not NEEDED <= set(grade) <= PARTS:
        raise Invalid(
            f"Grade {number} of the scale must have a label, a definition and perhaps an example.", "scale"
        )
    for part, words in grade.items():
        try:
            passage.check_text(words, part, LONGEST_LABEL if part == "label" else LONGEST_WORDS)
        except Invalid as error:
            raise Invalid(f"Grade {number} of the scale: {error}", "scale") from None


def check_grade(answer: Any, grades: int) -> Answer:
    """Return the stored form of an answer on a scale of so many grades, or raise `Invalid`."""
    grade = answer.get("grade") if isinstance(answer, Mapping) else None
    if not is_whole(grade, 0, grades - 1):
        raise Invalid(_(GRADES).format(last=grades - 1), "grade")
    return {"grade": grade}


def read_grade(data: Mapping[str, Any], grades: int) -> Answer:
    """Return the answer that a form or a script sent, or raise `Invalid`."""
    missing = _("Choose a grade, or say that you can’t decide.")
    wrong = _(GRADES).format(last=grades - 1)
    return {"grade": whole_number(data, "grade", 0, grades - 1, missing=missing, wrong=wrong)}


def steps_apart(one: Answer, other: Answer, grades: int) -> float:
    """Return the steps between two grades, divided by the steps of the whole scale."""
    return float(abs(one["grade"] - other["grade"]) / (grades - 1))


def near_grade(right: int, grades: int, accuracy: float, random: Random) -> Answer:
    """Return the right grade with probability `accuracy`, else one near it: each step is half as likely."""
    if random.random() < accuracy:
        return {"grade": right}
    others = [grade for grade in range(grades) if grade != right]
    return {"grade": random.choices(others, [2.0 ** -abs(grade - right) for grade in others])[0]}


class RepliesWithGrade(AskedOfModels):
    """How a model replies with one grade; `categories` and `parse` are those of the task type."""

    def reply_schema(self: Any, payload: Payload) -> dict[str, dict[str, Any]]:
        return {"grade": one_of(range(self.categories(payload)))}

    def from_reply(self: Any, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        found: Answer = self.parse(payload, reply)
        return found

    def choices(self: Any, payload: Payload) -> tuple[str, ...]:
        return tuple(str(grade) for grade in range(self.categories(payload)))
