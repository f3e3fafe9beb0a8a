"""S03: what a form or an address holds comes back as text where it is refused, and is no part of the page."""

from __future__ import annotations

from html.parser import HTMLParser
from http.cookies import SimpleCookie

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.html import escape

from tests.variorum.test_attacks import parameters, taken_back
from tests.variorum.whole_site import addresses, browser_of

pytestmark = [pytest.mark.django_db, pytest.mark.long]
MARK = "data-injected"
PAYLOADS = [
    f'"><img {MARK} src=x onerror=alert(1)>',
    f"'><svg {MARK} onload=alert(1)>",
    f"</textarea></title></script><b {MARK} hx-get=/logout/ hx-trigger=load>",
]
KEPT = {"hidden", "submit", "button", "radio", "checkbox", "reset"}
"""Kinds of fields that are sent as they stand."""


class Page(HTMLParser):
    """The forms of a page, with their fields, and whether a text became a part of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, tuple[str, str]]]] = []
        self.injected: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        if MARK in said:
            self.injected.append(self.get_starttag_text())
        if tag == "form" and (said.get("method") or "").lower() == "post":
            self.forms.append((said.get("action") or said.get("hx-post") or "", {}))
        if tag in ("input", "textarea", "select", "button") and self.forms and said.get("name"):
            kind = (
                "file" if said.get("type") == "file" else tag if tag != "input" else said.get("type", "text")
            )
            self.forms[-1][1].setdefault(said["name"], (kind, said.get("value") or ""))


def filled(fields, payload):
    """The form as somebody sends it who writes the payload into whatever takes words."""
    found = {}
    for name, (kind, value) in fields.items():
        if kind == "file":
            data = f'{{"{payload}": 1, "text": "{payload}"}}\n{payload}\t{payload}\n'.encode()
            found[name] = SimpleUploadedFile(payload.replace("/", ""), data)
        elif kind not in KEPT or not value:
            found[name] = payload
        else:
            found[name] = value
    return found


def html(reply) -> str:
    kind = reply.headers.get("Content-Type", "")
    return reply.text if not reply.streaming and kind.startswith("text/html") else ""


@pytest.mark.parametrize("who", ["ada", "cleo", "dora", "stan", "anon"])
def test_what_stands_in_a_query_comes_back_as_text(who, things):
    browser, shown = browser_of(who), 0
    # By these a page is chosen, and there is none of that name.
    known = parameters() - {"page", "format"}
    for address in pages(things):
        for payload in PAYLOADS:
            with taken_back():
                text = html(browser.get(address, dict.fromkeys(known, payload)))
            shown += MARK in text
            assert Page(text).injected == [], address
    assert shown > 0 or who in ("anon", "ada", "cleo")


@pytest.mark.parametrize("who", ["ada", "cleo", "dora", "stan", "anon"])
def test_what_a_form_holds_comes_back_as_text(who, things):
    """Names of files and their columns, too."""
    browser, shown, sent = browser_of(who), 0, 0
    signed_in = browser.cookies.output(header="", sep=";")
    for address in pages(things):
        browser.cookies = SimpleCookie(signed_in)
        with taken_back():
            forms = Page(html(browser.get(address))).forms
        for to, fields in forms:
            for payload in PAYLOADS:
                # One of the forms signs out.
                browser.cookies = SimpleCookie(signed_in)
                with taken_back():
                    text = html(browser.post(to or address, filled(fields, payload), follow=True))
                sent, shown = sent + 1, shown + (MARK in text)
                assert Page(text).injected == [], (address, to)
    assert sent > 500 or who == "anon"
    assert shown >= 3


def test_a_page_of_which_a_text_became_a_part_is_seen():
    for payload in PAYLOADS:
        assert len(Page(f'<title>a</title><p title="{payload}">{payload}</p>').injected) >= 1
        assert Page(f"<p>{escape(payload)}</p>").injected == []


def pages(things):
    return [each for each in addresses(things) if not each.startswith("/api/") and "logout" not in each]
