"""The next item waits in the page: one that its reader may be given, and nobody's until it is shown."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.items import quarantine
from annotation.models import Assignment, Enrolment, Filling, Item, Kind, Study
from tests import builders
from tests.annotation.test_kinds import opened
from tests.annotation.test_views_work import HTMX, fields
from tests.builders import pick

pytestmark = pytest.mark.django_db
PART = '<div data-part="{}">(.*?)</div>\n(?=<div data-part|$)'


@pytest.fixture
def study(ada, ben):
    made = builders.read_by(ada, ben, items=4, overlap=2)
    Enrolment.objects.update(guideline_seen=1)
    return made


def at(user):
    return next_assignment(Enrolment.objects.select_related("study").get(user=user), now=timezone.now())


def look(browser, place):
    return browser.get(f"{place.get_absolute_url()}prefetch/")


def send(browser, place, seen=None, **said):
    form = fields(browser.get(place.get_absolute_url()))
    asked = HTMX if seen is None else {**HTMX, "HTTP_X_PREFETCHED": seen["X-Prefetched"]}
    return browser.post(place.get_absolute_url(), {**form, **pick(place, 1), **said}, **asked)


def held(user):
    return Assignment.objects.get(annotator__user=user, status="held")


def joined(reply, seen):
    """What the page's script makes of a reply that leaves out what waits."""
    for name in ("text", "answer"):
        part = re.search(PART.format(name), seen.text, re.DOTALL).group(1)
        gap = f'<template data-part="{name}"></template>'
        assert reply.text.count(gap) == 1
        reply = type("Reply", (), {"text": reply.text.replace(gap, part)})()
    return reply.text


def main(page: str) -> str:
    """The item in a page, without what is drawn anew for each and without blank space."""
    inside = re.search(r'<div class="spread".*?</form>', page, re.DOTALL).group()
    return re.sub(r"\s+", " ", re.sub(r'value="[\w-]{30,}"', "", inside))


def test_looking_ahead_changes_nothing_and_holds_nothing(as_user, ada, study, django_assert_max_num_queries):
    place, browser = at(ada), as_user(ada)
    before = list(Assignment.objects.values())
    with django_assert_max_num_queries(12) as queries:
        seen = look(browser, place)
    assert "Essay 2 begins" in seen.text
    assert list(Assignment.objects.values()) == before
    assert not [q for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE", "SAVEPOINT"))]
    assert seen["Cache-Control"] == "private, no-store"


def test_what_waited_and_the_reply_are_the_whole_page(as_user, ada, study):
    place, browser = at(ada), as_user(ada)
    seen = look(browser, place)
    reply = send(browser, place, seen)
    here = held(ada)
    assert reply["X-Prefetched"] == str(here.pk)
    assert "Essay 2" not in reply.text
    assert "Saved." in reply.text
    whole = browser.get(here.get_absolute_url()).text
    assert main(joined(reply, seen).replace(seen["X-Prefetched"], str(here.pk))) == main(whole)


def test_the_clock_begins_when_it_is_shown(as_user, ada, study, monkeypatch):
    place, browser = at(ada), as_user(ada)
    seen, start = look(browser, place), timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: start + timedelta(minutes=10))
    send(browser, place, seen)
    assert (held(ada).claimed, held(ada).opened) == (start + timedelta(minutes=10),) * 2


@pytest.mark.parametrize("act", ["later", "undecided", "broken"])
def test_however_the_item_was_left(as_user, ada, study, act):
    place, browser = at(ada), as_user(ada)
    seen = look(browser, place)
    asked = {**HTMX, "HTTP_X_PREFETCHED": seen["X-Prefetched"]}
    if act == "later":
        reply = browser.post(f"{place.get_absolute_url()}later/", {}, **asked)
    else:
        form = fields(browser.get(place.get_absolute_url()))
        said = {"undecided": "Both fit"} if act == "undecided" else {"broken": "1", "fault": "Cut off."}
        reply = browser.post(place.get_absolute_url(), {**form, **said}, **asked)
    assert reply["X-Prefetched"] == str(Assignment.objects.get(annotator__user=ada, item__number=2).pk)


