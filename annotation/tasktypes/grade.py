"""One grade for a passage: how far it answers a question, on a scale with words for every grade.

The simple form of graded relevance judgments: Järvelin, Kekäläinen 2002, section 2.

Payload: `question`, `passage` (texts), `grades` (the labels, from the lowest grade to the
highest), perhaps `language` of the passage, `citation`, `book`. Answer and gold:
`{"grade": n}`, 0 for the first label. The order of a scale means something, so it is
shown to every reader as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Payload, TaskType
from annotation.tasktypes.fields import check_names
from annotation.tasktypes.items import Field
from annotation.tasktypes.scales import (
    FEWEST,
    LONGEST_LABEL,
    MOST,
    RepliesWithGrade,
    check_grade,
    near_grade,
    read_grade,
    steps_apart,
)
from common.translation import gettext_noop

LONGEST_QUESTION = 2_000
NEEDED, OPTIONAL = {"question", "passage", "grades"}, {"language", "citation", "book"}


class Grade(RepliesWithGrade, TaskType):
    """Grade a passage against a question."""

    slug = "grade"
    label = gettext_noop("Grade a passage")
    measure = "ordinal"
    one_scale = True
    asks = gettext_noop("You would read short passages and grade on a scale how far each answers a question.")
    keys = (
        Key("grade_1", "1", gettext_noop("the first grade")),
        *(
            Key(f"grade_{n}", str(n), gettext_noop("grade {n} on the page, where there are so many"))
            for n in range(2, MOST)
        ),
        # 0 is “can’t decide” in every task: the tenth has the Roman ten.
        Key(f"grade_{MOST}", "x", gettext_noop("the tenth")),
    )
    answer_numbers = ("grade",)
    undecided_reasons = (
        gettext_noop("The question is unclear"),
        gettext_noop("The passage says too little"),
        gettext_noop("It lies between two grades"),
    )
    wanting = undecided_reasons[:1]

    file_fields = (
        Field("question", "what the passage is graded by"),
        Field("passage", "the text that is graded"),
        Field("grades", "two to ten labels as a list of texts, the lowest grade first"),
        Field("language", "of the passage, such as en", needed=False),
        Field("citation", "where the passage stands", needed=False),
        Field("book", "the title of its book", needed=False),
    )

    def check_payload(self, payload: Payload) -> None:
        check_names(payload, NEEDED, OPTIONAL, "a graded item")
        passage.check_text(payload["question"], "question", LONGEST_QUESTION)
        passage.check_text(payload["passage"], "passage", passage.LONGEST_TEXT)
        if "language" in payload:
            passage.check_language(payload["language"], "language")
        for name in ("citation", "book"):
            if name in payload:
                passage.check_text(payload[name], name, passage.LONGEST_NAME)
        grades = payload["grades"]
        if not passage.is_list(grades) or not FEWEST <= len(grades) <= MOST:
            raise Invalid(
                f"“grades” must be a list of {FEWEST} to {MOST} labels, the lowest first.", "grades"
            )
        for label in grades:
            passage.check_text(label, "grades", LONGEST_LABEL)
        if len(set(grades)) < len(grades):
            raise Invalid("Two grades have the same label: nobody could tell them apart.", "grades")

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        return check_grade(answer, len(payload["grades"]))

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        return read_grade(data, len(payload["grades"]))

    def categories(self, payload: Payload) -> int:
        return len(payload["grades"])

    def category_labels(self, payload: Payload) -> tuple[str, ...]:
        return tuple(payload["grades"])

    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        return {
            "question": payload["question"],
            "passage": payload["passage"],
            "language": payload.get("language", "en"),
            "citation": payload.get("citation", ""),
            "book": payload.get("book", ""),
            "grades": [{"grade": grade, "label": label} for grade, label in enumerate(payload["grades"])],
        }

    def instruction(self, payload: Payload) -> str:
        return "Grade how far the passage answers the question, on this scale:\n" + "\n".join(
            f"{grade}: {label}" for grade, label in enumerate(payload["grades"])
        )

    def material(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        return {
            name: payload[name] for name in ("question", "book", "citation", "passage") if payload.get(name)
        }

    meanings = {
        "grade": "the grade, from 0, the lowest",
        "grade_label": "its words",
    }

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        return {"grade": answer["grade"], "grade_label": payload["grades"][answer["grade"]]}

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        return steps_apart(one, other, categories)

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return gold with probability `accuracy`, else a grade near it: each step away is half as likely."""
        if gold is None:
            raise ValueError("A simulated reader needs the gold grade.")
        return near_grade(gold["grade"], len(payload["grades"]), accuracy, random)

    @classmethod
    def example(cls) -> Example:
        payload = {
            "question": "Does the narrator say why the boats stayed in the harbour?",
            "passage": "No boat went out that week. The men stood at the wall; nobody asked them why.",
            "grades": ["It says nothing of it", "It hints at it", "It says it in part", "It says it in full"],
            "language": "en",
            "citation": "Chapter 3",
            "book": "The Example",
        }
        return Example(payload, {"grade": 0}, {"grade": "2"}, {"grade": 2})
