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
    with pytest.raises(CommandError) as error:
        load(tmp_path, data, task)
    assert said in str(error.value)
    assert not Item.objects.exists()
