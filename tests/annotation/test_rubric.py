"""Rubrics: questions that hang on each other, answers in three states, and one rubric a study."""

from __future__ import annotations

import csv
import io
import json
import re
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.adjudication.forms import AdjudicationForm
from annotation.assignment.claiming import next_assignment
from annotation.export import questions as export_questions
from annotation.items.from_excerpts import sample
from annotation.items.payloads import FileItem
from annotation.judging import conflicts, drafts
from annotation.models import Judgment, Study
from annotation.reading.forms import JudgmentForm
from annotation.simulate import simulate
from annotation.studies.build import load_items
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.rubric import questions, shipped
from common.errors import BadInput
from retrieval.models import Excerpt
from tests import builders
from tests.evaluation.rubrics import QUESTIONS, SAID, answered

RUBRIC = registry.get("rubric")
PAYLOAD = {"text": "The tide came in.", "rubric": QUESTIONS}
NO_OPTIONS = {"key": "other_words", "prompt": "In other words?", "kind": "text"}


def changed(place=0, **fields):
    """The rubric with one question changed; a field that is None is left out."""
    found = [dict(each) for each in QUESTIONS]
    found[place] = {name: value for name, value in {**found[place], **fields}.items() if value is not None}
    return found


@pytest.mark.parametrize(
    ("rubric", "sentence"),
    [
        ([], "1 to 20 questions"),
        ("type", "1 to 20 questions"),
        ([NO_OPTIONS] * 2, "question 2: “key” 'other_words' is that of an earlier question"),
        (changed(key="Type"), "question 1: “key” must be 1 to 30 small letters and _"),
        (changed(prompt=" "), "“prompt” must be a text"),
        (changed(kind="free"), "“kind” must be nominal, ordinal or text"),
        (changed(required="yes"), "“required” must be true or false"),
        (changed(hint="x"), "no other fields than"),
        (changed(options=None), "a list of 2 to 9"),
        (changed(options=[{"value": "a", "label": "A"}]), "a list of 2 to 9"),
        (changed(options=[{"value": 1, "label": "A"}] * 2), "a value is a text"),
        (changed(options=[{"value": "a", "label": "A"}] * 2), "two have the same value"),
        (changed(2, options=[]), "“options” belong to nominal and ordinal questions"),
        (changed(when=[{"question": "quality", "in": ["1"]}]), "'quality', which is no earlier question"),
        (changed(1, when=[{"question": "quality", "in": ["1"]}]), "'quality', which is no earlier question"),
        (changed(1, when=[{"question": "type", "in": ["fine"]}]), "'fine' is no value of 'type'"),
        (changed(1, when=[{"question": "type", "in": []}]), "[] is no value of 'type'"),
        (changed(1, when=[{"question": "type"}]), "a condition has “question” and “in”"),
        ([NO_OPTIONS, {**QUESTIONS[0], "when": [{"question": "other_words", "in": ["x"]}]}], "a free text"),
    ],
)
def test_what_is_no_rubric_is_refused_in_a_sentence(rubric, sentence):
    with pytest.raises(Invalid, match=re.escape(sentence)) as refused:
        RUBRIC.check_payload({**PAYLOAD, "rubric": rubric})
    assert refused.value.field == "rubric"


@pytest.mark.parametrize("said", SAID.values())
def test_every_answer_of_the_examples_is_one(said):
    assert set(RUBRIC.check_answer(PAYLOAD, said)) == set(said)


@pytest.mark.parametrize(
    ("answer", "sentence", "field"),
    [
        (
            {"type": "other", "quality": "1"},
            "is asked only if the answer to “What is the quotation for?” is “Claim” or “Retold”: leave it",
            "quality",
        ),
        (
            {"type": "claim", "quality": "0", "remark": "x"},
            "only if the answer to “How well does it fit?” is “Grade 1” or",
            "remark",
        ),
        ({"type": "other", "remark": "x"}, "only if the answer to “How well", "remark"),
        ({"type": "claim"}, "“How well does it fit?” is not answered yet", "quality"),
        ({"quality": "1"}, "“What is the quotation for?” is not answered yet", "type"),
        ({"type": "Claim"}, "must be one of claim, retold, other, not 'Claim'", "type"),
        ({"type": "claim", "quality": 1}, "must be one of 0, 1, 2, not 1", "quality"),
        ({"type": "claim", "quality": "1", "remark": "\x00"}, "NUL", "remark"),
        ({"type": "claim", "quality": "1", "remark": "x" * 5_001}, "5,001 characters", "remark"),
        ({"type": "other", "gate": "1"}, "“gate” is no question of this rubric", "gate"),
    ],
)
def test_what_is_no_answer_is_refused_by_name(answer, sentence, field):
    with pytest.raises(Invalid, match=re.escape(sentence)) as refused:
        RUBRIC.parse(PAYLOAD, answer)
    assert refused.value.field == field


