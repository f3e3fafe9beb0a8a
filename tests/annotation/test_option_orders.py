"""The canonical order of options is drawn wherever items are made, whatever order they came in."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.export import judgments
from annotation.items import covering
from annotation.items.files import entries
from annotation.items.option_orders import digest, order_drawn
from annotation.items.payloads import add_payloads
from annotation.models import Item, Kind, Study
from annotation.people.tokens import issue
from annotation.studies.build import build_study
from annotation.studies.duplicate import duplicate
from common.errors import BadInput
from retrieval.engine.leaks.places import Place
from tests import builders

pytestmark = pytest.mark.django_db
MANY = 120


def line(number, order=(0, 1, 2), **more):
    """An item of a file, the right option first unless it is written in another order."""
    texts = [f"The {word} words of line {number}." for word in ("right", "wrong", "other")]
    return {
        "left": [f"We come to line {number}."],
        "right": [],
        "options": [texts[each] for each in order],
        "gold": {"option": order.index(0)},
        **more,
    }


def load(study, *lines):
    data = "\n".join(map(json.dumps, lines)).encode()
    return add_payloads(study, entries(study.task_type, data, "items.jsonl"), by=None)


@pytest.fixture
def draft(db, dora):
    return builders.study("draft", items=0, overlap=1, state="draft", by=dora)


def made(study):
    """What of an item is drawn, by its first words."""
    rows = study.items.order_by("number")
    return {item.payload["left"][0]: (item.payload, item.gold, item.digest) for item in rows}


def test_a_file_with_the_right_option_first_makes_items_with_it_anywhere(draft):
    kinds = {0: Kind.PRACTICE, 1: Kind.CHECK}
    load(draft, *(line(n, kind=kinds.get(n % 5, Kind.WORK), id=f"x{n}") for n in range(MANY)))
    for kind, fewest in ((Kind.WORK, 6), (Kind.PRACTICE, 1), (Kind.CHECK, 1)):
        numbers = Counter(item.gold["option"] for item in draft.items.filter(kind=kind))
        assert set(numbers) == {0, 1, 2}
        assert min(numbers.values()) >= fewest
    for n, item in enumerate(draft.items.order_by("number")):
        assert item.payload["options"][item.gold["option"]] == f"The right words of line {n}."
        assert item.gold_1 == item.gold["option"]
        assert item.digest == digest(item.payload)
        as_filed = [item.payload["options"][item.provenance["file_order"].index(k)] for k in range(3)]
        assert as_filed == line(n)["options"]
        assert (item.provenance["drawn"], item.provenance["id"]) == (True, f"x{n}")


def test_the_order_in_the_file_has_no_part_in_the_draw(draft, dora):
    """Else who guesses the seed could work out which order it came in."""
    load(draft, *(line(n) for n in range(9)))
    other = builders.study("other", items=0, state="draft", by=dora)
    load(other, *(line(n, order=(1, 2, 0)) for n in range(9)))
    assert made(other) == made(draft)
    seeded = builders.study("seeded", items=0, state="draft", by=dora)
    Study.objects.filter(pk=seeded.pk).update(seed=8)
    load(seeded, *(line(n) for n in range(9)))
    assert made(seeded) != made(draft)


def test_a_file_again_adds_nothing_also_under_another_seed(draft):
    lines = [line(n, id=f"x{n}") for n in range(5)]
    assert load(draft, *lines) == (5, 0)
    before = made(draft)
    assert load(draft, *lines) == (0, 5)
    Study.objects.filter(pk=draft.pk).update(seed=8)
    assert load(Study.objects.get(pk=draft.pk), *lines, line(5)) == (1, 5)
    assert {words: each for words, each in made(draft).items() if words in before} == before


def test_items_that_were_loaded_before_orders_were_drawn_are_known_and_stay(draft):
    payload = {name: value for name, value in line(1).items() if name != "gold"}
    old = Item.objects.create(
        study=draft,
        number=1,
        payload=payload,
        gold={"option": 0},
        provenance={"id": "x1"},
        digest=digest(payload),
    )
    assert load(draft, line(1, id="x1"), line(2)) == (1, 1)
    old.refresh_from_db()
    assert (old.payload, old.gold, old.provenance) == (payload, {"option": 0}, {"id": "x1"})
    with pytest.raises(BadInput, match="line 1, field “id”: “x1” is the id of another item already"):
        load(draft, line(3, id="x1"))


def test_the_same_options_in_another_order_are_the_same_item(draft):
    with pytest.raises(BadInput, match=r"line 2: the same item as items\.jsonl, line 1"):
        load(draft, line(1), line(1, order=(2, 0, 1)))
    assert not draft.items.exists()


def test_items_of_a_job_say_that_they_were_drawn_and_older_ones_are_known_by_it(draft, dora):
    novel, critic = builders.book(), builders.source()
    job = builders.finished_job(novel, [builders.excerpt(novel, critic, first) for first in (3, 8)])
    built = build_study(slug="job", title="Job", task="choice", job=job, overlap=1, seed=7, by=dora).study
    assert [item.provenance["drawn"] for item in built.items.all()] == [True, True]
    first = built.items.first()
    builders.rewrite(
        [first], provenance={name: each for name, each in first.provenance.items() if name != "drawn"}
    )
    load(draft, line(1))
    builders.item(draft, 2)
    for item in Item.objects.all():
        assert order_drawn(item.provenance) is (item.study == built or item.number == 1)
        assert Item.objects.filter(pk=item.pk).drawn().exists() is order_drawn(item.provenance)


def test_a_copy_of_a_study_from_before_gets_drawn_orders_and_one_of_drawn_items_keeps_them(draft, dora):
    load(draft, line(1), line(2))
    again = duplicate(draft, slug="again", title="Again", by=dora)
    assert made(again) == made(draft)
    old = builders.study("old", items=12, state="draft", by=dora)
    builders.rewrite(old.items.all(), gold={"option": 0})
    copy = duplicate(old, slug="copy", title="Copy", by=dora)
    assert {item.gold["option"] for item in copy.items.all()} == {0, 1, 2}
    for item in copy.items.all():
        assert order_drawn(item.provenance)
        assert item.payload["options"][item.gold["option"]] == f"Item {item.number}, the first passage."
    assert {item.gold["option"] for item in old.items.all()} == {0}, "the study itself stays as it is"


def test_a_copy_of_a_covered_item_from_before_is_known_as_it_was_built(draft, dora):
    """Its digest is that of the item with its words, or the file that holds it would add it again."""
    for number in (1, 2, 3):
        payload = {name: value for name, value in line(number).items() if name != "gold"}
        own = {"payload": payload, "gold": {"option": 0}, "digest": digest(payload)}
        Item.objects.create(study=draft, number=number, provenance={"id": f"x{number}"}, **own)
    bare = duplicate(draft, slug="bare", title="Bare", by=dora)
    for item in draft.items.all():
        covering.cover(item, [Place(0, 0, len("We come"))], by=dora, why="tells", now=timezone.now())
    again = duplicate(draft, slug="again", title="Again", by=dora)
    facts = ("digest", "gold", "provenance__content", "provenance__file_order")
    assert list(again.items.values_list(*facts)) == list(bare.items.values_list(*facts))
    assert all("[…]" in json.dumps(each.payload, ensure_ascii=False) for each in again.items.all())


def test_a_copy_keeps_two_items_that_differ_in_the_order_of_their_options_only(draft, dora):
    for number, order in enumerate([(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)], 1):
        payload = {name: value for name, value in line(1, order=order).items() if name != "gold"}
        Item.objects.create(study=draft, number=number, payload=payload, digest=digest(payload))
    copy = duplicate(draft, slug="copy", title="Copy", by=dora)
    assert copy.items.count() == 6


def test_pages_exports_and_scripts_trace_an_option_back_to_its_line(as_user, client, dora, ada, draft):
    browser, file = as_user(dora), SimpleUploadedFile("items.jsonl", json.dumps(line(1)).encode())
    assert (
        "drawn from the study’s seed" in browser.get(reverse("annotation:setup_items", args=["draft"])).text
    )
    browser.post(reverse("annotation:setup_items", args=["draft"]), {"file": file})
    item = draft.items.get()
    filed = item.provenance["file_order"]
    page = browser.get(reverse("annotation:item", args=["draft", 1])).text
    for number, was in enumerate(filed):
        card = page.partition(f"<h3>Option {number}")[2].partition("</li>")[0]
        assert f"Number {was} in its line of the file" in card
        assert ("Gold" in card) is (was == 0)
    _, key = issue(dora, "script", ["read"], timezone.now() + timedelta(days=1))
    reply = client.get("/api/v1/studies/draft/items/", headers={"Authorization": f"Bearer {key}"})
    assert reply.json()["results"][0]["provenance"]["file_order"] == filed
    draft.assignments.create(item=item, slot=1)
    builders.judgment(draft, 1, builders.enrolment(draft, ada), item.gold["option"])
    (row,) = judgments.rows(draft)
    assert row["canonical"] == [{"file": number} for number in filed]
    assert row["canonical"][row["option"]] == {"file": 0}
    assert row["option_text"] == "The right words of line 1."
