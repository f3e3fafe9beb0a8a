"""Items of one group follow each other, in an order of each reader; groups begin at balanced places."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import groupby

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment import groups, prefetch
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import put_off
from annotation.assignment.progress import reader_progress
from annotation.models import Assignment, Enrolment, Filling, Kind, Study
from tests import builders, topics

NOW = timezone.now()
pytestmark = pytest.mark.django_db


def readers(study, number):
    return [builders.enrolment(study, builders.person(f"Reader{n}")) for n in range(number)]


def step(me, minute=0):
    """Give a reader the next item and end it; return its assignment, or None."""
    place = next_assignment(me, now=NOW + timedelta(minutes=minute))
    if place is not None:
        Assignment.objects.filter(pk=place.pk).update(status="done", lease_until=None)
    return place


def walk(me, steps=100):
    """All that a reader is given, as (topic, document)."""
    found = []
    while len(found) < steps and (place := step(me, len(found))):
        found.append((place.item.group, place.item.number))
    return found


def topics_of(walked):
    return [name for name, _ in groupby(name for name, _ in walked)]


def test_the_documents_of_a_topic_follow_each_other_and_each_reader_has_an_order_of_their_own():
    study = topics.study(topics=3, documents=5, overlap=2)
    first, second = (walk(me) for me in readers(study, 2))
    for walked in (first, second):
        assert len(walked) == len(set(walked)) == 15
        assert len(topics_of(walked)) == 3, "no topic is left and taken up again"
    assert (topics_of(first)[0], topics_of(second)[0]) == ("t1", "t2")
    orders = [[number for name, number in walked if name == "t1"] for walked in (first, second)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == [1, 2, 3, 4, 5]
    assert sorted(orders[0]) not in orders, "nobody gets them in the order of the file"
    places = Assignment.objects.filter(annotator__pseudonym="A", item__group="t2").order_by("claimed")
    assert [each.group_place for each in places] == [1, 2, 3, 4, 5]


def test_the_order_is_that_of_the_seed_the_reader_the_group_and_the_number():
    study = topics.study(topics=1, documents=6)
    (me,) = readers(study, 1)
    items = list(study.items.all())
    assert [n for _, n in walk(me)] == [each.number for each in groups.in_own_order(me, items)]
    before = groups.in_own_order(me, items)
    me.study.seed += 1
    assert groups.in_own_order(me, items) != before


def test_readers_enter_the_ring_as_far_from_each_other_as_can_be():
    assert [groups.van_der_corput(n) for n in range(8)] == [0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]
    study = topics.study(topics=4, documents=1, overlap=8)
    first = Counter(walk(me, 1)[0][0] for me in readers(study, 8))
    assert first == {"t1": 2, "t2": 2, "t3": 2, "t4": 2}


def test_exactly_k_readings_however_the_readers_come_to_them():
    study = topics.study(topics=3, documents=3, overlap=2)
    mine = {me: [] for me in readers(study, 3)}
    moved = True
    while moved:
        moved = [walked.append(place) for me, walked in mine.items() if (place := step(me, len(walked)))]
    done = Assignment.objects.filter(status="done")
    assert done.count() == 18
    assert set(Counter(done.values_list("item", flat=True)).values()) == {2}


def test_what_a_colleague_let_lapse_comes_back_with_its_topic():
    study = topics.study(topics=1, documents=2)
    first, second = readers(study, 2)
    lost = next_assignment(first, now=NOW)
    assert len(walk(second)) == 1
    assert walk(second) == []
    later = next_assignment(second, now=NOW + timedelta(days=1))
    assert (later.pk, later.group_place) == (lost.pk, 2)


def test_what_is_put_off_comes_back_when_nothing_new_is_left_with_the_place_it_had():
    study = topics.study(topics=2, documents=2)
    (me,) = readers(study, 1)
    away = next_assignment(me, now=NOW)
    assert put_off(away, now=NOW)
    rest = walk(me)
    assert [name for name, _ in rest] == ["t1", "t2", "t2", "t1"]
    assert rest[-1][1] == away.item.number
    assert Assignment.objects.get(pk=away.pk).group_place == 1


def test_in_breadth_the_next_topic_is_one_with_fewer_readings():
    study = topics.study(topics=3, documents=2, overlap=2)
    Study.objects.filter(pk=study.pk).update(filling=Filling.BREADTH)
    first, second = readers(Study.objects.get(pk=study.pk), 2)
    assert topics_of(walk(second, 2)) == ["t2"]
    assert topics_of(walk(first)) == ["t1", "t3", "t2"]


def test_a_quota_ends_in_the_middle_of_a_topic():
    study = topics.study(topics=2, documents=3)
    Study.objects.filter(pk=study.pk).update(quota=4)
    (me,) = readers(Study.objects.get(pk=study.pk), 1)
    assert [name for name, _ in walk(me)] == ["t1", "t1", "t1", "t2"]


def test_a_check_item_comes_among_the_documents_of_its_topic_or_between_topics():
    study = topics.study(topics=2, documents=6, state="draft")
    topics.add(study, (1, 11), (2, 12), (9, 13), kind=Kind.CHECK, gold=0)
    topics.add(study, (1, 1))
    Study.objects.filter(pk=study.pk).update(check_every=2, state="open")
    topics.new_assignments(study, study.items.work().values_list("pk", flat=True))
    (me,) = readers(Study.objects.get(pk=study.pk), 1)
    total = reader_progress(me).total
    walked = walk(me)
    assert len(walked) == total == 15
    assert len(topics_of(walked)) == 3, "no check item stands in a topic that is not its own"


def test_what_is_prefetched_is_of_the_same_topic():
    study = topics.study(topics=2, documents=2)
    (me,) = readers(study, 1)
    place = next_assignment(me, now=NOW)
    item = prefetch.item_after(place, me, now=NOW)
    assert item.group == place.item.group
    assert step(me).pk == place.pk
    second = next_assignment(me, now=NOW)
    assert second.item == item
    assert prefetch.item_after(second, me, now=NOW) is None


def test_a_reader_is_told_only_of_documents_that_others_have_left():
    study = topics.study(topics=1, documents=4, overlap=1)
    first, second = readers(study, 2)
    mine = next_assignment(first, now=NOW)
    assert groups.group_progress(mine.item, first, mine.group_place) == ("t1", 1, 4)
    theirs = next_assignment(second, now=NOW)
    assert groups.group_progress(theirs.item, second, theirs.group_place) == ("t1", 1, 3)
    step(first)
    step(first)
    assert groups.group_progress(theirs.item, second, theirs.group_place) == ("t1", 1, 2)
    Assignment.objects.filter(annotator=first).update(status="done")
    Assignment.objects.filter(status="free").update(status="done", annotator=second)
    assert groups.group_progress(theirs.item, second, 5) == ("t1", 5, 5), "never 5 of 4"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="it reads SQLite's plans")
def test_a_step_sorts_nothing_of_what_a_reader_was_given_before():
    study = topics.study(topics=2, documents=3)
    (me,) = readers(study, 1)
    item = step(me).item
    with CaptureQueriesContext(connection) as queries:
        assert groups.current_group(me) == "t1"
        assert groups.next_place(item, me) == 2
    with connection.cursor() as cursor:
        plans = [
            " ".join(row[3] for row in cursor.execute("EXPLAIN QUERY PLAN " + each["sql"]).fetchall())
            for each in queries
        ]
    assert "place_claimed_last" in plans[0]
    assert "TEMP B-TREE" not in plans[0]
    assert "item_of_group" in plans[1]


def test_a_reader_is_told_only_of_documents_that_their_quota_leaves_them():
    study = topics.study(topics=2, documents=4)
    me, other = readers(study, 2)
    Enrolment.objects.filter(pk=me.pk).update(quota=6)
    me.refresh_from_db()
    walked = []
    while (place := next_assignment(me, now=NOW)) is not None:
        walked.append((groups.group_progress(place.item, me, place.group_place).size, place.item.group))
        step(me)
    assert [size for size, _ in walked] == [4] * 4 + [2] * 2, "the sixth is the last, of four in its topic"
    Enrolment.objects.filter(pk=other.pk).update(quota=2)
    other.refresh_from_db()
    place = next_assignment(other, now=NOW)
    after = prefetch.item_after(place, other, now=NOW)
    assert prefetch.prefetch_context(after, other)["group"][1:] == (2, 2), "before it is given as after"


def test_where_an_item_stands_counts_what_its_reader_can_see():
    study = topics.study(topics=2, documents=3)
    (me,) = readers(study, 1)
    first = step(me)
    first.item.quarantined = NOW
    first.item.save()
    other = study.items.filter(group="t1").exclude(pk=first.item_id).first()
    assert groups.group_progress(other, me, 2) == ("t1", 2, 3), "the first is in quarantine and was theirs"
    other.quarantined = NOW
    other.save()
    second = next_assignment(me, now=NOW)
    assert groups.group_progress(second.item, me, second.group_place) == ("t1", 2, 2)
    assert groups.group_progress(builders.item(builders.study(), 9), me, None) is None


def test_a_step_asks_as_little_in_a_long_topic(django_assert_max_num_queries):
    study = topics.study(topics=1, documents=40)
    (me,) = readers(study, 1)
    step(me)
    with django_assert_max_num_queries(14):
        assert next_assignment(me, now=NOW) is not None
