"""Questions with targets as a study: judged by the rubric of specificity and quality, and taken back.

What people say becomes facets of the topics that the questions turn into; a wording that they give becomes an
edit, with the one before kept. The model that wrote a question is no judge of it: only people's readings
count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from statistics import median_low
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from annotation.items.from_excerpts import fields_of
from annotation.items.payloads import FileItem
from annotation.models import Decision, Judgment, Outcome, Study
from annotation.tasktypes import registry
from common.errors import BadField, BadInput
from common.wording import counted
from retrieval.corpora.models import Question, QuestionSet, Standing
from retrieval.questions import editing

if TYPE_CHECKING:
    from django.contrib.auth.models import User

TASK = "rubric"
TEMPLATE = "specificity"
SIMULATED = "simulation"
TITLES = 3
"""Targets that are named above a question."""


def entries(found: QuestionSet) -> Iterator[FileItem]:
    """Yield an item for each question that is kept, with the titles of what it looks for above it.

    Raises:
        BadInput: no question of the set is kept.
    """
    shared = fields_of(registry.get(TASK), TEMPLATE)
    kept = found.questions.filter(standing=Standing.WRITTEN).prefetch_related("targets").order_by("number")
    if not kept:
        raise BadInput(f"No question of “{found}” is kept: have them written first.")
    for each in kept:
        titles = [target.title or target.external_id for target in each.targets.all()]
        more = f" and {len(titles) - TITLES} more" if len(titles) > TITLES else ""
        topic = f"Looks for: {'; '.join(titles[:TITLES])}{more}"
        made = {"id": f"question {found.slug}.{each.number}", "question": each.pk}
        payload = {"text": each.text, "topic": topic[:2_000], **shared}
        yield FileItem(f"question {each.number}", payload, None, made)


class Taken(NamedTuple):
    """What came back of a study.

    judged: questions whose specificity is known now.
    edited: questions that were given other words.
    open: numbers of questions on which readers are evenly divided, or which the adjudicator left open.
    differ: numbers of questions for which readers gave different wordings; none was taken.
    refused: of wordings that cannot be a question, such as one that is too long, the number and why.
    """

    judged: int
    edited: int
    open: tuple[int, ...]
    differ: tuple[int, ...]
    refused: tuple[tuple[int, str], ...] = ()

    def in_words(self) -> str:
        """Return it in sentences."""
        said = [f"{counted(self.judged, 'question')} judged, {self.edited:,} reworded."]
        if self.open:
            said.append(f"Without a majority, so left as they were: {_listed(self.open)}.")
        if self.differ:
            said.append(f"Different wordings, of which none was taken: {_listed(self.differ)}.")
        said += [f"The wording for {number} was not taken: {why}" for number, why in self.refused]
        return " ".join(said)


def take(study: Study, by: User | None = None) -> Taken:
    """Store what people said of questions: specificity by majority, quality by the lower median.

    A decision of an adjudicator stands for the readings of its item. A wording is taken where everybody who
    gave one gave the same; one that cannot be a question is refused by name, and the others are taken.
    Simulated readings are passed over.

    Raises:
        BadInput: the study is of no questions, or nobody has judged one.
    """
    items = {
        each.pk: each.provenance["question"] for each in study.items.all() if "question" in each.provenance
    }
    if not items:
        raise BadInput(f"“{study.slug}” has no item that is a question of a set.")
    answers = _answers(study, items)
    if not answers:
        raise BadInput(f"Nobody has judged a question of “{study.slug}” yet.")
    judged = edited = 0
    undecided, differ, refused = [], [], []
    with transaction.atomic():
        questions = Question.objects.select_related("set").in_bulk([*answers])
        for question in sorted(questions.values(), key=attrgetter("number", "pk")):
            given = answers[question.pk]
            if not _judge(question, given):
                undecided.append(question.number)
                continue
            judged += 1
            wordings = {" ".join(each.get("edited", "").split()) for each in given} - {"", question.text}
            if len(wordings) > 1:
                differ.append(question.number)
            elif wordings:
                try:
                    editing.edit(question, wordings.pop(), f"In the study {study.slug}", by)
                    edited += 1
                except BadField as error:
                    refused.append((question.number, str(error)))
    return Taken(judged, edited, tuple(undecided), tuple(differ), tuple(refused))


def _judge(question: Question, given: Iterable[Mapping[str, Any]]) -> bool:
    """Store specificity and quality; return whether there is a majority for one specificity."""
    counted_votes = Counter(each["specificity"] for each in given).most_common(2)
    if not counted_votes or len({votes for _, votes in counted_votes}) < len(counted_votes):
        return False
    first = counted_votes[0][0]
    grades = sorted(int(each["quality"]) for each in given if "quality" in each)
    question.specificity, question.quality = first, median_low(grades) if grades else None
    question.save(update_fields=["specificity", "quality"])
    return True


def _answers(study: Study, items: Mapping[int, int]) -> dict[int, list[Mapping[str, Any]]]:
    """The answers to each question, by its key: the adjudicator's alone where there is one."""
    found: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    rows = Judgment.objects.current().filter(assignment__study=study, outcome=Outcome.ANSWER)
    for item, answer in rows.exclude(channel=SIMULATED).values_list("assignment__item", "answer"):
        if item in items:
            found[items[item]].append(answer or {})
    decided = Decision.objects.filter(item__study=study).order_by("revision")
    for item, answer in decided.values_list("item", "answer"):
        if item in items:
            found[items[item]] = [answer] if answer else []
    return dict(found)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
