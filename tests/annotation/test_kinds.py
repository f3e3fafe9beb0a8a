"""Practice, check items, filling, quotas: what a reader is given next, beside the k places."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.assignment import practice
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import put_off
from annotation.assignment.progress import ReaderProgress, reader_progress
from annotation.judging.judgments import Stale, submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Enrolment, Filling, Item, Judgment, Kind, Study
from annotation.studies import overview
from annotation.studies.lifecycle import open_study
from common.errors import BadInput
from tests import builders

NOW = timezone.now()
LATER = NOW + timedelta(hours=3)


def opened(readers, *, items=4, overlap=2, practice=0, checks=0, **settings):
    """An open study: work items first, then practice, then check items, all with gold `number % 3`."""
    study = builders.study(items=items + practice + checks, overlap=overlap, state="draft")
    kinds = [Kind.WORK] * items + [Kind.PRACTICE] * practice + [Kind.CHECK] * checks
    for number, kind in enumerate(kinds, 1):
        study.items.filter(number=number).update(kind=kind)
    Study.objects.filter(pk=study.pk).update(**settings)
    made = [builders.enrolment(study, each) for each in readers]
    study.refresh_from_db()
    return open_study(study, by=None, now=NOW), made


def judge(place, right=True, **fields):
    option = (place.item.number + (0 if right else 1)) % 3
    sent = Submission(uuid.uuid4(), "answer", {"option": option}, **fields)
    return submit(place, place.annotator, sent, now=NOW)


def work_through(reader, now=NOW, right=True):
    numbers = []
    while place := next_assignment(reader, now=now):
        numbers.append(place.item.number)
        judge(place, right)
    return numbers


def test_only_work_items_get_their_places_when_a_study_opens(db, ada, ben):
    study, _ = opened([ada, ben], items=3, practice=2, checks=2)
    assert study.assignments.count() == 6
    assert set(study.assignments.values_list("item__kind", flat=True)) == {"work"}
    assert overview.assignment_counts(study).total == 6


def test_practice_comes_first_and_ends_at_the_pass_mark(db, ada, ben):
    _, (a, _) = opened([ada, ben], items=2, practice=3, pass_mark=1)
    first = next_assignment(a, now=NOW)
    assert (first.item.number, first.item.kind) == (3, "practice")
    assert next_assignment(a, now=NOW).pk == first.pk, "a reload shows the same"
    judge(first, right=False)
    second = next_assignment(a, now=NOW)
    assert second.item.number == 4
    assert reader_progress(a) == ReaderProgress(0, 2, 0), "practice is over before the counting begins"
    judge(second)
    a.refresh_from_db()
    assert a.practised == NOW
    assert work_through(a) == [1, 2]
    assert reader_progress(a) == ReaderProgress(2, 2, 0)


def test_without_a_pass_mark_all_practice_is_seen_and_then_the_work(db, ada):
    _, (a,) = opened([ada], overlap=1, items=2, practice=2)
    assert work_through(a, right=False) == [3, 4, 1, 2]


def test_who_misses_the_mark_is_given_nothing(db, ada):
    _, (a,) = opened([ada], overlap=1, items=2, practice=2, pass_mark=2)
    assert work_through(a, right=False) == [3, 4]
    assert practice.practice_progress(a) == practice.PracticeProgress(items=2, answered=2, right=0, wanted=2)
    assert not a.assignments.work().exists()


def test_the_first_practice_answer_stays_and_practice_is_not_put_off(db, ada):
    _, (a,) = opened([ada], overlap=1, items=2, practice=2, pass_mark=2)
    place = next_assignment(a, now=NOW)
    assert not put_off(place, now=NOW)
    judge(place, right=False)
    with pytest.raises(Stale, match="stays as it was"):
        judge(place, revision=1)
    assert Judgment.objects.get().revision == 1


def test_two_readers_practise_at_the_same_item_at_places_of_their_own(db, ada, ben):
    _, (a, b) = opened([ada, ben], items=1, practice=1, pass_mark=1)
    one, two = next_assignment(a, now=NOW), next_assignment(b, now=NOW)
    assert one.item_id == two.item_id
    assert [one.slot, two.slot] == [1, 2]
    assert next_assignment(b, now=LATER).pk == two.pk, "a lapsed place of one's own is nobody else's"


def test_check_items_come_once_in_every_stretch_and_count_as_any_other(db, ada, ben):
    study, (a, b) = opened([ada, ben], items=8, checks=2, check_every=4)
    total = reader_progress(a)
    assert total == ReaderProgress(0, 10, 0)
    numbers = work_through(a)
    checks = [at for at, number in enumerate(numbers) if number > 8]
    assert sorted(numbers) == list(range(1, 11))
    assert len(checks) == 2
    assert 1 <= checks[0] <= 4
    assert 6 <= checks[1] <= 9
    assert reader_progress(a) == ReaderProgress(10, 10, 0)
    work_through(b)
    assert overview.assignment_counts(study) == overview.AssignmentCounts(done=16, held=0, free=0, total=16)
    assert [each.done for each in overview.readers(study)] == [8, 8]


def test_where_a_check_item_comes_differs_between_readers(db):
    people = [builders.person(f"Reader{n}") for n in range(6)]
    _, readers = opened(people, items=10, overlap=6, checks=3, check_every=3)
    orders = {tuple(n > 10 for n in work_through(each)) for each in readers}
    assert len(orders) > 2


def test_no_key_tells_a_check_item(db, ada):
    """Keys are drawn for all places, not counted upwards in the order in which they were made."""
    _, (a,) = opened([ada], overlap=1, items=30, checks=15, check_every=2)
    given = []
    while place := next_assignment(a, now=NOW):
        given.append(place.pk)
        judge(place)
    kinds = dict(a.assignments.values_list("pk", "item__kind"))
    checks = [rank for rank, key in enumerate(sorted(kinds)) if kinds[key] == "check"]
    assert (len(given), len(checks)) == (45, 15)
    # Drawn by chance they would be the last fifteen once in 345 thousand million times.
    assert checks != list(range(30, 45))
    assert given != sorted(given)


def test_breadth_reads_every_item_once_before_any_is_read_twice(db, ada, ben, cleo):
    study, (a, b, c) = opened([ada, ben, cleo], items=4, overlap=2, filling=Filling.BREADTH)
    for reader in (a, b, c, a):
        judge(next_assignment(reader, now=NOW))
    counts = [n for n, items in overview.items_by_readings(study) if items]
    assert counts == [1], "four readings, four items"
    for reader in (a, b, c):
        work_through(reader)
    assert overview.items_by_readings(study) == [(0, 0), (1, 0), (2, 4)]


def test_depth_finishes_an_item_before_the_next(db, ada, ben):
    study, (a, b) = opened([ada, ben], items=4, overlap=2)
    for reader in (a, b, a):
        judge(next_assignment(reader, now=NOW))
    assert overview.items_by_readings(study) == [(0, 2), (1, 1), (2, 1)]


@pytest.mark.parametrize("filling", Filling.values)
def test_quarantined_and_retired_items_are_given_to_nobody(db, ada, ben, filling):
    study, (a, b) = opened([ada, ben], items=4, overlap=2, filling=filling)
    held = next_assignment(a, now=NOW)
    study.items.filter(number=1).update(quarantined=NOW)
    study.items.filter(number=3).update(retired=NOW)
    assert work_through(b) == [2, 4]
    assert reader_progress(b) == ReaderProgress(2, 2, 0)
    assert next_assignment(a, now=NOW).pk == held.pk, "who has it before them may finish it"
    assert work_through(a) == [1, 2, 4]
    assert reader_progress(a) == ReaderProgress(3, 3, 0)


def test_the_quota_of_the_study_holds_unless_the_readers_own_says_otherwise(db, ada, ben):
    _, (a, b) = opened([ada, ben], items=4, quota=2)
    Enrolment.objects.filter(pk=b.pk).update(quota=3)
    b.refresh_from_db()
    assert work_through(a) == [1, 2]
    assert reader_progress(a).total == 2
    assert work_through(b) == [1, 2, 3]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"pass_mark": 2}, "wants 2 right practice answers and has 1 practice item"),
        ({"check_every": 5}, "mixes in"),
    ],
)
def test_a_study_does_not_open_without_the_items_it_promises(db, ada, settings, sentence):
    with pytest.raises(BadInput, match=sentence):
        opened([ada], overlap=1, practice=1, **settings)
    assert not Assignment.objects.exists()


def test_claiming_in_breadth_stays_exact_when_readers_leave_gaps(db, ada, ben, cleo):
    _, readers = opened([ada, ben, cleo], items=5, overlap=3, filling=Filling.BREADTH)
    put_off(next_assignment(readers[0], now=NOW), now=NOW)
    for reader in readers:
        work_through(reader)
    assert Judgment.objects.count() == 15
    assert Item.objects.filter(assignments__status="done").distinct().count() == 5
