"""/password/: the first one, and another for the old one. /password/new/: by a link, for a forgotten one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.utils import timezone

from annotation.models import Event
from annotation.people.tokens import issue
from tests.drawn import without_drawn
from tests.linked import fields, look, once_more, parts, press
from variorum.accounts import links, passwords
from variorum.models import LinkKind, SignInLink

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


@pytest.fixture
def link(ada):
    return links.make(ada, LinkKind.PASSWORD)


def choose(browser, link, new=NEW, again=None):
    return press(browser, link, new_password1=new, new_password2=again or new)


def test_who_never_had_one_chooses_the_first_and_stays_signed_in(client, ben):
    press(client, links.make(ben, LinkKind.SIGN_IN))
    page = client.get("/password/").text
    assert "Choose a password" in page
    assert "old_password" not in page
    response = send(client)
    assert response["Location"] == "/"
    assert "sign in as ben with it" in client.get("/").text
    assert Client().post("/login/", {"username": "ben", "password": NEW}).status_code == 302
    assert Event.objects.get(verb="password").actor == ben


def test_who_came_by_a_sign_in_link_is_asked_for_the_old_one(client, ada):
    press(client, links.make(ada, LinkKind.SIGN_IN))
    assert "old_password" in client.get("/password/").text
    assert send(client).status_code == 422
    assert signs_in(OLD)


def test_who_signed_in_with_a_password_is_asked_for_it(ada):
    browser = Client()
    browser.post("/login/", {"username": "ada", "password": OLD})
    assert "old_password" in browser.get("/password/").text
    refused = send(browser, old_password="a guess")
    assert refused.status_code == 422
    assert signs_in(OLD)
    assert send(browser, old_password=OLD).status_code == 302
    assert (signs_in(NEW), signs_in(OLD)) == (True, False)


def test_S07_a_forgotten_one_is_mended_by_a_link_of_its_own_kind_once(client, ada, link):
    response = choose(client, link)
    assert (response["Location"], client.session["_auth_user_id"]) == ("/", str(ada.pk))
    assert (signs_in(NEW), signs_in(OLD)) == (True, False)
    assert Event.objects.get(verb="password").actor == ada
    again = choose(Client(), link, "a third lamp, a third dawn")
    assert (again.status_code, signs_in(NEW)) == (403, True)
    assert "This link sets no password" in again.text


def test_S07_neither_kind_of_link_is_taken_for_the_other(client, ada, link):
    other = links.make(ada, LinkKind.SIGN_IN)
    for address, path in (("/signin/", link), ("/password/new/", other)):
        code = parts(path)[1]
        assert client.post(address, {"token": code}).status_code == 403
        # Nor by its number, in a browser that has brought it where it belongs.
        look(client, path)
        sent = {"press": "1", "leaving": "", "new_password1": NEW, "new_password2": NEW}
        reply = client.post(f"{address}{links.find(code, *LinkKind).pk}/", sent)
        assert reply["Location"] == address
    assert "_auth_user_id" not in client.session
    assert signs_in(OLD)


def test_S07_an_hour_ends_it(client, link, monkeypatch):
    page, real = look(client, link), timezone.now()
    monkeypatch.setattr(passwords.timezone, "now", lambda: real + timedelta(hours=1))
    assert look(client, link).status_code == 403
    sent = {**fields(page), "new_password1": NEW, "new_password2": NEW}
    assert client.post(page.path, sent).status_code == 403
    assert signs_in(OLD)


def test_looking_and_mistakes_use_nothing_up(client, link):
    client.get("/password/new/")
    look(client, link)
    refused = choose(client, link, "short")
    assert refused.status_code == 422
    assert "at least 10" in refused.text
    assert SignInLink.objects.get().used is None
    assert choose(client, link).status_code == 302


def test_a_double_click_whose_first_reply_is_lost_is_one_new_password(client, link):
    page = look(client, link)
    sent = {**fields(page), "new_password1": NEW, "new_password2": NEW}
    browsers = client, once_more(client)
    replies = [browser.post(page.path, sent) for browser in browsers]
    assert [each["Location"] for each in replies] == ["/", "/"]
    assert Event.objects.filter(verb="password").count() == 1


def test_whoever_is_signed_in_as_somebody_else_stays_so(as_user, ben, link):
    browser = as_user(ben)
    assert "You are signed in as <strong>Ben</strong>, and stay so." in look(browser, link).text
    choose(browser, link)
    assert browser.session["_auth_user_id"] == str(ben.pk)
    assert "You are still signed in as ben" in browser.get("/").text
    assert signs_in(NEW)


def test_who_is_signed_in_and_forgot_it_stays_signed_in(as_user, ada, link):
    browser = as_user(ada)
    choose(browser, link)
    assert browser.get("/").status_code == 200
    assert signs_in(NEW)


def test_S06_other_machines_links_and_keys_are_ended(client, ada, link):
    other = Client()
    other.force_login(ada)
    _, key = issue(ada, "script", ["read"], timezone.now() + timedelta(days=1))
    old = links.make(ada, LinkKind.SIGN_IN)
    choose(client, link)
    assert client.get("/").status_code == 200
    assert other.get("/").status_code == 302
    assert other.get("/api/v1/studies/", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    assert look(Client(), old).status_code == 403


@pytest.mark.parametrize(
    ("new", "again", "said"),
    [("short", None, "at least 10"), ("password1234", None, "too common"), (NEW, "different", "match")],
)
def test_what_is_wrong_is_said_and_nothing_changes(as_user, ada, new, again, said):
    response = send(as_user(ada), new, again, old_password=OLD)
    assert response.status_code == 422
    assert said in response.text
    assert signs_in(OLD)


def test_S05_an_open_session_guesses_the_old_one_no_oftener_than_a_stranger(as_user, ada):
    browser = as_user(ada)
    replies = [send(browser, old_password=f"guess {n}").status_code for n in range(12)]
    assert replies == [422] * 10 + [429] * 2
    assert "came too often" in send(browser, old_password=OLD).text


HASHED = "django.contrib.auth.hashers.MD5PasswordHasher.encode"


def test_S07_four_kinds_of_account_get_one_answer_for_one_piece_of_work(ada, ben, cleo, monkeypatch):
    """A wrong password, none chosen yet, disabled, and nobody: status, page and how often is hashed."""
    cleo.set_password(OLD)
    cleo.is_active = False
    cleo.save()
    ben.set_unusable_password()
    ben.save()
    hashed, plain = [], MD5PasswordHasher.encode
    monkeypatch.setattr(HASHED, lambda *given: hashed.append(1) or plain(*given))
    seen = {}
    for name in ("ada", "ben", "cleo", "nobody-at-all"):
        before = len(hashed)
        password = OLD if name == "cleo" else "a wrong guess"
        reply = Client().post("/login/", {"username": name, "password": password})
        page = without_drawn(reply.text).replace(name, "NAME")
        seen[name] = reply.status_code, page, len(hashed) - before, sorted(reply.headers)
    assert len(set(map(repr, seen.values()))) == 1, {name: each[0::2] for name, each in seen.items()}
    assert seen["ada"][2] >= 1


@pytest.mark.parametrize("address", ["/password/new/", "/signin/", "/login/"])
def test_S07_no_host_but_the_sites_own_is_answered(client, link, address):
    """Links are printed with the address of the settings, never with that of a request."""
    reply = client.get(
        address, headers={"Host": "elsewhere.example", "X-Forwarded-Host": "elsewhere.example"}
    )
    assert reply.status_code == 400
    assert (
        "elsewhere.example" not in client.get(address, headers={"X-Forwarded-Host": "elsewhere.example"}).text
    )
    assert link.startswith("/password/new/#")


def test_S07_a_link_ends_with_the_account_and_with_its_password_and_goes_by_no_mail(
    client, ada, link, mailoutbox
):
    """It is tied to the account, and to no address of e-mail: another address there changes nothing."""
    ada.email = "other@example.org"
    ada.save()
    assert links.find(parts(link)[1], LinkKind.PASSWORD) is not None
    assert mailoutbox == []
    ada.is_active = False
    ada.save()
    assert links.find(parts(link)[1], LinkKind.PASSWORD) is None
    assert choose(client, link).status_code == 403
