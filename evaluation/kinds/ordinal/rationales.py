"""The words that readers marked beside their grades: read of a study whose readers are asked for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from annotation.models import Judgment, Study
from common.tables.table import Cell, Row, Table, table
from evaluation.kinds.answers import places, work_items
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.ordinal.grades import Graded
from evaluation.metrics.ordinal.rationale import RATIONALE_MEASURES, RATIONALE_OVERLAP, Rationales, rationales
from evaluation.values.lines import Line, said
from evaluation.values.report import Report
from evaluation.values.tables import column, named
from evaluation.values.wording import NONE, digits, percent

AT_ONCE = 5_000
CAPTION = (
    "A row for each grade: its answers, those in which words are marked, the median of the words marked in "
    "them, pairs of readers who gave an item this grade and both marked, and the mean overlap of what they "
    "marked: words in both over words in either."
)


def read_rationales(study: Study, graded: Graded, seed: int, resamples: int) -> Rationales | None:
    """What was marked; None where readers mark nothing. Raises Unreadable for marks that fit no text."""
    task, first = study.task_type, work_items(study).first()
    if first is None or not task.markable(first.payload):
        return None
    current = Judgment.objects.current_of(each.key for each in graded.readers).exclude(number_1=None)
    rows = current.values_list("item_id", "annotator_id", "number_1", "answer").iterator(AT_ONCE)
    given = ((item, who, grade, answer or {}) for item, who, grade, answer in rows)
    marked = [row for row in given if task.verdict(row[3]) != row[3]]
    keys = np.array([row[0] for row in marked], dtype=np.int64)
    at, known = places(keys, graded.keys)
    marked = [row for row, counts in zip(marked, known.tolist(), strict=True) if counts]
    asked = {row[0] for row in marked}
    texts = {item.pk: item.payload for item in work_items(study).iterator(AT_ONCE) if item.pk in asked}
    length = [len(task.markable(texts[key])) if key in texts else 1 for key in graded.keys.tolist()]
    reader = {each.key: number for number, each in enumerate(graded.readers)}
    answered = graded.grade[graded.rows.answered]
    try:
        return rationales(
            at[known],
            np.array([reader[row[1]] for row in marked], dtype=np.int64),
            np.array([row[2] for row in marked], dtype=np.int64),
            [task.marked(texts[row[0]], row[3]) for row in marked],
            np.array(length, dtype=np.int64),
            np.bincount(answered, minlength=graded.options).astype(np.int64),
            np.arange(graded.n_items) if graded.topic is None else graded.topic,
            seed,
            resamples,
        )
    except ValueError as error:
        raise Unreadable(f"What was marked does not fit the texts: {error}") from error


def lines_of(found: Rationales) -> Iterator[Line]:
    """Its measures as lines of the report; α is 0 at chance by definition."""
    for one, each in zip(RATIONALE_MEASURES, found.estimates, strict=True):
        yield Line(one, each, 0.0 if one.range[0] < 0 else None, False)


def sentence(report: Report, found: Rationales) -> str:
    """How often words are marked, and how far readers with one grade mark the same."""
    given, marked = int(found.n_answers.sum()), int(found.n_marked.sum())
    share = percent(marked / given) if given else NONE
    text = f"Words that decided are marked in {marked:,} of {given:,} grades ({share} %)"
    line = report.line(RATIONALE_OVERLAP.slug)
    if line is None or line.estimate.value is None:
        return f"{text}; no two readers who gave an item the same grade both marked any."
    return f"{text}. Two readers who gave the same grade marked the same words to {said(line)}."


def by_grade(found: Rationales, names: list[str]) -> Table:
    """A grade a row."""
    columns = ("answers", "with words marked", "words, median", "pairs", "overlap")
    rows = [
        Row(
            (
                Cell(name, grade),
                *(Cell(f"{int(n):,}", int(n)) for n in (found.n_answers[grade], found.n_marked[grade])),
                _number(found.median_words[grade], 0),
                Cell(f"{int(found.n_pairs[grade]):,}", int(found.n_pairs[grade])),
                _number(found.overlap[grade], 2),
            )
        )
        for grade, name in enumerate(names)
    ]
    return table([named("", "Grade", "grade"), *map(column, columns)], rows, caption=CAPTION)


def _number(value: float, after_point: int) -> Cell:
    return Cell(NONE) if np.isnan(value) else Cell(digits(value, after_point), value)


def data(found: Rationales) -> list[dict[str, float | int | None]]:
    """For scripts: a grade an entry."""
    return [
        {
            "grade": grade,
            "answers": int(found.n_answers[grade]),
            "marked": int(found.n_marked[grade]),
            "median_words": None if np.isnan(words) else words,
            "pairs": int(found.n_pairs[grade]),
            "overlap": None if np.isnan(overlap) else overlap,
        }
        for grade, (words, overlap) in enumerate(zip(found.median_words, found.overlap, strict=True))
    ]


def rows(found: Rationales | None) -> Iterator[dict[str, Any]]:
    """The same for CSV; none where readers mark nothing."""
    for each in data(found) if found else ():
        for name in ("marked", "median_words", "pairs", "overlap"):
            yield {"number": f"rationale_{name}_of_{each['grade']}", "value": each[name]}
