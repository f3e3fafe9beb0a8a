"""What two readers said to each question as a picture, for each question with options."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from common.pictures.marks import Grid, Picture
from evaluation.kinds.rubric.numbers import Asked
from evaluation.values.confusion import confusion_grid

FIGURE = "evaluation/figure.html"
LONGEST = 24
"""Letters of a label beside a row; the whole of it stands in the rubric."""


def has_pairs(each: Asked) -> bool:
    """Whether two readers answered the question on one item; never for free texts."""
    return each.coincidences is not None and bool(each.coincidences.sum())


def drawings(found: tuple[Asked, ...]) -> Iterator[tuple[str, Picture]]:
    """One for each question in which there is something to see."""
    for each in found:
        if has_pairs(each):
            yield drawing(each), of_two(each)


def drawing(each: Asked) -> str:
    """The name of a question's picture for print."""
    return f"{each.question.key.replace('_', '-')}-of-two"


def of_two(each: Asked) -> Grid:
    """Answers that two readers gave to one question of one item."""
    question = each.question
    names = [_named(one.value, one.label) for one in question.options]
    counts = np.zeros((0, 0)) if each.coincidences is None else each.coincidences
    return confusion_grid(
        names,
        question.values,
        counts,
        ("One reader", "Another reader"),
        name=f"of-two-{question.key}",
        title=f"Answers of two readers to “{question.name}”",
        said=f"Each row in the order {', '.join(question.values)}.",
    )


def _named(value: str, label: str) -> str:
    short = label if len(label) <= LONGEST else f"{label[: LONGEST - 1].rstrip()}…"
    return short if short.casefold() == value.casefold() else f"{value} {short}"
