"""Joining by an invitation link, with an account or without one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Enrolment, State, Study
from annotation.people import enrolments
from tests import builders

pytestmark = pytest.mark.django_db
ACCOUNT = {
    "username": "fay",
    "first_name": "Fay",
    "password1": "a lamp before dawn",
    "password2": "a lamp before dawn",
}


@pytest.fixture
def study(db):
    return builders.study()


@pytest.fixture
def invitation(study):
    return enrolments.invite(study, role="annotator", seats=1, days=7, by=None)


def address(invitation, browser) -> str:
    """Where the code leads, which this browser has brought."""
    return browser.post("/join/", {"token": enrolments.link(invitation)})["Location"]


def get(browser, invitation):
    return browser.get(address(invitation, browser))


def post(browser, invitation, sent=None):
    return browser.post(address(invitation, browser), sent)


def test_a_newcomer_makes_an_account_and_is_in(client, invitation, study):
    assert "Boats and their critics" in get(client, invitation).text
    response = post(client, invitation, ACCOUNT)
    assert response["Location"] == f"/studies/{study.slug}/begin/"
    assert client.get(response["Location"]).status_code == 200
    fay = User.objects.get(username="fay")
    assert fay.check_password("a lamp before dawn")
    assert Enrolment.objects.get(user=fay).role == "annotator"


def test_somebody_signed_in_joins_with_one_press(as_user, ada, invitation, study):
    page = get(as_user(ada), invitation)
    assert "Join the study" in page.text
    assert 'name="username"' not in page.text
    assert post(as_user(ada), invitation).status_code == 302
    assert Enrolment.objects.get(user=ada).study == study


def test_looking_at_the_link_takes_no_seat(client, invitation):
    get(client, invitation)
    invitation.refresh_from_db()
    assert invitation.used == 0


def test_a_used_up_link_makes_no_account(client, ada, invitation):
    enrolments.accept(invitation, ada, timezone.now())
    response = post(client, invitation, ACCOUNT)
    assert response.status_code == 422
    assert "its place is taken: ask for a new one." in response.text
    assert not User.objects.filter(username="fay").exists()


def test_the_link_still_brings_back_who_used_it(as_user, ada, invitation, study):
    for _ in range(2):
        assert post(as_user(ada), invitation)["Location"] == f"/studies/{study.slug}/begin/"
    assert Enrolment.objects.count() == 1


def test_an_ended_link_shows_no_form(client, invitation):
    type(invitation).objects.update(expires=timezone.now() - timedelta(days=1))
    page = get(client, invitation).text
    assert "no longer lets new people in" in page
    assert 'name="password1"' not in page


def test_nobody_fills_in_a_form_to_join_a_study_that_is_closed(client, as_user, ben, invitation, study):
    type(study).objects.update(state=State.CLOSED)
    page = get(client, invitation).text
    assert "This study is closed: nobody can join it any more." in page
    assert 'name="password1"' not in page
    # Who is signed in may have joined before, and is told on pressing.
    assert "nobody can join it any more" in post(as_user(ben), invitation).text


def test_a_weak_password_is_explained_at_its_field(client, invitation):
    response = post(client, invitation, {**ACCOUNT, "password1": "short", "password2": "short"})
    assert response.status_code == 422
    assert 'href="#id_password2"' in response.text
    assert "Please put this right" in response.text
    assert not User.objects.exists()


@pytest.mark.parametrize("token", ["1.forged", "1", "x", "", "1" * 5000])
def test_a_forged_code_leads_nowhere_and_a_sentence_says_so(client, invitation, token):
    response = client.post("/join/", {"token": token})
    assert response.status_code == 422
    assert "No study invites by this link." in response.text
    assert f"/join/{invitation.pk}/" not in response.text


def test_without_scripts_the_link_is_pasted(client, invitation):
    page = client.get("/join/").text
    assert 'name="token" required' in page
    code = enrolments.link(invitation)
    for pasted in (code, f"https://example.org/join/#{code}", f"https://example.org/join/{code}/"):
        assert client.post("/join/", {"token": pasted})["Location"] == f"/join/{invitation.pk}/"


def test_without_the_code_nobody_sees_an_invitation(as_user, ada, invitation):
    for browser in (Client(), as_user(ada)):
        for reply in (
            browser.get(f"/join/{invitation.pk}/"),
            browser.post(f"/join/{invitation.pk}/", ACCOUNT),
        ):
            assert (reply.status_code, reply["Location"]) == (302, "/join/")
    assert not Enrolment.objects.exists()


def test_who_has_an_account_signs_in_and_comes_back(client, ada, invitation, study):
    ada.set_password("a lamp before dawn")
    ada.save()
    where = address(invitation, client)
    assert f'href="/login/?next={where}"' in client.get(where).text
    signed = client.post("/login/", {"username": "ada", "password": "a lamp before dawn", "next": where})
    assert signed["Location"] == where
    assert "Join the study" in client.get(where).text
    assert client.post(where).status_code == 302
    assert Enrolment.objects.get(user=ada).study == study


def test_two_invitations_in_two_tabs_stay_two(client, invitation, study):
    other = enrolments.invite(builders.study("another"), role="annotator", seats=1, days=7, by=None)
    pages = [address(each, client) for each in (invitation, other)]
    client.post(pages[0], ACCOUNT)
    assert Enrolment.objects.get().study == study
    assert "Join the study" in client.get(pages[1]).text


def test_links_of_before_lead_on_to_their_study(client, invitation):
    code = enrolments.link(invitation)
    assert client.get(f"/join/{code}/")["Location"] == enrolments.address(code) == f"/join/#{code}"


def test_a_researcher_by_invitation_comes_to_the_study(as_user, dora, study):
    invitation = enrolments.invite(study, role="researcher", seats=1, days=7, by=None)
    assert post(as_user(dora), invitation)["Location"] == study.get_absolute_url()


def test_what_an_item_pays_is_said_before_one_joins_and_before_one_begins(client, as_user, ada, study):
    invited = {
        role: enrolments.invite(study, role=role, seats=1, days=7, by=None)
        for role in ("annotator", "adjudicator")
    }
    assert "It pays" not in get(client, invited["annotator"]).text
    Study.objects.update(rate="0.40", currency="EUR")
    assert "It pays 0.40 EUR an item." in get(client, invited["annotator"]).text
    assert "It pays" not in get(client, invited["adjudicator"]).text
    builders.enrolment(study, ada)
    assert "It pays 0.40 EUR an item." in as_user(ada).get(f"/studies/{study.slug}/begin/").text
