"""One-click sign-in links: whom they let in, and what ends them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import signing
from django.utils import timezone

from tests import builders
from variorum import signin

pytestmark = pytest.mark.django_db


def test_a_link_signs_its_user_in(client, ada):
    response = client.get(signin.link(ada, days=1))
    assert response["Location"] == "/"
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert "no-store" in response["Cache-Control"]


def test_a_link_does_not_carry_the_hash_that_sessions_are_checked_against_nor_a_name(db):
    user = builders.person("Ingrid")
    token = signin.link(user, days=1).split("/")[2]
    carried = token + str(signing.loads(token, salt=signin.SALT))
    # A name of six letters: of three, one is spelt by a signature now and then.
    assert not [word for word in (user.get_session_auth_hash(), "ingrid", "Ingrid") if word in carried]


def ended(client, path):
    response = client.get(path)
    return response.status_code == 403 and "_auth_user_id" not in client.session


def test_a_new_password_ends_the_link(client, ada):
    path = signin.link(ada, days=1)
    ada.set_password("another lamp, another dawn")
    ada.save()
    assert ended(client, path)


def test_a_deactivated_account_ends_the_link(client, ada):
    path = signin.link(ada, days=1)
    ada.is_active = False
    ada.save()
    assert ended(client, path)


def test_the_last_day_ends_the_link(client, ada, monkeypatch):
    path = signin.link(ada, days=2)
    real = timezone.now()
    monkeypatch.setattr(signin.timezone, "now", lambda: real + timedelta(days=2))
    assert ended(client, path)


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: "x" + t, lambda t: "x", lambda t: t.upper()])
def test_a_changed_link_signs_nobody_in(client, ada, change):
    token = signin.link(ada, days=1).split("/")[2]
    assert ended(client, f"/signin/{change(token)}/")


@pytest.mark.parametrize("claim", [{}, [], "text", {"user": 1}])
def test_a_signed_claim_of_another_kind_signs_nobody_in(client, ada, claim):
    assert ended(client, f"/signin/{signing.dumps(claim, salt=signin.SALT)}/")
    assert ended(client, f"/signin/{signing.dumps({'user': ada.pk}, salt='other')}/")


def test_a_link_of_somebody_else_replaces_the_session(as_user, ada, ben):
    browser = as_user(ada)
    before = browser.session.session_key
    browser.get(signin.link(ben, days=1))
    assert browser.session["_auth_user_id"] == str(ben.pk)
    assert browser.session.session_key != before


def test_a_link_is_only_followed(client, ada):
    assert client.post(signin.link(ada, days=1)).status_code == 405
