"""Exports of Label Studio and doccano become items; what is wrong in one is named by task or line."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item

pytestmark = pytest.mark.django_db

OPTIONS = ["The tide was out.", "The lamps were lit.", "Nobody came."]
GAP = {"left": ["He stood on the pier."], "right": ["It was late."], "options": OPTIONS, "language": "en"}
# A letter beyond the first 65,536 counts as two in a browser, and as one here.
PASSAGE = {"text": "𝔖ea and shore, deep calls.", "language": "en",
           "references": [{"citation": "Ps 42:7", "text": "Deep calls", "language": "en"}]}  # fmt: skip


def annotation(result, **fields):
    return {
        "id": 7,
        "completed_by": 3,
        "was_cancelled": False,
        "ground_truth": True,
        "result": result,
        **fields,
    }


def chosen(words, **fields):
    value = {"from_name": "gap", "to_name": "text", "type": "choices", "value": {"choices": [words]}}
    return annotation([value], **fields)


def marked(start, end, text):
    value = {"start": start, "end": end, "text": text, "labels": ["Allusion"]}
    return annotation([{"from_name": "label", "to_name": "text", "type": "labels", "value": value}])


def load(tmp_path, data, task):
    lines = isinstance(data, tuple)
    file = tmp_path / "export.json"
    file.write_text("\n".join(map(json.dumps, data)) if lines else json.dumps(data))
    call_command("import_items", "theirs", str(file), task=task)
    return list(Item.objects.order_by("number"))


def right(item):
    return item.gold and item.payload["options"][item.gold["option"]]


def test_label_studio_gives_items_and_its_ground_truth(tmp_path):
    other = chosen(OPTIONS[0], ground_truth=False)
    tasks = [
        {"id": 11, "data": GAP, "annotations": [other, chosen(OPTIONS[2])], "predictions": []},
        {"id": 12, "data": {**GAP, "right": ["It was early."]}, "annotations": [other]},
    ]
    one, two = load(tmp_path, tasks, "choice")
    assert (right(one), two.gold) == ("Nobody came.", None)
    assert (one.provenance["id"], one.payload["left"]) == ("11", GAP["left"])


def test_label_studio_counts_as_browsers_do(tmp_path):
    task = {"id": 1, "data": PASSAGE, "annotations": [marked(16, 26, "deep calls")]}
    (item,) = load(tmp_path, [task], "span")
    first, last = item.payload["tokens"][item.gold["start"]], item.payload["tokens"][item.gold["end"] - 1]
    assert item.payload["text"][first[0] : last[1]] == "deep calls"


def test_doccano_gives_items_whose_labels_are_right(tmp_path):
    (gap,) = load(
        tmp_path, ({"id": 4, "text": "He stood.", "options": OPTIONS, "label": [OPTIONS[1]]},), "choice"
    )
    assert (right(gap), gap.payload["left"], gap.payload["right"]) == (OPTIONS[1], ["He stood."], [])


def test_doccano_exports_the_same_as_a_list(tmp_path):
    line = {"id": 4, "text": "He stood.", "options": OPTIONS, "label": [OPTIONS[1]], "Comments": []}
    (gap,) = load(tmp_path, [line], "choice")
    assert (right(gap), gap.payload["left"], gap.provenance["id"]) == (OPTIONS[1], ["He stood."], "4")


@pytest.mark.parametrize(
    "labels",
    [{"label": [[0, 3, "A"], [15, 19, "A"]]},
     {"entities": [{"id": 2, "start_offset": 15, "end_offset": 19, "label": "A"},
                   {"id": 1, "start_offset": 0, "end_offset": 3, "label": "A"}], "relations": []}],
    ids=["label", "entities"],
)  # fmt: skip
def test_doccano_marks_spans_in_characters(tmp_path, labels):
    (item,) = load(tmp_path, ({"id": 1, **PASSAGE, **labels},), "spans")
    words = [item.payload["text"][start:end] for start, end in item.payload["tokens"]]
    assert [words[start:end] for start, end in item.gold["spans"]] == [["𝔖ea"], ["deep"]]


def of_min(number, data, annotation=1, **answers):
    """One annotation as JSON-MIN has it."""
    times = {"created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:01:00Z", "lead_time": 6.5}
    return {**data, "id": number, **answers, "annotator": 3, "annotation_id": annotation, **times}


def span_min(start, end, text):
    return {"start": start, "end": end, "text": text, "labels": ["Allusion"]}


def test_json_min_gives_an_item_a_task_with_what_its_annotations_say(tmp_path):
    objects = {**GAP, "options": [{"value": words} for words in OPTIONS], "right": ["It was early."]}
    one, two, three = load(
        tmp_path,
        [
            of_min(11, GAP, 5, passage=OPTIONS[2], agreement=100.0),
            of_min(11, GAP, 4, passage={"choices": [OPTIONS[2]]}),
            of_min(12, objects, 6, passage=OPTIONS[0]),
            of_min(13, {**GAP, "right": []}, None),
        ],
        "choice",
    )
    assert (right(one), right(two), three.gold) == (OPTIONS[2], OPTIONS[0], None)
    assert [each.provenance["id"] for each in (one, two, three)] == ["11", "12", "13"]
    assert sorted(two.payload["options"]) == sorted(OPTIONS)


@pytest.mark.parametrize("name", ["label", "marks"])
def test_json_min_marks_spans_as_browsers_count(tmp_path, name):
    marks = [span_min(16, 26, "deep calls"), span_min(0, 4, "𝔖ea")]
    (item,) = load(tmp_path, [of_min(7, PASSAGE, **{name: marks})], "spans")
    words = [item.payload["text"][start:end] for start, end in item.payload["tokens"]]
    assert [words[start:end] for start, end in item.gold["spans"]] == [["𝔖ea"], ["deep", "calls"]]
    assert item.payload["references"] == PASSAGE["references"]


@pytest.mark.parametrize(
    ("data", "task", "said"),
    [
        (
            [of_min(1, GAP, passage=OPTIONS[0]), of_min(1, GAP, 2, passage=OPTIONS[1])],
            "choice",
            "task 2, field “passage”: says something else than export.json, task 1",
        ),
        ([of_min(1, GAP, passage="What?")], "choice", "task 1, field “passage”: must name one"),
        ([of_min(1, GAP, passage={"choices": OPTIONS[:2]})], "choice", "field “passage”: must name one"),
        ([of_min(1, GAP, passage={"choices": None})], "choice", "field “passage”: “choices” must be a list"),
        ([of_min(1, GAP, passage=OPTIONS[0], why="So.")], "choice", "field “why”: may be the answer as well"),
        (
            [of_min(1, {"left": ["He stood."], "right": []}, passage=OPTIONS[0])],
            "choice",
            "task 1, field “options”: is missing. JSON-MIN holds no labelling configuration",
        ),
        ([of_min(1, {**GAP, "colour": 1}, passage=OPTIONS[0])], "choice", "task 1, field “colour”"),
        (
            [of_min(1, PASSAGE, label=[{"end": 4, "labels": ["Allusion"]}])],
            "spans",
            "task 1, field “label”: a span needs “start” and “end”",
        ),
        (
            [of_min(1, {"references": PASSAGE["references"]}, label=[span_min(0, 4, "𝔖ea")])],
            "spans",
            "field “label”: a span needs “start” and “end”, numbers of characters in the field “text”",
        ),
        ([of_min(1, PASSAGE, label=[span_min(0, 4, "Sea")])], "span", "field “label”: 0 to 4 is '𝔖ea', not"),
        ([of_min(1, PASSAGE, label=[span_min(0, 3, None)])], "span", "field “label”: characters 0 to 2 are"),
        ([of_min(1, PASSAGE, label=[span_min(0, 4, "𝔖ea"), 3])], "span", "field “label”: must be a list of"),
        (
            [of_min(1, PASSAGE, label=[span_min(0, 4, None), span_min(16, 20, None)])],
            "span",
            "field “label”: has 2 spans",
        ),
        ([of_min(1, PASSAGE, note="Hm.")], "span", "task 1, field “note”: there is no such field"),
    ],
)  # fmt: skip
def test_what_json_min_lacks_is_named_and_nothing_is_stored(tmp_path, data, task, said):
    refused(tmp_path, data, task, said)


@pytest.mark.parametrize(
    ("data", "task", "said"),
    [
        ([{"id": 1}], "choice", "export.json, task 1, field “data”"),
        ([{"text": "x", "label": ["y"]}], "choice", "export.json, task 1, field “label”: must name one"),
        ([{"text": "x", "label": []}, None], "choice", "export.json, task "),
        (
            [{"data": GAP, "annotations": [annotation([{"value": {"choices": None}}])]}],
            "choice",
            "task 1, field “result”: “choices” must be a list",
        ),
        (
            [{"data": {**PASSAGE, "text": "a \ud800 b"}, "annotations": [marked(0, 1, None)]}],
            "span",
            "export.json, task 1, field “text”",
        ),
        ([{"data": GAP, "annotations": [chosen("What?")]}], "choice", "task 1, field “label”: must name one"),
        ([{"data": GAP, "annotations": [chosen(OPTIONS[0])] * 2}], "choice", "2 are marked as ground truth"),
        (
            [{"data": PASSAGE, "annotations": [marked(15, 25, "deep calls")]}],
            "span",
            "15 to 25 is ' deep call'",
        ),
        ([{"data": PASSAGE, "annotations": [marked(1, 3, None)]}], "span", "cuts a character in two"),
        ([{"data": {**GAP, "colour": 1}}], "choice", "task 1, field “colour”"),
        (
            ({**PASSAGE, "label": []}, {**PASSAGE, "label": [[1, 3, "A"]]}),
            "spans",
            "line 2, field “label”: char",
        ),
        (({**PASSAGE, "label": [["a", 3]]},), "span", "line 1, field “label”: a span is"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(tmp_path, data, task, said):
    refused(tmp_path, data, task, said)


def refused(tmp_path, data, task, said):
    with pytest.raises(CommandError) as error:
        load(tmp_path, data, task)
    assert said in str(error.value)
    assert not Item.objects.exists()
