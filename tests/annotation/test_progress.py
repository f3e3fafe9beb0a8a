"""How far a reader has come is counted by one written-out statement: it says what the querysets say."""

from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment import progress
from annotation.assignment.progress import ReaderProgress, reader_progress
from annotation.models import Assignment, Item, Kind, Study
from annotation.reading import given
from tests import builders

NOW = timezone.now()


def plainly(me):
    """The same, by the definitions that everything else goes by."""
    own = Assignment.objects.filter(annotator=me)
    there = Item.objects.work().filter(study=me.study)
    work = {*there.given().values_list("pk", flat=True), *own.work().values_list("item", flat=True)}
    done = own.filter(status="done").exclude(item__kind=Kind.PRACTICE).count()
    later = own.filter(status="held").exclude(put_off=None).count()
    n_work = len(work) if me.study.quota is None else min(len(work), me.study.quota)
    return ReaderProgress(done=done, total=n_work, put_off=later)


@pytest.mark.parametrize("seed", range(12))
def test_the_statement_counts_what_the_querysets_count(db, ada, ben, seed):
    random = Random(seed)
    studies = [builders.study(slug, items=12, overlap=2) for slug in ("this", "other")]
    readers = [builders.enrolment(each, reader) for each in studies for reader in (ada, ben)]
    for item in Item.objects.all():
        item.kind = random.choice([Kind.WORK, Kind.WORK, Kind.WORK, Kind.PRACTICE, Kind.CHECK])
        item.quarantined = random.choice([None, None, NOW])
        item.retired = random.choice([None, None, NOW])
        item.save()
        ours = [each for each in readers if each.study_id == item.study_id]
        for place, reader in zip(item.assignments.order_by("slot"), random.sample(ours, 2), strict=True):
            status = random.choice(["free", "held", "done"])
            held = {"annotator": reader, "claimed": NOW, "status": status}
            held["put_off"] = NOW if status == "held" and random.random() < 0.5 else None
            Assignment.objects.filter(pk=place.pk).update(**(held if status != "free" else {}))
    Study.objects.update(quota=random.choice([None, 5]))
    for me in readers:
        me.study.refresh_from_db()
        assert reader_progress(me) == plainly(me)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("practised", [None, NOW])
def test_an_item_is_numbered_by_those_given_before_it(db, ada, ben, seed, practised):
    random = Random(seed)
    study = builders.study(items=12, overlap=2)
    me, other = builders.enrolment(study, ada), builders.enrolment(study, ben)
    me.practised = practised
    me.save()
    kinds = [Kind.WORK, Kind.WORK, Kind.CHECK, *([Kind.PRACTICE] if practised else [])]
    for item in Item.objects.all():
        # Past what guards a kind that is set already.
        Item.objects.filter(pk=item.pk).update(kind=random.choice(kinds))
        first, second = item.assignments.order_by("slot")
        # Some at the same moment, and some that were imported at none.
        at = random.choice([None, *(NOW + timedelta(seconds=each) for each in range(4))])
        own = {"annotator": me, "claimed": at, "status": random.choice(["held", "done"])}
        Assignment.objects.filter(pk=first.pk).update(**own if random.random() < 0.8 else {})
        Assignment.objects.filter(pk=second.pk).update(annotator=other, claimed=NOW, status="held")
    own = given.assignments_given(me).order_by("claimed", "pk").exclude(claimed=None)
    numbers = {pk: number for number, pk in enumerate(own.values_list("pk", flat=True), 1)}
    for each in own.select_related("item", "study"):
        before = given.beside_item(each, me, is_mine=True).before
        assert (before.so_far if before else 0) == numbers[each.pk] - 1
        assert numbers.get(before.pk if before else None, 0) == numbers[each.pk] - 1


def counts_all_items(me):
    """Whether one more look at the progress counts the items of the whole study."""
    with CaptureQueriesContext(connection) as queries:
        reader_progress(me)
    assert len(queries) == 1
    return "retired IS NULL AND quarantined IS NULL)," in queries[0]["sql"]


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(progress, "_remembered", {})
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_step_of_a_large_study_does_not_count_its_items_but_now_and_then(db, ada, monkeypatch, clock):
    monkeypatch.setattr(progress, "MANY", 5)
    study = builders.study(items=5)
    me = builders.enrolment(study, ada)
    assert counts_all_items(me)
    assert not any(counts_all_items(me) for _ in range(3))
    builders.item(study, 6)
    assert reader_progress(me).total == 5
    clock[0] += progress.SECONDS
    assert counts_all_items(me)
    assert reader_progress(me) == plainly(me) == ReaderProgress(done=0, total=6, put_off=0)


def test_nobody_has_done_all_of_a_large_study_to_which_items_were_added(db, ada, monkeypatch, clock):
    monkeypatch.setattr(progress, "MANY", 5)
    study = builders.study(items=5)
    me = builders.enrolment(study, ada)
    assert reader_progress(me).total == 5
    for number in range(1, 6):
        builders.judgment(study, number, me)
    builders.item(study, 6)
    assert reader_progress(me) == plainly(me) == ReaderProgress(done=5, total=6, put_off=0)


def test_a_small_study_is_counted_each_time_also_after_it_was_large(db, ada, monkeypatch, clock):
    monkeypatch.setattr(progress, "MANY", 5)
    study = builders.study(items=5)
    me = builders.enrolment(study, ada)
    assert counts_all_items(me)
    study.items.filter(number=1).update(retired=NOW)
    clock[0] += progress.SECONDS
    assert all(counts_all_items(me) for _ in range(2))
    assert reader_progress(me).total == 4