def test_a_digit_gives_the_option_that_has_it_for_its_value_else_the_one_at_its_place():
    shown = RUBRIC.present({"text": "Who?", "rubric": shipped.SPECIFICITY}, ())["questions"]
    assert [[(one["digit"], one["value"]) for one in each["options"]] for each in shown] == [
        [(1, "specific"), (2, "broad"), (3, "too_general")], [(0, "0"), (1, "1"), (2, "2")], [],
    ]  # fmt: skip
    assert [key.usual for key in RUBRIC.keys] == list("0123456789")


def test_an_answer_to_nothing_is_none():
    with pytest.raises(Invalid, match="Answer one of the questions"):
        RUBRIC.parse({**PAYLOAD, "rubric": [NO_OPTIONS]}, {"other_words": ""})


def test_each_question_is_in_one_of_three_states():
    found = {name: [each.state for each in RUBRIC.parts(PAYLOAD, said)] for name, said in SAID.items()}
    assert found == {
        "r": ["answered"] * 3,
        "s": ["answered"] * 3,
        "w": ["answered", "answered", "empty"],
        "p": ["answered", "answered", "not_asked"],
        "d": ["answered", "not_asked", "not_asked"],
    }


def test_a_form_that_was_begun_keeps_what_is_not_asked_any_more():
    form = {"type": "other", "quality": "2", "remark": " ", "note": "x", "draft_known": "a.1"}
    assert RUBRIC.begun(PAYLOAD, form, []) == {"type": "other", "quality": "2"}
    assert RUBRIC.begun(PAYLOAD, {"type": "nonsense"}, []) is None


def test_gold_says_nothing_of_what_it_leaves_out():
    assert RUBRIC.is_correct(SAID["r"], SAID["w"] | {"quality": "2"})
    assert RUBRIC.is_correct(SAID["s"], SAID["r"])
    assert not RUBRIC.is_correct(SAID["w"], SAID["r"])
    assert RUBRIC.apart(SAID["r"], SAID["s"], 0) == 0
    assert RUBRIC.apart(SAID["r"], SAID["d"], 0) == 1
    assert RUBRIC.apart(SAID["r"], SAID["w"], 0) == pytest.approx(2 / 3)


def test_a_simulated_reader_who_errs_gives_an_answer_that_the_rubric_takes():
    for seed in range(60):
        for gold in SAID.values():
            said = RUBRIC.simulate(PAYLOAD, gold, 0.0, Random(seed))
            assert RUBRIC.check_answer(PAYLOAD, said)
            assert not RUBRIC.is_correct(said, gold)


def test_no_field_around_the_answer_is_taken_for_a_question():
    around = {*JudgmentForm.base_fields, *AdjudicationForm.base_fields, *drafts.AROUND, *drafts.BESIDE}
    around |= {conflicts.KNOWN}
    assert around <= questions.AROUND
    assert not any(name.startswith(questions.FIELD) for name in around)
    noted = {"text": "The tide.", "rubric": [{"key": "note", "prompt": "What of it?", "kind": "text"}]}
    RUBRIC.check_payload(noted)
    form = {"note": "To the researcher", "question-note": "It came in.", "draft_version": "a.1"}
    assert RUBRIC.begun(noted, form, []) == {"note": "It came in."}
    assert RUBRIC.parse(noted, form) == {"note": "It came in."}
    assert RUBRIC.begun(noted, {"note": "To the researcher"}, []) is None
    # A script sends nothing but the answer, by the keys of the questions.
    assert RUBRIC.parse(noted, {"note": "It came in."}) == {"note": "It came in."}


def test_what_a_form_names_wrongly_leads_to_its_field_and_what_a_script_does_to_its_key():
    for prefix in ("question-", ""):
        with pytest.raises(Invalid) as refused:
            RUBRIC.parse(PAYLOAD, {f"{prefix}type": "other", f"{prefix}quality": "1"})
        assert refused.value.field == f"{prefix}quality"


@pytest.mark.parametrize("template", RUBRIC.templates)
def test_the_shipped_rubrics_are_rubrics(template):
    RUBRIC.check_payload({"text": "A question?", **RUBRIC.templates[template].fields})
    assert "wording ours" in RUBRIC.templates[template].label


@pytest.fixture
def place(ada, dora):
    entries = [
        FileItem(f"line {n}", {**PAYLOAD, "text": f"The tide came in {n} times."}, dict(SAID["r"]))
        for n in (1, 2)
    ]
    built = load_items("quoted", "rubric", source="a.jsonl", overlap=1, seed=1, by=dora, entries=entries)
    reader = builders.enrolment(built.study, ada)
    open_study(built.study, by=dora, now=timezone.now())
    return next_assignment(reader, now=timezone.now())


def hidden(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))


