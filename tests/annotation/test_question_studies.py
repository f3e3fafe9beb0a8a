"""Questions judged by people: a study of a set, and what readers said taken back with every wording kept."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Assignment, Decision, Judgment, Study
from annotation.studies.questions import take
from common.errors import BadInput
from retrieval.corpora.models import Question, QuestionEdit, Standing
from tests import builders

pytestmark = pytest.mark.django_db


def said(*args):
    out = StringIO()
    call_command(*args, stdout=out)
    return out.getvalue()


@pytest.fixture
def judged(db):
    """A study of two questions with three readers."""
    names = builders.judged_collection()
    Question.objects.filter(number=2).update(
        standing=Standing.WRITTEN, text="Where do late boats land at night?"
    )
    told = said("question_study", "asked", "--questions", names["questions"], "--overlap", "3")
    assert told == "Built “asked”, a draft with 2 items.\n"
    assert "has all 2 items already" in said("question_study", "asked", "--questions", names["questions"])
    return Study.objects.get(slug="asked")


def specific(quality, **more):
    return {"specificity": "specific", "quality": str(quality), **more}


@pytest.fixture
def readers(judged):
    return [builders.enrolment(judged, builders.person(name)) for name in ("Ada", "Ben", "Cleo")]


def answer(study, readers, number, *answers, **fields):
    """Store what each reader said of the question of this number."""
    item = study.items.order_by("number")[number - 1]
    for slot, (reader, each) in enumerate(zip(readers, answers, strict=True), 1):
        place = Assignment.objects.create(
            study=study, item=item, slot=slot, annotator=reader, status="done", claimed=timezone.now()
        )
        Judgment.objects.create(
            assignment=place,
            annotator=reader,
            order=[],
            outcome="answer",
            answer=each,
            created=timezone.now(),
            submission=uuid.uuid4(),
            **{"channel": "web", **fields},
        )


def test_an_item_holds_the_question_and_what_it_looks_for(judged):
    first = judged.items.order_by("number").first()
    assert first.payload["text"] == "Which account tells how late the boats go out?"
    assert first.payload["topic"] == "Looks for: quay-2"
    assert [each["key"] for each in first.payload["rubric"]] == ["specificity", "quality", "edited"]
    assert "gold" not in first.payload


def test_majority_median_and_the_wording_that_all_agree_on_come_back(judged, readers):
    told = "Which account tells how late the boats leave?"
    answer(judged, readers, 1, specific(1, edited=told), specific(2), {"specificity": "too_general"})
    broad = {"specificity": "broad", "quality": "1"}
    answer(judged, readers, 2, broad, broad | {"edited": "One?"}, broad | {"edited": "Another?"})
    assert take(judged).in_words() == (
        "2 questions judged, 1 reworded. Different wordings, of which none was taken: 2."
    )
    first, second = Question.objects.filter(number__lte=2).order_by("number")
    assert (first.specificity, first.quality, first.text) == ("specific", 1, told)
    assert (second.specificity, second.quality) == ("broad", 1)
    edit = QuestionEdit.objects.get(question=first, why="In the study asked")
    assert (edit.before, edit.after) == ("Which account tells how late the boats go out?", told)
    assert take(judged).edited == 0


def test_a_wording_that_is_too_long_is_refused_by_name_and_the_others_are_taken(judged, readers):
    long = "Which account of boats? " * 60
    answer(judged, readers, 1, *[specific(2, edited=long)] * 3)
    answer(judged, readers, 2, *[specific(1, edited="Where do late boats land when it is dark?")] * 3)
    told = said("question_study", "asked", "--take")
    assert "2 questions judged, 1 reworded. The wording for 1 was not taken: The question has" in told
    first, second = Question.objects.filter(number__lte=2).order_by("number")
    assert (first.quality, first.text) == (2, "Which account tells how late the boats go out?")
    assert second.text == "Where do late boats land when it is dark?"


def test_without_a_majority_nothing_is_taken_until_an_adjudicator_decides(judged, readers):
    answers = specific(2), {"specificity": "broad", "quality": "2"}, {"specificity": "too_general"}
    answer(judged, readers, 1, *answers)
    assert take(judged).open == (1,)
    assert Question.objects.get(number=1).specificity == ""
    item = judged.items.order_by("number").first()
    told = {"adjudicator": readers[0], "reason": "So.", "created": timezone.now()}
    Decision.objects.create(item=item, answer=specific(2), submission=uuid.uuid4(), **told)
    assert "1 question judged" in said("question_study", "asked", "--take")
    assert Question.objects.get(number=1).quality == 2
    Decision.objects.create(item=item, revision=2, answer=None, submission=uuid.uuid4(), **told)
    assert take(judged).open == (1,)


def test_simulated_readings_are_nobody_s(judged, readers):
    answer(judged, readers, 1, specific(2), specific(2), specific(2), channel="simulation")
    with pytest.raises(BadInput, match="Nobody has judged"):
        take(judged)


def test_what_is_no_question_study_is_refused(judged):
    other = builders.study()
    with pytest.raises(BadInput, match="no item that is a question"):
        take(other)
    with pytest.raises(CommandError, match="no questions “none”"):
        said("question_study", "asked", "--questions", "none")
    with pytest.raises(CommandError, match="no study"):
        said("question_study", "none", "--take")
