"""Joining by an invitation link, with an account or without one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation import people
from annotation.models import Enrolment, Study
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
    return people.invite(study, role="annotator", seats=1, days=7, by=None)


def address(invitation) -> str:
    return f"/join/{people.link(invitation)}/"


def test_a_newcomer_makes_an_account_and_is_in(client, invitation, study):
    assert "Boats and their critics" in client.get(address(invitation)).text
    response = client.post(address(invitation), ACCOUNT)
    assert response["Location"] == f"/studies/{study.slug}/begin/"
    assert client.get(response["Location"]).status_code == 200
    fay = User.objects.get(username="fay")
    assert fay.check_password("a lamp before dawn")
    assert Enrolment.objects.get(user=fay).role == "annotator"


def test_somebody_signed_in_joins_with_one_press(as_user, ada, invitation, study):
    page = as_user(ada).get(address(invitation))
    assert "Join the study" in page.text
    assert 'name="username"' not in page.text
    assert as_user(ada).post(address(invitation)).status_code == 302
    assert Enrolment.objects.get(user=ada).study == study


def test_looking_at_the_link_takes_no_seat(client, invitation):
    client.get(address(invitation))
    invitation.refresh_from_db()
    assert invitation.used == 0


def test_a_used_up_link_makes_no_account(client, ada, invitation):
    people.accept(invitation, ada, timezone.now())
    response = client.post(address(invitation), ACCOUNT)
    assert response.status_code == 422
    assert "is used up: ask for a new one." in response.text
    assert not User.objects.filter(username="fay").exists()


def test_the_link_still_brings_back_who_used_it(as_user, ada, invitation, study):
    for _ in range(2):
        assert as_user(ada).post(address(invitation))["Location"] == f"/studies/{study.slug}/begin/"
    assert Enrolment.objects.count() == 1


def test_an_ended_link_shows_no_form(client, invitation):
    type(invitation).objects.update(expires=timezone.now() - timedelta(days=1))
    page = client.get(address(invitation)).text
    assert "no longer lets new people in" in page
    assert 'name="password1"' not in page


def test_a_weak_password_is_explained_at_its_field(client, invitation):
    response = client.post(address(invitation), {**ACCOUNT, "password1": "short", "password2": "short"})
    assert response.status_code == 422
    assert 'href="#id_password2"' in response.text
    assert "Please put this right" in response.text
    assert not User.objects.exists()


@pytest.mark.parametrize("token", ["1.forged", "1", "x"])
def test_a_forged_link_leads_nowhere(client, invitation, token):
    assert client.get(f"/join/{token}/").status_code == 404


def test_a_researcher_by_invitation_comes_to_the_study(as_user, dora, study):
    invitation = people.invite(study, role="researcher", seats=1, days=7, by=None)
    assert as_user(dora).post(address(invitation))["Location"] == study.get_absolute_url()


def test_what_an_item_pays_is_said_before_one_joins_and_before_one_begins(client, as_user, ada, study):
    invited = {
        role: people.invite(study, role=role, seats=1, days=7, by=None)
        for role in ("annotator", "adjudicator")
    }
    assert "It pays" not in client.get(address(invited["annotator"])).text
    Study.objects.update(rate="0.40", currency="EUR")
    assert "It pays 0.40 EUR an item." in client.get(address(invited["annotator"])).text
    assert "It pays" not in client.get(address(invited["adjudicator"])).text
    builders.enrolment(study, ada)
    assert "It pays 0.40 EUR an item." in as_user(ada).get(f"/studies/{study.slug}/begin/").text
