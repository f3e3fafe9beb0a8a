"""A query that is put together once gives what its queryset gives, each time it is asked."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count, DateTimeField, Exists, OuterRef
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Enrolment, Item, Judgment
from common.composed import Composed, Given
from tests import builders

NOW = timezone.now()


@pytest.fixture
def study(db, ada, ben):
    study = builders.study(items=3, overlap=2)
    for number, person in enumerate((ada, ben)):
        me = builders.enrolment(study, person)
        mine = Assignment.objects.filter(study=study, place=number + 1)
        mine.update(annotator=me, status="held", claimed=NOW + timedelta(hours=number), order=[2, 0, 1])
    Assignment.objects.filter(item__number=3).update(annotator=None, status="free", claimed=None, order=[])
    return study


def values(one):
    return one and {name: value for name, value in vars(one).items() if name != "_state"}


def everything(rows):
    """All that the rows hold, those beside them included, without another query."""
    with CaptureQueriesContext(connection) as queries:
        found = [
            [values(one), *(values(getattr(one, name)) for name in ("item", "annotator"))] for one in rows
        ]
    assert not queries
    return found


def test_the_same_objects_with_what_belongs_to_them(study):
    rows = Assignment.objects.select_related("item", "annotator").order_by("item", "place")
    asked = Composed(lambda: rows.filter(study=Given("study")))
    found = everything(asked(study=study.pk))
    assert len(found) == 6
    assert found == everything(list(rows.filter(study=study)))
    assert asked(study=study.pk + 1) == []


def test_values_differ_from_question_to_question_and_nothing_is_composed_again(study):
    composed = []

    def compose():
        composed.append(True)
        earlier = Assignment.objects.filter(claimed__lt=Given("at", DateTimeField()), item=Given("item"))
        return earlier.order_by("pk").only("pk")

    asked = Composed(compose)
    for item in Item.objects.all():
        for hours in (0, 1, 2):
            at = NOW + timedelta(hours=hours)
            plain = Assignment.objects.filter(claimed__lt=at, item=item).order_by("pk")
            assert asked(at=at, item=item.pk) == list(plain)
    assert composed == [True]


def test_what_is_counted_beside_comes_along(study):
    rows = Enrolment.objects.annotate(n=Count("assignments")).order_by("pk")
    asked = Composed(lambda: rows.filter(study=Given("study")))
    assert [each.n for each in asked(study=study.pk)] == [2, 2]


def test_a_value_inside_a_subquery(study, ada):
    own = Assignment.objects.filter(item=OuterRef("pk"), annotator=Given("me"))
    asked = Composed(lambda: Item.objects.filter(Exists(own)).order_by("number"))
    me = Enrolment.objects.get(user=ada)
    assert [each.number for each in asked(me=me.pk)] == [1, 2]


def test_the_first_or_none(study):
    asked = Composed(lambda: Judgment.objects.filter(assignment=Given("place")))
    assert asked.first(place=Assignment.objects.first().pk) is None
    judgment = builders.judgment(study, 1, Enrolment.objects.first())
    found = asked.first(place=judgment.assignment_id)
    assert (found, found.answer, found.submission) == (judgment, judgment.answer, judgment.submission)
    assert not found._state.adding


def test_a_value_that_was_not_given_is_missed(study):
    with pytest.raises(KeyError, match="study"):
        Composed(lambda: Item.objects.filter(study=Given("study")))()
