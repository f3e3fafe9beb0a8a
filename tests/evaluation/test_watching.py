"""The live page's numbers: places, pace, planning, readers beside each other, items by disagreement."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from annotation.models import Assignment, AssignmentStatus, Item, Judgment, Kind, Study
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.planning import more_items
from evaluation.metrics.nominal.pairwise_agreement import agreement_with_others, item_disagreement
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.ordinal.gold import ABSOLUTE_DIFFERENCE
from evaluation.report.compute import report
from evaluation.watch.forecast import forecast
from evaluation.watch.headlines import headline
from evaluation.watch.snapshot import fingerprint, fingerprinted, watch
from tests import builders
from tests.evaluation.judged import NOW, judged
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def state(study, now=NOW, *shown):
    return fingerprint(fingerprinted(Study.objects.filter(pk=study.pk), now).get(), now, *shown)


@pytest.mark.parametrize(
    ("half", "n", "more"),
    [(0.0655, 200, 144), (0.05, 341, 0), (0.04, 100, 0), (0.10, 86, 258), (0.0, 5, 0)],
)
def test_an_interval_narrows_with_the_root_of_the_items(half, n, more):
    assert more_items(half, n) == more


def test_the_planner_agrees_with_the_precision_table():
    """statistics: a half width of .10/.07/.05/.03 needs 86/174/341/946 items of data like RELiC's."""
    for half, needed in ((0.10, 86), (0.07, 174), (0.03, 946)):
        assert 341 + more_items(0.05, 341, half) == pytest.approx(max(341, needed), rel=0.02)


@pytest.mark.parametrize("wrong", [(-0.1, 5, 0.05), (0.1, 0, 0.05), (0.1, 5, 0)])
def test_no_plan_from_nothing(wrong):
    with pytest.raises(ValueError, match="positive"):
        more_items(*wrong)


def test_the_page_plans_from_the_interval_of_the_report():
    study = judged(["ggg"] * 20 + ["ggx"] * 9 + ["gxy"])
    last = watch(study, now=NOW).agreement[-1]
    line = report(study, now=NOW).line("randolph_kappa").estimate
    assert (last.label, last.value, last.n_items) == ("Randolph κ", "0.650", 30)
    assert last.more == more_items((line.high - line.low) / 2, 30) > 100


def test_what_counts_grades_or_minutes_is_not_forecast_to_a_width_of_shares():
    found = Estimate("", "", 1.5, 1.0, 2.0, 0.95, "bootstrap", 100, 1, 30, 90, "", None)
    assert headline(ABSOLUTE_DIFFERENCE, found, 0).more is None
    assert headline(replace(ABSOLUTE_DIFFERENCE, unit=""), found, 0).more == more_items(0.5, 30)
    assert headline(replace(ABSOLUTE_DIFFERENCE, unit=""), found, 6).more == more_items(0.5, 6)


def test_each_reader_beside_the_others_by_hand():
    table = tabulate([0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0], [0, 0, 1, 2, 2, 1], [-1] * 3, 3)
    # Item 0: A and B agree, C with neither; item 1: A and B agree; item 2: A alone.
    assert [(each.n_pairs, each.agreement) for each in agreement_with_others(table)] == [
        (3, pytest.approx(2 / 3)), (3, pytest.approx(2 / 3)), (2, 0.0),
    ]  # fmt: skip


def test_how_far_readings_lie_apart_by_hand():
    found = item_disagreement([3, 1, 0, 0], [3, 3, 2, 1])
    assert found[:3].tolist() == pytest.approx([0, 2 / 3, 1])
    assert np.isnan(found[3])


def test_items_stand_by_disagreement_and_refusals_count_as_such():
    seen = watch(judged(["ggg", "gxy", "ggu", "ggx", "..."]), now=NOW)
    assert [(each.number, each.apart and round(each.apart, 3)) for each in seen.items] == [
        (2, 1.0), (3, 0.667), (4, 0.667), (1, 0.0),
    ]  # fmt: skip
    assert seen.items[1].undecided == 1
    rows = [
        (size.value, items.value, bar.bar) for size, items, bar in (row.cells for row in seen.spread.rows)
    ]
    assert rows == [(0, 1, 0.25), (1, 0, 0), (2, 0, 0), (3, 4, 1)]


def test_spans_stand_by_what_they_do_not_share():
    seen = watch(marked([(7, 12), (7, 12), (7, 12)], [(7, 9), (8, 12), "n"], ["n", "n", "n"]), now=NOW)
    assert [each.number for each in seen.items] == [2, 1, 3]
    assert seen.items[0].apart == pytest.approx(1 - (1 / 5) / 3)
    assert seen.items[2].apart == 0
    assert seen.agreement[-1].label == "span_alpha"
    assert seen.readers[0].habits == ()


def test_places_are_counted_by_state_and_person():
    study = judged(["ggg", "g..", "..."])
    ada = study.enrolments.get(pseudonym="A")
    held = Assignment.objects.filter(item__number=3).first()
    past = NOW - timedelta(minutes=1)
    Assignment.objects.filter(pk=held.pk).update(
        annotator=ada, status=AssignmentStatus.HELD, lease_until=past
    )
    seen = watch(study, now=NOW)
    assert seen.assignments[:5] == (4, 1, 0, 1, 4)
    assert seen.readers[0].held == (2, 1, 0, 1)
    assert [each.held.done for each in seen.readers] == [2, 1, 1]


