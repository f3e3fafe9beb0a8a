"""What readers meet before the work: consent, practice with feedback, guidelines that changed."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Consent, Event, Judgment, Kind, Role, Study
from annotation.people.practising import Stands, stands
from annotation.people.tokens import issue
from annotation.studies import guidelines
from common.texts.diff import Piece, changes
from tests import builders
from tests.builders import pick

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(ada):
    return builders.read_by(ada, items=3, overlap=1)


@pytest.fixture
def a(study):
    return study.enrolments.get()


def address(name, study, **more):
    return reverse(f"annotation:{name}", args=[study.slug])


def consent(study, version=1, keeps=True):
    return Consent.objects.create(
        study=study, version=version, text=f"The data, version {version}.", keeps=keeps
    )


def answer(place, option="1"):
    return submit(place, place.annotator, Submission(uuid.uuid4(), "answer", {"option": option}), now=NOW)


def test_nobody_gets_an_item_before_they_agreed(as_user, ada, study, a):
    consent(study)
    browser = as_user(ada)
    assert "asked for your consent before the first item" in browser.get(address("begin", study)).text
    response = browser.post(address("begin", study))
    assert response["Location"] == address("consent", study)
    assert "The data, version 1." in browser.get(response["Location"]).text
    assert not study.assignments.filter(annotator=a).exists()


def test_agreeing_is_stored_with_version_and_time_and_every_judgment_names_it(as_user, ada, study, a):
    consent(study, keeps=False)
    browser = as_user(ada)
    assert "your answers are deleted" in browser.get(address("consent", study)).text
    response = browser.post(address("consent", study), {"version": "1", "answer": "agree"})
    assert response["Location"].startswith("/work/"), "to the first item"
    a.refresh_from_db()
    assert a.consent_version == 1
    assert abs(a.consented - timezone.now()) < timedelta(minutes=1)
    assert Event.objects.get(verb="consent").data == {"pseudonym": "A", "version": 1}
    assert answer(next_assignment(a, now=NOW)).consent_version == 1
    assert "You agreed to this on" in browser.get(address("consent", study)).text


def test_who_does_not_agree_is_thanked_and_may_change_their_mind(as_user, ada, study, a):
    consent(study)
    browser = as_user(ada)
    response = browser.post(address("consent", study), {"version": "1", "answer": "decline"})
    assert response["Location"] == address("declined", study)
    assert "You are given no item" in browser.get(response["Location"]).text
    assert next_assignment(a, now=NOW) is None
    browser.post(address("consent", study), {"version": "1", "answer": "agree"})
    a.refresh_from_db()
    assert next_assignment(a, now=NOW) is not None


def test_a_newer_version_is_asked_before_the_next_item_and_loses_no_answer(as_user, ada, study, a):
    consent(study)
    type(a).objects.update(consent_version=1, consented=NOW)
    a.refresh_from_db()
    place = next_assignment(a, now=NOW)
    consent(study, version=2)
    assert answer(place).consent_version == 1, "what was before them when the text changed is taken"
    assert next_assignment(a, now=NOW) is None
    page = as_user(ada).get(address("consent", study)).text
    assert "You agreed to version 1." in page
    assert "The data, version 2." in page


def test_a_page_with_an_item_leads_to_consent_while_it_is_asked(as_user, ada, study, a):
    place = next_assignment(a, now=NOW)
    consent(study)
    assert as_user(ada).get(place.get_absolute_url())["Location"] == address("consent", study)


@pytest.mark.parametrize("said", [{"version": "1"}, {"version": "9"}, {"version": "x"}, {}])
def test_only_the_version_that_was_read_can_be_agreed_to(as_user, ada, study, a, said):
    consent(study)
    consent(study, version=2)
    response = as_user(ada).post(address("consent", study), {"answer": "agree", **said})
    assert response.status_code == 422
    a.refresh_from_db()
    assert a.consent_version is None


def test_a_script_is_told_that_consent_comes_first(client, ada, study, a):
    consent(study)
    _, plain = issue(ada, "script", ["judge"], timezone.now() + timedelta(days=1))
    headers = {"Authorization": f"Bearer {plain}"}
    response = client.post(f"/api/v1/studies/{study.slug}/next/", headers=headers)
    assert response.status_code == 409
    assert "consent" in response.text


def standing_at(where, option):
    """What the page at that address sends for the option of that canonical number."""
    return pick(Assignment.objects.get(pk=where.split("/")[2]), option)


def practising(study, practice=(1,), **settings):
    for number in practice:
        item = study.items.get(number=number)
        item.kind, item.provenance = Kind.PRACTICE, {"explanation": "The lamps are lit <later>."}
        item.save()
        item.assignments.all().delete()
    Study.objects.filter(pk=study.pk).update(**settings)


def test_practice_tells_right_and_why_and_only_afterwards(as_user, ada, study):
    practising(study, pass_mark=1)
    browser = as_user(ada)
    where = browser.post(address("begin", study))["Location"]
    page = browser.get(where).text
    assert "Practice 1 of 1" in page
    assert "lamps are lit" not in page
    assert ">Later<" not in page
    form = {"submission": str(uuid.uuid4()), "revision": "0", **standing_at(where, 1)}
    response = browser.post(where, form, headers={"HX-Request": "true"})
    assert response.status_code == 204
    told = browser.get(response["HX-Redirect"]).text
    assert "That is right" in told
    assert "The lamps are lit &lt;later&gt;." in told
    assert "The practice is done: 1 of 1 were right." in told
    assert browser.get(where)["Location"] == response["HX-Redirect"]
    first = browser.post(address("begin", study))["Location"]
    assert "Item 1 of 2" in browser.get(first).text


def test_who_missed_the_mark_hears_kindly_whom_to_ask(as_user, ada, study):
    practising(study, pass_mark=1, contact="Dora, dora@example.org")
    browser = as_user(ada)
    where = browser.post(address("begin", study))["Location"]
    form = {"submission": str(uuid.uuid4()), "revision": "0", **standing_at(where, 2)}
    told = browser.get(browser.post(where, form)["Location"]).text
    assert "Not the expected answer" in told
    assert "Item 1, the third passage." in told
    assert "Item 1, the second passage." in told
    done = browser.post(address("begin", study))["Location"]
    assert "Please ask Dora, dora@example.org, who will help you." in browser.get(done).text
    assert "ask Dora, dora@example.org, who will help you" in browser.get(address("begin", study)).text
    assert not Judgment.objects.work().exists()


def test_researchers_see_who_stopped_where_and_let_them_begin_from_both_pages(dora, as_user, ada, ben):
    study = builders.study(items=3, overlap=2, by=dora)
    practising(study, practice=(1, 2), pass_mark=2)
    stopped, _ = builders.enrolment(study, ada), builders.enrolment(study, ben)
    for _ in range(2):
        answer(next_assignment(stopped, now=NOW), option=0)
    browser, row = as_user(dora), r'>A</th>\s*<td>.*Stopped: below the pass mark.*\s*<td class="num">0</td>'
    people, watch = reverse("annotation:people", args=["fleet"]), reverse("evaluation:watch", args=["fleet"])
    for page in (people, watch):
        shown = browser.get(page).text
        assert re.search(row, shown)
        assert re.search(r">B</th>\s*<td>Not begun", shown)
        assert shown.count('value="let_begin"') == 2
    let = reverse("annotation:person", args=["fleet", "A"])
    assert browser.post(let, {"act": "let_begin", "from": "watch"})["Location"] == watch
    assert re.search(r">A</th>\s*<td>Let begin", browser.get(watch).text)
    assert "1 of the 2 readers" not in browser.get(watch).text
    type(stopped).objects.filter(pseudonym="B").update(state="left")
    assert "1 of the 2 readers that an item asks for is here" in browser.get(watch).text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"practised": False, "right": 0, "answered": 0}, Stands.NOT_BEGUN),
        ({"practised": False, "right": 1, "answered": 1}, Stands.UNDER_WAY),
        ({"practised": False, "right": 1, "answered": 3}, Stands.STOPPED),
        ({"practised": True, "right": 2, "answered": 2}, Stands.PASSED),
        ({"practised": True, "right": 1, "answered": 3}, Stands.LET_BEGIN),
        ({"practised": True, "right": 0, "answered": 0}, Stands.LET_BEGIN),
    ],
)
def test_where_a_reader_stands_in_practice(said, expected):
    assert stands(**said, items=3, wanted=2) == expected


def test_a_script_hears_after_practice_what_the_page_tells(client, ada, study, a):
    practising(study, practice=(1, 2), pass_mark=1)
    _, plain = issue(ada, "script", ["judge"], timezone.now() + timedelta(days=1))
    headers = {"Authorization": f"Bearer {plain}"}

    def step(option):
        place = client.post(f"/api/v1/studies/{study.slug}/next/", headers=headers).json()
        answer = {"position": int(pick(Assignment.objects.get(pk=place["id"]), option)["position"])}
        body = {"submission": str(uuid.uuid4()), "answer": answer}
        where = f"/api/v1/assignments/{place['id']}/judgment/"
        return place, client.post(where, body, content_type="application/json", headers=headers).json()

    place, reply = step(0)
    assert place["practice"]
    assert "lamps are lit" not in str(place)
    expected = [each["text"] for each in place["shown"]["options"]].index("Item 1, the second passage.")
    told = {"right": False, "expected": {"position": expected}, "explanation": "The lamps are lit <later>."}
    so_far = {"items": 2, "answered": 1, "answered_rightly": 0, "wanted": 1, "done": False}
    assert reply["feedback"] == {**told, **so_far}
    _, reply = step(2)
    assert (reply["feedback"]["right"], reply["feedback"]["done"]) == (True, True)
    place, reply = step(0)
    assert (place["practice"], reply["feedback"]) == (False, None)


def test_a_script_that_missed_the_mark_is_told_whom_to_ask(client, ada, study, a):
    practising(study, pass_mark=1)
    answer(next_assignment(a, now=NOW), option=0)
    _, plain = issue(ada, "script", ["judge"], timezone.now() + timedelta(days=1))
    response = client.post(
        f"/api/v1/studies/{study.slug}/next/", headers={"Authorization": f"Bearer {plain}"}
    )
    assert response.status_code == 409
    assert "ask the researcher" in response.text


def test_feedback_is_for_practice_and_its_reader_only(as_user, ada, ben, study, a):
    place = next_assignment(a, now=NOW)
    answer(place)
    where = reverse("annotation:feedback", args=[place.pk])
    assert as_user(ada).get(where).status_code == 404
    assert as_user(ben).get(where).status_code == 404


def test_guidelines_that_changed_are_shown_until_they_are_said_to_be_read(as_user, ada, dora, study, a):
    browser = as_user(ada)
    assert "have changed" not in browser.get(address("begin", study)).text
    place = browser.post(address("begin", study), {"guideline": "1"})["Location"]
    a.refresh_from_db()
    assert a.guideline_seen == 1
    guidelines.revise(study, "Choose the passage that reads well.\n\nAsk if in doubt.", seen=1, by=dora)
    page = browser.get(place).text
    assert "The guidelines have changed since you last read them." in page
    assert "<del>best.</del><ins>well.</ins>" in page
    assert "<ins>Ask if in doubt.</ins>" in page
    a.refresh_from_db()
    assert a.guideline_seen == 1, "looking changes nothing"
    response = browser.post(
        address("guidelines_read", study), {"version": "2"}, headers={"HX-Request": "true"}
    )
    assert (response.status_code, response.content) == (200, b"")
    assert "have changed" not in browser.get(place).text


def test_what_changes_after_the_first_item_is_told_to_whoever_began_elsewhere(as_user, ada, dora, study, a):
    place = as_user(ada).post(address("begin", study))["Location"]
    a.refresh_from_db()
    assert a.guideline_seen == 1
    guidelines.revise(study, "Another text.", seen=1, by=dora)
    assert "The guidelines have changed" in as_user(ada).get(place).text


@pytest.mark.parametrize("version", ["3", "-1", "x", "", "9" * 40])
def test_a_version_that_is_not_there_is_not_noted(as_user, ada, study, a, version):
    as_user(ada).post(address("guidelines_read", study), {"version": version})
    a.refresh_from_db()
    assert a.guideline_seen is None


def test_changes_are_told_by_paragraph_and_word():
    before = "One stays.\n\nTwo is read by nobody.\n\nThree goes."
    after = "One stays.\n\nTwo is read by everybody.\n\nFour comes.\n\nFive too."
    assert changes(before, before) == []
    assert [[tuple(piece) for piece in each] for each in changes("a\n\nb c d", "a\n\nb x d")] == [
        [("same", "b "), ("gone", "c "), ("new", "x "), ("same", "d")]
    ]
    found = changes(before, after)
    assert [Piece("gone", "Three goes."), Piece("new", "Four comes.")] in found
    assert [Piece("new", "Five too.")] in found
    long = "word " * 3000
    assert [piece.kind for piece in changes(long, long + "more")[0]] == ["gone", "new"]


def test_who_does_not_read_sees_what_readers_agree_to(as_user, ada, dora, study):
    consent(study)
    builders.enrolment(study, dora, role=Role.RESEARCHER, pseudonym="R1")
    page = as_user(dora).get(address("consent", study))
    assert page.status_code == 200
    assert "What readers agree to" in page.text
    assert "I agree" not in page.text
