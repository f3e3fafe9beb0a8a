"""Out of a study and in again, another role; A07: whoever is out is out at the next request."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from annotation.assignment import claiming
from annotation.assignment.claiming import next_assignment
from annotation.judging import drafts
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Enrolment, EnrolmentState, Event, Judgment, Kind
from annotation.people import leaving
from annotation.people.tokens import issue
from common.errors import BadInput
from tests import builders
from tests.annotation.test_views_work import fields
from tests.builders import pick
from tests.linked import press
from variorum.accounts import links
from variorum.models import LinkKind

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(dora, ada, ben, cleo):
    made = builders.study(items=3, overlap=2, by=dora)
    builders.enrolment(made, ada)
    builders.enrolment(made, ben)
    builders.enrolment(made, cleo, role="adjudicator", pseudonym="J1")
    return made


@pytest.fixture
def a(study, ada):
    return study.enrolments.get(user=ada)


def answer(place):
    return submit(place, place.annotator, Submission(uuid.uuid4(), "answer", {"option": 1}), now=NOW)


def act(browser, study, pseudonym, **said):
    return browser.post(reverse("annotation:person", args=[study.slug, pseudonym]), said, follow=True)


def test_leaving_frees_what_was_held_and_keeps_what_was_said(study, a):
    answer(next_assignment(a, now=NOW))
    held = next_assignment(a, now=NOW)
    leaving.leave(a, by=a.user)
    held.refresh_from_db()
    assert (held.status, held.annotator, held.order) == ("free", None, [])
    assert Judgment.objects.get().annotator == a
    assert Event.objects.get(verb="leave").data == {"pseudonym": "A", "places": 1}
    a.refresh_from_db()
    assert next_assignment(a, now=NOW) is None
    with pytest.raises(BadInput, match="has left “fleet” already"):
        leaving.leave(a, by=a.user)


def test_what_was_typed_by_who_is_removed_is_kept_and_the_answer_still_taken(study, a, dora, as_user):
    held, browser = next_assignment(a, now=NOW), as_user(a.user)
    page = fields(browser.get(held.get_absolute_url()))
    drafts.save(held, a, {"note": "half a thought"}, seen=0, now=NOW)
    leaving.leave(a, by=dora)
    event = Event.objects.get(verb="given back")
    assert (event.actor, event.data["assignment"], event.data["draft"]) == (
        a.user,
        held.pk,
        {"note": "half a thought"},
    )
    leaving.readmit(a, by=dora)
    # Their page stood open all the while.
    browser.post(held.get_absolute_url(), {**page, **pick(held, 1), "note": "a whole thought"})
    assert Judgment.objects.get().note == "a whole thought"


def test_the_answer_of_who_is_let_in_again_is_kept_where_the_place_is_gone(study, a, dora, as_user):
    held, browser = next_assignment(a, now=NOW), as_user(a.user)
    page = fields(browser.get(held.get_absolute_url()))
    leaving.leave(a, by=dora)
    leaving.readmit(a, by=dora)
    for name in ("Hal", "Ivo"):
        reader = builders.enrolment(study, builders.person(name))
        while (place := next_assignment(reader, now=NOW)) is not None:
            answer(place)
    said = {**page, "position": "1", "note": "too late"}
    assert browser.post(held.get_absolute_url(), said).status_code == 409
    assert Event.objects.get(verb="late").data["note"] == "too late"


def test_a_place_at_a_check_item_goes_with_its_reader(study, a):
    study.items.filter(number=1).update(kind=Kind.PRACTICE)
    Assignment.objects.filter(item__number=1).delete()
    assert next_assignment(a, now=NOW).item.kind == "practice"
    leaving.leave(a, by=a.user)
    assert not Assignment.objects.filter(item__number=1).exists()
    leaving.readmit(a, by=None)
    a.refresh_from_db()
    assert next_assignment(a, now=NOW).item.kind == "practice"


def test_a_researcher_lets_somebody_out_and_in_again(as_user, dora, ada, study, a):
    answer(next_assignment(a, now=NOW))
    browser = as_user(dora)
    assert "A is out of the study." in act(browser, study, "A", act="remove").text
    assert as_user(ada).get(reverse("annotation:begin", args=["fleet"])).status_code == 404
    assert "A is in again" in act(as_user(dora), study, "A", act="let_in").text
    assert as_user(ada).get(reverse("annotation:begin", args=["fleet"])).status_code == 200
    assert Event.objects.filter(verb__in=["remove", "let in"], actor=dora).count() == 2


def test_a_role_is_changed_with_its_pseudonym_until_something_was_said(as_user, dora, study, a):
    held = next_assignment(a, now=NOW)
    browser = as_user(dora)
    assert (
        "A takes part as adjudicator now, under the name J2."
        in act(browser, study, "A", act="role", role="adjudicator").text
    )
    held.refresh_from_db()
    assert held.status == "free"
    b = study.enrolments.get(pseudonym="B")
    answer(next_assignment(b, now=NOW))
    assert "B has given answers as annotator" in act(browser, study, "B", act="role", role="researcher").text
    assert study.enrolments.get(pseudonym="B").role == "annotator"


@pytest.mark.parametrize("said", [{"act": "remove"}, {"act": "role", "role": "annotator"}])
def test_a_study_keeps_a_researcher(as_user, dora, study, said):
    page = act(as_user(dora), study, "R1", **said).text
    assert "R1 is the only researcher" in page
    assert study.enrolments.get(pseudonym="R1").state == EnrolmentState.ACTIVE


def test_who_gives_up_directing_goes_home(as_user, dora, ada, study):
    builders.enrolment(study, builders.person("Gus"), role="researcher", pseudonym="R2")
    response = act(as_user(dora), study, "R1", act="remove")
    assert response.redirect_chain[-1][0] == "/"


@pytest.mark.parametrize(
    "said", [{}, {"act": "crown"}, {"act": "role", "role": "queen"}, {"act": "let_in"}, {"act": "role"}]
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(as_user, dora, study, said):
    before = list(Enrolment.objects.values())
    assert act(as_user(dora), study, "A", **said).status_code == 200
    assert list(Enrolment.objects.values()) == before


def test_a_reader_is_let_past_the_practice(as_user, dora, study, a):
    study.items.filter(number=1).update(kind=Kind.PRACTICE)
    Assignment.objects.filter(item__number=1).delete()
    assert "A may begin the work." in act(as_user(dora), study, "A", act="let_begin").text
    a.refresh_from_db()
    assert next_assignment(a, now=NOW).item.number == 2
    assert "past the practice already" in act(as_user(dora), study, "A", act="let_begin").text


# A07: what somebody could do a moment ago they cannot do any more.


def inside(user):
    """A signed-in browser, a script's key and a sign-in link of that person."""
    browser = Client()
    browser.force_login(user)
    _, plain = issue(user, f"key {uuid.uuid4()}", ["read", "judge"], timezone.now() + timedelta(days=1))
    return browser, {"Authorization": f"Bearer {plain}"}, links.make(user, LinkKind.DEMO)


