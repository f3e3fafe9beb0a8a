"""The words that decided a grade: read from forms and scripts, checked, stored, exported, simulated."""

from __future__ import annotations

import json
import re
from html import unescape
from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.adjudication import decisions, worklist
from annotation.assignment.claiming import next_assignment
from annotation.export import codebook, judgments, questions
from annotation.models import Assignment, Judgment
from annotation.studies.pools import shared_by
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.relevance import rationale
from annotation.templatetags.spans import words_marked
from tests import builders, topics
from tests.evaluation import relevant

TASK = registry.get("relevance")
PAYLOAD = TASK.example().payload
TEXT = PAYLOAD["document"]["text"]
REQUIRED = {**PAYLOAD, "rationale": "required"}
SILENT = {name: value for name, value in PAYLOAD.items() if name != "rationale"}


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("8-9, 1", ["No", "The lamps"]),
        (" 16 ; 1–2 ", ["No boat", "nobody"]),
        ([[33, 38], [3, 7]], ["boat", "lamps"]),
        ("[[3, 7]]", ["boat"]),
        ("", None),
        ([], None),
        (None, None),
    ],
)
def test_words_are_read_by_their_numbers_or_as_offsets(sent, words):
    answer = TASK.parse(PAYLOAD, {"grade": "2", "rationale": sent})
    assert answer["grade"] == 2
    if words is None:
        assert answer == {"grade": 2}, "nothing marked is nothing stored"
    else:
        assert [TEXT[start:end] for start, end in answer["rationale"]] == words
        assert TASK.check_answer(PAYLOAD, answer) == answer
        assert TASK.read(PAYLOAD, TASK.fields(answer, []), []) == answer


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ("8-99", "have the numbers 1 to 19"),
        ("9-8", "ends before it begins"),
        ("1-3, 2-5", "share words"),
        ("the lamps", "Write each span as the numbers"),
        ("[[0, 3], ", "or words by their numbers"),
        ([[0, 400]], f"which has {len(TEXT)} code points"),
        ([[3, 3]], "is empty"),
        ([[5, 3]], "is reversed"),
        ([[True, 3]], "two whole numbers"),
        ({"start": 1}, "must be a list"),
        ([[0, 3], [2, 6]], "do not overlap"),
        ([[n, n + 1] for n in range(21)], "at most 20 fit"),
    ],
)
def test_what_cannot_be_marked_is_refused_by_its_name(sent, sentence):
    with pytest.raises(Invalid, match=sentence) as refused:
        TASK.parse(PAYLOAD, {"grade": "2", "rationale": sent})
    assert refused.value.field == "rationale"
    assert TASK.begun(PAYLOAD, {"grade": "2", "rationale": sent}, []) == {"grade": 2}, "the grade is kept"


def test_a_study_says_whether_they_are_asked_for():
    for asked in ("no", True, "", 1):
        with pytest.raises(Invalid, match="optional or required"):
            TASK.check_payload({**PAYLOAD, "rationale": asked})
    TASK.check_payload(REQUIRED)
    with pytest.raises(Invalid, match="does not ask"):
        TASK.parse(SILENT, {"grade": "2", "rationale": "1"})
    with pytest.raises(Invalid, match="does not ask"):
        TASK.check_answer(SILENT, {"grade": 2, "rationale": [[0, 2]]})
    with pytest.raises(Invalid, match="Mark the words that decided"):
        TASK.parse(REQUIRED, {"grade": "1"})
    assert TASK.parse(REQUIRED, {"grade": "0"}) == {"grade": 0}, "nothing need speak for the lowest"
    # A grade alone is a gold answer, and what adjudicators decide.
    assert TASK.check_answer(REQUIRED, {"grade": 1}) == {"grade": 1}
    assert TASK.read_verdict(REQUIRED, {"grade": "1"}, []) == {"grade": 1}
    assert TASK.is_correct({"grade": 1, "rationale": [[0, 2]]}, {"grade": 1})
    assert TASK.of_line({**SILENT, "rationale": False}) == TASK.of_line(SILENT)


def test_what_is_presented_is_the_text_word_by_word_in_its_paragraphs():
    shown = TASK.present(PAYLOAD, [])
    first, second = shown["words"]
    assert "".join(word["pieces"][0]["text"] + word["after"] for word in first) == TEXT.split("\n\n")[0]
    assert [word["n"] for word in first + second] == list(range(19))
    assert [TEXT[each["start"] : each["stop"]] for each in second][:3] == ["The", "lamps", "stood"]
    assert second[1]["pieces"] == [{"text": "lamps", "marked": True}]
    assert (shown["sentences"], shown["last"]) == ([0, 7], 18)
    assert "words" not in TASK.present(SILENT, [])


def test_offsets_that_rest_on_no_word_are_shown_as_the_words_they_touch():
    assert rationale.in_words([[4, 6]], TEXT) == [[1, 2]]
    assert rationale.in_words([[4, 6], [6, 9]], TEXT) == [[1, 2], [2, 3]]
    assert rationale.in_words([[2, 3]], TEXT) == [], "a blank is no word"
    assert TASK.marked(PAYLOAD, {"grade": 1, "rationale": [[29, 63]]}) == [[7, 14]]


def test_an_export_has_offsets_and_words_and_long_form_a_row_a_place():
    answer = {"grade": 3, "rationale": [[0, 2], [33, 38]]}
    row = TASK.rows(PAYLOAD, answer)
    assert (row["n_marked"], row["rationale"], row["rationale_text"]) == (
        2,
        "[[0, 2], [33, 38]]",
        "No … lamps",
    )
    assert [tuple(each) for each in TASK.parts(PAYLOAD, answer)] == [
        ("grade", "3", "answered", None, None),
        ("rationale", "No", "answered", 0, 2),
        ("rationale", "lamps", "answered", 33, 38),
    ]
    assert TASK.parts(PAYLOAD, {"grade": 0})[1] == ("rationale", None, "empty", None, None)
    assert TASK.parts(SILENT, {"grade": 0}) == []
    assert "rationale" not in TASK.rows(SILENT, {"grade": 0})


