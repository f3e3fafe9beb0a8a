"""The questions of a rubric for the methods paragraph, and which measures are of which question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from annotation.models import Study
from annotation.tasktypes.rubric.questions import ORDINAL, TEXT, Question, questions_of
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.registry import ALL_MEASURES
from evaluation.paper.methods.german_words import listed as german_listed
from evaluation.paper.methods.german_words import number as german_number
from evaluation.paper.methods.german_words import quoted
from evaluation.values.wording import listed

KNOWN = {each.slug: each for each in ALL_MEASURES}
NOT_ASKED = " or not asked"


class Reported(NamedTuple):
    """A measure, once, however many questions it was computed of.

    ``measure``: the measure; ``questions``: names of the questions, none where an answer has one part.
    """

    measure: MeasureOf[Any]
    questions: tuple[str, ...] = ()


def reported(measures: Iterable[MeasureOf[Any]]) -> tuple[Reported, ...]:
    """Return each measure once, in the order in which it first comes, with the questions it is of."""
    found: dict[str, Reported] = {}
    for one in measures:
        slug = one.slug.rpartition("-")[2]
        base = KNOWN.get(slug, one) if slug != one.slug else one
        names = (one.label.removesuffix(f": {base.label}"),) if base is not one else ()
        before = found.get(base.slug, Reported(base))
        found[base.slug] = before._replace(questions=tuple(dict.fromkeys((*before.questions, *names))))
    return tuple(found.values())


def rubric_of(study: Study) -> tuple[Question, ...]:
    """Return the questions of the study's rubric; none where its task has one question."""
    payload = study.items.order_by("number").values_list("payload", flat=True).first()
    return questions_of(payload["rubric"]) if payload and "rubric" in payload else ()


def english(questions: Sequence[Question]) -> str:
    """Return a sentence with the questions as readers see them."""
    return f"Its questions are {listed([_english(each) for each in questions])}."


def _english(one: Question) -> str:
    how = {TEXT: "in their own words", ORDINAL: f"{len(one.options)} grades"}
    many = how.get(one.kind, f"{len(one.options)} answers")
    when = ", asked where an earlier answer calls for it" if one.when else ""
    return f"“{one.prompt}” ({one.name}: {many}{when})"


def german(questions: Sequence[Question]) -> str:
    """Return the same in German: the questions themselves stay in their language."""
    return f"Die Fragen lauten {german_listed([_german(each) for each in questions])}."


def _german(one: Question) -> str:
    n = german_number(len(one.options))
    how = {TEXT: "in eigenen Worten", ORDINAL: f"{n} Stufen"}.get(one.kind, f"{n} Antworten")
    when = ", gestellt, wo eine frühere Antwort sie verlangt" if one.when else ""
    return f"{quoted(one.prompt)} ({one.name}: {how}{when})"


def english_of(one: Reported) -> str:
    """``, of the questions quality and type``; empty where there is one question."""
    if not one.questions:
        return ""
    return f", of the {'question' if len(one.questions) == 1 else 'questions'} {listed(list(one.questions))}"


def german_of(one: Reported) -> str:
    names = [each.replace(NOT_ASKED, " oder nicht gestellt") for each in one.questions]
    if not names:
        return ""
    return f", {'zur Frage' if len(names) == 1 else 'zu den Fragen'} {german_listed(names)}"
