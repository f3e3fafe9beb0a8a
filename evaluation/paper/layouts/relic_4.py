"""RELiC's Table 4: how far readers agree on a choice, beside readers who guess."""

from __future__ import annotations

from annotation.models import Study
from common.errors import BadInput
from common.tables.table import NONE, Cell, Column, Row, table
from evaluation.metrics.nominal.agreement import ALL_AGREE, NONE_AGREE
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.report.compute import report
from evaluation.report.sentences import intervals, warning
from evaluation.values.lines import Line
from evaluation.values.report import Report
from evaluation.values.wording import counted, interval, worded

MEASURES = (FLEISS, ALL_AGREE, NONE_AGREE)
HEADINGS = ("Fleiss κ (↑)", "all agree (↑)", "none agree (↓)")
NEEDS = "a study of choices that at least two readers answered"


def missing(study: Study) -> str:
    """Return why the study cannot fill it."""
    if study.task_type.measure != "nominal":
        return f"It is of choices, and the task “{study.task}” yields {study.task_type.measure} data."
    return "With one reading an item nobody can agree." if study.overlap < 2 else ""


def fill(asked: Asked) -> Filled:
    """Agreement of the readers, and of guessing."""
    found = report(asked.study, resamples=asked.resamples)
    if found.problem:
        raise BadInput(f"{LAYOUT.name} cannot be filled. {found.problem}")
    lines = [_line(found, each.slug) for each in MEASURES]
    known = [each for each in lines if each]
    if not any(each.estimate.value is not None for each in known):
        reason = next((each.estimate.reason for each in known if each.estimate.reason), "")
        raise BadInput(f"{LAYOUT.name} cannot be filled: no agreement has a value. {reason}".rstrip())
    columns = (
        Column("who", "", numeric=False),
        *(Column(one.slug, text) for one, text in zip(MEASURES, HEADINGS, strict=True)),
    )
    people = "Readers" if not found.simulated else "Readers (simulated)"
    rows = (
        Row((Cell("Random", "random"), *map(_random, lines)), aside=True, name="random"),
        Row((Cell(people, "readers"), *map(_observed, lines)), name="readers"),
    )
    return Filled(
        layout=LAYOUT.name,
        study=found.slug,
        table=table(columns, rows, caption=_caption(found, known)),
        notes=tuple(f"{each.measure.label}: {each.measure.definition}" for each in known),
        seed=found.seed,
        resamples=found.resamples,
        computed=found.computed,
        version=found.version,
        warning=warning(found),
    )


def _line(found: Report, slug: str) -> Line | None:
    """The line of a measure; for κ of items with unequal numbers of answers the one that is defined there."""
    line = found.line(slug)
    if slug == FLEISS.slug and (line is None or line.estimate.value is None):
        return found.line(GENERALISED_FLEISS.slug) or line
    return line


def _random(line: Line | None) -> Cell:
    if line is None or line.chance is None:
        return Cell(NONE)
    return Cell(worded(line.measure, line.chance), line.chance)


def _observed(line: Line | None) -> Cell:
    if line is None:
        return Cell(NONE)
    found = line.estimate
    return Cell(
        worded(line.measure, found.value),
        found.value,
        below=interval(line.measure, found.low, found.high),
        note=found.reason,
    )


def _caption(found: Report, lines: list[Line]) -> str:
    numbers = {each.estimate.n_items for each in lines if each.estimate.value is not None}
    items = " or ".join(f"{each:,}" for each in sorted(numbers))
    readers = counted(len(found.active), "reader", "readers")
    options = f", a choice of {found.n_options}" if found.n_options else ""
    return (
        f"Agreement of {readers} on {items} items{options}, compared with random answers. "
        f"Below each value is its 95 % interval. {intervals(found)} Random is enumerated exactly; "
        "κ of random answers is 0 by definition."
    )


LAYOUT = Layout("relic-4", "Table 4", "Agreement of readers beside random answers", NEEDS, missing, fill)
