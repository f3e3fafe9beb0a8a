"""What every page has: its headers, its errors in words, its way out."""

from __future__ import annotations

import html
import re

import pytest
from django import forms
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.core.files.base import ContentFile
from django.core.handlers.wsgi import WSGIRequest
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client
from django.urls import include, path

from variorum.views import failed

pytestmark = pytest.mark.django_db


def fail(request, how):
    raise {"400": BadRequest, "403": PermissionDenied, "500": RuntimeError, "503": OperationalError}[how]


urlpatterns = [
    path("fail/<str:how>/", fail),
    path("api/v1/fail/<str:how>/", fail),
    path("", include("variorum.urls")),
]
handler500 = failed


@pytest.fixture
def failing(settings):
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/fail/400/", 400, "could not be understood"),
        ("/fail/403/", 403, "not open to you"),
        ("/nowhere/", 404, "There is nothing here"),
        ("/fail/500/", 500, "Something went wrong on our side"),
        ("/fail/503/", 503, "The database cannot be used at the moment"),
    ],
)
@pytest.mark.parametrize("signed_in", [True, False])
def test_errors_say_in_words_what_happened_and_what_is_safe(
    failing, ada, address, status, words, signed_in, caplog
):
    if signed_in:
        failing.force_login(ada)
    response = failing.get(address)
    assert response.status_code == status
    assert words in response.text
    assert '<a class="button" href="/">' in response.text


@pytest.mark.parametrize(
    ("method", "address", "status", "words"),
    [
        ("post", "/api/v1/places/7/judgment/", 404, "nothing at this address"),
        ("get", "/api/nowhere/", 404, "nothing at this address"),
        ("get", "/api/nowhere", 404, "nothing at this address"),
        ("get", "/api/", 404, "nothing at this address"),
        ("get", "/api", 404, "nothing at this address"),
        ("post", "/api", 404, "nothing at this address"),
        ("put", "/api/v1/", 405, "does not take PUT, but GET, HEAD"),
        ("get", "/api/v1/fail/400/", 400, "could not be understood"),
        ("get", "/api/v1/fail/403/", 403, "not open to you"),
        ("get", "/api/v1/fail/500/", 500, "Something went wrong on our side"),
        ("get", "/api/v1/fail/503/", 503, "in a minute"),
    ],
)
def test_an_error_below_the_api_is_one_sentence_of_json(failing, method, address, status, words, caplog):
    response = getattr(failing, method)(address)
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    assert int(response["Content-Length"]) == len(response.content)
    (detail,) = response.json().values()
    assert words in detail
    assert detail.endswith("The API is described at /api/v1/, for machines at /api/v1/schema/.")


def test_an_error_below_the_api_keeps_its_headers(failing, caplog):
    assert failing.put("/api/v1/")["Allow"] == "GET, HEAD"
    assert failing.get("/api/v1/fail/503/")["Retry-After"] == "60"


AGAIN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def test_R08_what_was_typed_can_be_sent_again_from_the_page_that_says_it_is_not_saved(failing, caplog):
    sent = {"csrfmiddlewaretoken": "t", "why": 'The "lamp" <b>\nburns', "answer": ["1", "2"]}
    response = failing.post("/fail/503/", sent)
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert "no-store" in response["Cache-Control"]
    held = [(name, html.unescape(value)) for name, value in AGAIN.findall(response.text)]
    assert held == [("csrfmiddlewaretoken", "t"), ("why", sent["why"]), ("answer", "1"), ("answer", "2")]
    assert "It is kept on this page" in response.text
    # Where it goes to is where it went to.
    assert '<form method="post">' in response.text


@pytest.mark.parametrize(
    "sent",
    [{}, {"username": "ada", "old_password": "a lamp"}, {"note": "x", "file": ContentFile("a", "a.txt")}],
)
def test_a_page_holds_no_password_and_no_file(failing, sent, caplog):
    response = failing.post("/fail/503/", sent)
    assert (response.status_code, AGAIN.findall(response.text)) == (503, [])
    assert "Go back and send it again" in response.text
    assert "a lamp" not in response.text


def test_I01_what_is_too_large_for_the_api_is_told_so_in_json(client, settings):
    settings.LARGEST_REQUEST = 2**20
    response = client.post("/api/v1/jobs/", {"book": "x" * 2**21})
    assert response.status_code == 413
    assert "too large" in response.json()["detail"]


