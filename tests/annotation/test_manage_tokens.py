"""Keys for scripts: shown once, listed without their secret, revoked by their owner only."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.test import APIRequestFactory

from annotation.models import ApiToken
from annotation.people import tokens


def make(browser, **changes):
    data = {"name": "Notebook", "scopes": ["read", "judge"], "days": 30, **changes}
    return browser.post(reverse("annotation:tokens"), data)


def test_a_key_is_shown_once_and_works(dora, as_user):
    browser = as_user(dora)
    response = make(browser)
    plain = re.search(r'value="(vr_[\w-]+)"', response.content.decode())[1]
    made = ApiToken.objects.get()
    assert made.digest == tokens.digest(plain)
    assert (made.user, made.scopes) == (dora, ["judge", "read"])
    assert timedelta(days=29) < made.expires - timezone.now() <= timedelta(days=30)
    assert "no-store" in response["Cache-Control"]
    later = browser.get(reverse("annotation:tokens")).content.decode()
    assert "Notebook" in later
    assert plain not in later
    assert made.digest not in later


def test_a_reload_makes_no_second_key(dora, as_user):
    make(as_user(dora))
    again = make(as_user(dora))
    assert again.status_code == 422
    assert "You have a key “Notebook” already" in str(again.context["form"].errors["name"])
    assert ApiToken.objects.count() == 1


def test_deleting_is_a_scope_of_its_own_and_says_so(dora, as_user):
    text = as_user(dora).get(reverse("annotation:tokens")).text
    assert "Launch, follow and cancel jobs: candidates, searches of corpora" in text
    assert "Delete candidate jobs for good" in text


def test_readers_may_have_keys_too(ada, as_user):
    assert make(as_user(ada), scopes=["judge"]).status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("name", "x" * 81), ("scopes", []), ("scopes", ["admin"]), ("days", 0), ("days", 366)],
)
def test_a_wrong_field_is_named(field, value, dora, as_user):
    response = make(as_user(dora), **{field: value})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert not ApiToken.objects.exists()


def test_the_error_at_the_checkboxes_leads_to_the_first(dora, as_user):
    page = make(as_user(dora), scopes=[]).content.decode()
    assert 'href="#id_scopes_0"' in page
    assert 'id="id_scopes_0"' in page


def test_revoking_ends_it(dora, as_user):
    token, plain = tokens.issue(dora, "Notebook", ["read"], timezone.now() + timedelta(days=1))
    asked = APIRequestFactory().get("/", HTTP_AUTHORIZATION=f"Bearer {plain}")
    assert tokens.TokenAuthentication().authenticate(asked)[0] == dora
    response = as_user(dora).post(reverse("annotation:revoke_token", args=[token.pk]))
    assert response["Location"] == reverse("annotation:tokens")
    with pytest.raises(AuthenticationFailed, match="revoked"):
        tokens.TokenAuthentication().authenticate(asked)
    assert "Revoked" in as_user(dora).get(reverse("annotation:tokens")).content.decode()


def test_A01_keys_of_others_are_neither_seen_nor_revoked(dora, eve, as_user):
    token, _ = tokens.issue(dora, "Notebook", ["read"], timezone.now() + timedelta(days=1))
    browser = as_user(eve)
    assert "Notebook" not in browser.get(reverse("annotation:tokens")).content.decode()
    for pk in (token.pk, 10**25):
        assert browser.post(reverse("annotation:revoke_token", args=[pk])).status_code == 404
    token.refresh_from_db()
    assert token.revoked is None


def test_S02_revoking_refuses_get(dora, as_user):
    assert as_user(dora).get(reverse("annotation:revoke_token", args=[1])).status_code == 405
