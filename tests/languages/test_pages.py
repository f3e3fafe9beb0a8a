"""Readers' pages in another language: no text of ours is left in English; no page of others is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.items.payloads import FileItem, add_payloads
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Consent, Guideline, Kind, OptionOrder, State, Study
from annotation.studies.lifecycle import open_study
from annotation.tasktypes import registry
from tests import builders
from tests.annotation import validating
from tests.languages import pseudo

pytestmark = pytest.mark.django_db
# Names of things, which are the same in every language.
OURS_IN_ANY_LANGUAGE = {"Variorum", "Aa", "English", "Deutsch", "CSV"}
NOBODYS_WORDS = re.compile(r"§[\w@.]*|[^\w§]+|\b(?:[A-Z]\d?|EUR|\d+)\b")
"""What the tests' own people write begins with §; a pseudonym and a key are a letter."""
FORM = re.compile(r'name="(\w+)" value="([^"]*)"')


LEFT: list[str] = []
"""What a test has found; all of it is told at its end."""


@pytest.fixture(autouse=True)
def brackets() -> Iterator[None]:
    LEFT.clear()
    with pseudo.spoken():
        yield
    assert not LEFT, "Not translated:\n" + "\n".join(sorted(set(LEFT)))


def reader(name: str = "§Ada") -> tuple[User, Client]:
    """Somebody whose browser asks for German."""
    user = builders.person(name, email="§ada@example.org")
    browser = Client(headers={"Accept-Language": "de"})
    browser.force_login(user)
    return user, browser


def study_of(task: str, *readers: User, practice: int = 0, **told: object) -> Study:
    """An open study of examples of a task, with all that a study may ask and tell."""
    said = {"ask_confidence": True, "ask_basis": True, "rate": "0.50", "currency": "EUR", "contact": "§Dora"}
    made = Study.objects.create(
        slug=f"{task}-{uuid4().hex[:6]}", title="§Lamps", task=task, overlap=1, seed=7, state=State.DRAFT,
        option_order=OptionOrder.CANONICAL, **said | told,
    )  # fmt: skip
    Guideline.objects.create(study=made, version=1, text="§Read.")
    example = registry.get(task).example()
    add_payloads(
        made,
        [
            FileItem(f"line {n}", {**example.payload, **named(task, n)}, example.answer,
                     kind=Kind.PRACTICE if n < practice else Kind.WORK)
            for n in range(6)
        ],
        by=None,
    )  # fmt: skip
    for one in readers:
        builders.enrolment(made, one)
    return open_study(made, by=None, now=timezone.now())


def named(task: str, n: int) -> dict[str, object]:
    """What tells one item of a task from the next."""
    if task == "relevance":
        return {
            "document": {
                **registry.get(task).example().payload["document"],
                "id": f"d-{n}",
                "title": f"§Chapter{n}",
            }
        }
    return {"citation": f"§Chapter{n}"}


def check(reply: HttpResponse, where: str) -> HttpResponse:
    """Refuse English words of ours on a page."""
    if "html" not in reply.headers.get("Content-Type", ""):
        return reply
    page = reply.text
    assert '<html lang="de"' in page or "<html" not in page, where
    left = [NOBODYS_WORDS.sub(" ", each).split() for each in pseudo.outside(page)]
    found = {" ".join(each) for each in left if each} - OURS_IN_ANY_LANGUAGE
    LEFT.extend(f"“{each}” on {re.sub(r'[0-9a-f]{6}|[0-9]+', '…', where)}" for each in found)
    return reply


def got(browser: Client, address: str) -> HttpResponse:
    return check(browser.get(address, follow=True), address)


