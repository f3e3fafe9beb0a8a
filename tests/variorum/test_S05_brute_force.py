"""S05: ten wrong passwords an hour for an account, twenty from an address; the true user stays signed in."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext

from tests.annotation.test_R01_overlap import environment
from variorum.accounts import throttle
from variorum.models import SignInTries

pytestmark = pytest.mark.django_db
PASSWORD = "a lamp before dawn"
NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


@pytest.fixture
def ada(ada):
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def sign_in(name="ada", password="a guess", address="10.0.0.1", **headers):
    browser = Client(REMOTE_ADDR=address)
    return browser.post("/login/", {"username": name, "password": password}, **headers)


def test_S05_the_eleventh_guess_is_not_looked_at_however_the_name_is_written(ada):
    names = ["ada", "Ada", " ada ", "ADA", "a d a", "ａｄａ"]
    replies = [sign_in(names[n % len(names)], address=f"10.0.{n}.1") for n in range(12)]
    assert [each.status_code for each in replies] == [200] * 10 + [429] * 2
    refused = sign_in(password=PASSWORD, address="10.9.9.9")
    assert refused.status_code == 429
    assert "_auth_user_id" not in refused.client.session
    assert "Try again in 60 minutes" in refused.text
    assert refused["Retry-After"] == "3600"


def test_S05_twenty_guesses_from_one_address_whatever_it_says_of_itself(ada):
    replies = [sign_in(f"name-{n}", HTTP_X_FORWARDED_FOR=f"203.0.113.{n}, 198.51.100.{n}") for n in range(22)]
    assert [each.status_code for each in replies] == [200] * 20 + [429] * 2
    assert sign_in("ada", PASSWORD, address="10.0.0.2").status_code == 302


def test_S05_whoever_is_signed_in_notices_nothing(as_user, ada):
    browser = as_user(ada)
    for n in range(15):
        sign_in(address=f"10.0.{n}.1")
    assert browser.get("/").status_code == 200


def test_S05_a_class_behind_one_address_signs_in_with_its_own_passwords(ada):
    assert [sign_in(password=PASSWORD).status_code for _ in range(25)] == [302] * 25
    assert [row.times for row in SignInTries.objects.all()] == [[], []]


def test_S05_names_that_nobody_has_meet_the_same_limit():
    replies = [sign_in("nobody", address=f"10.0.{n}.1") for n in range(11)]
    assert [each.status_code for each in replies] == [200] * 10 + [429]


def test_S05_an_hour_later_there_is_another_try():
    for n in range(10):
        throttle.begin("ada", "10.0.0.1", NOON + timedelta(minutes=n))
    with pytest.raises(throttle.TooMany, match="Try again in 10 minutes") as refused:
        throttle.begin("ada", "10.0.0.1", NOON + timedelta(minutes=50))
    assert refused.value.minutes == 10
    throttle.begin("ada", "10.0.0.1", NOON + timedelta(minutes=60, seconds=1))
    with pytest.raises(throttle.TooMany, match="Try again in 1 minute"):
        throttle.begin("ada", "10.0.0.1", NOON + timedelta(minutes=60, seconds=2))


def test_S05_nothing_of_name_or_address_is_stored_and_a_day_later_nothing_at_all():
    # A name with letters that no hexadecimal digest has: "ada" stands in one of seventy.
    throttle.begin("ingrid", "10.0.0.1", NOON)
    assert not any("ingrid" in row.key or "10.0" in row.key for row in SignInTries.objects.all())
    throttle.begin("ben", "10.0.0.2", NOON + timedelta(days=1, seconds=1))
    assert SignInTries.objects.count() == 2


def test_S05_in_place_the_refusal_is_a_sentence_as_well(ada):
    for n in range(10):
        sign_in(address=f"10.0.{n}.1")
    refused = sign_in(HTTP_ACCEPT="application/json")
    assert refused.status_code == 429
    assert "Try again in" in refused.json()["error"]


@pytest.mark.parametrize(
    ("proxies", "said", "believed"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "1.1.1.1, 203.0.113.9", "203.0.113.9"),
        (2, "1.1.1.1, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
    ],
)
def test_S05_only_our_own_proxies_are_believed(proxies, said, believed):
    request = RequestFactory().get("/login/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=said)
    with override_settings(PROXIES=proxies):
        assert throttle.address_of(request) == believed


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2:3::4", "2001:db8:1:2:ffff::1", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("not an address", "not an address", True),
    ],
)
def test_S05_a_household_of_ipv6_is_one_place(one, other, same):
    assert (throttle.network(one) == throttle.network(other)) is same


@pytest.mark.services
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_S05_no_more_get_through_when_all_try_at_once(tmp_path):
    command = [sys.executable, "-m", "tests.variorum.sign_in_race"]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment(tmp_path), capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "10"), done.stderr


def test_S05_rows_are_locked_in_one_order_so_that_two_tries_never_wait_for_each_other(db):
    # The address is known before the account: its row is the older one.
    throttle.forgive(throttle.begin("ben", "10.0.0.1", NOON))
    tried = throttle.begin("ada", "10.0.0.1", NOON)
    with CaptureQueriesContext(connection) as asked:
        throttle.forgive(tried)
    looked = [each["sql"] for each in asked if each["sql"].startswith("SELECT")]
    assert [[key in sql for key in tried.keys] for sql in looked] == [[True, False], [False, True]]


def test_S05_a_name_of_accents_without_end_is_counted_like_any_other():
    before = time.process_time()
    reply = sign_in("a" + "\u0301\u0316" * 400_000)
    assert time.process_time() - before < 5
    assert reply.status_code == 200
    assert SignInTries.objects.count() == 2