def let_in(browser, headers, link, study):
    """Which of the three doors still open."""
    page = browser.get(reverse("annotation:begin", args=[study.slug])).status_code == 200
    script = Client().post(f"/api/v1/studies/{study.slug}/next/", headers=headers).status_code == 200
    # The demonstration's kind: this door is tried more than once.
    with override_settings(DEMONSTRATION=True):
        by_link = press(Client(), link).status_code == 302
    return page, script, by_link


def test_A07_whoever_is_removed_is_out_at_the_next_request(ada, study, a):
    doors = inside(ada)
    assert let_in(*doors, study) == (True, True, True)
    leaving.leave(a, by=None)
    assert let_in(*doors, study) == (False, False, True), "the account is theirs, the study is not"


def test_A07_a_new_password_ends_every_session_key_and_link(ada, study):
    doors = inside(ada)
    ada.set_password("a lamp before dawn, and another")
    ada.save()
    assert let_in(*doors, study) == (False, False, False)
    assert let_in(*inside(ada), study) == (True, True, True)


def test_A07_a_disabled_account_is_out_and_stays_out_when_it_is_enabled_again(ada, study, capsys):
    doors = inside(ada)
    call_command("disable_person", "ada")
    assert let_in(*doors, study) == (False, False, False)
    ada.refresh_from_db()
    assert not ada.is_active
    capsys.readouterr()
    call_command("enable_person", "ada")
    ada.refresh_from_db()
    assert ada.is_active
    assert let_in(*doors, study) == (False, False, False), "nothing of before comes to life again"
    fresh = capsys.readouterr().out.split()[-1]
    assert press(Client(), fresh)["Location"] == "/password/"
    assert let_in(*inside(ada), study) == (True, True, True)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere leaving waits for the lock")
def test_who_leaves_while_the_next_item_is_looked_for_gets_none(study, a, monkeypatch):
    found = claiming.lock

    def left_meanwhile(enrolment):
        me = found(enrolment)
        monkeypatch.setattr(claiming, "lock", found)
        leaving.leave(a, by=a.user)
        return me

    monkeypatch.setattr(claiming, "lock", left_meanwhile)
    assert next_assignment(a, now=NOW) is None
    assert not Assignment.objects.filter(annotator=a).exists()
