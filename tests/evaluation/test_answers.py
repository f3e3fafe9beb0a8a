"""What is read of the database: numbers as texts, orders behind one another, and what is no number."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.models import Assignment, Judgment
from evaluation.answers import Orders, Unreadable, numbers
from evaluation.reports import report
from tests.evaluation.judged import judged, row

pytestmark = pytest.mark.django_db


def test_numbers_of_a_joined_column():
    assert numbers("3,-1,20").tolist() == [3, -1, 20]
    assert numbers(None).tolist() == []


@pytest.mark.parametrize(("text", "odd"), [("1,two,3", "two"), ("1.5", "1.5")])
def test_what_is_no_whole_number_is_named(text, odd):
    with pytest.raises(Unreadable, match=rf"holds '{odd}' where a whole number must stand"):
        numbers(text)


def test_places_in_orders_of_different_lengths():
    flat, size = np.array([2, 0, 1, 1, 0, 2, 1, 0]), np.array([3, 0, 2, 3])
    orders = Orders.of(flat, size, np.array([True, True, False, True]))
    places, whole = orders.places(np.arange(3), np.array([0, 0, 0]), 3)
    assert whole.tolist() == [True, False, True]
    assert (places[0], places[2]) == (1, 2)


def test_an_order_that_is_no_shuffle_of_the_options_is_no_order():
    orders = Orders.of(np.array([0, 0, 2]), np.array([3]), np.array([True]))
    assert orders.places(np.array([0]), np.array([2]), 3)[1].tolist() == [False]


def test_an_answer_without_a_number_is_a_sentence_not_a_crash():
    study = judged(["ggg", "gg."])
    free = Assignment.objects.get(study=study, item__number=2, place=3)
    odd = row(free, study.enrolments.get(pseudonym="C"), "g")
    odd.answer = {"option": "two"}
    odd.save()
    assert report(study).problem.startswith(("An answer holds 'two'", "The judgments do not fit the items"))


def test_times_are_medians_of_current_answers_only():
    study = judged(["ggg", "ggu"])
    last = Judgment.objects.filter(annotator__pseudonym="C").order_by("pk").last()
    assert last.active_seconds is not None
    assert [each.median_seconds for each in report(study).readers] == [20.0, 21.0, 22.0]
