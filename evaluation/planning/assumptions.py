"""What a plan assumes, one field a number: the same on the page, in the command and in its files.

Shares are percent here, as people type them; the models take them from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from common.errors import BadField

CHOICES, SPANS, SEVERAL, GRADES, RUBRIC = "choices", "spans", "several_spans", "grades", "rubric"
ANSWERS = (CHOICES, SPANS, SEVERAL, GRADES, RUBRIC)


class Asked(NamedTuple):
    """One number: its label, its bounds, what it means, and which answers need it (empty: all)."""

    label: str
    least: float
    most: float
    means: str
    only: tuple[str, ...] = ()
    whole: bool = False
    optional: bool = False

    def of(self, answers: str) -> bool:
        """Whether a plan of these answers asks for it."""
        return not self.only or answers in self.only


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """All of them; the defaults are a study like RELiC's, spans like those of Manjavacas et al."""

    answers: str = CHOICES
    items: int = 200
    readers: int = 3
    width: float = 5.0
    accuracy: float = 85.0
    kappa: float = 0.68
    options: int = 3
    overlap: float = 68.0
    length: float = 6.86
    deviation: float = 4.83
    marked: float = 2.0
    passage: int = 100
    grades: int = 5
    alpha: float = 0.65
    lowest: float = 40.0
    asked: float = 100.0
    first: float = 67.5
    second: float = 60.0
    differing: float | None = None
    alike: float = 0.0
    seconds: float = 60.0
    hourly: float = 0.0


ASKED = {
    "items": Asked("Items", 1, 1_000_000, "Each is read by k readers.", whole=True),
    "readers": Asked("Readers of each item (k)", 1, 50, "Independent answers an item gets.", whole=True),
    "width": Asked(
        "Half width wanted, in points", 0.1, 50, "5: an accuracy of 85 % is known from 80 to 90 %, κ ± .05."
    ),
    "accuracy": Asked(
        "Accuracy of one reader, %", 1, 99, "Of 100 single answers, how many are right.", (CHOICES,)
    ),
    "kappa": Asked(
        "Fleiss κ of the readers", -1, 1, "It says how much items differ in difficulty.", (CHOICES,)
    ),
    "options": Asked(
        "Options of an item, or of a question", 2, 100, "To choose from.", (CHOICES, RUBRIC), whole=True
    ),
    "overlap": Asked(
        "Overlap of two readers’ spans (O_o), %",
        1,
        99,
        "Words in both of words in either.",
        (SPANS, SEVERAL),
    ),
    "length": Asked(
        "Length of a span, words", 1.1, 1000, "The mean; with an anchor, that among them.", (SPANS, SEVERAL)
    ),
    "deviation": Asked("Their standard deviation, words", 0.1, 1000, "Of lengths.", (SPANS, SEVERAL)),
    "marked": Asked("Spans in an answer", 1, 50, "The mean, of answers that mark any.", (SEVERAL,)),
    "passage": Asked("Words of a passage", 2, 1000, "In which spans are marked.", (SEVERAL,), whole=True),
    "grades": Asked("Grades of the scale", 2, 11, "From the lowest to the highest.", (GRADES,), whole=True),
    "alpha": Asked(
        "Krippendorff α of the readers",
        0,
        0.99,
        "Of grades and graded questions the ordinal one, of other questions the nominal one.",
        (GRADES, RUBRIC),
    ),
    "lowest": Asked(
        "Share of the lowest grade, or of a question’s first option, %",
        1,
        98,
        "Of all answers. The others share the rest evenly.",
        (GRADES, RUBRIC),
    ),
    "asked": Asked(
        "Items on which the question is asked, %",
        1,
        100,
        "Fewer than 100 where it hangs on an earlier answer.",
        (RUBRIC,),
    ),
    "first": Asked(
        "Accuracy of a system, %",
        0.1,
        99.9,
        "Right options, or grades that are the gold grade.",
        (CHOICES, GRADES),
    ),
    "second": Asked("Accuracy of another system, %", 0.1, 99.9, "On the same items.", (CHOICES, GRADES)),
    "differing": Asked(
        "Items on which one of the two alone is right, %",
        0,
        100,
        "Empty: as if what one finds hard said nothing of the other.",
        (CHOICES, GRADES),
        optional=True,
    ),
    "alike": Asked(
        "Correlation of right answers of system and reader (φ)",
        -1,
        1,
        "0 where items that are hard for readers are not harder for the system.",
        (CHOICES,),
    ),
    "seconds": Asked("Seconds an answer takes", 1, 36_000, "Reading and answering, without pauses."),
    "hourly": Asked("Pay for an hour", 0, 100_000, "In any currency; 0 where nobody is paid."),
}
"""Every number, in the order in which it is asked for."""


@contextmanager
def about(field: str) -> Iterator[None]:
    """Say of which field a model's refusal is."""
    try:
        yield
    except ValueError as error:
        raise BadField(field, str(error)) from error


def checked(wanted: Assumptions) -> Assumptions:
    """The same. Raises BadField for a number out of its bounds, naming them."""
    if wanted.answers not in ANSWERS:
        raise BadField("answers", f"Answers are {', '.join(ANSWERS)}, not {wanted.answers}.")
    for name, one in ASKED.items():
        value = getattr(wanted, name)
        if value is None and one.optional:
            continue
        if value is None or not one.least <= value <= one.most:
            raise BadField(name, f"{one.label}: a number from {one.least:g} to {one.most:g}.")
    return wanted