@pytest.mark.django_db
def test_its_page_asks_all_questions_chooses_nothing_and_names_what_is_wrong(as_user, ada, place):
    browser, address = as_user(ada), place.get_absolute_url()
    page = browser.get(address)
    assert " checked" not in page.text.split("data-question")[1]
    assert re.findall(r'data-question="(\w+)"', page.text) == ["type", "quality", "remark"]
    assert "Asked only if the answer to “What is the quotation for?” is “Claim” or “Retold”." in page.text
    sent = {**hidden(page), "answer": "1", "question-type": "other", "question-quality": "1"}
    refused = browser.post(address, sent)
    assert refused.status_code == 422
    assert f'<a href="#question-quality-{place.pk}">“How well does it fit?” is asked only if' in refused.text
    # What was chosen is still there.
    assert re.search(r'name="question-quality" value="1"[^>]* checked', refused.text)
    # Without scripts a choice is taken back by the option that says so.
    assert browser.post(address, {**sent, "question-quality": "", "question-remark": ""}).status_code == 302
    assert Judgment.objects.get().answer == {"type": "other"}


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["question-", ""])
def test_a_draft_keeps_an_answer_that_is_only_begun_also_of_an_earlier_version(as_user, ada, place, prefix):
    browser, address = as_user(ada), place.get_absolute_url()
    fields = hidden(browser.get(address))
    draft = reverse("annotation:draft", args=[place.pk])
    said = {f"{prefix}type": "other", f"{prefix}quality": "2"}
    assert browser.post(draft, {**fields, **said}).status_code == 200
    page = browser.get(address).text
    assert re.search(r'name="question-type" value="other"[^>]* checked', page)
    assert re.search(r'name="question-quality" value="2"[^>]* checked', page)


def lines_of(*payloads):
    return "\n".join(map(json.dumps, payloads))


@pytest.mark.django_db
def test_all_items_of_a_study_have_one_rubric(tmp_path, capsys):
    file = tmp_path / "items.jsonl"
    file.write_text(lines_of(PAYLOAD, {"text": "Another.", "rubric": changed(prompt="What is it?")}))
    with pytest.raises(CommandError, match="line 2, field “rubric”: is another than on the items before"):
        call_command("import_items", "quoted", str(file), "--task", "rubric")
    assert not Study.objects.exists()
    file.write_text(lines_of(PAYLOAD))
    call_command("import_items", "quoted", str(file), "--task", "rubric")
    file.write_text(lines_of({"text": "Another.", "rubric": changed(prompt="What is it?")}))
    with pytest.raises(CommandError, match="line 1, field “rubric”: is another"):
        call_command("import_items", "quoted", str(file))