def test_one_whose_places_others_took_meanwhile_is_not_shown(as_user, ada, ben, cleo, study):
    place, browser = at(ada), as_user(ada)
    seen = look(browser, place)
    Item.objects.filter(number=2).update(quarantined=timezone.now())
    reply = send(browser, place, seen)
    assert "X-Prefetched" not in reply.headers
    assert "Essay 3 begins" in reply.text
    assert "<template" not in reply.text
    seen, item = look(browser, held(ada)), Item.objects.get(number=4)
    Assignment.objects.filter(item=item, slot=1).update(
        status="done", annotator=study.enrolments.get(user=ben)
    )
    other = builders.enrolment(study, cleo)
    Assignment.objects.filter(item=item, slot=2).update(status="held", annotator=other)
    reply = send(browser, held(ada), seen)
    assert "X-Prefetched" not in reply.headers
    assert "<template" not in reply.text


def test_in_breadth_it_is_the_item_with_the_lowest_place(as_user, ada, ben, study):
    Study.objects.update(filling=Filling.BREADTH)
    first, second = at(ada), at(ben)
    assert (first.item.number, second.item.number) == (1, 2)
    browser = as_user(ada)
    seen = look(browser, first)
    assert "Essay 3 begins" in seen.text
    assert send(browser, first, seen)["X-Prefetched"] == str(held(ada).pk)


def test_a_check_item_waits_like_any_other_and_has_no_place_before(as_user, ada):
    opened([ada], overlap=1, items=3, checks=1, check_every=1)
    place, browser = at(ada), as_user(ada)
    seen = look(browser, place)
    check = Item.objects.get(kind=Kind.CHECK)
    assert not check.assignments.exists()
    assert send(browser, place, seen)["X-Prefetched"] == str(check.assignments.get().pk)
    assert re.fullmatch(r"prefetch-[0-9a-f]{20}", seen["X-Prefetched"]), (
        "a digest: no key of a check item to compare"
    )


def test_where_there_is_nothing_ahead(as_user, ada, dora, study):
    place, browser = at(ada), as_user(ada)
    quota = Enrolment.objects.filter(user=ada)
    quota.update(quota=1)
    assert look(browser, place).status_code == 204
    quota.update(quota=None)
    study.consents.create(version=1, text="May we keep it?")
    assert look(browser, place).status_code == 204
    study.consents.all().delete()
    send(browser, place)
    assert look(browser, place).status_code == 204, "it is ended: what is held comes next"
    Study.objects.update(state="closed")
    assert look(browser, held(ada)).status_code == 204


def test_practice_gives_no_look_at_the_work(as_user, ada):
    opened([ada], overlap=1, items=2, practice=2)
    assert look(as_user(ada), at(ada)).status_code == 204


def test_only_beside_a_place_of_ones_own(as_user, ada, ben, study):
    place = at(ada)
    assert look(as_user(ben), place).status_code == 404
    assert look(Client(), place).status_code == 302


def test_a_name_that_says_nothing_changes_nothing(as_user, ada, study):
    place, browser = at(ada), as_user(ada)
    form = fields(browser.get(place.get_absolute_url()))
    asked = {**HTMX, "HTTP_X_PREFETCHED": "prefetch-0"}
    reply = browser.post(place.get_absolute_url(), {**form, **pick(place, 1)}, **asked)
    assert "X-Prefetched" not in reply.headers
    assert "Essay 2 begins" in reply.text


def test_an_item_in_quarantine_is_never_ahead(as_user, ada, dora, study):
    quarantine.quarantine(study.items.get(number=2), by=dora, reason="Cut off.", now=timezone.now())
    assert "Essay 3 begins" in look(as_user(ada), at(ada)).text
