"""Setting a study up step by step: a draft, its items, its rules, its people, until it opens."""

from __future__ import annotations

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import Consent, Enrolment, Event, Item, Kind, Study
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from annotation.tasktypes.choice import Choice
from annotation.tasktypes.span import Span
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(dora):
    return builders.study("draft", items=4, overlap=1, state="draft", by=dora)


@pytest.fixture
def opened(draft, ada):
    builders.enrolment(draft, ada)
    return open_study(draft, by=None, now=timezone.now())


def step(name, study):
    return reverse("annotation:step", args=[study.slug, name])


def at(name, study):
    return reverse(f"annotation:{name}", args=[study.slug])


READING = {
    "overlap": "2",
    "option_order": "canonical",
    "filling": "breadth",
    "quota": "30",
    "lease_minutes": "45",
    "seed": "1889",
}
QUESTIONS = {"ask_confidence": "on", "ask_basis": "on", "rate": "0.75", "currency": "EUR"}


def test_a_study_is_set_up_from_nothing_to_open(as_user, dora, ada):
    browser = as_user(dora)
    made = browser.post(reverse("annotation:build"), {"title": "Boats & lamps", "task": "choice", "job": ""})
    study = Study.objects.get()
    assert made["Location"] == at("setup", study)
    wants = "It has no items to work on: take them from a finished job or from a file."
    assert wants in browser.get(at("setup", study)).text
    browser.post(
        at("setup_items", study), {"file": jsonl(4, extra={3: {"kind": "practice", "explanation": "See."}})}
    )
    browser.post(step("reading", study), {**READING, "overlap": "1"})
    browser.post(step("questions", study), QUESTIONS)
    browser.post(step("practice", study), {"practice": "4", "pass_mark": "1"})
    browser.post(at("guidelines", study), {"text": "Read.", "seen": "0"})
    browser.post(at("setup_consent", study), {"text": "You agree.", "keeps": "0", "seen": "0"})
    builders.enrolment(study, ada)
    page = browser.get(at("setup", study)).text
    assert "Everything that is needed is here." in page
    assert "Missing" not in page
    browser.post(at("open", study))
    study.refresh_from_db()
    assert (study.state, study.assignments.count()) == ("open", 3)
    assert (study.filling, study.quota, study.lease_minutes, study.seed) == ("breadth", 30, 45, 1889)
    assert (study.ask_confidence, study.ask_basis, str(study.rate), study.currency) == (
        True,
        True,
        "0.75",
        "EUR",
    )
    assert study.items.get(kind=Kind.PRACTICE).provenance["explanation"] == "See."
    consent = Consent.objects.get()
    assert (consent.version, consent.keeps, consent.created_by) == (1, False, dora)
    steps = set(Event.objects.filter(verb="settings").values_list("data__step", flat=True))
    assert steps == {"reading", "questions", "practice"}


def jsonl(n, *, extra=None, text=None):
    lines = []
    for number in range(n):
        payload = Choice.example().payload
        payload["left"] = [f"The essay, part {number}."]
        lines.append(
            json.dumps(
                {**payload, "gold": {"option": 1}, "id": f"x{number}", **(extra or {}).get(number, {})}
            )
        )
    return SimpleUploadedFile("items.jsonl", (text or "\n".join(lines)).encode())


@pytest.mark.parametrize("task", registry.all_types())
def test_the_order_of_options_is_asked_and_named_only_where_there_are_options(as_user, dora, task):
    study = builders.study("draft", items=0, state="draft", by=dora)
    Study.objects.filter(pk=study.pk).update(task=task)
    browser, has_options = as_user(dora), registry.get(task).orders_options
    assert ("Order of the options" in browser.get(study.get_absolute_url()).text) == has_options
    assert ('name="option_order"' in browser.get(step("reading", study)).text) == has_options
    browser.post(step("reading", study), READING)
    study.refresh_from_db()
    # What is sent all the same, by an older page, is not taken.
    assert (study.overlap, study.option_order) == (2, "canonical" if has_options else "per_annotator")


def test_the_order_of_options_belongs_to_some_task_types_only():
    has = {name: registry.get(name).orders_options for name in ("choice", "grade", "span")}
    assert has == {"choice": True, "grade": False, "span": False}


def test_I05_a_file_brings_choice_items_once(as_user, dora, draft):
    browser = as_user(dora)
    browser.post(at("setup_items", draft), {"file": jsonl(3)})
    assert draft.items.count() == 7
    response = browser.post(at("setup_items", draft), {"file": jsonl(4)}, follow=True)
    assert "1 item added. 3 items of the file were there before." in response.text
    assert list(draft.items.values_list("number", flat=True)) == list(range(1, 9))


