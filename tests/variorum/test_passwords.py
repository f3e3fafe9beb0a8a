"""/password/: chosen by whoever came by a link, changed by whoever knows the old one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Event
from annotation.tokens import issue
from variorum import signin

pytestmark = pytest.mark.django_db
OLD, NEW = "a lamp before dawn", "another lamp, another dawn"


@pytest.fixture
def ada(ada):
    ada.set_password(OLD)
    ada.save()
    return ada


def send(browser, new=NEW, again=None, **old):
    return browser.post("/password/", {"new_password1": new, "new_password2": again or new, **old})


def signs_in(password):
    return Client().post("/login/", {"username": "ada", "password": password}).status_code == 302


def test_who_came_by_a_link_chooses_one_and_stays_signed_in(client, ben):
    client.get(signin.link(ben, days=1))
    page = client.get("/password/").text
    assert "Choose a password" in page
    assert "old_password" not in page
    response = send(client)
    assert response["Location"] == "/"
    assert "sign in as ben with it" in client.get("/").text
    assert Client().post("/login/", {"username": "ben", "password": NEW}).status_code == 302
    assert Event.objects.get(verb="password").actor == ben


def test_who_signed_in_with_a_password_is_asked_for_it(ada):
    browser = Client()
    browser.post("/login/", {"username": "ada", "password": OLD})
    assert "old_password" in browser.get("/password/").text
    refused = send(browser, old_password="a guess")
    assert refused.status_code == 422
    assert signs_in(OLD)
    assert send(browser, old_password=OLD).status_code == 302
    assert (signs_in(NEW), signs_in(OLD)) == (True, False)


def test_a_forgotten_one_is_mended_by_a_link_and_the_link_is_then_dead(client, ada):
    link = signin.link(ada, days=1)
    client.get(link)
    assert send(client).status_code == 302
    assert signs_in(NEW)
    assert Client().get(link).status_code == 403
    assert "old_password" in client.get("/password/").text


def test_a_password_given_later_ends_what_the_link_allowed(client, ada):
    client.get(signin.link(ada, days=1))
    client.logout()
    client.post("/login/", {"username": "ada", "password": OLD})
    assert "old_password" in client.get("/password/").text


def test_other_machines_and_keys_are_ended(client, ada):
    other = Client()
    other.force_login(ada)
    _, key = issue(ada, "script", ["read"], timezone.now() + timedelta(days=1))
    client.get(signin.link(ada, days=1))
    send(client)
    assert client.get("/").status_code == 200
    assert other.get("/").status_code == 302
    assert other.get("/api/v1/studies/", headers={"Authorization": f"Bearer {key}"}).status_code == 401


@pytest.mark.parametrize(
    ("new", "again", "said"),
    [("short", None, "at least 10"), ("password1234", None, "too common"), (NEW, "different", "match")],
)
def test_what_is_wrong_is_said_and_nothing_changes(client, ada, new, again, said):
    client.get(signin.link(ada, days=1))
    response = send(client, new, again)
    assert response.status_code == 422
    assert said in response.text
    assert signs_in(OLD)


def test_S05_an_open_session_guesses_the_old_one_no_oftener_than_a_stranger(as_user, ada):
    browser = as_user(ada)
    replies = [send(browser, old_password=f"guess {n}").status_code for n in range(12)]
    assert replies == [422] * 10 + [429] * 2
    assert "came too often" in send(browser, old_password=OLD).text
