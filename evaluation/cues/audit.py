"""A study's cue audit in every format. All of them print the same numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Document, Paragraph, Points, Records, Table
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.values.cues import WHAT_IT_IS, CueAudit, cue_data, cue_records, cue_table, sentences

NOT_HERE = "Readers of this task choose between no texts, so there is no surface to go by."


class StudyAudit(NamedTuple):
    """The audit with what heads it.

    slug, title: of the study.
    audit: what was found.
    """

    slug: str
    title: str
    audit: CueAudit


def audit_of(study: Study) -> StudyAudit:
    """The study's audit, computed from its items as they are now; where it has none, why."""
    try:
        found = kind_of(study).cues(study) or CueAudit(0, 0, 0, 0, problem=NOT_HERE)
    except (Unreadable, Invalid) as error:
        found = CueAudit(0, 0, 0, 0, problem=str(error))
    return StudyAudit(study.slug, " ".join(study.title.split()), found)


def document(found: StudyAudit) -> Document:
    """For a terminal or a note."""
    said = Points(sentences(found.audit))
    title = f"Cue audit of {found.title} ({found.slug})"
    if found.audit.problem:
        return Document(title, (said,))
    return Document(title, (said, Paragraph(WHAT_IT_IS), cue_table(found.audit)))


def data(found: StudyAudit) -> dict[str, Any]:
    """For scripts."""
    return {"study": found.slug, "title": found.title, **cue_data(found.audit)}


def records(found: StudyAudit) -> Records:
    """A reader of the surface a row."""
    return cue_records(found.audit)


def paper(found: StudyAudit) -> Paper:
    """For a paper: the table with what it shows."""
    if found.audit.problem:
        return Paper(Table((), ()), found.slug, problem=f"{found.title}: {found.audit.problem}")
    caption = f"{found.title}: readers who never read, on {found.audit.n_items} items. {HOW}"
    return Paper(cue_table(found.audit)._replace(caption=caption), found.slug)


HOW = (
    "Intervals: 95 %, t on the logit scale over items; p by redrawn golds, adjusted by Holm’s method; the "
    "last reader is a logistic model of all marks, cross-validated by item."
)
FORMATS = formats(document, data, records, paper)
"""The audit in every format, by name."""
