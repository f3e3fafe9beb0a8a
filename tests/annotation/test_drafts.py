"""Drafts: kept with the place while one writes, restored everywhere, ended by the judgment."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import put_off
from annotation.judging import drafts
from annotation.models import Assignment, Event, Judgment, State
from annotation.tasktypes.base import Invalid
from tests import builders
from tests.annotation.test_views_work import checked, fields, send
from tests.builders import pick

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(ada, ben):
    return builders.read_by(ada, ben, items=3, overlap=1)


def save(browser, place, **said):
    return browser.post(reverse("annotation:draft", args=[place.pk]), {"revision": "0", **said})


def test_a_draft_is_kept_with_its_time_and_shown_again(as_user, ada, place):
    browser = as_user(ada)
    reply = save(browser, place, **pick(place, 2), note="So far", active_seconds="41.5", previews="3")
    place.refresh_from_db()
    assert reply.json() == {"saved": place.draft_saved.isoformat()}
    counted = {"active_seconds": "41.5", "previews": "3"}
    assert place.draft == {**pick(place, 2), "note": "So far", **counted}
    page = browser.get(place.get_absolute_url())
    assert checked(page) == place.order.index(2)
    assert page.context["chosen"] == {"position": place.order.index(2)}
    assert ">\nSo far</textarea>" in page.text
    assert "is here again. It is not submitted." in page.text
    assert (fields(page)["active_seconds"], fields(page)["previews"]) == ("41.5", "3")
    assert not Judgment.objects.exists()


def test_a_note_that_was_emptied_stays_empty(as_user, ada, place):
    browser = as_user(ada)
    send(browser, place, option="1", note="first thought", undecided="More than one fits")
    save(browser, place, revision="1", note="", **pick(place, 2))
    page = browser.get(place.get_absolute_url())
    assert "first thought" not in page.text.replace("Saved", "")
    assert page.context["chosen"] == {"position": place.order.index(2)}
    assert "is here again" in page.text


def test_time_alone_is_no_draft_to_speak_of(as_user, ada, place):
    browser = as_user(ada)
    save(browser, place, active_seconds="41.5")
    page = browser.get(place.get_absolute_url())
    assert "is here again" not in page.text
    assert fields(page)["active_seconds"] == "41.5"


def test_time_before_a_reload_counts_and_never_more_than_passed(as_user, ada, place):
    browser = as_user(ada)
    Assignment.objects.filter(pk=place.pk).update(opened=timezone.now() - timedelta(seconds=60))
    save(browser, place, active_seconds="41.5")
    send(browser, place, option="1")
    assert Judgment.objects.get().active_seconds == 41.5
    following = Assignment.objects.get(annotator__user=ada, status="held")
    save(browser, following, active_seconds="99999")
    send(browser, following, option="1")
    last = Judgment.objects.get(assignment=following)
    passed = (last.created - following.opened).total_seconds()
    assert last.active_seconds == pytest.approx(passed, abs=0.01)


def test_a_judgment_ends_the_draft(as_user, ada, place):
    browser = as_user(ada)
    save(browser, place, note="So far")
    send(browser, place, option="1")
    place.refresh_from_db()
    assert (place.draft, place.draft_saved) == ({}, None)


def test_R07_a_draft_that_comes_after_the_judgment_is_refused(as_user, ada, place):
    browser = as_user(ada)
    send(browser, place, option="1")
    late = save(browser, place, note="typed in another tab")
    assert late.status_code == 409
    assert "In another window you submitted" in late.json()["both"]
    place.refresh_from_db()
    assert place.draft == {}
    assert save(browser, place, revision="1", note="a second thought").status_code == 200


def test_a_draft_renews_the_lease_and_revives_no_other(as_user, ada, place):
    soon = timezone.now() + timedelta(seconds=5)
    Assignment.objects.filter(pk=place.pk).update(lease_until=soon)
    save(as_user(ada), place, note="still here")
    place.refresh_from_db()
    assert place.lease_until > soon + timedelta(hours=1)
    send(as_user(ada), place, option="1")
    save(as_user(ada), place, revision="1", note="again")
    place.refresh_from_db()
    assert (place.status, place.lease_until) == ("done", None)


def test_a_draft_waits_while_its_item_is_put_off(as_user, ada, place):
    save(as_user(ada), place, note="for later")
    put_off(place, now=timezone.now())
    assert ">\nfor later</textarea>" in as_user(ada).get(place.get_absolute_url()).text


def test_nobody_else_writes_or_sees_it(as_user, ada, ben, eve, place, study):
    save(as_user(ada), place, note="mine alone")
    for user in (ben, eve):
        assert save(as_user(user), place, note="theirs").status_code == 404
    assert save(Client(), place, note="nobody’s").status_code == 302
    place.refresh_from_db()
    assert place.draft["note"] == "mine alone"
    past = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk=place.pk).update(lease_until=past)
    builders.release_expired(timezone.now())
    taken = next_assignment(study.enrolments.get(user=ben), now=timezone.now())
    assert taken.pk == place.pk
    assert "mine alone" not in as_user(ben).get(place.get_absolute_url()).text
    assert Event.objects.get(verb="expired").data["draft"] == {"note": "mine alone"}


def test_a_lapsed_place_shows_its_former_reader_no_draft_of_the_new_one(as_user, ada, ben, place, study):
    form = fields(as_user(ada).get(place.get_absolute_url()))
    Assignment.objects.filter(pk=place.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    builders.release_expired(timezone.now())
    Event.objects.filter(verb="expired").update()
    next_assignment(study.enrolments.get(user=ben), now=timezone.now())
    save(as_user(ben), place, note="Ben’s own words")
    for said in ({}, {"position": "1"}):
        reply = as_user(ada).post(place.get_absolute_url(), {**form, **said})
        assert reply.status_code in {409, 422}
        assert reply.status_code == 409 or not fields(reply)["draft_known"], "nor its version"
        assert "Ben’s own words" not in reply.text


@pytest.mark.parametrize(
    "said",
    [{"note": "x" * 10_001}, {"note": "NUL \x00"}, {f"field-{n}": "x" for n in range(41)}, {"x" * 81: "y"},
     {f"f{n}": "x" * 9_000 for n in range(5)}],
)  # fmt: skip
def test_what_could_not_be_stored_is_refused_in_words(as_user, ada, place, said):
    reply = save(as_user(ada), place, **said)
    assert reply.status_code == 422
    assert reply.json()["error"]
    place.refresh_from_db()
    assert place.draft == {}


def test_a_field_that_comes_twice_is_no_draft(ada, place):
    with pytest.raises(Invalid, match="came 2 times"):
        drafts.checked_fields(_twice())


def _twice():
    from django.http import QueryDict

    return QueryDict("position=1&position=2")


def test_a_closed_study_takes_no_draft(as_user, ada, place, study):
    study.state = State.CLOSED
    study.save()
    assert save(as_user(ada), place, note="too late").status_code == 409


def test_a_draft_can_be_thrown_away_without_scripts(as_user, ada, place):
    browser = as_user(ada)
    save(browser, place, note="So far")
    reply = browser.post(reverse("annotation:draft", args=[place.pk]), {"discard": "1"})
    assert reply["Location"] == place.get_absolute_url()
    place.refresh_from_db()
    assert (place.draft, place.draft_saved) == ({}, None)


def test_R06_what_is_sent_after_the_login_ended_waits_for_its_reader_only(as_user, ada, ben, place):
    form = fields(as_user(ada).get(place.get_absolute_url())) | {"position": "1", "note": "kept"}
    for user, drafted in ((ben, {}), (ada, {"position": "1", "note": "kept"})):
        browser = Client()
        reply = browser.post(place.get_absolute_url(), form)
        assert reply["Location"] == f"/login/?next={place.get_absolute_url()}"
        assert not Judgment.objects.exists()
        user.set_password("a lamp before dawn")
        user.save()
        browser.post("/login/", {"username": user.username, "password": "a lamp before dawn"})
        place.refresh_from_db()
        assert drafts.typed_fields(place) == drafted
        assert "kept" not in browser.session
    assert all("note" not in json.dumps(each.get_decoded()) for each in Session.objects.all())


OLD = {"option": "1", "note": "kept"}


def test_a_draft_of_a_page_that_is_older_than_the_site_is_refused_in_words(as_user, ada, place):
    """It names the option by a number that says something else now; the browser keeps the words."""
    save(as_user(ada), place, note="before")
    reply = save(as_user(ada), place, **OLD)
    assert reply.status_code == 422
    assert reply.json()["error"] == "this page is older than the site. Load it again and choose once more"
    place.refresh_from_db()
    assert place.draft == {"note": "before"}


def test_a_form_that_is_older_than_the_site_is_refused_and_its_words_stay(as_user, ada, place):
    browser = as_user(ada)
    form = fields(browser.get(place.get_absolute_url()))
    reply = browser.post(place.get_absolute_url(), {**form, **OLD})
    assert reply.status_code == 422
    assert (
        "This page is older than the site, so your choice cannot be read: please choose again." in reply.text
    )
    assert f'href="#position-{place.pk}"' in reply.text
    assert ">\nkept</textarea>" in reply.text
    assert reply.context["chosen"] == {}
    assert not Judgment.objects.exists()
    undecided = {"undecided": "More than one fits", "option": "1"}
    assert browser.post(place.get_absolute_url(), {**form, **undecided}).status_code == 302


def test_what_waited_for_a_sign_in_from_an_older_page_keeps_its_words_and_says_so(as_user, ada, place):
    form = fields(as_user(ada).get(place.get_absolute_url()))
    browser = Client()
    browser.post(place.get_absolute_url(), {**form, **OLD})
    ada.set_password("a lamp before dawn")
    ada.save()
    browser.post("/login/", {"username": "ada", "password": "a lamp before dawn"})
    place.refresh_from_db()
    assert drafts.typed_fields(place) == {"note": "kept"}
    page = browser.get(place.get_absolute_url())
    assert "from a page that was older than the site, so your choice could not be read" in page.text
    assert page.context["chosen"] is None


@pytest.mark.parametrize(
    ("before", "order", "after"),
    [
        ({"option": "2", "note": "So far"}, [2, 0, 1], {"position": "0", "note": "So far"}),
        ({"option": "2", "note": "So far"}, [0, 1], {"note": "So far"}),
        ({"option": "x", "note": "So far"}, [2, 0, 1], {"note": "So far"}),
        ({"option": "-1"}, [2, 0, 1], {}),
        ({"note": "So far"}, [2, 0, 1], {"note": "So far"}),
    ],
)
def test_drafts_from_before_name_the_same_option_by_its_position(place, before, order, after):
    names = import_module("annotation.migrations.0011_drafts_by_position")
    Assignment.objects.filter(pk=place.pk).update(draft=before, order=order)
    names.forwards(apps, None)
    place.refresh_from_db()
    assert place.draft == after
    names.backwards(apps, None)
    place.refresh_from_db()
    assert place.draft == (before if "position" in after else after)


def test_a_draft_from_before_is_shown_as_chosen(as_user, ada, place):
    Assignment.objects.filter(pk=place.pk).update(draft=OLD, draft_saved=timezone.now())
    import_module("annotation.migrations.0011_drafts_by_position").forwards(apps, None)
    page = as_user(ada).get(place.get_absolute_url())
    assert checked(page) == place.order.index(1)
    assert ">\nkept</textarea>" in page.text