def test_a_file_brings_span_items(as_user, dora):
    study = Study.objects.create(slug="spans", title="Spans", task="span", overlap=1, seed=1)
    builders.enrolment(study, dora, role="researcher", pseudonym="R1")
    example = Span.example()
    line = {**example.payload, "gold": example.gold}
    file = SimpleUploadedFile("spans.jsonl", json.dumps(line).encode())
    as_user(dora).post(at("setup_items", study), {"file": file})
    assert study.items.get().gold == example.gold


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("{not json", "items.jsonl, line 2: is not JSON"),
        ("[1]", "items.jsonl, line 2: must be a JSON object"),
        ('{"left": [], "right": [], "options": ["a", "b"]}', "items.jsonl, line 2, field “left”"),
        (
            '{"left": ["x"], "right": [], "options": ["a"]}',
            "items.jsonl, line 2, field “options”: An item needs 2",
        ),
        ('{"left": ["x"], "right": [], "options": ["a", "b"], "rank": 3}', "line 2, field “rank”"),
        ('{"left": ["x"], "right": [], "options": ["a", "b"], "citation": 3}', "line 2, field “citation”"),
        (
            '{"left": ["x"], "right": [], "options": ["a", "b"], "gold": 1}',
            "line 2, field “gold”: must be an answer",
        ),
        (
            '{"left": ["x"], "right": [], "options": ["a", "b"], "gold": {"option": 2}}',
            "line 2, field “gold”: The answer must name",
        ),
        (
            '{"left": ["x"], "right": [], "options": ["a", "b"], "kind": "check"}',
            "line 2, field “gold”: a check item",
        ),
        (
            '{"left": ["x"], "right": [], "options": ["a", "b"], "kind": "no"}',
            "line 2, field “kind”: must be one",
        ),
        ('{"left": ["x"], "right": [], "options": ["a", "b"], "explanation": ""}', "field “explanation”"),
    ],
)
def test_I06_a_wrong_line_is_named_and_nothing_is_added(as_user, dora, draft, bad, sentence):
    good = jsonl(1).read().decode()
    response = as_user(dora).post(at("setup_items", draft), {"file": jsonl(0, text=f"{good}\n{bad}\n{good}")})
    assert response.status_code == 422
    assert sentence in response.context["file_form"].errors["file"][0]
    assert draft.items.count() == 4


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe{}"])
def test_a_file_without_items_says_so(as_user, dora, draft, content):
    file = SimpleUploadedFile("items.jsonl", content)
    response = as_user(dora).post(at("setup_items", draft), {"file": file})
    assert response.status_code == 422
    assert "items.jsonl" in response.context["file_form"].errors["file"][0]


def test_items_come_from_a_job_and_go_again(as_user, dora):
    novel, critic = builders.book(), builders.source()
    job = builders.finished_job(novel, [builders.excerpt(novel, critic, first) for first in (3, 8)])
    study = builders.study("draft", items=0, state="draft", by=dora)
    browser = as_user(dora)
    response = browser.post(at("setup_items", study), {"job": job.pk}, follow=True)
    assert "2 items added." in response.text
    study.refresh_from_db()
    assert study.job == job
    again = browser.post(at("setup_items", study), {"job": job.pk})
    assert "the same item twice (2)" in again.context["job_form"].errors["job"][0]
    browser.post(at("remove_items", study))
    study.refresh_from_db()
    assert (study.items.count(), study.job) == (0, None)


def test_what_readers_have_worked_with_stays_as_it_was(as_user, dora, opened):
    browser = as_user(dora)
    browser.post(step("reading", opened), {**READING, "overlap": "5", "quota": "7"})
    browser.post(step("questions", opened), QUESTIONS)
    browser.post(step("practice", opened), {"practice": "1", "pass_mark": "1"})
    browser.post(at("remove_items", opened))
    opened.refresh_from_db()
    assert (opened.overlap, opened.seed, opened.filling, opened.quota) == (1, 7, "depth", 7)
    assert (opened.ask_confidence, str(opened.rate), opened.pass_mark) == (False, "0.75", None)
    assert opened.items.filter(kind=Kind.WORK).count() == 4
    assert "no longer changed" in browser.get(step("reading", opened)).text
    for name, saves in (("reading", True), ("practice", False)):
        assert (">Save</button>" in browser.get(step(name, opened)).text) is saves


@pytest.mark.parametrize(
    ("name", "said", "field"),
    [
        ("basics", {"title": ""}, "title"),
        ("basics", {"title": "x" * 201}, "title"),
        ("reading", {**READING, "overlap": "0"}, "overlap"),
        ("reading", {**READING, "overlap": "51"}, "overlap"),
        ("reading", {**READING, "quota": "0"}, "quota"),
        ("reading", {**READING, "lease_minutes": "0"}, "lease_minutes"),
        ("reading", {**READING, "seed": str(2**63)}, "seed"),
        ("reading", {**READING, "filling": "sideways"}, "filling"),
        ("questions", {**QUESTIONS, "rate": "-1"}, "rate"),
        ("questions", {**QUESTIONS, "currency": ""}, "currency"),
        ("questions", {**QUESTIONS, "currency": "XXX"}, "currency"),
        ("practice", {"practice": "9"}, "practice"),
        ("practice", {"practice": "two"}, "practice"),
        ("practice", {"practice": "1-99999999"}, "practice"),
        ("practice", {"practice": "1", "pass_mark": "2"}, "pass_mark"),
        ("practice", {"practice": "1", "check": "1", "check_every": "5"}, "check"),
        ("practice", {"check": "2"}, "check_every"),
        ("practice", {"check_every": "5"}, "check"),
    ],
)
def test_a_wrong_setting_is_named_and_nothing_is_changed(as_user, dora, draft, name, said, field):
    before = Study.objects.filter(pk=draft.pk).values().get()
    response = as_user(dora).post(step(name, draft), said)
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert Study.objects.filter(pk=draft.pk).values().get() == before
    assert not Event.objects.filter(verb="settings").exists()


