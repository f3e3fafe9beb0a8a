"""A query that is put together once does what its queryset does, each time it is asked."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import CharField, Count, DateTimeField, Exists, F, JSONField, OuterRef, Q
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Enrolment, Item, Judgment, Study
from common.composed import Composed, ComposedUpdate, Given, together
from tests import builders

NOW = timezone.now()


@pytest.fixture
def study(db, ada, ben):
    study = builders.study(items=3, overlap=2)
    for number, person in enumerate((ada, ben)):
        me = builders.enrolment(study, person)
        mine = Assignment.objects.filter(study=study, slot=number + 1)
        mine.update(annotator=me, status="held", claimed=NOW + timedelta(hours=number), order=[2, 0, 1])
    Assignment.objects.filter(item__number=3).update(annotator=None, status="free", claimed=None, order=[])
    return study


def values(one):
    return one and {name: value for name, value in vars(one).items() if name != "_state"}


def values_within(one, seen=()):
    """Its values, and those of all that came with it."""
    there = {name: each for name, each in one._state.fields_cache.items() if each not in seen}
    inside = {name: each and values_within(each, (*seen, one)) for name, each in there.items()}
    return [values(one), inside]


def everything(rows):
    """All that the rows hold, those beside them included, without another query."""
    with CaptureQueriesContext(connection) as queries:
        found = [
            [values(one), *(values(getattr(one, name)) for name in ("item", "annotator"))] for one in rows
        ]
    assert not queries
    return found


def test_the_same_objects_with_what_belongs_to_them(study):
    rows = Assignment.objects.select_related("item", "annotator").order_by("item", "slot")
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


def test_converters_of_columns_are_made_once(study, monkeypatch):
    made, get_converters = [], SQLCompiler.get_converters

    def noted(compiler, expressions):
        made.append(True)
        return get_converters(compiler, expressions)

    monkeypatch.setattr(SQLCompiler, "get_converters", noted)
    asked = Composed(lambda: Assignment.objects.filter(item=Given("item")))
    first, *others = Item.objects.all()
    assert asked(item=first.pk)
    assert made
    made.clear()
    assert all(asked(item=each.pk) for each in others)
    assert not made


def test_every_kind_of_column_is_read_as_its_queryset_reads_it(study, ben):
    Study.objects.update(rate="1.50", quota=None, ask_basis=True, opened=NOW)
    judgment = builders.judgment(study, 1, Enrolment.objects.first())
    rows = Judgment.objects.select_related("assignment__study", "guideline")
    found = Composed(lambda: rows.filter(pk=Given("pk"))).first(pk=judgment.pk)
    plain = rows.get(pk=judgment.pk)
    assert values_within(found) == values_within(plain)
    assert found.assignment.study.rate == plain.assignment.study.rate


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


TAKE = {
    "status": "held",
    "annotator": Given("me"),
    "claimed": Given("now", DateTimeField()),
    "lease_until": Given("until", DateTimeField()),
    "order": Given("order", JSONField()),
    "put_off": None,
    "draft": {"note": "none"},
}


def rows_now():
    return [values(one) for one in Assignment.objects.order_by("pk")]


@pytest.mark.parametrize("until", [NOW + timedelta(hours=2), None])
@pytest.mark.parametrize("order", [[2, 0, 1], []])
def test_an_update_changes_what_its_queryset_would(study, until, order):
    me, item = Enrolment.objects.first(), Item.objects.get(number=3)
    still = Q(status="free") | Q(status="held", lease_until__lte=Given("now", DateTimeField()))
    update = ComposedUpdate(
        lambda: Assignment.objects.filter(still, item=Given("item"), slot=1, study__state="open"), **TAKE
    )
    given = {"me": me.pk, "now": NOW, "until": until, "order": order}
    assert update(item=item.pk, **given) == 1
    composed = rows_now()
    assert update(item=item.pk, **given) == 0, "it is held by now, and its lease has not run out"
    Assignment.objects.filter(item=item).update(annotator=None, status="free", claimed=None, order=[])
    set_to = {name: given[each.name] if isinstance(each, Given) else each for name, each in TAKE.items()}
    assert Assignment.objects.filter(item=item, slot=1).update(**set_to) == 1
    assert composed == rows_now()


def test_an_update_with_a_column_of_its_own(study):
    """An expression is set as well as a value; the queryset's order is of no account."""
    update = ComposedUpdate(
        lambda: Assignment.objects.filter(status=Given("status", CharField())).order_by("item"),
        put_off=F("claimed"),
    )
    assert update(status="held") == 4
    assert update(status="none") == 0
    assert all(one.put_off == one.claimed for one in Assignment.objects.all())