def test_items_in_quarantine_are_kept_back_and_replaced_ones_left_out():
    study = judged(["ggg", "...", "gg."])
    Item.objects.filter(number=2).update(quarantined=NOW)
    Item.objects.filter(number=3).update(retired=NOW)
    seen = watch(study, now=NOW)
    assert (
        seen.assignments.done,
        seen.assignments.free,
        seen.assignments.kept_back,
        seen.assignments.total,
    ) == (3, 0, 3, 6)
    assert seen.n_items == 2


def test_the_pace_is_of_first_judgments_in_seven_days():
    study = judged(["ggg", "ggg", "..."])
    Study.objects.filter(pk=study.pk).update(opened=NOW - timedelta(days=30))
    study.refresh_from_db()
    last = Judgment.objects.filter(assignment__study=study).last()
    Judgment.objects.create(**{**fields(last), "revision": 2})
    seen = watch(study, now=NOW).pace
    assert [day.judged for day in seen.days] == [0, 0, 0, 0, 0, 0, 6]
    assert seen.days[-1].day == NOW.date()
    # Six in six and a half days, three places left: three and a quarter days.
    assert seen.full == NOW.date() + timedelta(days=4)
    assert watch(study, now=NOW + timedelta(days=20)).pace.full is None


def test_the_pace_leaves_out_what_was_taken_back_and_counts_a_place_for_whoever_has_it_now():
    study = judged(["ggg"])
    Study.objects.filter(pk=study.pk).update(opened=NOW - timedelta(days=30))
    study.refresh_from_db()
    one, other, third = Judgment.objects.filter(assignment__study=study)
    back = {"revision": 2, "outcome": "taken_back", "answer": None, "created": NOW}
    Judgment.objects.create(**{**fields(one), **back})
    Judgment.objects.create(**{**fields(other), **back, "submission": uuid.uuid4()})
    anew = {"revision": 3, "submission": uuid.uuid4(), "annotator": third.annotator}
    Judgment.objects.create(**{**fields(other), **anew, "created": NOW - timedelta(days=1)})
    assert [day.judged for day in watch(study, now=NOW).pace.days][-2:] == [1, 1]


def fields(judgment):
    names = ("assignment", "annotator", "outcome", "answer", "order", "channel", "created")
    return {**{name: getattr(judgment, name) for name in names}, "submission": "0" * 31 + "1"}


@pytest.mark.parametrize(
    ("left", "rate", "day"),
    [
        (10, 5.0, date(2026, 3, 3)),
        (11, 5.0, date(2026, 3, 4)),
        (0, 5.0, None),
        (9, None, None),
        (9999, 1.0, None),
    ],
)
def test_a_forecast_is_a_day_or_nothing(left, rate, day):
    assert forecast(left, rate, date(2026, 3, 1)) == day


def test_a_reader_who_likes_the_first_place_is_seen():
    """Shown orders are such that A always chooses what stands first; the others spread."""
    study = judged(["ggg"] * 30)
    builders.erasable(study.enrolments.get(pseudonym="A"))
    for each in Judgment.objects.filter(assignment__study=study, annotator__pseudonym="A"):
        chosen = each.answer["option"]
        order = [chosen, *(n for n in range(3) if n != chosen)]
        each.delete()
        each.pk, each._state.adding, each.order = None, True, order
        each.save()
    a, b, _ = watch(study, now=NOW).readers
    assert [(each.words, each.loud) for each in a.habits] == [("1: 100.0 %", False), ("< 0.001", True)]
    assert not b.habits[1].loud


def test_checks_are_counted_apart():
    study = judged(["ggg", "ggg"])
    check = builders.item(study, 9, gold=1)
    Item.objects.filter(pk=check.pk).update(kind=Kind.CHECK)
    for place in (1, 2):
        Assignment.objects.create(study=study, item=check, slot=place)
    ada, ben = (study.enrolments.get(pseudonym=name) for name in "AB")
    builders.judgment(study, 9, ada, 1)
    builders.judgment(study, 9, ben, None)
    seen = watch(study, now=NOW)
    assert [each.checks for each in seen.readers] == ["1 of 1", "0 of 1", "—"]
    assert seen.assignments.done == 6
    assert seen.n_flags == 0


def test_what_stands_in_the_way_is_said():
    assert watch(builders.study("empty", items=0, state="draft"), now=NOW).problem
    assert "Nobody has judged" in watch(builders.study("new"), now=NOW).problem


def test_the_fingerprint_changes_with_what_is_shown_and_with_nothing_else():
    study = judged(["gg.", "..."])
    first = state(study)
    assert first == state(study)
    assert first != state(study, NOW, "2")
    assert first != state(study, LATER)
    other = builders.study("other")
    builders.judgment(other, 1, builders.enrolment(other, builders.person("Uma")))
    assert first == state(study)
    seen = {first}
    for act in (
        lambda: builders.judgment(study, 2, study.enrolments.get(pseudonym="C")),
        lambda: Assignment.objects.filter(status=AssignmentStatus.FREE).update(
            lease_until=NOW + timedelta(minutes=30)
        ),
        lambda: study.events.create(verb="quarantine"),
        lambda: Study.objects.filter(pk=study.pk).update(state="closed"),
    ):
        act()
        assert state(study) not in seen
        seen.add(state(study))


def test_days_are_those_of_utc():
    study = judged(["..."])
    ada = study.enrolments.get(pseudonym="A")
    builders.judgment(study, 1, ada, created=datetime(2026, 2, 28, 23, 59, tzinfo=UTC))
    assert [day.judged for day in watch(study, now=NOW).pace.days][-2:] == [1, 0]
