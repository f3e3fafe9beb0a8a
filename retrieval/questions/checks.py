"""Stored questions checked against their targets and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retrieval.corpora.models import Document, Question, QuestionSet, Standing
from retrieval.engine.questions import checking
from retrieval.engine.questions.checking import Checked, Target

CHANGED = ("text", "standing", "refused", "overlap", "overlap_all")
"""What a check sets."""
NAMES = ("name", "full_name", "last", "family")


def assess(question: Question, others: Sequence[str], most_overlap: float) -> None:
    """Set what is found of a question's text, and whether it is refused."""
    result = checked(question, question.text, others, most_overlap)
    question.overlap, question.overlap_all = result.overlap, result.overlap_all
    question.refused = list(result.refused)
    question.standing = Standing.REFUSED if result.refused else Standing.WRITTEN


def checked(question: Question, text: str, others: Iterable[str], most_overlap: float) -> Checked:
    """Return what is found of a wording of a question."""
    targets = [target_of(each) for each in question.targets.all()]
    return checking.check(text, targets, list(others), most_overlap)


def kept_texts(found: QuestionSet, but: Question | None = None) -> list[str]:
    """Return the questions of a set that are kept, without one of them."""
    rows = found.questions.filter(standing=Standing.WRITTEN)
    return list((rows.exclude(pk=but.pk) if but else rows).values_list("text", flat=True))


def target_of(document: Document) -> Target:
    """Return a document as what a question looks for."""
    return Target(document.title, document.text, authors_of(document.extra))


def authors_of(extra: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the authors that a line of a corpus named: in a list, or in a string with `;` between them."""
    given = extra.get("authors") or extra.get("author") or ()
    listed = given.split(";") if isinstance(given, str) else given if isinstance(given, list) else ()
    names = (_name(each) for each in listed)
    return tuple(each.strip() for each in names if each.strip())


def _name(each: object) -> str:
    if isinstance(each, Mapping):
        return next((str(each[name]) for name in NAMES if each.get(name)), "")
    return each if isinstance(each, str) else ""
