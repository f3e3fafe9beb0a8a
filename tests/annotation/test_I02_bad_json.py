"""I02, I03, I05: JSON that is none or could be read two ways, in a file of items: line and reason, no row."""

from __future__ import annotations

import copy
import json
import re

import pytest

from annotation.items.files import entries
from annotation.items.payloads import add_payloads
from annotation.models import Item
from annotation.tasktypes import registry
from common.errors import BadInput
from tests import builders
from tests.thorough import thorough

pytestmark = pytest.mark.django_db
TASKS = thorough(sorted(registry.all_types()), ["rubric", "span"])
HOLE = "a hole in the line"
NO_NUMBERS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-1e400",
    "9" * 5000,
    "[" * 50_000,
    '{"a": 1, "a": 2}',
]
"""What stands where JSON has a value, and is none, or more than one."""
ODD_NUMBERS = [str(2**63), str(-(2**63) - 1), str(2**200), "1e308", "-0.0", "1E+2"]
"""Numbers that JSON has: of an item one may say whatever its task says of it, and not fall over."""


def draft(task):
    return builders.study(task, items=0, state="draft", task=task)


def said_of(study, text):
    """What is said of a file that is refused; None of one that was taken."""
    data = text if isinstance(text, bytes) else text.encode()
    try:
        add_payloads(study, entries(study.task_type, data, "items.jsonl"), by=None)
    except BadInput as error:
        return str(error)
    return None


def line(task):
    example = registry.get(task).example()
    more = {"id": "one", "kind": "work", "explanation": "Because."}
    return {**copy.deepcopy(example.payload), "gold": copy.deepcopy(example.gold), **more}


def holes(value, put=None):
    """The value as often as it has parts, each time with another of them left open."""
    if value is not None and not isinstance(value, dict | list):
        yield HOLE
        return
    for at, each in list(value.items() if isinstance(value, dict) else enumerate(value or [])):
        for other in holes(each):
            made = copy.copy(value)
            made[at] = other
            yield made
    yield HOLE


def with_holes(task):
    """Texts of the line, each with one hole."""
    return [json.dumps(made) for made in holes(line(task)) if made != HOLE]


@pytest.mark.parametrize("task", TASKS)
def test_what_is_no_number_is_refused_wherever_it_stands(task):
    study, good, found = draft(task), json.dumps(line(task)), with_holes(task)
    assert len(found) > 8
    for text in found:
        for odd in NO_NUMBERS:
            wrong = text.replace(json.dumps(HOLE), odd)
            said = said_of(study, f"{good}\n{wrong}\n")
            assert said is not None, (text, odd[:20])
            assert re.match(r"items\.jsonl, line 2(: |, field “)", said), (text, odd[:20], said)
            assert len(said) < 1000
    assert not Item.objects.exists()


@pytest.mark.parametrize("task", TASKS)
def test_numbers_that_no_database_has_are_refused_or_kept_as_they_are(task):
    study = draft(task)
    for text in with_holes(task):
        for odd in ODD_NUMBERS:
            said = said_of(study, text.replace(json.dumps(HOLE), odd))
            assert said is None or said.startswith("items.jsonl, line 1, field “"), (text, odd, said)
    for payload, gold, made in Item.objects.values_list("payload", "gold", "provenance"):
        json.dumps([payload, gold, made], allow_nan=False)


@pytest.mark.parametrize("task", TASKS)
def test_a_line_that_is_cut_off_anywhere_is_refused(task):
    study, good = draft(task), json.dumps(line(task))
    for end in range(1, len(good), 7):
        said = said_of(study, f"{good}\n{good[:end]}")
        assert said is not None
        assert said.startswith("items.jsonl, line 2: is not JSON ("), said
    assert not Item.objects.exists()


ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "cp1250"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_I03_a_file_in_another_encoding_is_refused_by_its_line(encoding):
    fields = {"left": ["Übermäßig schön."], "right": [], "options": ["a lamp", "a boat"]}
    said = said_of(draft("choice"), f"{json.dumps(fields, ensure_ascii=False)}\n".encode(encoding))
    assert said is not None
    assert re.match(r"items\.jsonl, line 1: is not (UTF-8 text|JSON)", said), said
    assert not Item.objects.exists()


def test_I05_ids_and_words_that_only_look_alike_are_different_on_either_database():
    """By case, or composed and not; all of the file, once, and again none."""
    study, names = (
        draft("choice"),
        ["Ä", "A\u0308", "ä", "a\u0308", "Å", "\u212b", "ss", "ß", "one", "one ", "1"],
    )
    fields = [
        {"left": [f"See {each}."], "right": [], "options": [each, "a boat"], "id": each} for each in names
    ]
    text = "\n".join(map(json.dumps, fields))
    assert said_of(study, text) is None
    stored = study.items.order_by("number")
    assert [each.provenance["id"] for each in stored] == names
    assert [{*each.payload["options"]} - {"a boat"} for each in stored] == [{each} for each in names]
    again = add_payloads(study, entries(study.task_type, text.encode(), "items.jsonl"), by=None)
    assert (again.new, again.known) == (0, len(names))
    said = said_of(study, f"{json.dumps({**fields[0], 'id': 'new', 'left': ['New.']})}\n"
                          f"{json.dumps({**fields[0], 'left': ['Another.']})}")  # fmt: skip
    assert said == "items.jsonl, line 2, field “id”: “Ä” is the id of another item already."
    assert study.items.count() == len(names)
