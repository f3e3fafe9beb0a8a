"""Relevance: topic and document, scales with words for each grade, keys that are the grades, a pair once."""

from __future__ import annotations

import json
from random import Random

import pytest
from django.core.checks import run_checks

from annotation.items.files import entries
from annotation.items.payloads import FileItem, add_payloads
from annotation.reading import keys
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.relevance.query_words import paragraphs, words_of_title
from annotation.tasktypes.scales import SCALES, check_scale
from common.errors import BadInput
from evaluation.kinds.ordinal.apparatus import GradeApparatus
from evaluation.kinds.ordinal.grades import labels_of
from retrieval.corpora.loading.topics import LONGEST
from retrieval.corpora.models.documents import LONGEST_TITLE
from tests import builders

TASK = registry.get("relevance")
EXAMPLE = TASK.example().payload


def payload(topic=None, document=None, **changed):
    return {
        **EXAMPLE,
        "topic": {**EXAMPLE["topic"], **(topic or {})},
        "document": {**EXAMPLE["document"], **(document or {})},
        **changed,
    }


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"topic": "7"}, "topic", "must be an object with id, title"),
        ({"topic": {"id": "7"}}, "topic", "Missing field “title”"),
        ({"topic": {**EXAMPLE["topic"], "rank": 1}}, "topic", "Unknown field “rank”"),
        ({"topic": {**EXAMPLE["topic"], "title": " "}}, "topic", "“title” must be a text"),
        ({"topic": {**EXAMPLE["topic"], "title": "x" * 5001}}, "topic", "at most 5,000 fit"),
        ({"document": {**EXAMPLE["document"], "score": 2.5}}, "document", "Unknown field “score”"),
        ({"document": {**EXAMPLE["document"], "year": "1871"}}, "document", "must be a whole number"),
        ({"document": {**EXAMPLE["document"], "year": 4001}}, "document", "-3000 to 3000, not 4001"),
        ({"document": {**EXAMPLE["document"], "language": "!"}}, "document", "language tag"),
        ({"topic": {**EXAMPLE["topic"], "id": "7 a"}}, "topic", "holds white space"),
        ({"document": {**EXAMPLE["document"], "id": "é" * 101}}, "document", "longer than 200 bytes"),
        ({"highlight": "yes"}, "highlight", "true or false"),
        ({"scale": "five"}, "scale", "five, trec, binary"),
        ({"scale": {"name": "x", "grades": []}}, "scale", "2 to 10 grades"),
    ],
)
def test_what_is_no_item_is_named(changed, field, words):
    with pytest.raises(Invalid, match=words) as refused:
        TASK.check_payload({**EXAMPLE, **changed})
    assert refused.value.field == field


def test_no_marks_is_the_same_as_marks_that_are_not():
    assert TASK.of_line(payload(highlight=False)) == TASK.of_line(
        {name: value for name, value in EXAMPLE.items() if name != "highlight"}
    )


def test_every_topic_and_document_of_a_corpus_can_be_judged():
    for name, most in LONGEST.items():
        if name in ("title", "description", "narrative"):
            TASK.check_payload(payload(topic={name: "x" * most}))
    TASK.check_payload(payload(document={"title": "x" * LONGEST_TITLE}))


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        (
            [{"label": "No"}, {"label": "Yes", "definition": "it is"}],
            "Grade 0 of the scale must have a label",
        ),
        ([{"label": "No", "definition": "not"}] * 2, "same label"),
        ([{"label": "", "definition": "not"}, {"label": "Yes", "definition": "it is"}], "Grade 0"),
    ],
)
def test_a_scale_whose_grades_cannot_be_told_apart_is_refused(grades, words):
    with pytest.raises(Invalid, match=words):
        check_scale({"name": "Own", "grades": grades})


def test_the_ready_scales_say_whose_words_they_are_and_explain_every_grade():
    for scale in SCALES.values():
        check_scale(scale)
        assert "wording by Variorum" in scale["name"]
        assert all(grade["definition"] and grade["example"] for grade in scale["grades"])
    assert [len(scale["grades"]) for scale in SCALES.values()] == [5, 4, 2]


def test_a_line_names_a_ready_scale_or_brings_its_own():
    line = {**EXAMPLE, "scale": "trec"}
    assert TASK.of_line(line)[0]["scale"] == SCALES["trec"]
    with pytest.raises(Invalid, match="no scale “ten”: use five"):
        TASK.of_line({**EXAMPLE, "scale": "ten"})


def test_a_reader_is_shown_neither_ids_nor_what_is_not_in_the_item():
    shown = json.dumps(TASK.present(EXAMPLE, []))
    assert EXAMPLE["document"]["id"] not in shown
    assert '"id"' not in shown
    assert TASK.present(EXAMPLE, [])["document"]["about"] == "letters, 1871"