@pytest.mark.parametrize("name", ["basics", "reading", "practice", "questions"])
def test_every_step_has_its_heading(as_user, dora, draft, name):
    page = as_user(dora).get(step(name, draft)).text
    assert re.search(r"<h1>[A-Z][a-z ]+</h1>", page)


def test_practice_and_checks_are_chosen_by_number(as_user, dora, draft):
    builders.rewrite(draft.items.filter(number=4), gold=None)
    browser = as_user(dora)
    wrong = browser.post(step("practice", draft), {"practice": "3-4"})
    assert "Item 4 has no gold answer" in wrong.text
    browser.post(step("practice", draft), {"practice": "1, 2", "check": "3", "check_every": "5"})
    kinds = dict(draft.items.values_list("number", "kind"))
    assert kinds == {1: "practice", 2: "practice", 3: "check", 4: "work"}
    assert 'value="1, 2"' in browser.get(step("practice", draft)).text


def test_consent_versions_are_appended_and_a_change_meanwhile_is_told(as_user, dora, draft):
    browser, said = as_user(dora), {"text": "First.", "keeps": "1", "seen": "0"}
    browser.post(at("setup_consent", draft), said)
    assert "Nothing is changed" in browser.post(at("setup_consent", draft), {**said, "seen": "1"}).text
    late = browser.post(at("setup_consent", draft), {**said, "text": "Mine."})
    assert late.status_code == 422
    assert "Version 1 was saved meanwhile" in late.text
    assert "Mine." in late.text
    browser.post(at("setup_consent", draft), {**said, "keeps": "0", "seen": "1"})
    assert list(Consent.objects.order_by("version").values_list("version", "keeps")) == [
        (1, True),
        (2, False),
    ]


def right(item):
    return item.payload["options"][item.gold["option"]]


def test_a_copy_has_everything_but_people_and_judgments(as_user, dora, opened):
    Study.objects.filter(pk=opened.pk).update(quota=9, ask_basis=True, rate="1.50", currency="GBP")
    Consent.objects.create(study=opened, version=3, text="Agreed.", keeps=False)
    Item.objects.filter(study=opened, number=2).update(retired=opened.opened)
    page = as_user(dora).post(at("duplicate", opened), {"title": "Again", "slug": ""})
    copy = Study.objects.get(slug="again")
    assert page["Location"] == at("setup", copy)
    assert (copy.state, copy.quota, copy.ask_basis, copy.seed, str(copy.rate)) == (
        "draft",
        9,
        True,
        7,
        "1.50",
    )
    assert [(each.number, right(each)) for each in copy.items.all()] == [
        (1, "Item 1, the second passage."),
        (2, "Item 3, the first passage."),
        (3, "Item 4, the second passage."),
    ]
    assert copy.guidelines.get().text == "Choose the passage that reads best."
    assert (copy.consents.get().version, copy.consents.get().keeps) == (1, False)
    assert list(copy.enrolments.values_list("user", "role")) == [(dora.pk, "researcher")]
    assert not copy.assignments.exists()


def test_a_closed_study_opens_again_with_everything_in_it(as_user, dora, ada, opened):
    browser = as_user(dora)
    assert "is open: only a closed" in browser.post(at("reopen", opened), follow=True).text
    browser.post(at("close", opened))
    reader = Enrolment.objects.get(user=ada)
    assert "no independent readings" in browser.get(opened.get_absolute_url()).text
    browser.post(at("reopen", opened))
    assert "no independent readings" not in browser.get(opened.get_absolute_url()).text
    opened.refresh_from_db()
    assert (opened.state, opened.closed) == ("open", None)
    assert as_user(ada).post(at("begin", opened)).status_code == 302
    assert reader.assignments.count() == 1
    assert list(opened.events.values_list("verb", flat=True))[:2] == ["reopen", "close"]


def test_what_practice_tells_is_written_on_the_items_page(as_user, dora, draft):
    builders.rewrite(draft.items.filter(number=2), kind=Kind.PRACTICE, provenance={"id": "x"})
    browser = as_user(dora)
    where = reverse("annotation:explain", args=[draft.slug, 2])
    browser.post(where, {"explanation": " The lamps.\x00"})
    assert draft.items.get(number=2).provenance == {"id": "x"}
    browser.post(where, {"explanation": " The lamps. "})
    assert draft.items.get(number=2).provenance == {"id": "x", "explanation": "The lamps."}
    assert "The lamps.</textarea>" in browser.get(reverse("annotation:item", args=[draft.slug, 2])).text
    assert browser.post(reverse("annotation:explain", args=[draft.slug, 1])).status_code == 404
