"""A study's readings, item by item.

Sigla are pseudonyms; adjudicators' stand among them and enter no number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotation.models import Item, Judgment, Outcome, Role, Study
from evaluation.kinds.answers import work_items
from evaluation.kinds.apparatus import Apparatus, entry_of, readings_of
from evaluation.kinds.registry import kind_of
from evaluation.values.readings import Entry, Said

AT_ONCE = 500


class Witness(NamedTuple):
    """Somebody who may read.

    ``siglum``: the pseudonym.
    ``role``: in the study, as ``annotator``.
    ``simulated``: whether it is a program.
    """

    siglum: str
    role: str
    simulated: bool


def entries(study: Study, items: Iterable[Item] | None = None) -> Iterator[Entry]:
    """Of these items, else of all work items by number; a few queries for every 500 of them.

    Raises Unreadable for a study whose data have no kind.
    """
    apparatus = kind_of(study).apparatus
    waiting: list[Item] = []
    for item in work_items(study).iterator(AT_ONCE) if items is None else items:
        waiting.append(item)
        if len(waiting) == AT_ONCE:
            yield from _some(study, apparatus, waiting)
            waiting = []
    yield from _some(study, apparatus, waiting)


def witnesses(study: Study) -> list[Witness]:
    """All who may read, in the order of joining."""
    rows = study.enrolments.filter(role__in=[Role.ANNOTATOR, Role.ADJUDICATOR]).order_by("id")
    return [Witness(each.pseudonym, each.role, each.simulated) for each in rows]


def _some(study: Study, apparatus: Apparatus, items: list[Item]) -> Iterator[Entry]:
    said: dict[int, list[Judgment]] = {item.pk: [] for item in items}
    rows = Judgment.objects.current().filter(assignment__item__in=list(said))
    rows = rows.filter(annotator__role__in=[Role.ANNOTATOR, Role.ADJUDICATOR])
    for judgment in rows.select_related("annotator", "assignment").order_by("annotator_id"):
        said[judgment.assignment.item_id].append(judgment)
    for item in items:
        yield _entry(study, apparatus, item, said[item.pk])


def _entry(study: Study, apparatus: Apparatus, item: Item, judgments: list[Judgment]) -> Entry:
    task, payload = study.task_type, item.payload
    gold = None if item.gold is None else apparatus.read(task, payload, Outcome.ANSWER, item.gold)
    said = []
    for each in judgments:
        act, place, words = apparatus.read(task, payload, each.outcome, each.answer)
        note = each.reason if act in ("undecided", "broken") else ""
        counts = each.annotator.role == Role.ANNOTATOR
        marks = apparatus.marked(task, payload, each.answer)
        said.append(Said(each.annotator.pseudonym, act, place, words, note, counts, marks))
    return entry_of(apparatus, item.number, payload, readings_of(said, gold), said)
