"""A02, A03: nothing of gold, ranks, roles or colleagues on any page a reader can open."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import timedelta
from itertools import permutations
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.assignment.claiming import create_own, next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Item, Kind, Outcome
from annotation.people.tokens import issue
from tests import builders
from tests.annotation.test_views_work import HTMX, send
from tests.drawn import without_drawn

pytestmark = pytest.mark.django_db
CANARY = "canary-of-ben"


@pytest.fixture
def study(ada, ben):
    made = builders.read_by(ada, ben, items=3, overlap=2)
    canary = {"options": [{"rank": 471108151, "role": "canary-gold", "score": 0.471108151}]}
    builders.rewrite(made.items.all(), provenance=canary)
    return made


def everything(browser, study) -> str:
    """All that a reader can be shown while doing the whole study, headers included, tokens left out."""
    seen = []

    def keep(response):
        seen.append(response.text + str(dict(response.headers)))
        return response

    keep(browser.get("/"))
    keep(browser.get(f"/studies/{study.slug}/begin/"))
    for said in ({"position": "0"}, {}, {"position": "1"}, {"position": "2"}):
        response = keep(browser.post(f"/studies/{study.slug}/begin/"))
        if "/work/" not in response["Location"]:
            break
        keep(browser.get(response["Location"]))
        keep(browser.get(f"{response['Location']}prefetch/"))
        place = type("Place", (), {"get_absolute_url": lambda self, at=response["Location"]: at})()
        keep(send(browser, place, htmx=True, **said))
        keep(browser.get(response["Location"], **HTMX))
    keep(browser.get(f"/studies/{study.slug}/done/"))
    return without_drawn("\n".join(seen))


def scrubbed(text: str) -> str:
    """Without what differs between any two visits: ids of forms, tokens, times."""
    return re.sub(r'datetime="[^"]*"|\d\d:\d\d UTC', "", without_drawn(text))


def test_A02_gold_rank_role_and_score_are_nowhere(as_user, ada, study):
    seen = everything(as_user(ada), study)
    for word in ("canary-gold", "471108151", "gold", "provenance", "negative", "rank"):
        assert word not in seen.lower()


def test_A02_pages_are_the_same_whichever_option_is_gold(as_user, ada, study):
    place = next_assignment(study.enrolments.get(user=ada), now=timezone.now())
    pages = set()
    for option in range(3):
        builders.rewrite(Item.objects.all(), gold={"option": option})
        pages.add(scrubbed(as_user(ada).get(place.get_absolute_url()).text))
    assert len(pages) == 1


@contextmanager
def undone():
    """What is done inside is as if it had never been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def round_of(user, browser, place, study) -> str:
    """One item from the first look to the second thought, by page and by script: all that is sent of it."""
    where, seen = place.get_absolute_url(), []

    def keep(response):
        seen.append(response.text + str(dict(response.headers)))
        return response

    keep(browser.get(where))
    keep(browser.get(where, **HTMX))
    for htmx in (True, False):
        keep(send(browser, place, htmx=htmx, position="1", broken="1"))
        keep(send(browser, place, htmx=htmx, position="9"))
    keep(browser.post(f"{where}draft/", {"revision": "0", "position": "2", "note": "So far"}))
    keep(browser.get(where))
    keep(browser.get(f"{where}prefetch/"))
    _, key = issue(user, "script", ["judge"], timezone.now() + timedelta(days=1))
    script = Client(headers={"Authorization": f"Bearer {key}"})
    keep(script.post(f"/api/v1/studies/{study.slug}/next/"))
    keep(send(browser, place, htmx=True, position="1"))
    keep(browser.get(where, follow=True))
    body = {"submission": str(uuid4()), "answer": {"position": 2}, "revision": 1}
    for said in (body, {**body, "answer": {"position": 7}}):
        keep(script.post(f"/api/v1/assignments/{place.pk}/judgment/", said, content_type="application/json"))
    keep(browser.get(where, follow=True))
    keep(browser.get(f"/studies/{study.slug}/done/"))
    # The ids of judgments go on counting where a round is undone, and their digits count in a length.
    drawn = r""" "id":\d+ | \d{4}-\d\d-\d\dT[\d:.]+ | 'Content-Length':\ '\d+' """
    return re.sub(drawn, "", scrubbed("\n".join(seen)), flags=re.VERBOSE)