@pytest.mark.django_db
def test_its_answers_are_exported_wide_and_with_a_row_a_question(dora, as_user):
    study = answered(["rwd", "u.."], by=dora)
    page = as_user(dora).get(reverse("annotation:export", args=[study.slug]))
    assert "<code>state_remark</code>" in page.text
    client = as_user(dora)
    address = reverse("annotation:export", args=[study.slug])
    wide = client.post(address, {"format": "csv"}).getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(wide)))
    assert [row["value_quality"] for row in rows] == ["2", "1", "", ""]
    assert [row["state_quality"] for row in rows] == ["answered", "answered", "not_asked", ""]
    assert rows[0]["gold_value_remark"] == "Nothing would."
    long = client.post(address, {"format": "csv", "what": "questions"})
    assert "quoted-questions-" in long["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(long.getvalue().decode())))
    assert [(row["question"], row["value"], row["state"]) for row in rows[3:]] == [
        ("type", "claim", "answered"),
        ("quality", "1", "answered"),
        ("remark", "", "empty"),
        ("type", "other", "answered"),
        ("quality", "", "not_asked"),
        ("remark", "", "not_asked"),
    ]
    assert {row["current"] for row in rows} == {"true"}


@pytest.mark.django_db
def test_an_answer_that_was_taken_back_is_not_the_current_one_in_a_row_a_question(dora):
    study = answered(["r"], by=dora)
    said = Judgment.objects.get()
    number = said.assignment.item.number
    builders.judgment(study, number, said.annotator, option=None, revision=2, order=[])
    assert {(row["revision"], row["current"]) for row in export_questions.rows(study)} == {(1, False)}


@pytest.mark.django_db
def test_other_tasks_have_no_row_a_question(dora):
    builders.study("fleet", by=dora)
    with pytest.raises(CommandError, match="An answer of the task “choice” is one"):
        call_command("export", "fleet", "--format", "csv", "--questions")


@pytest.mark.django_db
def test_a_rubric_cannot_change_once_the_study_has_opened(place):
    entry = FileItem("line 1", {**PAYLOAD, "text": "Another.", "rubric": changed(prompt="What is it?")})
    with pytest.raises(BadInput, match="is another than on the items before"):
        load_items("quoted", "rubric", [entry], source="b.jsonl")
    with pytest.raises(BadInput, match="only a draft takes new items"):
        load_items("quoted", "rubric", [FileItem("line 1", {**PAYLOAD, "text": "Third."})], source="b.jsonl")


@pytest.mark.django_db
def test_a_file_may_leave_the_rubric_to_a_template(tmp_path, capsys, as_user, dora):
    file = tmp_path / "questions.jsonl"
    file.write_text(lines_of({"text": "Who studied tides?"}, {"text": "What is a tide?"}))
    call_command("import_items", "asked", str(file), "--task", "rubric", "--template", "specificity")
    built = Study.objects.get(slug="asked")
    assert [each["key"] for each in built.items.first().payload["rubric"]] == [
        "specificity",
        "quality",
        "edited",
    ]
    file.write_text(lines_of(PAYLOAD))
    with pytest.raises(CommandError, match="line 1, field “rubric”: is in the template that was chosen, too"):
        call_command("import_items", "more", str(file), "--task", "rubric", "--template", "specificity")
    with pytest.raises(CommandError, match=r"no template “relic”.* one of: quotation-types, spec"):
        call_command("import_items", "more", str(file), "--task", "rubric", "--template", "relic")
    with pytest.raises(CommandError, match="The task “grade” has none"):
        call_command("import_items", "more", str(file), "--task", "grade", "--template", "relic")
    draft = builders.study("by-page", items=0, state="draft", task="rubric", by=dora)
    upload = SimpleUploadedFile("questions.jsonl", lines_of({"text": "Who?"}).encode())
    address = reverse("annotation:setup_items", args=[draft.slug])
    assert as_user(dora).post(address, {"file": upload, "template": "specificity"}).status_code == 302
    assert len(draft.items.get().payload["rubric"]) == 3


@pytest.mark.django_db
def test_a_sample_of_excerpts_is_drawn_by_the_seed(dora, as_user, capsys):
    of, by = builders.book(), builders.source()
    made = [builders.excerpt(of, by, first=n) for n in range(4)]
    draft = builders.study("types", items=0, state="draft", task="rubric", by=dora)
    address = reverse("annotation:setup_items", args=[draft.slug])
    page = as_user(dora).get(address)
    assert "A sample of excerpts" in page.text
    said = {"questions": "quotation-types", "size": "3", "book": of.pk}
    assert as_user(dora).post(address, said).status_code == 302
    call_command("sample_excerpts", "again", "--template", "quotation-types", "--size", "3", seed=draft.seed)
    again = Study.objects.get(slug="again")
    drawn = [each.provenance["excerpt"] for each in draft.items.order_by("number")]
    assert drawn == [each.provenance["excerpt"] for each in again.items.order_by("number")]
    assert len(set(drawn)) == 3
    assert set(drawn) < {each.pk for each in made}
    payload = draft.items.first().payload
    of_first = next(each for each in made if each.pk == drawn[0])
    assert payload["before"] == " ".join(of_first.left)
    assert payload["text"]
    assert payload["citation"] == by.citation
    book_says = next(each for each in made if each.pk != drawn[0])
    Excerpt.objects.filter(pk=book_says.pk).update(printed="")
    found = sample(RUBRIC, "quotation-types", size=4, seed=1)
    words = {each.provenance["excerpt"]: each.payload["text"] for each in found}
    assert words[book_says.pk] == of.passage(book_says.first, book_says.size)
    assert words[drawn[0]] == of_first.printed
    other = builders.study("other", items=0, state="draft", by=dora)
    elsewhere = as_user(dora).post(reverse("annotation:setup_items", args=[other.slug]), said)
    assert (elsewhere.status_code, other.items.count()) == (422, 0)
    refused = as_user(dora).post(address, said | {"size": "5"})
    assert refused.status_code == 422
    assert "has 4 excerpts in use, fewer than the 5 asked for" in refused.text
    with pytest.raises(CommandError, match="no book “nowhere”"):
        call_command("sample_excerpts", "x", "--template", "quotation-types", "--book", "nowhere")


@pytest.mark.django_db
def test_simulated_readers_answer_it(dora):
    entries = [
        FileItem(f"line {n}", {**PAYLOAD, "text": f"The tide came in {n} times."}, dict(SAID["rwpd"[n % 4]]))
        for n in range(8)
    ]
    study = load_items("quoted", "rubric", source="a.jsonl", overlap=2, by=dora, entries=entries).study
    assert simulate(study, annotators=2, accuracy=0.5, seed=3).new == 16
    answers = list(Judgment.objects.values_list("answer", flat=True))
    assert all(RUBRIC.check_answer(PAYLOAD, each) == each for each in answers)
    assert len({json.dumps(each) for each in answers}) > 4
