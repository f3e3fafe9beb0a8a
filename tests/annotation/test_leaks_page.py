"""The pages on which answers printed elsewhere are read, covered and taken back."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.items import covering
from annotation.models import Event, Kind
from annotation.studies import leaks
from annotation.studies.dismissals import dismiss
from annotation.studies.leaks import check
from common.texts.result_cache import ResultCache, digest_of
from retrieval.engine.leaks.printed import printed
from tests.annotation.test_leaks import FERRY, LAMPS, OPTIONS, ROPE, SALT, TIDE, put, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(draft):
    draft.items.all().delete()
    return draft


@pytest.fixture
def leaky(draft):
    """The first item's answer stands in the second's context."""
    return put(draft, 1, OPTIONS), put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))


def at(name, study, *args):
    return reverse(f"annotation:{name}", args=[study.slug, *args])


def test_what_is_found_is_shown_with_both_items_and_the_words(as_user, dora, draft, leaky):
    page = as_user(dora).get(at("leaks", draft)).text
    assert "1 answer can be found without reading." in page
    assert f"<mark>{LAMPS[:-1]}</mark>" in page
    for number in (1, 2):
        assert f'href="{at("item", draft, number)}"' in page
    assert "14 words in a row; 100.0 % of option 0" in page
    assert "1 answer can be found without reading" in as_user(dora).get(at("setup", draft)).text


def test_one_finding_is_covered(as_user, dora, draft, leaky):
    browser = as_user(dora)
    done = browser.post(at("leaks", draft), {"cover": "gold-in-context-1-0-2-0"})
    assert done["Location"] == at("leaks", draft)
    page = browser.get(at("leaks", draft)).text
    assert "No answer can be found by its words." in page
    assert LAMPS not in browser.get(at("item", draft, 2)).text.split("Covered by hand")[0]
    again = browser.post(at("leaks", draft), {"cover": "gold-in-context-1-0-2-0"})
    assert again.status_code == 422
    assert "not found any more" in again.text


def test_all_are_covered_at_once(as_user, dora, draft, leaky):
    put(draft, 3, [LAMPS, TIDE], kind=Kind.PRACTICE)
    page = as_user(dora).post(at("leaks", draft), {"mend": "1"}, follow=True).text
    assert "1 finding covered, 1 practice item left out." in page
    assert f'<a href="{at("item", draft, 3)}">Item 3</a>: no reader gets it.' in page


def test_words_are_typed_shown_covered_and_uncovered(as_user, dora, draft, leaky):
    browser, address = as_user(dora), at("cover", draft, 2)
    typed = {"words": "Told that “the LAMPS along", "why": "a turn of phrase"}
    page = browser.post(address, {**typed, "act": "preview"}).text
    assert "Elsewhere we are <mark>[…]</mark> the quay were lit" in page
    assert not Event.objects.filter(verb="cover").exists()
    browser.post(address, {**typed, "act": "cover"})
    item = draft.items.get(number=2)
    [made] = covering.covers(item)
    assert (made.words, made.why) == ("told that “The lamps along", "a turn of phrase")
    page = browser.get(at("item", draft, 2)).text
    assert "a turn of phrase; Dora, " in page
    browser.post(address, {"act": "uncover", "event": str(made.event)})
    item.refresh_from_db()
    assert covering.covers(item) == []


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({"act": "cover", "words": "nowhere"}, "does not stand in the context"),
        ({"act": "preview", "words": ""}, "No word was given"),
        ({"act": "cover", "words": "a\x00b"}, "NUL"),
        ({"act": "cover", "words": "Elsewhere", "why": "a\x00b"}, "NUL"),
        ({"act": "uncover", "event": "x"}, "not there any more"),
        ({"act": "uncover", "event": "9" * 40}, "not there any more"),
        ({"act": "back"}, "was not left out"),
        ({"act": "else"}, "Choose one of the acts"),
    ],
)
def test_what_cannot_be_done_is_said(as_user, dora, draft, leaky, sent, refused):
    reply = as_user(dora).post(at("cover", draft, 2), sent)
    assert reply.status_code == 422
    assert refused in reply.text


def test_an_item_is_left_out_and_taken_back(as_user, dora, draft, leaky):
    browser, address = as_user(dora), at("cover", draft, 1)
    browser.post(address, {"act": "leave"})
    assert "This item is left out" in browser.get(at("item", draft, 1)).text
    assert ">Left out</span>" in browser.get(at("items", draft)).text
    assert ">Left out</span>" in browser.get(at("workbench_item", draft, 1)).text
    assert browser.get(at("workbench", draft)).status_code == 200
    browser.post(address, {"act": "back"})
    assert "This item is left out" not in browser.get(at("item", draft, 1)).text


def test_an_opened_study_is_read_and_not_changed(as_user, dora, fleet):
    item = fleet.items.get(number=1)
    browser = as_user(dora)
    page = browser.get(at("item", fleet, 1)).text
    assert "Cover words of the context" not in page
    refused = browser.post(at("cover", fleet, 1), {"act": "cover", "words": "begins with the sea"})
    assert refused.status_code == 422
    assert "readers have its items" in refused.text
    item.refresh_from_db()
    assert covering.covers(item) == []


def test_the_longest_run_stands_on_the_items_page_and_in_the_list(as_user, dora, draft):
    put(draft, 1, OPTIONS, left="Of lamps along the quay.")
    put(draft, 2, [FERRY, ROPE])
    page = as_user(dora).get(at("item", draft, 1)).text
    assert "4 words in a row</strong>" in page
    assert ">lamps along the quay</q>" in page
    assert '<th scope="col" class="num">Shared words</th>' in as_user(dora).get(at("items", draft)).text
    assert ">lamps along the quay</td>" in as_user(dora).get(at("leaks", draft)).text


def run(*said):
    out = io.StringIO()
    call_command("leak_check", *said, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_names_both_items_and_the_words(draft, leaky):
    said = run("draft")
    assert "Checked 2 items. 1 answer can be found without reading; 0 other findings noted." in said
    assert "The lamps along the quay were lit before" in said
    data = json.loads(run("draft", "--format", "json"))
    assert (data["items"], data["cautions"]) == (2, 1)
    [found] = data["findings"]
    assert (found["item"], found["where"], found["kind"], found["run"], found["share"]) == (
        1,
        2,
        "gold-in-context",
        14,
        1.0,
    )
    assert [(each["item"], each["run"]) for each in data["runs"]] == [(1, 1), (2, 1)]
    assert "gold-in-context" in run("draft", "--format", "csv")
    assert r"\toprule" in run("draft", "--format", "latex")


def test_the_command_mends(draft, leaky, tmp_path):
    assert "0 answers can be found without reading" in run("draft", "--mend")
    run("draft", "--format", "markdown", "--output", str(tmp_path / "leaks.md"))
    assert "0 answers" in (tmp_path / "leaks.md").read_text("utf-8")


def test_the_command_refuses_in_a_sentence(fleet):
    with pytest.raises(CommandError, match="no study"):
        run("nowhere")
    with pytest.raises(CommandError, match="readers have its items"):
        run("fleet", "--mend")


def test_a_finding_is_marked_as_harmless_and_counts_again(as_user, dora, draft, leaky):
    browser, address = as_user(dora), at("leaks", draft)
    name = "gold-in-context-1-0-2-0"
    refused = browser.post(address, {"dismiss": name, "why": " "})
    assert refused.status_code == 422
    assert "Say why it is harmless" in refused.text
    assert browser.post(address, {"dismiss": name, "why": "x" * 301}).status_code == 422
    browser.post(address, {"dismiss": name, "why": "a proverb  that all know"})
    page = browser.get(address).text
    assert "No answer can be found by its words." in page
    assert "1 finding was read and marked as harmless" in page
    assert "“a proverb that all know”" in page
    assert "Dora, " in page
    assert "without reading" not in browser.get(at("setup", draft)).text.split("Printed answers")[1][:200]
    event = Event.objects.get(verb="dismiss finding")
    assert (event.actor, event.data["items"], event.data["kind"]) == (dora, [1, 2], "gold-in-context")
    assert browser.post(address, {"dismiss": name, "why": "again"}).status_code == 422
    browser.post(address, {"return": event.data["key"]})
    assert "1 answer can be found without reading." in browser.get(address).text
    assert browser.post(address, {"return": event.data["key"]}).status_code == 422


def test_nobody_else_marks_a_finding(as_user, ada, eve, draft, leaky):
    for person in (ada, eve):
        reply = as_user(person).post(at("leaks", draft), {"dismiss": "gold-in-context-1-0-2-0", "why": "x"})
        assert reply.status_code in (403, 404)
    assert not Event.objects.filter(verb="dismiss finding").exists()


def test_the_command_counts_what_is_harmless_apart(dora, draft, leaky):
    [leak] = check(draft).leaks
    dismiss(draft, leak.key, leak.kind, leak.items, by=dora, why="a proverb")
    out = io.StringIO()
    call_command("leak_check", draft.slug, stdout=out)
    said = " ".join(out.getvalue().split())
    assert "0 answers can be found without reading; 0 other findings noted; 1 marked as harmless." in said
    out = io.StringIO()
    call_command("leak_check", draft.slug, "--format", "json", stdout=out)
    found = json.loads(out.getvalue())
    assert (found["cautions"], found["dismissed"]) == (0, 1)
    assert found["findings"][0]["harmless"] == "a proverb"


def test_texts_that_did_not_change_are_checked_once(as_user, dora, draft, leaky, monkeypatch):
    checks = []
    monkeypatch.setattr(leaks, "results", ResultCache())
    monkeypatch.setattr(leaks, "printed", lambda *those: checks.append(1) or printed(*those))
    browser, address = as_user(dora), at("leaks", draft)
    for _ in range(2):
        assert "1 answer can be found" in browser.get(address).text
    assert checks == [1]
    browser.post(address, {"cover": "gold-in-context-1-0-2-0"})
    assert "No answer can be found" in browser.get(address).text
    assert checks == [1, 1]


def test_what_was_not_used_longest_is_forgotten():
    cache, made = ResultCache(most=3), []

    def get(key, n):
        return cache.get(key, lambda: made.append(key) or [key] * n)

    assert get("a", 1) == get("a", 1) == ["a"]
    get("b", 2)
    get("a", 1)
    get("c", 1)
    get("a", 1)
    get("b", 2)
    assert made == ["a", "b", "c", "b"]
    assert digest_of(["a", "bc"]) != digest_of(["ab", "c"])
