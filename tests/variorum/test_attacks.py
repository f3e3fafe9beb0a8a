"""A05, A06, A08, S01 and S04 at every address of the site, as the schema and the URLconf name them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Event, Judgment, Study
from tests import builders
from tests.thorough import thorough
from tests.variorum.headers import assert_strict
from tests.variorum.test_A01_matrix import TABLE, UNKNOWN
from tests.variorum.test_S02_safe_methods import writing
from tests.variorum.whole_site import ARGS, addresses, browser_of
from variorum.api.schema import whole

pytestmark = pytest.mark.django_db
FORGED = {
    "user": 1, "study": 2, "annotator": 1, "is_gold": True, "weight": 9, "created_at": "2000-01-01",
    "is_staff": True, "is_superuser": True, "groups": [1], "password": "x",
}  # fmt: skip
WRITES = ("post", "put", "patch", "delete")
OWN_MAIL = "annotation:stop_mail"
"""The button of a mail program is pressed on another site."""


@contextmanager
def taken_back() -> Iterator[None]:
    """What is stored meanwhile is not; that something was, `writing` tells."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def rows() -> dict[str, int]:
    """How many rows each table has that nobody's refusal fills."""
    kept = {"annotation_event", "django_session", "annotation_seal"}
    return {each._meta.db_table: each._default_manager.count() for each in apps.get_models()
            if each._meta.managed and each._meta.db_table not in kept}  # fmt: skip


def described(things):
    """Yield address, method and what the schema says of each operation, at things that are there."""
    by_path = {re.sub(r"\{\w+\}", "{}", path): said for path, said in whole()["paths"].items()}
    for name, named in ARGS.items():
        if not name.startswith("api:"):
            continue
        marks = {key: f"7{at}70{at}7" for at, key in enumerate(named)}
        try:
            pattern = reverse(name, kwargs=marks)
        except Exception:  # noqa: BLE001 - a pattern that takes words only
            continue
        for mark in marks.values():
            pattern = pattern.replace(mark, "{}")
        address = reverse(name, kwargs={key: things[each] for key, each in named.items()})
        for method, said in by_path.get(pattern, {}).items():
            yield address, method, said
    for name in TABLE:
        if name.startswith("api:") and name not in ARGS:
            for method, said in by_path.get(reverse(name), {}).items():
                yield reverse(name), method, said