def test_what_the_api_says_itself_stays_as_it_is(client):
    assert client.get("/api/v1/studies/").json() == {
        "detail": "Authentication credentials were not provided."
    }


def test_I01_a_form_that_is_too_large_is_told_so_with_the_limit(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 2**20
    response = client.post("/login/", {"username": "ada", "password": "x" * 2**22})
    assert response.status_code == 413
    assert "may have 3.0\xa0MB in all" in response.text


def test_I01_what_is_larger_than_any_form_takes_is_refused_unread(client, settings, monkeypatch):
    settings.LARGEST_REQUEST = 2**20
    monkeypatch.setattr(WSGIRequest, "read", None)
    monkeypatch.setattr(WSGIRequest, "_load_post_and_files", None)
    response = client.post("/login/", {"username": "x" * 2**21})
    assert response.status_code == 413
    assert "a file 30.0\xa0MB" in response.text
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_I01_a_length_that_is_no_number_is_nothing_to_stumble_over(client):
    assert client.get("/login/", CONTENT_LENGTH="²").status_code == 200
    assert client.get("/login/", CONTENT_LENGTH="").status_code == 200


def test_S04_every_page_forbids_what_it_does_not_need(client, as_user, ada):
    for response in (client.get("/login/"), client.get("/nowhere/"), as_user(ada).get("/")):
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in as_user(ada).get("/")["Cache-Control"]
    assert [as_user(ada).trace(path).status_code for path in ("/", "/password/", "/api/v1/studies/")] == [
        405
    ] * 3


def test_pages_have_nothing_inline_and_nothing_from_elsewhere(client, as_user, ada):
    for response in (client.get("/login/"), client.get("/nowhere/"), as_user(ada).get("/")):
        assert not re.search(r"<script(?![^>]*src=)|<style| style=| on\w+=", response.text)
        assert not re.search(r'(src|href)="(https?:)?//', response.text)


def test_htmx_is_told_to_evaluate_nothing_and_to_keep_nothing(client):
    page = client.get("/login/").text
    for setting in (
        '"allowEval":false',
        '"selfRequestsOnly":true',
        '"includeIndicatorStyles":false',
        '"historyCacheSize":0',
    ):
        assert setting in page


def test_a_wrong_password_is_explained_where_the_focus_goes(client, ada):
    response = client.post("/login/", {"username": "ada", "password": "wrong"})
    assert "Not signed in" in response.text
    assert "data-takes-focus" in response.text


def test_signing_in_goes_on_where_one_wanted_to(client, ada):
    ada.set_password("a lamp before dawn")
    ada.save()
    said = {"username": "ada", "password": "a lamp before dawn", "next": "/studies/fleet/begin/"}
    assert client.post("/login/", said)["Location"] == "/studies/fleet/begin/"
    assert client.post("/login/", {**said, "next": "https://elsewhere.example/"})["Location"] == "/"


def test_signing_out_is_a_post(as_user, ada):
    browser = as_user(ada)
    assert browser.get("/logout/").status_code == 405
    assert browser.post("/logout/").status_code == 302
    assert browser.get("/").status_code == 302


def test_form_parts_tie_label_help_and_error_to_the_control():
    class Example(forms.Form):
        title = forms.CharField(help_text="As printed.")

    form = Example({"title": ""})
    html = render_to_string("partials/field.html", {"field": form["title"]})
    assert '<label for="id_title">Title' in html
    assert 'id="id_title_helptext"' in html
    described = re.search(r'aria-describedby="([^"]*)"', html)
    assert described
    assert all(f'id="{each}"' in html for each in described[1].split())
    assert 'href="#id_title"' in render_to_string("partials/errors.html", {"form": form})


CRUMBS = re.compile(r'class="crumbs">.*?</(?:div|span)>{% endblock %}|{% block here %}.+?{% endblock %}')


def test_the_last_crumb_says_that_one_is_there():
    wheres = [
        (path, found)
        for path in (settings.BASE_DIR / "templates").rglob("*.html")
        for found in CRUMBS.findall(path.read_text())
        if "block here %}{% endblock" not in found
    ]
    assert len(wheres) > 60
    assert not [path for path, found in wheres if 'aria-current="page"' not in found]
