"""The person comes with their session; whose it is, the session alone says."""

import pytest
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from variorum import backend

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_known(monkeypatch):
    monkeypatch.setattr(backend, "_whose", {})


@pytest.fixture
def browser(client, ada):
    """Ada's, whose session this process has seen."""
    client.force_login(ada)
    assert who(client) == ada
    assert list(backend._whose.values()) == [ada.pk]
    return client


def who(client):
    """Who a page is made for; None for nobody."""
    user = client.get("/preferences/").wsgi_request.user
    return user if user.is_authenticated else None


def changed(client, **said):
    """Change what a session says, behind the back of everybody."""
    row = Session.objects.get(pk=client.session.session_key)
    store = backend.SessionStore()
    row.session_data = store.encode({**store.decode(row.session_data), **said})
    row.save()


def test_a_person_is_asked_for_once_together_with_their_session(client, ada, browser):
    for known in (True, False):
        if not known:
            backend._whose.clear()
        with CaptureQueriesContext(connection) as queries:
            assert who(client) == ada
        first, second, *others = [each["sql"] for each in queries]
        assert 'FROM "django_session"' in first
        assert 'FROM "auth_user"' in second
        assert not [each for each in others if 'FROM "auth_user"' in each]


def test_a_session_that_became_anothers_is_theirs(browser, ben):
    changed(browser, **{SESSION_KEY: str(ben.pk), HASH_SESSION_KEY: ben.get_session_auth_hash()})
    assert who(browser) == ben
    assert list(backend._whose.values()) == [ben.pk]
    assert who(browser) == ben


@pytest.mark.parametrize("name", ["is_active", "password"])
def test_who_may_come_in_no_more_is_nobody_at_once(browser, ada, name):
    setattr(ada, name, "" if name == "password" else False)
    ada.save()
    assert who(browser) is None
    assert who(browser) is None


@pytest.mark.parametrize(
    "said", [{HASH_SESSION_KEY: ""}, {HASH_SESSION_KEY: "f" * 64}, {"_auth_user_backend": "another.Backend"}]
)
def test_a_session_that_django_would_not_take_is_not_taken(browser, said):
    changed(browser, **said)
    assert who(browser) is None


@pytest.mark.parametrize("ended", ["deleted", "expired"])
def test_a_session_that_has_ended_is_nobodys(browser, ended):
    rows = Session.objects.filter(pk=browser.session.session_key)
    rows.delete() if ended == "deleted" else rows.update(expire_date=timezone.now())
    assert who(browser) is None


def test_a_person_who_is_gone_is_nobody(browser, ada):
    changed(browser, **{SESSION_KEY: str(ada.pk + 1000)})
    assert who(browser) is None
    assert who(browser) is None


def test_a_key_that_was_changed_is_known_by_its_old_secret_and_made_anew(browser, ada, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key, of as many letters as it takes to be one"
    before = browser.cookies[settings.SESSION_COOKIE_NAME].value
    assert who(browser) == ada
    assert browser.cookies[settings.SESSION_COOKIE_NAME].value != before
    assert who(browser) == ada


def test_what_a_process_knows_has_an_end(client, django_user_model, monkeypatch):
    monkeypatch.setattr(backend, "MOST_KNOWN", 3)
    for number in range(8):
        person = django_user_model.objects.create_user(f"reader-{number}")
        client.logout()
        client.force_login(person)
        assert who(client) == person
        assert 1 <= len(backend._whose) <= 3