def own_fields(said) -> set[str]:
    """The names of what an operation takes."""
    shape = said["requestBody"]["content"].get("application/json", {}).get("schema", {})
    if "$ref" in shape:
        shape = whole()["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]]
    return {*shape.get("properties", {})}


@pytest.mark.parametrize("who", ["ada", "dora", "stan"])
def test_A05_no_operation_takes_a_field_that_its_schema_does_not_name(who, things):
    browser, tried = browser_of(who), 0
    for address, method, said in described(things):
        if method not in WRITES or "requestBody" not in said:
            continue
        with writing() as written, taken_back():
            reply = getattr(browser, method)(address, json.dumps(FORGED), content_type="application/json")
        assert written == [], (address, method)
        assert reply.status_code in (400, 403, 404, 405, 409), (address, method, reply.status_code)
        if reply.status_code == 400:
            tried += 1
            assert set(FORGED) - own_fields(said) <= set(reply.json()), (address, method, reply.json())
    assert tried > 0


def test_A05_a_form_takes_no_field_of_its_senders_own(things):
    """Settings of a study, one's own password, an answer: what is not of the form is not looked at."""
    dora, before = browser_of("dora"), User.objects.values("is_staff", "is_superuser").get(username="dora")
    forged = {**FORGED, "state": "closed", "overlap": "1", "seed": "99", "deleted": "now"}
    study = reverse("annotation:step", args=[things["study"], "basics"])
    page = dora.get(study).text
    sent = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', page))
    assert dora.post(study, {**forged, **sent, "title": "Another title"}).status_code in (302, 422)
    dora.post(reverse("password"), forged)
    ada = browser_of("ada")
    place = reverse("annotation:work", args=[things["place"]])
    sent = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', ada.get(place).text))
    reply = ada.post(place, {**FORGED, **sent, "position": "1", "item": "3", "gold": "1", "created": "2000"})
    assert reply.status_code in (200, 302)
    made = Judgment.objects.select_related("annotator", "assignment").latest("pk")
    assert (made.annotator.user.username, made.assignment_id) == ("ada", things["place"])
    assert made.created.year > 2020
    fleet = Study.objects.get(slug=things["study"])
    assert (fleet.state, fleet.overlap, fleet.deleted) == ("open", 2, None)
    assert fleet.seed != 99
    assert User.objects.values("is_staff", "is_superuser").get(username="dora") == before


def lookups() -> list[str]:
    """Two hundred ways to ask a database for what is not shown, by the names of our own fields."""
    found = ["_connector", "_negated", "pk__in", "__class__", "order_by", "ordering", "filter", "fields"]
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if field.is_relation and not field.auto_created:
                found += [f"{field.name}__password__startswith", f"{field.name}__pk__gt"]
            elif not field.auto_created:
                found += [f"{field.name}__regex", f"{field.name}__startswith"]
    return list(dict.fromkeys(found))[:300]


ODD = [
    "\x00", "1e99999999", "-1", "9" * 5000, "x" * 10_000, "created_by__password", "-password",
    "a\rb\n\x1b[2J", "{}", "[1]", "'\"--", "\ud7ff\U0010ffff", "..", "%00", "0x10", "NaN",
]  # fmt: skip


def test_A06_no_address_of_the_api_takes_a_lookup(things):
    names = lookups()
    assert len(names) >= 200
    dora, stan, tried = browser_of("dora"), browser_of("stan"), 0
    for address, method, said in described(things):
        own = {each["name"] for each in said.get("parameters", []) if each["in"] == "query"}
        if method != "get":
            continue
        for browser in (dora, stan):
            with transaction.atomic():
                replies = [
                    browser.get(address, {each: value for each in names if each not in own}) for value in "ab"
                ]
            if replies[0].status_code == 400:
                tried += 1
                assert not {each for each in names if each not in own} - set(replies[0].json()), address
            assert replies[0].status_code in (400, 403, 404), (address, replies[0].status_code)
            assert replies[0].content == replies[1].content
    assert tried > 30


@pytest.mark.long
def test_A06_odd_values_of_a_filter_are_refused_or_find_nothing(things):
    for address, method, said in described(things):
        own = [each["name"] for each in said.get("parameters", []) if each["in"] == "query"]
        browser = browser_of("stan" if "/studies/" not in address else "dora")
        for name in own if method == "get" else ():
            for value in ODD:
                with transaction.atomic():
                    reply = browser.get(address, {name: value})
                assert reply.status_code < 500, (address, name, value[:20])


def test_A06_a_query_with_the_character_nul_is_refused_before_a_database_sees_it(client):
    """SQLite would compare with it, and PostgreSQL fails."""
    reply = client.get("/login/?next=a%00b")
    assert (reply.status_code, reply["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert client.get("/login/?next=a%2500b").status_code == 200


def parameters() -> set[str]:
    """The names that any page looks for in its query."""
    known = set()
    for app in ("annotation", "evaluation", "retrieval", "machines", "variorum", "common"):
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            known |= set(re.findall(r"GET(?:\.get|\.getlist)?[(\[]\"(\w+)\"", path.read_text("utf-8")))
    assert {"page", "format", "q", "order"} <= known
    return known


@pytest.mark.long
@pytest.mark.parametrize("who", ["dora", "stan"])
def test_A06_no_page_stumbles_over_what_stands_in_its_query(who, things):
    """Every page gets every parameter that any page knows, with every odd value."""
    known, browser = parameters(), browser_of(who)
    pages = [each for each in addresses(things) if not each.startswith("/api/")]
    for address in pages:
        for value in ("\x00a", "-password", "9" * 400, "-1", "1e999"):
            with transaction.atomic():
                reply = browser.get(address, dict.fromkeys(known, value))
                transaction.set_rollback(True)
            assert reply.status_code < 500, (address, value[:20])


def test_A08_of_another_study_nothing_is_launched_cancelled_or_read(things):
    """Fay directs a study of her own; Dora's machine readers, checks and deliveries are not there for her."""
    fay = User.objects.get(username="fay")
    builders.study("hers", items=1, overlap=1, by=fay)
    browser, before = browser_of("fay"), rows()
    jobs = [name for name in TABLE if re.search(r"machine|leak|webhook|deliver|resend|import_answers", name)]
    assert len(jobs) > 15
    hidden = set()
    for name in jobs:
        named = ARGS.get(name, {})
        if "slug" not in named:
            continue
        there = reverse(name, kwargs={key: things[each] for key, each in named.items()})
        nowhere = reverse(name, kwargs={key: UNKNOWN[key] for key in named})
        for method in ("get", "post"):
            body = {"content_type": "application/json", "data": {}} if name.startswith("api:") else {}
            body = body if method == "post" else {}
            foreign, unknown = (getattr(browser, method)(each, **body) for each in (there, nowhere))
            assert foreign.status_code == unknown.status_code, name
            assert foreign.status_code in (404, 405), (name, method, foreign.status_code)
            if foreign.status_code == 404:
                hidden.add(name)
    assert rows() == before
    refused = Event.objects.filter(verb="refused", actor=fay, study__slug=things["study"])
    assert hidden == {each.data["at"] for each in refused}
    assert len(hidden) > 15


def test_A08_a_model_that_nobody_set_up_is_named_and_nothing_begins(things):
    before = rows()
    dora = browser_of("dora")
    reply = dora.post(
        reverse("api:machines-list", args=[things["study"]]),
        json.dumps({"endpoint": "../../etc/passwd"}),
        content_type="application/json",
    )
    assert reply.status_code == 400
    assert "endpoint" in reply.json()
    assert rows() == before


@pytest.fixture
def strict():
    """`strict(who)`: a browser as people have it, in which a token is asked for."""

    def sign_in(who):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(User.objects.get(username=who))
        return browser

    return sign_in


def unsafe(things):
    """Yield the address of each route that takes a POST from somebody."""
    for name, (_, posted) in TABLE.items():
        if name == OWN_MAIL or set(posted.split()) <= {"405", "301"}:
            continue
        yield name, reverse(name, kwargs={key: things[each] for key, each in ARGS.get(name, {}).items()})


@pytest.mark.parametrize("who", thorough(["ada", "dora", "stan"], ["dora"]))
def test_S01_no_route_is_changed_without_a_token_or_from_elsewhere(who, things, strict):
    browser = strict(who)
    token = re.search(r'"X-CSRFToken": ?"(\w+)"|csrfmiddlewaretoken" value="(\w+)"', browser.get("/").text)
    assert token
    key = token[1] or token[2]
    foreign = {"headers": {"Origin": "https://elsewhere.example", "X-CSRFToken": key}}
    hidden = {"headers": {"Origin": "null", "X-CSRFToken": key}}
    as_text = {"data": '{"position": 1}', "content_type": "text/plain"}
    for name, address in unsafe(things):
        script = {"content_type": "application/json", "data": {}} if name.startswith("api:") else {}
        for sent in (script, {**script, **foreign}, {**script, **hidden}, as_text):
            with writing() as written, taken_back():
                reply = browser.post(address, **sent)
            assert written == [], (name, sent)
            # Where it is not there for this person, or takes no POST, it is as before. 415: it is not JSON.
            assert reply.status_code in (403, 404, 405, 415), (name, sent, reply.status_code)
            assert reply.status_code != 415 or sent is as_text
            if reply.status_code == 403 and not name.startswith("api:"):
                assert "Not saved" in reply.text or "not saved" in reply.text.lower(), name


def test_S01_the_api_takes_json_and_nothing_that_a_form_of_another_site_can_send(things):
    browser = browser_of("dora")
    for address, method, said in described(things):
        if method != "post" or "requestBody" not in said:
            continue
        for kind in ("text/plain", "application/x-www-form-urlencoded"):
            with transaction.atomic():
                reply = browser.post(address, "{}", content_type=kind)
                transaction.set_rollback(True)
            assert reply.status_code in (415, 403, 404, 405), (address, kind, reply.status_code)


def test_S01_a_token_is_another_after_signing_in(things):
    browser = Client(enforce_csrf_checks=True)
    browser.get("/login/")
    before = browser.cookies[next(name for name in browser.cookies if "csrf" in name.lower())].value
    User.objects.filter(username="ada").update(password=User.objects.get(username="ada").password)
    ada = User.objects.get(username="ada")
    ada.set_password("a lamp before dawn")
    ada.save()
    form = {"username": "ada", "password": "a lamp before dawn"}
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', browser.get("/login/").text)[1]
    assert browser.post("/login/", {**form, "csrfmiddlewaretoken": token}).status_code == 302
    browser.get("/")
    after = browser.cookies[next(name for name in browser.cookies if "csrf" in name.lower())].value
    assert before != after
    reply = browser.post("/logout/", {"csrfmiddlewaretoken": token})
    assert reply.status_code == 403


@pytest.mark.parametrize("who", ["anon", "dora"])
@pytest.mark.parametrize("path", ["/nowhere/", "/static/nothing.js", "/api/v1/nothing/"])
def test_S04_what_has_no_address_is_no_less_strict(who, path, things):
    browser = browser_of(who)
    for method in ("get", "post"):
        reply = getattr(browser, method)(path)
        assert_strict(reply, f"{method} {path}", signed_in=who != "anon" and "/static/" not in path)


def test_S04_a_fault_is_no_less_strict(things, monkeypatch):
    """A page that breaks, and a database that cannot be used."""
    browser = browser_of("dora")
    browser.raise_request_exception = False
    for error in (ZeroDivisionError(), OperationalError("database is locked")):

        def breaks(*_, _error=error, **__):
            raise _error

        monkeypatch.setattr("annotation.manage.exports.page", breaks)
        reply = browser.get(reverse("annotation:export", args=[things["study"]]))
        assert reply.status_code in (500, 503)
        assert "default-src 'none'" in reply["Content-Security-Policy"]
        assert reply["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in reply["Cache-Control"]
    assert connection.is_usable()
