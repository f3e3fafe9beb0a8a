"""Manjavacas et al.'s Table 1: what spans have in common with the texts they allude to."""

from __future__ import annotations

from annotation.models import Study
from common.errors import BadInput
from common.tables.table import Cell, Row, table
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.report.compute import report
from evaluation.report.sentences import warning

HEADINGS = ("", "Jaccard (token)", "Jaccard (lemma)", "Source length", "Ref length", "Count")
NAMES = {
    "anchors": "Anchors, as loaded",
    "gold spans": "Gold spans",
    "marked spans": "Spans that readers marked",
}
NEEDS = "a study of spans whose items have the text that is alluded to"


def missing(study: Study) -> str:
    """Return why the study cannot fill it."""
    if "spans" not in study.task_type.measure:
        return f"It is of spans, and readers of the task “{study.task}” mark none."
    return ""


def fill(asked: Asked) -> Filled:
    """A kind of span a row."""
    found = report(asked.study, resamples=asked.resamples)
    section = next((each for each in found.own.sections if each.slug == "dataset"), None)
    if section is None or section.table is None:
        reason = found.problem or (section.sentence if section else "No span was marked yet.")
        raise BadInput(f"{LAYOUT.name} cannot be filled. {reason}")
    rows = [
        Row((Cell(NAMES.get(each.cells[0].words, each.cells[0].words)), *each.cells[1:]))
        for each in section.table.rows
    ]
    columns = [
        old._replace(heading=heading, short=None)
        for old, heading in zip(section.table.columns, HEADINGS, strict=True)
    ]
    caption = (
        f"Statistics of the spans of {found.title} ({found.n_items:,} items). The Jaccard index of the sets "
        "of "
        "words of a span and of its reference, on tokens and on lemmata, and lengths in words: mean "
        "(± sample standard deviation). Count is pairs of a span and a reference."
    )
    notes = [text for text in (section.table.caption.partition("one reference.")[2].strip(),) if text]
    return Filled(
        layout=LAYOUT.name,
        study=found.slug,
        table=table(columns, rows, caption=caption),
        notes=(
            *notes,
            "These are counts and means of this study’s spans, with no resampling: no interval is given.",
        ),
        seed=found.seed,
        resamples=found.resamples,
        computed=found.computed,
        version=found.version,
        warning=warning(found),
    )


LAYOUT = Layout(
    "manjavacas-1", "Table 1", "What spans share with the texts they allude to", NEEDS, missing, fill
)
