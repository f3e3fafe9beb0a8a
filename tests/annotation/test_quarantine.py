"""Quarantine: by the readers' flags or by hand; lifted by hand."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.items import quarantine
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.judging.taking_back import take_back
from annotation.models import Event, Item, Kind, Outcome
from common.errors import BadInput
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(dora):
    return builders.study(items=3, overlap=3, by=dora)


@pytest.fixture
def readers(study):
    return [builders.enrolment(study, builders.person(name)) for name in ("Hal", "Ivo", "Kim")]


def say(reader, number, outcome, reason="", revision=0):
    """Through the readers' own door."""
    study = reader.study
    place = reader.assignments.filter(item__number=number).first()
    while place is None:
        given = next_assignment(reader, now=timezone.now())
        if given.item.number == number:
            place = given
        else:
            say(reader, given.item.number, Outcome.ANSWER)
    data = {"option": 0} if outcome == Outcome.ANSWER else {}
    place = study.assignments.select_related("item", "study").get(pk=place.pk)
    said = Submission(uuid.uuid4(), outcome, data, reason=reason, revision=revision)
    return submit(place, reader, said, now=timezone.now())


def shut(study):
    return list(study.items.exclude(quarantined=None).values_list("number", flat=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((Outcome.BROKEN, "Cut off."), (Outcome.BROKEN, "No end.")),
        ((Outcome.UNDECIDED, "More than one fits"), (Outcome.UNDECIDED, "None of them fits")),
        ((Outcome.BROKEN, "Cut off."), (Outcome.UNDECIDED, "None of them fits")),
    ],
)
def test_two_readers_put_an_item_in_quarantine(study, readers, first, second):
    hal, ivo, kim = readers
    say(hal, 1, *first)
    assert shut(study) == []
    say(ivo, 1, *second)
    assert shut(study) == [1]
    event = Event.objects.get(verb="quarantine")
    assert (event.actor, event.data["number"], event.data["flags"]) == (None, 1, 2)
    assert next_assignment(kim, now=timezone.now()).item.number == 2, "no further reader gets it"


def test_a_reader_who_does_not_know_is_no_flag(study, readers):
    for reader in readers:
        say(reader, 1, Outcome.UNDECIDED, "The context is not enough")
    assert shut(study) == []


def test_one_reader_twice_is_one_flag_and_what_was_taken_back_is_none(study, readers):
    hal, ivo, _ = readers
    say(hal, 1, Outcome.BROKEN, "Cut off.")
    say(hal, 1, Outcome.BROKEN, "Still cut off.", revision=1)
    assert shut(study) == []
    say(hal, 1, Outcome.ANSWER, revision=2)
    say(ivo, 1, Outcome.BROKEN, "Cut off.")
    assert shut(study) == []


def withdraw(reader, number):
    place = reader.assignments.select_related("item", "study").get(item__number=number)
    last = place.judgments.order_by("-revision").first()
    return take_back(place, reader, uuid.uuid4(), of=last.submission, now=timezone.now())


def test_a_flag_that_is_taken_back_or_changed_lets_the_item_out_and_back_in(study, readers):
    hal, ivo, kim = readers
    say(hal, 1, Outcome.BROKEN, "Cut off.")
    say(ivo, 1, Outcome.BROKEN, "No end.")
    assert shut(study) == [1]
    withdraw(ivo, 1)
    assert shut(study) == []
    event = Event.objects.get(verb="lift")
    assert (event.actor, event.data["number"], event.data["flags"]) == (None, 1, 1)
    say(kim, 1, Outcome.BROKEN, "Cut off.")
    assert shut(study) == [1], "Hal's flag still counts"
    say(kim, 1, Outcome.ANSWER, revision=1)
    assert shut(study) == []
    withdraw(kim, 1)
    assert shut(study) == [1], "what was brought back is a flag"


