"""Signing in by page and in place, and out: what the dialog of a page is told, what stays in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
PASSWORD = "a lamp before dawn"
JSON = {"HTTP_ACCEPT": "application/json"}


@pytest.fixture
def ada(ada):
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def test_the_page_asks_who_is_signed_in_and_for_a_token_that_works(ada):
    browser = Client(enforce_csrf_checks=True)
    said = browser.get("/login/", **JSON).json()
    assert said["user"] is None
    sent = {"username": "ada", "password": PASSWORD, "csrfmiddlewaretoken": said["csrf"]}
    signed_in = browser.post("/login/", sent, **JSON)
    assert signed_in.json()["user"] == ada.pk
    assert browser.get("/login/", **JSON).json()["user"] == ada.pk
    # Signing in made a new token; the one from before is refused, the one just told is taken.
    for token, status in ((said["csrf"], 403), (signed_in.json()["csrf"], 204)):
        reply = browser.post("/preferences/", {"size": "l", "csrfmiddlewaretoken": token}, **JSON)
        assert reply.status_code == status


@pytest.mark.parametrize("sent", [{"username": "ada", "password": "wrong"}, {"username": "ada"}, {}])
def test_what_does_not_fit_is_a_sentence(ada, sent):
    refused = Client().post("/login/", sent, **JSON)
    assert refused.status_code == 422
    assert refused.json()["error"].endswith(".")


def test_nobody_else_is_told_apart_from_nobody(ada):
    known = Client().post("/login/", {"username": "ada", "password": "wrong"}, **JSON)
    unknown = Client().post("/login/", {"username": "nobody", "password": "wrong"}, **JSON)
    assert known.content == unknown.content


def test_no_cache_keeps_who_is_signed_in(as_user, ada):
    assert "no-store" in as_user(ada).get("/login/", **JSON)["Cache-Control"]


def test_R06_signing_out_empties_what_the_browser_kept(as_user, ada):
    response = as_user(ada).post("/logout/")
    assert response["Clear-Site-Data"] == '"storage"'
    assert "_auth_user_id" not in response.client.session
    # Scripts removed what was Ada's; what waits there for somebody else is not hers to lose.
    assert "Clear-Site-Data" not in as_user(ada).post("/logout/", {"others": "1"})