def test_an_update_is_composed_once_and_executed_each_time(study):
    composed = []

    def compose():
        composed.append(True)
        return Assignment.objects.filter(pk=Given("pk"))

    update = ComposedUpdate(compose, order=Given("order", JSONField()))
    for number, place in enumerate(Assignment.objects.all()):
        assert update(pk=place.pk, order=[number]) == 1
    assert composed == [True]
    assert [one.order for one in Assignment.objects.all()] == [[number] for number in range(6)]


def test_after_an_update_that_failed_its_transaction_is_at_an_end(study):
    """As it is after a queryset's: what came before must not be kept by somebody who goes on."""
    update = ComposedUpdate(lambda: Assignment.objects.filter(item=Given("item")), slot=1)
    item = Item.objects.first()
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            update(item=item.pk)
        with pytest.raises(transaction.TransactionManagementError):
            Assignment.objects.count()
        transaction.set_rollback(True)


def test_the_one_row_that_is_locked_is_updated_before_anything_else_is_asked_and_the_row_must_be_one(study):
    own = ComposedUpdate(
        lambda: Assignment.objects.filter(item=Given("item"), slot=Given("slot")), arm="reveal"
    )
    item = Item.objects.first().pk
    with transaction.atomic():
        own.one_with_commit(item=item, slot=2)
        assert [one.slot for one in Assignment.objects.filter(arm="reveal")] == [2]
    with pytest.raises(RuntimeError, match="0 rows"), transaction.atomic():  # noqa: PT012 - it may wait
        own.one_with_commit(item=item, slot=3)
        Assignment.objects.count()


PUT_OFF = ComposedUpdate(
    lambda: Assignment.objects.filter(item=Given("item")), put_off=Given("at", DateTimeField())
)
PUT_OFF_AT = Composed(lambda: Assignment.objects.filter(item=Given("item"), put_off__isnull=False))


def test_of_several_questions_each_sees_what_those_before_it_changed(study):
    first, other, _ = Item.objects.order_by("number")
    before, changed, after, elsewhere = together(
        PUT_OFF_AT.asked(item=first.pk),
        PUT_OFF.asked(item=first.pk, at=NOW),
        PUT_OFF_AT.asked(item=first.pk),
        PUT_OFF_AT.asked(item=other.pk),
    )
    assert (before, changed, len(after), elsewhere) == ([], 2, 2, [])


def test_where_one_of_several_fails_its_error_is_told_and_none_behind_it_is_asked(study):
    first, other, _ = Item.objects.order_by("number")
    # Nobody's, and yet held: a constraint forbids that.
    nobodys = ComposedUpdate(lambda: Assignment.objects.filter(item=Given("item")), annotator=None)
    with pytest.raises(IntegrityError, match="free_or_somebodys"), transaction.atomic():
        together(
            PUT_OFF.asked(item=first.pk, at=NOW),
            nobodys.asked(item=first.pk),
            PUT_OFF.asked(item=other.pk, at=NOW),
        )
    assert not Assignment.objects.filter(put_off__isnull=False).exists()
    assert together(PUT_OFF.asked(item=first.pk, at=NOW), PUT_OFF.asked(item=other.pk, at=NOW)) == [2, 2]
