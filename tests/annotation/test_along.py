"""Items taken along are leased in the order in which they come, begin when shown, and go back unread."""

from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from annotation.assignment.along import give_back, how_many, take_along
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened, put_off
from annotation.assignment.prefetch import item_after
from annotation.assignment.progress import ReaderProgress
from annotation.judging import drafts
from annotation.models import Assignment, Event, Item
from tests import builders

NOW = timezone.now()


@pytest.fixture
def study(db):
    return builders.study(items=7, overlap=1)


def numbers(places):
    return [each.item.number for each in places]


def test_five_are_leased_in_order_and_the_unread_go_back(a, b, study):
    first = next_assignment(a, now=NOW)
    mark_opened(first, now=NOW)
    taken = take_along(a, 5, now=NOW)
    assert numbers(taken) == numbers(take_along(a, 5, now=NOW)) == [1, 2, 3, 4, 5]
    assert [each.opened is None for each in taken] == [False, True, True, True, True]
    assert all(each.lease_until > NOW + timedelta(minutes=study.lease_minutes - 1) for each in taken)
    assert item_after(taken[0], a, now=NOW).number == 2
    put_off(taken[0], now=NOW)
    assert next_assignment(a, now=NOW).pk == taken[1].pk
    mark_opened(taken[1], now=NOW)
    assert numbers(take_along(b, 5, now=NOW)) == [6, 7]
    assert numbers(give_back(a, now=NOW)) == [2]
    assert Assignment.objects.filter(status="free").count() == 3
    assert Event.objects.filter(verb="given back").count() == 3


def test_no_more_are_offered_than_are_left():
    assert [how_many(ReaderProgress(done, 12, put_off=1)) for done in (0, 6, 7, 10, 11)] == [5, 5, 4, 1, 0]


@pytest.mark.parametrize(("items", "offered"), [(7, "Take 5 items"), (3, "Take 3 items"), (1, "Take 1 item")])
def test_the_pages_name_how_many_may_be_taken_along(as_user, ada, items, offered):
    study = builders.read_by(ada, items=items, overlap=1)
    browser = as_user(ada)
    for page in (browser.get(f"/studies/{study.slug}/begin/"), begun(browser, study)):
        assert f"{offered} along, to read without a network" in page.text


def begun(browser, study):
    return browser.post(f"/studies/{study.slug}/begin/", follow=True)


def test_what_was_taken_along_is_kept_as_long_as_was_said_though_it_is_opened_and_written_in(a):
    place = take_along(a, 2, now=NOW)[0]
    until = NOW + timedelta(hours=9)
    Assignment.objects.filter(pk=place.pk).update(lease_until=until)
    place.refresh_from_db()
    mark_opened(place, now=NOW)
    assert drafts.save(place, a, {"note": "a wave"}, seen=0, now=NOW)
    assert Assignment.objects.get(pk=place.pk).lease_until == until
    late = NOW + timedelta(hours=8)
    mark_opened(place, now=late)
    assert Assignment.objects.get(pk=place.pk).lease_until == late + timedelta(minutes=120)


def test_check_items_come_where_they_would_have_come_and_a_closed_study_gives_nothing(a):
    study = a.study
    checks = study.items.filter(number__gte=6)
    Assignment.objects.filter(item__in=checks).delete()
    checks.update(kind="check")
    study.check_every = 2
    study.save()
    there = [each.item.kind for each in take_along(a, 5, now=NOW)]
    assert there.count("check") == 2
    give_back(a, now=NOW)
    # A group that begins with a check item is announced first, which needs the network.
    QuerySet(Item).filter(kind="check").update(group="another")
    assert "check" not in [each.item.kind for each in take_along(a, 5, now=NOW)]
    QuerySet(Item).filter(kind="check").update(group="")
    # Whoever took an answer back here before, it was another.
    Assignment.objects.filter(annotator=a).update(taken_back=NOW)
    assert give_back(a, now=NOW) == []
    assert next_assignment(a, now=NOW).item.kind == there[0]
    study.state = "closed"
    study.save()
    assert take_along(a, 5, now=NOW) == []