def test_simulated_readers_mark_where_they_must_and_mostly_the_same_sentence():
    def said(reader, setting):
        return TASK.simulate({**PAYLOAD, "rationale": setting}, {"grade": 3}, 1.0, Random(reader))

    for reader in range(40):
        answer = said(reader, "required")
        assert TASK.parse(REQUIRED, {**answer, "grade": "3"}) == answer
    optional = [said(reader, "optional") for reader in range(40)]
    assert 0 < sum("rationale" in each for each in optional) < 40
    marked = [TASK.marked(PAYLOAD, each)[0] for each in optional if "rationale" in each]
    assert len({start // 7 for start, _ in marked}) == 1


@pytest.mark.django_db
def test_two_who_grade_alike_and_mark_other_words_agree(dora):
    study = relevant.judged({("t1", "d1"): "33", ("t1", "d2"): "31"}, by=dora, rationale="optional")
    item = study.items.get(number=1)
    for place, each in enumerate(item.assignments.order_by("slot")):
        Judgment.objects.create(
            assignment=each, annotator=each.annotator, revision=2, outcome="answer", channel="web",
            answer={"grade": 3, "rationale": [[4 * place, 4 * place + 3]]},
            submission=f"00000000-0000-0000-0000-00000000000{place}", created=timezone.now(),
        )  # fmt: skip
    listed = {each.number: each for each in worklist.items_to_adjudicate(study)}
    assert (listed[1].different, listed[1].disagreement) == (1, 0)
    assert listed[2].different == 2
    (same,) = decisions.same_answers(item, decisions.judgments_on(item))
    assert (same.times, same.answer) == (2, {"grade": 3})
    assert [name for name, _ in codebook.of_judgments(study)].count("rationale_text") == 1
    rows = [each for each in judgments.rows(study) if each["current"] and each["item"] == 1]
    assert [json.loads(each["rationale"]) for each in rows] == [[[0, 3]], [[4, 7]]]
    assert rows[0]["rationale_text"] == "The"
    assert questions.has_questions(study)
    long = [(each["question"], each["value"], each["start"]) for each in questions.rows(study)]
    assert ("rationale", "amp", 5) not in long
    assert ("rationale", "lam", 4) in long


@pytest.mark.django_db
def test_the_page_marks_keeps_a_draft_and_shows_a_revision(as_user, ada):
    study = topics.study(topics=1, documents=2, rationale="required")
    reader = builders.enrolment(study, ada)
    place = next_assignment(reader, now=timezone.now())
    browser, address = as_user(ada), place.get_absolute_url()
    browser.post(reverse("annotation:group_seen", args=[place.pk]))
    page = browser.get(address).text
    assert 'data-key="r"' in page
    assert '<details class="rationale"' in page
    draft = {"grade": "2", "rationale": "3-4", "revision": "0"}
    assert browser.post(reverse("annotation:draft", args=[place.pk]), draft).status_code == 200
    assert 'name="rationale" value="3-4"' in browser.get(address).text
    sent = {"submission": "00000000-0000-0000-0000-000000000001", "revision": "0", "answer": "1"}
    refused = browser.post(address, {**sent, "grade": "2", "rationale": " "})
    assert f'href="#rationale-{place.pk}"' in refused.text
    assert browser.post(address, {**sent, "grade": "2", "rationale": "3-4"}).status_code == 302
    stored = Judgment.objects.get().answer
    assert stored["rationale"] == [[len("On the "), len("On the 2th morning")]]
    again = browser.get(address).text
    assert '<mark><span data-token="3" data-word>' in again
    assert browser.get(reverse("annotation:done", args=[study.slug])).status_code == 200
    assert Assignment.objects.filter(status="done").count() == 1


@pytest.mark.django_db
def test_a_study_of_a_pool_asks_for_them_by_command_and_on_its_page(as_user, dora, capsys):
    builders.collection()
    told = ("--corpus", "quays", "--topics", "boats")
    call_command("build_relevance", "late", *told, "--rationale", "required")
    study = builders.Study.objects.get()
    assert {each.payload["rationale"] for each in study.items.all()} == {"required"}
    assert shared_by(study)["rationale"] == "required"
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("build_relevance", "late", *told, "--rationale", "always")
    other = builders.study("early", items=0, state="draft", task="relevance", by=dora)
    page = reverse("annotation:setup_items", args=[other.slug])
    pool = other.items.model.objects.first().provenance["pool"]
    sent = {"pool": pool, "template": "five", "rationale": "optional"}
    assert as_user(dora).post(page, sent).status_code == 302
    assert other.items.first().payload["rationale"] == "optional"


def test_a_page_of_words_is_the_text_escaped_with_marks_around_what_was_marked():
    text = "Lamps & <b>oil</b> were lit."
    payload = {**PAYLOAD, "document": {**PAYLOAD["document"], "text": text}}
    (words,) = TASK.present(payload, [])["words"]
    html = words_marked(words, {"grade": 1, "rationale": [[0, 7]]})
    assert html.startswith('<mark><span data-token="1" data-word><mark data-title>Lamps</mark></span> ')
    assert '<span data-token="2">&amp;</span></mark> ' in html
    assert unescape(re.sub("<[^>]+>", "", html)) == text