def sent(browser: Client, address: str, follow: bool = True, **fields: str) -> HttpResponse:
    return check(browser.post(address, fields, follow=follow), f"POST {address} {sorted(fields)}")


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of the form of an item."""
    form = page.partition("data-judging")[2].partition("</form>")[0]
    found = dict(FORM.findall(form))
    return {name: found.get(name, "") for name in ("submission", "revision", "draft_known")}


TASKS = sorted(registry.all_types())


@pytest.mark.parametrize("task", TASKS)
def test_a_reader_of_each_task_reads_no_english(task):
    user, browser = reader()
    study = study_of(task, user, earlier_answers=True, neighbours=task == "relevance")
    got(browser, "/")
    got(browser, f"/studies/{study.slug}/begin/")
    page = sent(browser, f"/studies/{study.slug}/begin/")
    if "data-announces" in page.text:
        page = sent(browser, re.search(r'action="(/work/\d+/group/)"', page.text)[1])
    address = re.search(r'action="(/work/\d+/)"', page.text)[1]
    around = fields_of(page.text)
    # Nothing chosen; no reason; no fault; then a reason of the task.
    for said in ({"answer": "1"}, {"undecided": ""}, {"broken": "1"}):
        sent(browser, address, **around, **said)
    for part in ("prefetch", "earlier", "source"):
        check(browser.get(f"{address}{part}/"), part)
    reason = registry.get(task).undecided_reasons[0]
    sent(browser, address, **around, undecided=reason, note="§why", confidence="3")
    got(browser, address)
    sent(browser, f"{address}messages/", message="§well")
    page = sent(browser, f"/studies/{study.slug}/begin/")
    if other := re.search(r'action="(/work/\d+/)"', page.text):
        sent(browser, f"{other[1]}later/", **fields_of(page.text))
    for name in ("done", "mine", "notebook", "messages", "mail", "consent", "leave", "withdraw"):
        check(browser.get(f"/studies/{study.slug}/{name}/"), name)
    got(browser, f"/studies/{study.slug}/notebook/?q=nowhere")
    sent(browser, f"/studies/{study.slug}/withdraw/", pseudonym="Z")
    sent(browser, f"/studies/{study.slug}/withdraw/", pseudonym="A")


@pytest.mark.parametrize("task", TASKS)
def test_the_answers_of_each_task_are_shown_without_english(task):
    user, browser = reader()
    study = study_of(task, user)
    place = next_assignment(study.enrolments.get(), now=timezone.now())
    example = registry.get(task).example()
    submit(place, place.annotator, Submission(uuid4(), "answer", example.answer), now=timezone.now())
    for name in ("done", "notebook", "begin"):
        got(browser, f"/studies/{study.slug}/{name}/")
    got(browser, place.get_absolute_url())
    got(browser, "/")


@pytest.mark.parametrize("task", sorted(validating.OTHER))
def test_a_machines_answer_is_told_without_english(task):
    user, browser = reader()
    study = validating.opened_of_examples(task, user, reveal=1, prefilled=1, blind=0)
    Study.objects.filter(pk=study.pk).update(title="§Lamps")
    got(browser, f"/studies/{study.slug}/begin/")
    sent(browser, f"/studies/{study.slug}/begin/")


def test_practice_and_consent_without_english():
    user, browser = reader()
    study = study_of("choice", user, practice=2)
    Consent.objects.create(study=study, version=1, text="§Agree.")
    got(browser, f"/studies/{study.slug}/begin/")
    sent(browser, f"/studies/{study.slug}/begin/")
    sent(browser, f"/studies/{study.slug}/consent/", version="1", answer="decline")
    got(browser, f"/studies/{study.slug}/declined/")
    page = sent(browser, f"/studies/{study.slug}/consent/", version="1", answer="agree")
    got(browser, f"/studies/{study.slug}/consent/")
    for position in "12":
        page = sent(browser, f"/studies/{study.slug}/begin/")
        address = re.search(r'action="(/work/\d+/)"', page.text)[1]
        sent(browser, address, **fields_of(page.text), answer="1", position=position)
        got(browser, f"{address}feedback/")


def test_drafts_ends_and_decisions_without_english():
    user, browser = reader()
    draft = Study.objects.create(slug="draft", title="§Lamps", task="choice", overlap=1, seed=7)
    builders.enrolment(draft, user)
    closed = builders.closed_study([user, builders.person("§ben")], adjudicator=builders.person("§cleo"))
    Study.objects.filter(pk=closed.pk).update(title="§Lamps")
    for name in ("begin", "done", "notebook", "decisions", "mine"):
        got(browser, f"/studies/{closed.slug}/{name}/")
    got(browser, "/studies/draft/begin/")
    got(browser, "/")
    check(browser.get("/studies/nowhere/begin/"), "404")


@pytest.mark.parametrize("address", ["/login/", "/signin/", "/password/new/", "/join/"])
def test_signed_out_pages_are_in_the_language_of_the_browser(address):
    browser = Client(headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"})
    assert "Accept-Language" in got(browser, address).headers["Vary"]
    sent(browser, "/login/", username="nobody", password="nothing")
    assert '<html lang="en"' in Client(headers={"Accept-Language": "fr"}).get(address).text


def test_own_settings_and_password_without_english():
    _, browser = reader()
    got(browser, "/preferences/")
    got(browser, "/password/")
    sent(browser, "/password/")
    sent(browser, "/preferences/", **{"key-back": "1", "key-note": "1"})


def test_the_own_choice_stands_over_the_browser_and_the_reply_speaks_it():
    user, browser = reader()
    page = browser.post("/preferences/", {"language": "en"}, follow=True).text
    assert '<html lang="en"' in page
    assert "⟦" not in page
    user.refresh_from_db()
    assert user.preferences.reading["language"] == "en"
    assert '<html lang="de"' in sent(browser, "/preferences/", language="auto").text


def test_pages_of_others_stay_english():
    user, browser = reader()
    study = study_of("choice", user)
    dora = builders.researcher("§dora")
    builders.enrolment(study, dora, role="researcher", pseudonym="R1")
    browser.force_login(dora)
    for address in ("/", "/manage/", f"/manage/{study.slug}/", "/plan/", "/api/v1/", "/manage/nowhere/"):
        page = browser.get(address).text
        assert "⟦" not in page, address
        assert '<html lang="en"' in page or "<html" not in page
    assert "⟦" not in browser.get("/api/v1/studies/").text
    # An address that leads nowhere is nobody's page: it is in the language of whoever asks.
    got(Client(headers={"Accept-Language": "de"}), "/nowhere/")
