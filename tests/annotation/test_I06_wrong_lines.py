"""I06: all wrong lines of a file are named at once, up to a bound, through every door, and none is stored."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.items.complaints import LONGEST, MOST, BadLines
from annotation.items.files import entries, of_lines
from annotation.items.payloads import add_payloads
from annotation.models import Assignment, Event, Item, ItemImport, Study
from annotation.people.tokens import issue
from annotation.studies.importing import jobs
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from common import first_seen
from tests import builders

pytestmark = pytest.mark.django_db
TASKS = sorted(registry.all_types())
UNREAD = f"These are the first {MOST} wrong lines; what stands behind them was not read."


def item(at, **more):
    return {"left": [f"See {at}"], "right": [], "options": [f"a lamp {at}", "a boat"], **more}


FILE = [
    item(1, id="one"),
    item(2, kind="check"),
    item(3, gold={"option": 2}),
    item(4),
    item(4),
    item(5, gold={"label": "a lamp 5"}),
    item(6, id="one"),
    item(7, gold={"option": 0}),
]
WRONG = {
    2: "{}, field “gold”: a check item needs the right answer.",
    3: "{}, field “gold”: The answer must name",
    5: "{}: the same item as ",
    6: "{}, field “gold”: ",
    7: "{}, field “id”: “one” is the id of another item already.",
}
"""What begins the complaint about each line; the place stands for itself."""


def is_wrong(said, place):
    """Each wrong line is named once, in the order of the file, and nothing else is said."""
    expected = [begin.format(f"{place} {at}") for at, begin in WRONG.items()]
    assert len(said) == len(expected), said
    assert [
        (one, other) for one, other in zip(said, expected, strict=True) if not one.startswith(other)
    ] == []


def as_file(lines, name="items.jsonl"):
    return SimpleUploadedFile(name, "\n".join(map(json.dumps, lines)).encode())


@pytest.fixture(params=["draft", "open"])
def study(request, dora, ada):
    made = builders.study("study", items=1, overlap=1, state="draft", by=dora)
    builders.enrolment(made, ada)
    return made if request.param == "draft" else open_study(made, by=dora, now=timezone.now())


@pytest.fixture
def unchanged(study):
    """Whatever a refusal could leave half-written."""

    def state():
        recorded = Event.objects.exclude(verb="refused").count()
        return list(Item.objects.values_list("digest")), Assignment.objects.count(), recorded

    before = state()
    yield
    assert state() == before


@pytest.mark.usefixtures("unchanged")
class TestEveryDoor:
    def test_the_page_lists_them(self, as_user, dora, study):
        reply = as_user(dora).post(
            reverse("annotation:setup_items", args=[study.slug]), {"file": as_file(FILE)}
        )
        assert reply.status_code == 422
        is_wrong(reply.context["file_form"].errors["file"], "items.jsonl, line")
        assert reply.text.count("a check item needs the right answer.</a></li>") == 1

    def test_the_command_prints_them(self, study, tmp_path):
        path = tmp_path / "items.jsonl"
        path.write_bytes(as_file(FILE).read())
        with pytest.raises(CommandError) as refused:
            call_command("import_items", study.slug, str(path), to_open=study.state == "open")
        is_wrong(str(refused.value).splitlines(), "items.jsonl, line")

    def test_the_api_returns_them(self, dora, study):
        _, key = issue(dora, "a script", ["direct"], timezone.now() + timedelta(days=1))
        script = Client(headers={"Authorization": f"Bearer {key}"})
        where = f"/api/v1/studies/{study.slug}/items/"
        reply = script.post(where, json.dumps({"items": FILE}), content_type="application/json")
        assert reply.status_code == 400
        is_wrong(reply.json()["items"], "item")

    def test_a_worker_leaves_them_on_the_page(self, as_user, dora, study, monkeypatch):
        monkeypatch.setattr(jobs, "LARGE_FILE", 100)
        browser, where = as_user(dora), reverse("annotation:setup_items", args=[study.slug])
        assert browser.post(where, {"file": as_file(FILE)}).status_code == 302
        assert jobs.attempt(ItemImport.objects.get().pk, "one")
        job = ItemImport.objects.get()
        assert job.status == "failed"
        is_wrong(job.error.splitlines(), "items.jsonl, line")
        assert "needs the right answer.<br>items.jsonl, line 3" in browser.get(where).text


@pytest.mark.parametrize("task", TASKS)
def test_wrong_gold_of_any_task_is_named_on_each_line(task):
    example = registry.get(task).example()
    lines = [{**example.payload, "gold": gold} for gold in ("no such label", example.gold, [], {"x": 1})]
    with pytest.raises(BadLines) as refused:
        stored(task, lines)
    assert [each.split(":")[0] for each in refused.value.sentences] == [
        f"gold.jsonl, line {at}, field “gold”" for at in (1, 3, 4)
    ]
    assert not Item.objects.exists()


def stored(task, lines):
    study = builders.study("gold", items=0, state="draft", task=task)
    data = "\n".join(map(json.dumps, lines)).encode()
    return add_payloads(study, entries(registry.get(task), data, "gold.jsonl"), by=None)


def test_behind_the_last_that_is_named_nothing_is_read():
    study, read = builders.study("s", items=0, state="draft"), []

    def lines():
        for at in range(1, 10**6):
            read.append(at)
            # Every second line is right.
            yield f"line {at}", item(at, gold=None if at % 2 else {"option": 7})

    with pytest.raises(BadLines) as refused:
        add_payloads(study, of_lines(study.task_type, lines(), {}), by=None)
    named = [each.partition(",")[0] for each in refused.value.sentences]
    assert named[:-1] == [f"line {at}" for at in range(2, 2 * MOST + 1, 2)]
    assert refused.value.sentences[-1] == UNREAD
    assert read[-1] == 2 * MOST
    assert not Item.objects.exists()


def test_of_fewer_than_are_named_nothing_is_said_to_be_unread():
    with pytest.raises(BadLines) as refused:
        stored("choice", [item(at, gold=[]) for at in range(MOST - 1)])
    assert len(refused.value.sentences) == MOST - 1
    assert UNREAD not in refused.value.sentences


def test_a_complaint_without_end_is_cut_where_there_are_several():
    lines = [item(1), item(2, **{"x" * 10**6: 1}), item(3, gold=[])]
    with pytest.raises(BadLines) as refused:
        stored("choice", lines)
    first, second = refused.value.sentences
    assert first.startswith("gold.jsonl, line 2, field “xxx")
    assert len(first) <= LONGEST + 1
    assert second.startswith("gold.jsonl, line 3, field “gold”")


def test_a_file_that_is_no_text_is_named_once_with_what_was_found_before():
    study = builders.study("s", items=0, state="draft")
    data = b'{"left": 3}\n' + b"\xff\n" * 50
    with pytest.raises(BadLines) as refused:
        add_payloads(study, entries(study.task_type, data, "i.jsonl"), by=None)
    assert [each.partition(":")[0] for each in refused.value.sentences] == [
        "i.jsonl, line 1, field “left”",
        "i.jsonl, line 2",
    ]


def test_where_the_temporary_folder_is_full_no_line_is_blamed(monkeypatch):
    """SQLite itself says so, of a private database that may have four pages."""
    monkeypatch.setattr(first_seen, "PREPARED", (*first_seen.PREPARED, "PRAGMA max_page_count = 4"))
    with pytest.raises(first_seen.NoRoom, match="The temporary folder of this machine cannot be written"):
        stored("choice", [item(1, gold=[]), *(item(at) for at in range(2, 1000))])
    assert not Item.objects.exists()


def test_an_export_of_another_tool_is_told_of_all_its_wrong_tasks(tmp_path):
    told = {"ground_truth": True, "result": [{"value": {"choices": ["no such option"]}}]}
    tasks = [
        {"data": item(1), "annotations": [told]},
        {"data": item(2)},
        {"text": 3},
        {"data": item(4), "annotations": [told, told]},
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    with pytest.raises(CommandError) as refused:
        call_command("import_items", "theirs", str(path), task="choice")
    assert [each.partition(":")[0] for each in str(refused.value).splitlines()] == [
        "export.json, task 1, field “label”",
        "export.json, task 3, field “data”",
        "export.json, task 4, field “annotations”",
    ]
    assert not Study.objects.exists()