def test_words_of_the_title_are_marked_only_where_the_study_says_so():
    def marked(**changed):
        pieces = TASK.present(payload(**changed), [])["document"]["paragraphs"]
        return [piece["text"] for each in pieces for piece in each if piece["marked"]]

    assert marked() == ["lamps"]
    assert marked(highlight=False) == []
    assert TASK.rows(payload(highlight=False), {"grade": 1})["highlighted"] is False


def test_a_word_is_the_same_whatever_its_case_and_accents_and_the_text_stays_whole():
    words = words_of_title("Élan of THE sea")
    assert words == {"elan"}
    assert words_of_title("Of the") == {"of", "the"}
    text = "An élan,\nthen ELAN.\n\n \nNo sea."
    found = paragraphs(text, words)
    assert ["".join(piece.text for piece in each) for each in found] == ["An élan,\nthen ELAN.", "No sea."]
    assert [piece.text for each in found for piece in each if piece.marked] == ["élan", "ELAN"]


def test_its_keys_are_the_grades_and_it_moves_the_key_it_needs():
    mapped = keys.mapping(TASK, {})
    assert [mapped[f"relevance_{n}"] for n in range(5)] == list("01234")
    assert (mapped["undecided"], keys.mapping(registry.get("grade"), {})["undecided"]) == ("?", "0")
    assert keys.mapping(TASK, {"undecided": "x"})["undecided"] == "x"
    label = next(each.label for each in keys.groups()[0][1] if each.act == "undecided")
    assert label.endswith("; ? in “Judge relevance” and “Answer a rubric”")
    with pytest.raises(Invalid, match="two things"):
        keys.checked({"undecided": "3"})


@pytest.mark.parametrize(
    ("moved", "found", "words"),
    [
        ({}, "annotation.E001", "“can’t decide, with the reason” and “the grade 0"),
        ({"undecided": "?", "nothing": "k"}, "annotation.E004", "“nothing”"),
        ({"undecided": "f"}, "annotation.E001", "“something is wrong”"),
    ],
)
def test_a_key_that_is_moved_wrongly_is_found_when_the_process_starts(monkeypatch, moved, found, words):
    how_sure = {act: key for act, key in TASK.other_keys.items() if act.startswith("sure")}
    monkeypatch.setattr(type(TASK), "other_keys", {**how_sure, **moved})
    errors = run_checks()
    assert [each.id for each in errors] == [found]
    assert words in errors[0].msg


def test_simulated_readers_need_no_gold_and_agree_more_than_by_chance():
    said = [[TASK.simulate(payload(document={"id": str(n)}), None, 0.9, Random(f"{reader}{n}"))["grade"]
             for n in range(60)] for reader in "ab"]  # fmt: skip
    equal = sum(one == other for one, other in zip(*said, strict=True))
    assert equal >= 40
    assert len({*said[0]}) >= 3


@pytest.mark.django_db
def test_one_pair_stands_once_in_a_study_however_it_is_worded():
    study = builders.study(items=0, state="draft", task="relevance")
    added = add_payloads(study, [FileItem("line 1", payload())], by=None)
    assert (added.new, study.items.get().group) == (1, "7")
    assert add_payloads(study, [FileItem("line 1", payload())], by=None).known == 1
    other = payload(document={"text": "Other words of the same document."})
    with pytest.raises(BadInput, match="line 2: topic 7 and document harbour-12 are an item"):
        add_payloads(study, [FileItem("line 2", other)], by=None)
    twice = [
        FileItem("line 1", payload(topic={"id": "8"})),
        FileItem("line 2", {**other, "topic": {**EXAMPLE["topic"], "id": "8"}}),
    ]
    with pytest.raises(BadInput, match="line 2: topic 8"):
        add_payloads(study, twice, by=None)
    assert study.items.count() == 1


@pytest.mark.django_db
def test_a_file_of_items_is_read_and_its_labels_stand_in_the_report():
    study = builders.study(items=0, state="draft", task="relevance")
    line = json.dumps({**EXAMPLE, "scale": "binary", "gold": {"grade": 1}}).encode()
    add_payloads(study, entries(TASK, line, "items.jsonl"), by=None)
    item = study.items.get()
    assert (item.categories, item.gold_1) == (2, 1)
    assert labels_of(study, 1, 2) == ("Not relevant", "Relevant")
    assert labels_of(study, 1, 3) == ()


def test_an_apparatus_prints_the_document_under_its_topic():
    shown = GradeApparatus().shown(EXAMPLE, None, [])
    assert shown.question == EXAMPLE["topic"]["title"]
    assert "".join(piece.text for piece in shown.pieces) == EXAMPLE["document"]["text"]
