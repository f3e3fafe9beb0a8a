"""Grades: a scale that stands as it is, answers as numbers from 0, and how far two grades lie apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.items.payloads import FileItem
from annotation.models import Judgment, Kind, Study
from annotation.studies.build import load_items
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from tests import builders

GRADE = registry.get("grade")
EXAMPLE = GRADE.example().payload


def payload(**changed):
    return {name: value for name, value in {**EXAMPLE, **changed}.items() if value is not None}


@pytest.mark.parametrize(
    ("changed", "sentence", "field"),
    [
        ({"question": " "}, "“question” must be a text", "question"),
        ({"question": None}, "Missing field “question”", "question"),
        ({"passage": "x" * 20_001}, "“passage” has 20,001 characters", "passage"),
        ({"grades": ["only one"]}, "2 to 10 labels", "grades"),
        ({"grades": [str(n) for n in range(11)]}, "2 to 10 labels", "grades"),
        ({"grades": "low high"}, "2 to 10 labels", "grades"),
        ({"grades": ["low", "low"]}, "the same label", "grades"),
        ({"grades": ["low", 3]}, "“grades” must be a text", "grades"),
        ({"language": "English"}, "language tag", "language"),
        ({"citation": "\x00x"}, "NUL", "citation"),
        ({"gold": 1}, "Unknown field “gold”", "gold"),
    ],
)
def test_what_is_no_graded_item_is_refused_in_a_sentence(changed, sentence, field):
    if changed == {"language": "English"}:
        changed = {"language": "English, mostly"}
    with pytest.raises(Invalid, match=re.escape(sentence)) as refused:
        GRADE.check_payload(payload(**changed))
    assert refused.value.field == field


def test_language_and_origin_may_be_left_out():
    GRADE.check_payload(payload(language=None, citation=None, book=None))
    GRADE.check_payload(payload(grades=[str(n) for n in range(10)]))


@pytest.mark.parametrize("sent", ["4", "-1", "two", "1.0", 4, -1, 1.0, True, [1]])
def test_a_grade_beyond_the_scale_is_refused(sent):
    with pytest.raises(Invalid, match="one of the grades, 0 to 3"):
        GRADE.parse(EXAMPLE, {"grade": sent})


def test_the_scale_is_shown_as_it_is_whatever_the_order():
    assert GRADE.n_options(EXAMPLE) == 0
    assert GRADE.categories(EXAMPLE) == 4
    shown = GRADE.present(EXAMPLE, [])["grades"]
    assert [each["grade"] for each in shown] == [0, 1, 2, 3]
    assert [each["label"] for each in shown] == EXAMPLE["grades"]


def test_grades_lie_apart_by_their_steps():
    far = [GRADE.apart({"grade": 0}, {"grade": n}, 4) for n in range(4)]
    assert far == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_a_simulated_reader_errs_near_the_gold_grade():
    said = Counter(GRADE.simulate(EXAMPLE, {"grade": 0}, 0.0, Random(seed))["grade"] for seed in range(700))
    assert 0 not in said
    assert said[1] == pytest.approx(400, abs=55)
    assert said[2] == pytest.approx(200, abs=50)
    assert said[3] == pytest.approx(100, abs=40)


@pytest.fixture
def place(ada, dora):
    many = payload(grades=[f"Grade {n}" for n in range(10)])
    built = load_items(
        "graded", "grade", source="grades.jsonl", overlap=1, seed=1, by=dora,
        entries=[FileItem("line 1", many, {"grade": 9})],
    )  # fmt: skip
    reader = builders.enrolment(built.study, ada)
    open_study(built.study, by=dora, now=timezone.now())
    return next_assignment(reader, now=timezone.now())


@pytest.mark.django_db
def test_its_page_has_a_key_for_each_of_ten_grades_and_takes_the_answer(as_user, ada, place):
    browser = as_user(ada)
    page = browser.get(place.get_absolute_url())
    found = re.findall(r'name="grade" value="(\d)" data-key="(.)"', page.text)
    assert found == [*((str(n), str(n + 1)) for n in range(9)), ("9", "x")]
    assert EXAMPLE["question"] in page.text
    assert "checked" not in page.text.split("Your grade")[1].split("</fieldset>")[0]
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    empty = browser.post(place.get_absolute_url(), {**fields, "answer": "1"})
    assert empty.status_code == 422
    assert f'<a href="#grade-{place.pk}">Choose a grade' in empty.text
    assert browser.post(place.get_absolute_url(), {**fields, "answer": "1", "grade": "9"}).status_code == 302
    judgment = Judgment.objects.get()
    assert judgment.answer == {"grade": 9}
    assert 'value="9" data-key="x" checked' in browser.get(place.get_absolute_url()).text


@pytest.mark.django_db
def test_a_command_makes_a_draft_of_a_file_and_adds_what_is_new(tmp_path, capsys):
    file = tmp_path / "grades.jsonl"
    file.write_text(json.dumps({**EXAMPLE, "gold": {"grade": 1}, "id": "first"}))
    with pytest.raises(CommandError, match="say of which task"):
        call_command("import_items", "graded", str(file))
    call_command("import_items", "graded", str(file), "--task", "grade")
    with file.open("a") as more:
        more.write("\n" + json.dumps(payload(passage="Another passage.")))
    call_command("import_items", "graded", str(file))
    told = capsys.readouterr().out
    assert "Built “graded”, a draft with 1 item." in told
    assert "Added 1 item to “graded”; 1 was there before." in told
    study = Study.objects.get(slug="graded")
    assert list(study.items.order_by("number").values_list("categories", "gold_1")) == [(4, 1), (4, None)]
    with pytest.raises(CommandError, match="a study of the task “grade”, not “span”"):
        call_command("import_spans", "graded", str(file))


@pytest.mark.django_db
def test_a_researcher_sees_the_scale_with_its_gold_grade(as_user, dora, place):
    page = as_user(dora).get(reverse("annotation:item", args=[place.study.slug, 1]))
    assert re.search(r'Grade 9</span> <span class="badge" data-kind="ok">Gold', page.text)


@pytest.mark.django_db
def test_a_study_of_a_file_has_three_readings_and_seed_0_unless_others_are_named():
    made = load_items("graded", "grade", [FileItem("line 1", payload())], source="grades.jsonl").study
    assert (made.title, made.overlap, made.seed, made.created_by) == ("graded", 3, 0, None)


@pytest.mark.django_db
def test_a_study_of_two_scales_is_not_opened_since_its_numbers_could_not_be_read(as_user, ada, dora):
    built = load_items(
        "graded", "grade", source="grades.jsonl", overlap=1, seed=1, by=dora,
        entries=[
            FileItem("line 1", payload(), None),
            FileItem("line 2", payload(passage="Another.", grades=["No", "Yes"]), None),
        ],
    )  # fmt: skip
    builders.enrolment(built.study, ada)
    with pytest.raises(BadInput, match="scales of 2 to 4 steps"):
        open_study(built.study, by=dora, now=timezone.now())
    page = as_user(dora).get(reverse("annotation:setup", args=["graded"]))
    assert "scales of 2 to 4 steps" in page.text
    built.study.items.filter(number=2).update(kind=Kind.PRACTICE)
    open_study(built.study, by=dora, now=timezone.now())
