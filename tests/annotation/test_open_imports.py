"""Large files of items into a study that is open: by a job, all of the items at once or none."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.models import Assignment, Event, Item, ItemImport
from annotation.studies.importing import into_open, jobs
from annotation.studies.lifecycle import close_study, open_study
from annotation.studies.running.adding import add_items, additions
from retrieval.models import Status
from tests import builders
from tests.annotation.test_adding_items import entry, lines

pytestmark = pytest.mark.django_db
MANY = [entry(n) for n in range(3, 12)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """What is large in these tests, heard of at every item and stored two at a time."""
    monkeypatch.setattr(jobs, "LARGE_FILE", 500)
    monkeypatch.setattr(jobs, "BEAT", 0.0)
    monkeypatch.setattr(into_open, "AT_ONCE", 2)


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


@pytest.fixture
def at(opened):
    return reverse("annotation:setup_items", args=[opened.slug])


@pytest.fixture
def sent(as_user, dora, at):
    """`sent(entries)` sends a file of them, and returns its job."""

    def send(entries=MANY, **more):
        file = SimpleUploadedFile("more.jsonl", lines(*entries))
        reply = as_user(dora).post(at, {"file": file, **more})
        assert reply.status_code == 302, reply.context["file_form"].errors
        return ItemImport.objects.get()

    return send


def state():
    """All that a refusal must leave as it was."""
    events = Event.objects.exclude(verb__in=["expired", "close"])
    return list(Item.objects.values_list("pk", "digest")), Assignment.objects.count(), events.count()


def ended(job, **how):
    """Run the job, and return it as it then stands."""
    assert jobs.attempt(job.pk, "one", **how)
    job.refresh_from_db()
    return job


def test_all_items_are_given_out_at_the_end_and_readers_are_told_once(opened, as_user, dora, ada, at, sent):
    before, job = state(), sent()
    assert state() == before
    page = as_user(dora).get(at).text
    assert "Readers are given all of the items at its end, or none." in page
    job = ended(job)
    assert (job.status, job.counts, job.done) == (Status.DONE, {"new": 9, "known": 0}, job.total)
    added = list(additions(opened))
    assert [each[1:] for each in added] == [(3, 11, {"work": 9}, 4, 18)]
    assert opened.events.get(verb="build").data == {"file": "more.jsonl", "items": 9}
    slots = opened.assignments.filter(item__number__gt=2).values_list("item__number", "slot")
    assert sorted(slots) == [(n, slot) for n in range(3, 12) for slot in (1, 2)]
    assert next_assignment(opened.enrolments.get(user=ada), now=timezone.now()).item.number == 3
    told = as_user(ada).get(reverse("annotation:done", args=["quay"])).text
    assert "after your last answer: there is more for you" in told
    assert "9 items added." in as_user(dora).get(at).text
    assert "Items 3 to 11: added on" in as_user(dora).get(at).text


def test_what_stands_is_what_a_small_file_makes(opened, sent, dora):
    """Rows that are written as they are have every column as the models write it."""
    ended(sent())
    other = builders.study("other", items=2, overlap=2, by=dora)
    add_items(other, MANY, by=dora)
    names = {each.attname for each in Item._meta.concrete_fields} - {"id", "study_id"}
    items = [list(each.items.filter(number__gt=2).values(*sorted(names))) for each in (opened, other)]
    assert items[0] == items[1]
    alike = {each.attname for each in Assignment._meta.concrete_fields} - {"id", "study_id", "item_id"}
    rows = [
        list(each.assignments.filter(item__number__gt=2).values("item__number", *sorted(alike)))
        for each in (opened, other)
    ]
    assert rows[0] == rows[1]


def test_stopped_or_cut_off_nothing_is_there_and_the_next_attempt_adds_all(opened, sent):
    before, job = state(), sent()
    for stage in ("Checking", "Looking for printed answers", "Storing"):
        assert ended(job, go_on=lambda job, at=stage: job.stage != at).status == Status.QUEUED
        assert (job.attempts, state()) == (0, before)
    assert (ended(job).status, opened.items.count()) == (Status.DONE, 11)
    assert opened.events.filter(verb="add items").count() == 1


def test_it_is_stopped_on_the_page(opened, as_user, dora, at, sent):
    before = state()
    sent()
    page = as_user(dora).post(at, {"stop": "1"}, follow=True).text
    assert "The import is stopped, and nothing of it was added." in page
    assert "It was stopped, and nothing of it was added." in page
    assert state() == before


PRINTING = [*MANY, entry(20, left=entry(3).payload["options"][0])]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([*MANY, entry(20, kind="practice")], "1 item for practice cannot be added"),
        ([*MANY, entry(20, kind="check")], "1 check item cannot be added: “quay” mixes in none"),
        ([*MANY, entry(3)], "more.jsonl, line 10: the same item as more.jsonl, line 1."),
        (PRINTING, "more answer"),
    ],
    ids=["practice", "check", "twice", "printed"],
)
def test_what_cannot_be_added_leaves_all_as_it_was(opened, as_user, dora, at, sent, items, said):
    before, job = state(), ended(sent(items))
    assert job.status == Status.FAILED
    assert said in job.error
    assert state() == before
    assert said in as_user(dora).get(at).text


def test_a_printed_answer_is_added_where_that_is_said(opened, sent):
    assert ended(sent(PRINTING, printed="on")).status == Status.DONE
    assert opened.items.count() == 12


def test_of_very_many_printed_answers_are_not_sought_and_that_is_said(opened, sent, monkeypatch):
    monkeypatch.setattr(into_open, "MOST_SEARCHED", 10)
    before, job = state(), ended(sent())
    assert "“quay” would have 11 items" in job.error
    assert state() == before
    assert ended(sent(printed="on")).status == Status.DONE


def test_a_study_that_closes_meanwhile_gets_nothing(opened, as_user, dora, at, sent):
    before, job = state(), sent()

    def closes(job):
        if job.stage == "Looking for printed answers":
            opened.refresh_from_db()
            if opened.state == "open":
                close_study(opened, by=None, now=timezone.now())
        return True

    job = ended(job, go_on=closes)
    assert (job.status, state()) == (Status.FAILED, before)
    assert "“quay” is closed: items are added to a draft, or to a study that is open" in job.error
    assert as_user(dora).post(at, {"file": SimpleUploadedFile("x.jsonl", lines(*MANY))}).status_code == 422


def test_where_others_add_items_meanwhile_the_file_is_checked_again(opened, dora, sent):
    job = sent()

    def adds(job):
        if job.stage == "Looking for printed answers" and opened.items.count() == 2:
            add_items(opened, [entry(3), entry(40)], by=dora)
        return True

    assert ended(job, go_on=adds).status == Status.QUEUED
    assert "was changed by somebody else meanwhile" in job.error
    ItemImport.objects.update(not_before=None)
    assert ended(job).counts == {"new": 8, "known": 1}
    assert sorted(opened.items.values_list("number", flat=True)) == list(range(1, 13))


def test_an_open_study_that_has_all_of_it_stays_as_it_is(opened, sent):
    ended(sent())
    before = state()
    assert ended(sent()).counts == {"new": 0, "known": 9}
    assert state() == before


def test_the_command_refuses_a_draft_and_a_wrong_line(opened, dora, tmp_path):
    file = tmp_path / "more.jsonl"
    file.write_bytes(lines(*MANY) + json.dumps({"left": 3}).encode())
    builders.study("later", items=1, state="draft", by=dora)
    before = state()
    with pytest.raises(CommandError, match="“later” is a draft: leave --to-open out"):
        call_command("import_items", "later", str(file), "--to-open")
    with pytest.raises(CommandError, match=r"more.jsonl, line 10, field “left”"):
        call_command("import_items", "quay", str(file), "--to-open")
    assert state() == before
