"""Opening a study, claiming a place, keeping it, putting it off, losing it."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment import next_item
from annotation.assignment.claiming import next_assignment, shown_order
from annotation.assignment.holding import mark_opened, put_off
from annotation.assignment.progress import ReaderProgress, reader_progress
from annotation.models import (
    Assignment,
    EnrolmentState,
    Event,
    Filling,
    Item,
    Kind,
    OptionOrder,
    Role,
    Study,
)
from annotation.studies import lifecycle
from common.errors import BadInput
from tests import builders

NOW = timezone.now()
LATER = NOW + timedelta(hours=3)


@pytest.fixture
def study(db):
    return builders.study(items=3, overlap=2)


def end(place):
    Assignment.objects.filter(pk=place.pk).update(status="done", lease_until=None)


def work_through(enrolment, now=NOW):
    numbers = []
    while place := next_assignment(enrolment, now=now):
        numbers.append(place.item.number)
        end(place)
    return numbers


def draft_with(*names, items=2, overlap=2):
    study = builders.study(items=items, overlap=overlap, state="draft")
    for name in names:
        builders.enrolment(study, builders.person(name))
    return study


def test_opening_makes_k_places_at_every_item(db, dora):
    study = lifecycle.open_study(draft_with("Ada", "Ben"), by=dora, now=NOW)
    assert study.is_open
    assert study.opened == NOW
    assert list(study.assignments.values_list("item__number", "slot", "status")) == [
        (1, 1, "free"),
        (1, 2, "free"),
        (2, 1, "free"),
        (2, 2, "free"),
    ]
    event = Event.objects.get(verb="open")
    assert (event.actor, event.data) == (dora, {"places": 4})


@pytest.mark.parametrize(
    ("names", "options", "sentence"),
    [
        ([], {"overlap": 2}, "has no reader, and no invitation link is valid: make a link"),
        (["Ada", "Ben"], {"items": 0}, "has no items"),
    ],
)
def test_opening_refuses_with_one_sentence_and_leaves_nothing(db, names, options, sentence):
    study = draft_with(*names, **options)
    with pytest.raises(BadInput, match=sentence):
        lifecycle.open_study(study, by=None, now=NOW)
    study.refresh_from_db()
    assert study.state == "draft"
    assert not Assignment.objects.exists()


def test_who_has_left_or_researches_is_no_annotator(db, dora):
    study = draft_with("Ada", overlap=1)
    study.enrolments.update(state=EnrolmentState.LEFT)
    builders.enrolment(study, dora, role=Role.RESEARCHER, pseudonym="R1")
    with pytest.raises(BadInput, match="has no reader"):
        lifecycle.open_study(study, by=dora, now=NOW)


def test_only_a_draft_is_opened_and_only_an_open_study_closed(study, dora):
    with pytest.raises(BadInput, match="is open: only a draft"):
        lifecycle.open_study(study, by=dora, now=NOW)
    assert lifecycle.close_study(study, by=dora, now=NOW).state == "closed"
    with pytest.raises(BadInput, match="is closed: only an open"):
        lifecycle.close_study(study, by=dora, now=NOW)
    assert Event.objects.filter(verb="close").count() == 1


@pytest.mark.parametrize("field", ["overlap", "seed", "task"])
def test_once_open_the_database_keeps_overlap_seed_and_task(study, field):
    draft = builders.study("draft", state="draft")
    value = {"overlap": 4, "seed": 8, "task": "other"}[field]
    assert Study.objects.filter(pk=draft.pk).update(**{field: value}) == 1
    with pytest.raises(DatabaseError, match="stay as they were when it opened"), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(**{field: value})
    study.title = "Another title"
    study.save()


def test_R07_a_reload_returns_the_same_item(a):
    first = next_assignment(a, now=NOW)
    again = next_assignment(a, now=NOW + timedelta(minutes=5))
    assert first.pk == again.pk
    assert again.lease_until == NOW + timedelta(minutes=120), "renewed when the page is opened, not here"
    assert Assignment.objects.filter(annotator=a).count() == 1


def test_each_item_once_and_then_none(a, b):
    assert work_through(a) == [1, 2, 3]
    assert work_through(b) == [1, 2, 3]
    assert next_assignment(a, now=NOW) is None


def test_a_third_reader_gets_what_two_left(study, a, b, cleo):
    work_through(a)
    end(next_assignment(b, now=NOW))
    c = builders.enrolment(study, cleo)
    assert work_through(c) == [2, 3]
    assert work_through(b) == []


def test_nothing_for_closed_left_or_other_roles(study, a, b, cleo):
    researcher = builders.enrolment(study, cleo, role=Role.RESEARCHER, pseudonym="R1")
    assert next_assignment(researcher, now=NOW) is None
    type(b).objects.filter(pk=b.pk).update(state=EnrolmentState.LEFT)
    assert next_assignment(b, now=NOW) is None
    lifecycle.close_study(study, by=None, now=NOW)
    assert next_assignment(a, now=NOW) is None


def test_the_quota_counts_places_held_and_done(study, ada):
    a = builders.enrolment(study, ada, quota=2)
    assert work_through(a) == [1, 2]
    assert reader_progress(a) == ReaderProgress(done=2, total=2, put_off=0)


def test_the_order_shown_comes_from_seed_item_and_pseudonym(study, a, b):
    first = next_assignment(a, now=NOW)
    assert first.order == shown_order(study, first.item, "A")
    drawn = {tuple(shown_order(study, first.item, name)) for name in "ABCDEFGHIJKL"}
    assert len(drawn) > 3
    assert all(sorted(order) == [0, 1, 2] for order in drawn)
    assert first.order == [2, 0, 1], "the same in every process and release"
    study.seed += 2
    assert shown_order(study, first.item, "A") != first.order
    study.option_order = OptionOrder.CANONICAL
    assert shown_order(study, first.item, "B") == [0, 1, 2]


def test_put_off_comes_back_last_the_longest_ago_first(a):
    first = next_assignment(a, now=NOW)
    assert put_off(first, now=NOW)
    second = next_assignment(a, now=NOW)
    assert second.item.number == 2
    put_off(second, now=NOW + timedelta(minutes=1))
    assert reader_progress(a) == ReaderProgress(done=0, total=3, put_off=2)
    end(next_assignment(a, now=NOW))
    assert work_through(a, now=NOW + timedelta(minutes=2)) == [1, 2]
    assert reader_progress(a) == ReaderProgress(done=3, total=3, put_off=0)
    assert Event.objects.filter(verb="later", actor=a.user).count() == 2


def test_a_done_place_is_not_put_off(a):
    place = next_assignment(a, now=NOW)
    end(place)
    assert not put_off(place, now=NOW)


def test_R05_a_lapsed_place_is_taken_by_another_and_the_draft_is_kept(study, a, b, cleo):
    held = next_assignment(a, now=NOW)
    Assignment.objects.filter(pk=held.pk).update(draft={"note": "half a thought"}, opened=NOW)
    work_through(b)
    c = builders.enrolment(study, cleo)
    assert work_through(c) == [2, 3], "nothing of item 1 is free while the lease runs"
    taken = next_assignment(c, now=LATER)
    assert (taken.pk, taken.draft, taken.opened) == (held.pk, {}, taken.claimed)
    assert taken.order == shown_order(study, taken.item, "C")
    event = Event.objects.get(verb="expired")
    assert event.actor == a.user
    assert event.data["draft"] == {"note": "half a thought"}
    assert event.data["assignment"] == held.pk


def test_R05_a_lapsed_place_nobody_took_is_still_mine(a):
    held = next_assignment(a, now=NOW)
    assert next_assignment(a, now=LATER).pk == held.pk
    assert not Event.objects.filter(verb="expired").exists()


def test_a_place_freed_behind_the_reader_is_found(study, a, b, cleo):
    next_assignment(a, now=NOW)
    work_through(b)
    c = builders.enrolment(study, cleo)
    end(next_assignment(c, now=NOW))
    builders.release_expired(LATER)
    assert work_through(c, now=LATER) == [3, 1]


def test_opening_a_page_renews_the_lease_and_is_noted_once(a):
    place = next_assignment(a, now=NOW)
    assert place.opened == NOW, "a new place is given to be shown at once"
    Assignment.objects.filter(pk=place.pk).update(opened=None)
    assert mark_opened(place, now=NOW + timedelta(minutes=1))
    assert mark_opened(place, now=NOW + timedelta(minutes=9))
    place.refresh_from_db()
    assert place.opened == NOW + timedelta(minutes=1)
    assert place.lease_until == NOW + timedelta(minutes=129)


def test_opening_a_lost_place_says_so(a, b):
    place = next_assignment(a, now=NOW)
    Assignment.objects.filter(pk=place.pk).update(annotator=b)
    assert not mark_opened(place, now=NOW)


def test_claiming_takes_few_queries_each_by_an_index(study, a):
    end(next_assignment(a, now=NOW))
    with CaptureQueriesContext(connection) as queries:
        assert next_assignment(a, now=NOW).item.number == 2
    assert len(queries) <= 13
    if connection.vendor != "sqlite":
        return
    for query in queries:
        if query["sql"].startswith(("SELECT", "UPDATE")):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN QUERY PLAN " + query["sql"])
                plan = [row[3] for row in cursor.fetchall()]
            assert not [step for step in plan if step.startswith("SCAN") and "CONSTANT" not in step], query


@pytest.mark.parametrize("filling", Filling.values)
@pytest.mark.parametrize("kind", [Kind.PRACTICE, Kind.CHECK])
def test_R05_nobody_is_given_anothers_lapsed_place_at_practice_or_a_check(study, a, b, filling, kind):
    Study.objects.filter(pk=study.pk).update(filling=filling)
    own = study.items.get(number=1)
    Item.objects.filter(pk=own.pk).update(kind=kind)
    own.assignments.all().delete()
    held = {"annotator": a, "status": "held", "claimed": NOW, "lease_until": NOW}
    Assignment.objects.create(study=study, item=own, slot=1, **held)
    b.refresh_from_db()
    assert next_item.free_assignment(b, LATER).item.number == 2
    study.assignments.work().delete()
    assert next_item.free_assignment(b, LATER) is None
