"""Invitation links: made, shown in full, withdrawn."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Event, Invitation, Study
from annotation.people import enrolments
from tests import builders


@pytest.fixture
def address(fleet):
    return reverse("annotation:invite", args=["fleet"])


def test_a_link_is_made_and_leads_in(fleet, dora, as_user, address):
    browser = as_user(dora)
    response = browser.post(address, {"role": "annotator", "seats": 3, "days": 14})
    assert response["Location"] == address
    made = Invitation.objects.get()
    assert (made.role, made.seats, made.created_by) == ("annotator", 3, dora)
    assert timedelta(days=13) < made.expires - timezone.now() <= timedelta(days=14)
    link = "http://testserver" + enrolments.address(enrolments.link(made))
    page = browser.get(address).content.decode()
    assert f'value="{link}"' in page
    assert "Reader, 0 of 3 seats used" in page
    assert (
        enrolments.accept(
            enrolments.read(enrolments.link(made)), builders.person("Gus"), timezone.now()
        ).study
        == fleet
    )
    assert "Reader, 1 of 3 seats used" in browser.get(address).content.decode()


@pytest.mark.parametrize(
    ("field", "value"), [("role", "owner"), ("seats", 0), ("seats", 1001), ("days", 0), ("days", 366)]
)
def test_odd_numbers_are_named(field, value, dora, as_user, address):
    response = as_user(dora).post(address, {"role": "annotator", "seats": 1, "days": 1, field: value})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert not Invitation.objects.exists()


def test_nobody_is_invited_into_a_closed_study(fleet, dora, as_user, address):
    Study.objects.filter(pk=fleet.pk).update(state="closed")
    response = as_user(dora).post(address, {"role": "annotator", "seats": 1, "days": 1})
    assert response.status_code == 422
    assert "is closed: nobody can join it any more" in response.content.decode()
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"revoked": timezone.now()}, "Withdrawn"),
        ({"used": 2}, "Used up"),
        ({"expires": timezone.now() - timedelta(days=1)}, "Expired"),
    ],
)
def test_a_dead_link_is_not_shown_again(fields, word, fleet, dora, as_user, address):
    expires = timezone.now() + timedelta(days=1)
    made = Invitation.objects.create(study=fleet, **{"seats": 2, "expires": expires, **fields})
    page = as_user(dora).get(address).content.decode()
    assert word in page
    assert enrolments.link(made) not in page


def test_a_link_is_withdrawn_once(fleet, dora, as_user):
    made = enrolments.invite(fleet, role="annotator", seats=2, days=3, by=dora)
    revoke = reverse("annotation:revoke", args=["fleet", made.pk])
    for _ in range(2):
        assert as_user(dora).post(revoke).status_code == 302
    made.refresh_from_db()
    assert made.revoked is not None
    assert Event.objects.filter(study=fleet, verb="revoke").count() == 1


def test_A01_a_link_of_another_study_cannot_be_withdrawn_from_mine(fleet, dora, eve, as_user):
    theirs = enrolments.invite(
        Study.objects.get(slug="elsewhere"), role="annotator", seats=1, days=1, by=None
    )
    for pk in (theirs.pk, 10**25):
        assert as_user(dora).post(reverse("annotation:revoke", args=["fleet", pk])).status_code == 404
    theirs.refresh_from_db()
    assert theirs.revoked is None


def test_links_that_still_let_somebody_in_come_first(fleet, dora, as_user, address):
    valid = enrolments.invite(fleet, role="annotator", seats=2, days=3, by=dora)
    ended = enrolments.invite(fleet, role="annotator", seats=2, days=3, by=dora)
    enrolments.revoke(ended, by=dora, now=timezone.now())
    links = as_user(dora).get(address).context["links"]
    assert [each.invitation for each in links] == [valid, ended]


def test_a_study_of_simulated_readers_says_that_people_are_turned_away(fleet, dora, as_user, address):
    assert "turned away" not in as_user(dora).get(address).content.decode()
    fleet.enrolments.filter(role="annotator").update(simulated=True)
    assert "turned away" in as_user(dora).get(address).content.decode()


@pytest.mark.parametrize(
    "address", ["people/%00/", "erase/%00/", "notes/1/%00/", "people/%E2%80%AE/", "people/A%20/"]
)
def test_a_pseudonym_that_cannot_be_is_nobody_on_every_database(fleet, dora, as_user, address):
    browser = as_user(dora)
    assert browser.get(f"/manage/fleet/{address}").status_code == 404
    assert browser.post(f"/manage/fleet/{address}", {"act": "remove"}).status_code == 404
