"""Items for a study that is open: given out like the others, recorded, told of, or refused."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.assignment.progress import reader_progress
from annotation.items.payloads import FileItem
from annotation.models import Assignment, Event, Item, Study
from annotation.studies.lifecycle import close_study, open_study
from annotation.studies.running.adding import add_items, additions
from common.errors import BadInput
from evaluation.report.compute import report
from evaluation.report.sentences import notes
from tests import builders

pytestmark = pytest.mark.django_db


def entry(n, *, kind="work", left="It was dark.", right="So she left."):
    options = [
        f"Passage {word} number {n} of the quiet harbour begins at {word} o’clock, {n} boats in all."
        for word in ("seven", "eight", "nine")
    ]
    payload = {"left": [left, f"So said essay {n}."], "right": [right], "options": options, "language": "en"}
    payload |= {"citation": "Critic 1911", "book": "The Boats"}
    return FileItem(f"line {n}", payload, {"option": 0}, {}, kind)


@pytest.fixture
def opened(dora, ada, ben):
    """Two items, each read by Ada and Ben, who have finished."""
    study = builders.study("quay", items=2, overlap=2, state="draft", by=dora)
    readers = [builders.enrolment(study, who) for who in (ada, ben)]
    study = open_study(study, by=None, now=timezone.now())
    for reader in readers:
        for number in (1, 2):
            builders.judgment(study, number, reader)
    return study


def state(study):
    """All that a refusal must leave as it was."""
    return (
        list(Item.objects.values_list("pk", "digest")),
        Assignment.objects.count(),
        Event.objects.exclude(verb="expired").count(),
        Study.objects.get(pk=study.pk).state,
    )


def test_added_items_are_given_out_recorded_and_told_of(opened, dora, ada, as_user):
    me = opened.enrolments.get(user=ada)
    assert next_assignment(me, now=timezone.now()) is None
    found = add_items(opened, [entry(3), entry(4)], by=dora, source="more.jsonl")
    assert found[1:] == (3, 4, {"work": 2}, 4, 4)
    assert [each._replace(at=None) for each in additions(opened)] == [found._replace(at=None)]
    assert add_items(opened, [entry(4)], by=dora) is None
    slots = opened.assignments.filter(item__number__gt=2).values_list("item__number", "slot")
    assert sorted(slots) == [(3, 1), (3, 2), (4, 1), (4, 2)]
    assert opened.events.get(verb="build").data == {"file": "more.jsonl", "items": 2}
    said = notes(report(opened, resamples=10))
    assert any(
        note.startswith("Items 3 to 4 were added on ")
        and note.endswith("after four judgments of the items before.")
        for note in said
    )
    assert reader_progress(me) == (2, 4, 0)
    page = as_user(ada).get(reverse("annotation:done", args=["quay"])).text
    assert "after your last answer: there is more for you" in page
    assert "2 of 4 items" in page
    assert next_assignment(me, now=timezone.now()).item.number == 3
    drawn = {each.number: each.provenance for each in opened.items.filter(number__gt=2)}
    assert all(each["drawn"] for each in drawn.values())


def test_a_check_item_joins_those_that_are_mixed_in(opened, dora):
    Study.objects.filter(pk=opened.pk).update(check_every=2)
    builders.item(opened, 9).save()
    Item.objects.filter(study=opened, number=9).update(kind="check")
    found = add_items(opened, [entry(3), entry(4, kind="check")], by=dora)
    assert (found.items, found.places) == ({"work": 1, "check": 1}, 2)
    assert not opened.assignments.filter(item__kind="check").exists()


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([entry(3), entry(4, kind="practice")], "1 item for practice cannot be added"),
        ([entry(3), entry(4, kind="check")], "1 check item cannot be added: “quay” mixes in none"),
        ([entry(3), entry(3)], "line 3: the same item as line 3"),
        (
            [entry(3), entry(4, left=entry(3).payload["options"][0])],
            "4 more answers could be found without reading",
        ),
    ],
    ids=["practice", "check", "twice", "printed"],
)
def test_what_cannot_be_added_leaves_all_as_it_was(opened, dora, items, said):
    before = state(opened)
    with pytest.raises(BadInput, match=said):
        add_items(opened, items, by=dora)
    assert state(opened) == before


def test_a_printed_answer_is_added_where_that_is_said(opened, dora):
    items = [entry(3), entry(4, left=entry(3).payload["options"][0])]
    assert add_items(opened, items, by=dora, printed=True).items == {"work": 2}


def test_a_closed_study_a_draft_put_away_and_a_sample_refuse(opened, dora):
    Study.objects.filter(pk=opened.pk).update(shows_machine=True)
    with pytest.raises(BadInput, match="a sample of what a machine judged"):
        add_items(opened, [entry(3)], by=dora)
    Study.objects.filter(pk=opened.pk).update(shows_machine=False)
    close_study(opened, by=None, now=timezone.now())
    with pytest.raises(BadInput, match="“quay” is closed: items are added to a draft, or to a study that is"):
        add_items(opened, [entry(3)], by=dora)
    assert opened.items.count() == 2


def lines(*entries):
    rows = (each.payload | {"gold": each.gold, "kind": each.kind} for each in entries)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_the_page_adds_to_an_open_study_and_says_so(opened, dora, as_user):
    browser, page = as_user(dora), reverse("annotation:setup_items", args=["quay"])
    assert "Readers who had finished see that there is more" in browser.get(page).text
    printing = lines(entry(3), entry(4, left=entry(3).payload["options"][0]))
    refused = browser.post(page, {"file": SimpleUploadedFile("more.jsonl", printing)})
    assert (refused.status_code, opened.items.count()) == (422, 2)
    assert "4 more answers could be found without reading" in refused.text
    sent = {"file": SimpleUploadedFile("more.jsonl", printing), "printed": "on"}
    told = browser.post(page, sent, follow=True).text
    assert "2 items added. They are items 3 to 4, given out from now on (4 readings more)" in told
    assert "Items 3 to 4: added on" in told
    close_study(opened, by=None, now=timezone.now())
    shut = browser.get(page).text
    assert "The study is closed: its items stay as they were read." in shut
    assert '<form class="form"' not in shut


def test_the_command_adds_where_it_is_told_to(opened, dora, tmp_path, capsys):
    file = tmp_path / "more.jsonl"
    file.write_bytes(lines(entry(3)))
    with pytest.raises(CommandError, match="only a draft takes new items"):
        call_command("import_items", "quay", str(file))
    for said in ("Added 1 item to “quay”, which is open: 2 readings more", "Nothing was new"):
        call_command("import_items", "quay", str(file), "--to-open")
        assert said in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no study “key”"):
        call_command("import_items", "key", str(file), "--to-open", "--task", "choice")