def test_taking_a_flag_back_lifts_no_quarantine_by_hand(study, readers, dora):
    hal = readers[0]
    say(hal, 1, Outcome.BROKEN, "Cut off.")
    quarantine.quarantine(study.items.get(number=1), by=dora, reason="So it is.", now=timezone.now())
    withdraw(hal, 1)
    assert shut(study) == [1]


def test_one_flag_is_enough_where_one_reading_is_asked_for(dora):
    study = builders.study("single", items=1, overlap=1, by=dora)
    say(builders.enrolment(study, builders.person("Uma")), 1, Outcome.BROKEN, "Cut off.")
    assert shut(study) == [1]


def test_practice_and_check_items_are_never_taken_out(study, readers):
    Item.objects.filter(number=1).update(kind=Kind.CHECK)
    for reader in readers[:2]:
        judgment = builders.judgment(study, 1, reader, None)
        assert not quarantine.react(judgment.assignment.item, study, now=timezone.now())
    with pytest.raises(BadInput, match="Only items of the work"):
        quarantine.quarantine(study.items.get(number=1), by=None, reason="x", now=timezone.now())


def test_whoever_has_the_item_before_them_may_end_it(study, readers):
    hal, ivo, kim = readers
    place = next_assignment(kim, now=timezone.now())
    for reader in (hal, ivo):
        say(reader, 1, Outcome.BROKEN, "Cut off.")
    assert next_assignment(kim, now=timezone.now()) == place
    assert say(kim, 1, Outcome.ANSWER).answer == {"option": 0}


def test_after_lifting_only_what_is_said_from_then_on_counts(study, readers, dora):
    hal, ivo, kim = readers
    for reader in (hal, ivo):
        say(reader, 1, Outcome.BROKEN, "Cut off.")
    quarantine.lift(study.items.get(number=1), by=dora)
    assert shut(study) == []
    assert next_assignment(kim, now=timezone.now()).item.number == 1
    say(kim, 1, Outcome.BROKEN, "Cut off.")
    assert shut(study) == []
    say(hal, 1, Outcome.BROKEN, "I say it again.", revision=1)
    assert shut(study) == [1]


def test_by_hand_with_a_reason_once(study, dora):
    item = study.items.get(number=2)
    with pytest.raises(BadInput, match="Say in a few words"):
        quarantine.quarantine(item, by=dora, reason=" ", now=timezone.now())
    with pytest.raises(BadInput, match="at most 500"):
        quarantine.quarantine(item, by=dora, reason="x" * 501, now=timezone.now())
    quarantine.quarantine(item, by=dora, reason="The gold is wrong.", now=timezone.now())
    with pytest.raises(BadInput, match="already"):
        quarantine.quarantine(item, by=dora, reason="Again.", now=timezone.now())
    assert Event.objects.get(verb="quarantine").data["reason"] == "The gold is wrong."
    quarantine.lift(item, by=dora)
    with pytest.raises(BadInput, match="not in quarantine"):
        quarantine.lift(item, by=dora)


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite in memory has one writer at a time")
def test_two_flags_at_once_are_two(transactional_db):
    """Each counts the other, whoever is first: on PostgreSQL, where both write at the same time."""
    study = builders.study("race", items=8, overlap=2)
    readers = [builders.enrolment(study, builders.person(name)) for name in ("Hal", "Ivo")]
    together = Barrier(len(readers))

    def flag(reader):
        try:
            for number in range(1, 9):
                place = next_assignment(reader, now=timezone.now())
                together.wait(timeout=120)
                said = Submission(uuid.uuid4(), Outcome.BROKEN, {}, reason=f"Item {number} is cut off.")
                submit(place, reader, said, now=timezone.now())
                together.wait(timeout=120)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(readers)) as threads:
        list(threads.map(flag, readers))
    assert shut(study) == list(range(1, 9))
    assert Event.objects.filter(verb="quarantine").count() == 8


def test_a_reason_that_no_database_can_keep_is_refused_in_words(study, dora):
    with pytest.raises(BadInput, match="NUL"):
        quarantine.quarantine(study.items.get(number=1), by=dora, reason="a\x00b", now=timezone.now())