@pytest.fixture(params=list(Kind))
def first(request, study, ada):
    """Ada's first place: at an item of work, of practice, or at a check item."""
    item, me, now = study.items.get(number=1), study.enrolments.get(user=ada), timezone.now()
    item.kind = request.param
    item.save()
    if item.kind != Kind.WORK:
        item.assignments.all().delete()
    place = create_own(item, me, now=now) if item.kind == Kind.CHECK else next_assignment(me, now=now)
    assert place.item == item
    return place


def orders(of):
    """Three, in which each option has each number once; on PostgreSQL all six at an item of work."""
    some = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    return permutations(range(3)) if of == Kind.WORK and connection.vendor == "postgresql" else some


def test_A02_no_byte_tells_the_canonical_order(as_user, ada, study, first):
    """The same words at the same places, whatever number each has in the item, and so whichever is gold."""
    browser, item, order, seen = as_user(ada), first.item, first.order, set()
    for canonical in orders(item.kind):
        with undone():
            payload, gold = study.task_type.reordered(item.payload, item.gold, canonical)
            builders.rewrite(Item.objects.filter(pk=item.pk), payload=payload, gold=gold)
            first.order = [canonical.index(number) for number in order]
            Assignment.objects.filter(pk=first.pk).update(order=first.order)
            seen.add(round_of(ada, browser, first, study))
    assert len(seen) == 1


def test_A02_in_two_orders_only_the_words_are_elsewhere(as_user, ada, study, first):
    browser, seen, words = as_user(ada), set(), re.compile(r"Words of \w")
    payload = {**first.item.payload, "options": ["Words of A", "Words of B", "Words of C"]}
    for order in orders(first.item.kind):
        with undone():
            # After practice the right option is told by its words, and here it always stands first.
            builders.rewrite(study.items.filter(pk=first.item_id), payload=payload, gold={"option": order[0]})
            first.order = list(order)
            Assignment.objects.filter(pk=first.pk).update(order=first.order)
            text = round_of(ada, browser, first, study)
            assert len(words.findall(text)) > 12
            seen.add(words.sub("words", text))
    assert len(seen) == 1


def test_A02_nobody_can_ask_which_option_has_a_number(as_user, ada, study):
    """In old files number 0 is the right one: an answer in these terms is neither taken nor shown again."""
    place, browser = next_assignment(study.enrolments.get(user=ada), now=timezone.now()), as_user(ada)
    where = place.get_absolute_url()
    assert browser.post(f"{where}draft/", {"revision": "0", "option": "0"}).status_code == 422
    assert " checked" not in browser.get(where).text.partition('class="options')[2].partition("</fieldset")[0]
    for said in ({"option": "0"}, {"option": "0", "position": "1"}):
        form = {"submission": str(uuid4()), "revision": "0", **said}
        reply = browser.post(where, form)
        assert reply.status_code == 422
        assert "This page is older than the site" in reply.text
        assert " checked" not in reply.text.partition('class="options')[2].partition("</fieldset")[0]


def test_A03_colleagues_change_nothing_of_what_a_reader_sees(as_user, ada, ben, study):
    reader = study.enrolments.get(user=ada)
    place = next_assignment(reader, now=timezone.now())
    addresses = [
        "/",
        f"/studies/{study.slug}/begin/",
        f"/studies/{study.slug}/done/",
        place.get_absolute_url(),
    ]
    before = [scrubbed(as_user(ada).get(at).text) for at in addresses]
    other = study.enrolments.get(user=ben)
    while (his := next_assignment(other, now=timezone.now())) is not None:
        said = Submission(uuid4(), Outcome.UNDECIDED, {}, reason=CANARY, note=CANARY)
        submit(his, other, said, now=timezone.now())
    after = [scrubbed(as_user(ada).get(at).text) for at in addresses]
    assert before == after
    seen = everything(as_user(ada), study)
    assert CANARY not in seen
    assert "Ben" not in seen
