"""What only a rubric has in a report: a sentence a question, its states, and answers beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.table import Cell, Row, Table, table
from evaluation.kinds.rubric.numbers import NOT_ASKED_TOO, Asked
from evaluation.kinds.rubric.pictures import FIGURE, drawing, has_pairs, of_two
from evaluation.values.lines import said
from evaluation.values.readers import answers, broken, seconds, undecided
from evaluation.values.report import KindReport, Panels, Report
from evaluation.values.tables import PageSection, column, named
from evaluation.values.wording import digits

STATES = ("answered", "empty", "not_asked", "items_with_two_asked")
NOTES = (
    "Each question has numbers of its own, and there is no mean over questions: they have different kinds of "
    "answers and different chances.",
)
CONDITIONS = (
    "A question with a condition is computed on the items on which two readers or more were asked. “Or not "
    "asked” counts “not asked” as an answer: readers who differ on the question before differ there too.",
)
TEXTS = "Free texts have no coefficient: how often they are filled in, and how often two are equal, is all."


def describe(report: Report) -> KindReport:
    """Of a report without numbers only the columns of its readers."""
    columns = (answers(report), undecided(report), broken(report), seconds(report))
    found: tuple[Asked, ...] | None = report.found
    if found is None:
        return KindReport(columns=columns)
    return KindReport(
        summary=tuple(_sentence(each) for each in found),
        last_notes=tuple(_notes(found)),
        guessing="guessing among the options of a question",
        guess="guessing",
        random=(
            "Random: for shares what guessing among the options of that question gives; coefficients are 0 "
            "at chance by definition; a dash where no chance is defined."
        ),
        columns=columns,
        panels=Panels("Plain agreement", "Agreement above chance", "Same as gold"),
        sections=tuple(_sections(found)),
        text=(states(found), *(each for each in map(crossed, found) if each is not None)),
        data={"rubric": [_data(each) for each in found]},
        rows=tuple(_rows(found)),
        beside_settled=tuple(each.lines[0].measure.slug for each in found if each.question.options),
    )


def _sentence(each: Asked) -> str:
    """The first two measures of a question that have a value, among those of answers alone."""
    counted = f"{each.question.key}-{NOT_ASKED_TOO}"
    own = [line for line in each.lines if not line.measure.slug.startswith(counted)]
    valued = [line for line in own if line.estimate.value is not None][:2]
    name = f"“{each.question.name}”"
    if not valued:
        return f"{name} has no two answers on one item yet."
    labels = (line.measure.label.split(": ", 1)[1] for line in valued)
    return (
        f"{name}: {', '.join(f'{label} {said(line)}' for label, line in zip(labels, valued, strict=True))}."
    )


def _notes(found: tuple[Asked, ...]) -> Iterator[str]:
    if len(found) > 1:
        yield from NOTES
    if any(each.question.when for each in found):
        yield from CONDITIONS
    if not all(each.question.options for each in found):
        yield TEXTS


def states(found: tuple[Asked, ...]) -> Table:
    """A question a row: how often it was answered, left empty and not asked."""
    rows = [
        Row((Cell(each.question.name, each.question.key), *(Cell(f"{n:,}", n) for n in _states(each))))
        for each in found
    ]
    columns = (named("question"), *map(column, ("answered", "left empty", "not asked", "items asked of two")))
    caption = (
        "Answers to each question in the order of the rubric; “items asked of two”: on which two readers or "
        "more were asked."
    )
    return table(columns, rows, caption=caption)


def _states(each: Asked) -> tuple[int, int, int, int]:
    return each.n_answered, each.n_empty, each.n_not_asked, each.n_items


def crossed(each: Asked) -> Table | None:
    """What two readers said to one item beside each other; None for texts, and where nobody was compared."""
    if each.coincidences is None or not has_pairs(each):
        return None
    values = each.question.values
    rows = [
        Row((Cell(value, value), *(Cell(digits(n, 1), n) for n in counts)))
        for value, counts in zip(values, each.coincidences.tolist(), strict=True)
    ]
    caption = (
        f"“{each.question.name}”: what two readers said to the same item. Each answer counts once, divided "
        "among the others of its item."
    )
    return table((named("answer"), *(column(value, value) for value in values)), rows, caption=caption)


def _sections(found: tuple[Asked, ...]) -> Iterator[PageSection]:
    yield PageSection("states", "Answered, left empty, not asked", table=states(found))
    for each in found:
        beside = crossed(each)
        if beside is not None:
            heading = f"Two readers on “{each.question.name}”"
            drawn = (FIGURE, of_two(each))
            yield PageSection(
                f"two-{each.question.key}", heading, table=beside, picture=drawn, drawing=drawing(each)
            )


def _data(each: Asked) -> dict[str, Any]:
    one = each.question
    return {
        "question": one.key,
        "prompt": one.prompt,
        "kind": one.kind,
        "values": list(one.values),
        "when": [{"question": each.question, "in": list(each.values)} for each in one.when],
        **dict(zip(STATES, _states(each), strict=True)),
        "coincidences": None if each.coincidences is None else each.coincidences.tolist(),
        "measures": [line.measure.slug for line in each.lines],
    }


def _rows(found: tuple[Asked, ...]) -> Iterator[dict[str, Any]]:
    for each in found:
        for name, n in zip(STATES, _states(each), strict=True):
            yield {"number": f"{each.question.key}-{name}", "value": n}
