"""S06: a session begins anew with whoever signs in, ends for good, and its cookie is the site's alone."""

import runpy
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a lamp before dawn"


def sign_in(browser, ada):
    ada.set_password(PASSWORD)
    ada.save()
    return browser.post("/login/", {"username": ada.username, "password": PASSWORD})


def test_whoever_signs_in_gets_another_session_than_the_one_that_was_handed_to_them(client, ada):
    planted = client.session
    planted["left"] = "by a stranger"
    planted.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = planted.session_key
    assert sign_in(client, ada).status_code == 302
    assert client.session.session_key != planted.session_key
    assert not Session.objects.filter(pk=planted.session_key).exists()


def test_after_signing_out_the_old_cookie_opens_nothing(client, ada):
    cookie = sign_in(client, ada).cookies[settings.SESSION_COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"], cookie["domain"]) == (True, "Lax", "")
    client.post("/logout/")
    replay = Client()
    replay.cookies[settings.SESSION_COOKIE_NAME] = cookie.value
    assert replay.get("/password/").status_code == 302
    assert not Session.objects.filter(pk=cookie.value).exists()


def test_over_https_cookies_are_for_this_host_and_no_script(monkeypatch):
    monkeypatch.setenv("VARIORUM_HTTPS", "1")
    found = runpy.run_path(str(ROOT / "variorum" / "settings.py"))
    for name in ("SESSION", "CSRF"):
        assert found[f"{name}_COOKIE_NAME"].startswith("__Host-")
        assert found[f"{name}_COOKIE_SECURE"] is True
        assert found[f"{name}_COOKIE_HTTPONLY"] is True
        # What a browser wants of such a name: the whole site, and no other host.
        assert found.get(f"{name}_COOKIE_PATH", "/") == "/"
        assert found.get(f"{name}_COOKIE_DOMAIN") is None
