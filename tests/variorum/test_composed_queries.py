"""Every query that is composed once says to the database what its queryset would, and gets the same."""

from __future__ import annotations

import sys
from datetime import timedelta
from functools import partial
from importlib import import_module
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.judging import storing
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Consent,
    Item,
    Judgment,
    Kind,
    Message,
    Preferences,
)
from common.composed import Composed, ComposedUpdate, Given, Literal
from tests import builders
from tests.common.test_composed import rows_now, values_within

for name in ("annotation.urls", "annotation.reading.views", "variorum.backend"):
    import_module(name)
NOW = timezone.now()
SOON = NOW + timedelta(hours=2)


def all_composed():
    """All there are in the modules of a page, by where they stand."""
    found = {}
    for module in [one for name, one in sys.modules.items() if name.startswith(("annotation", "variorum"))]:
        for name, value in vars(module).items():
            for key, one in value.items() if isinstance(value, dict) else [(None, value)]:
                if isinstance(one, Composed | ComposedUpdate):
                    found[name if key is None else f"{name} {key}"] = one
    return found


COMPOSED = all_composed()


@pytest.fixture
def asked(ada, ben, cleo, client):
    """What each is asked, so that it finds something."""
    study = builders.study(items=5, overlap=2)
    me, other = builders.enrolment(study, ada), builders.enrolment(study, ben)
    Preferences.objects.create(user=ada)
    ada.user_permissions.add(Permission.objects.get(codename="view_book"))
    Consent.objects.create(study=study, version=1, text="I agree.")
    builders.judgment(study, 1, me)
    Item.objects.filter(number=5).update(kind=Kind.PRACTICE)
    held, lapsed, practice = (Assignment.objects.get(item__number=number, slot=1) for number in (2, 3, 5))
    for place, holder, at in (
        (held, me, NOW),
        (lapsed, other, NOW - timedelta(hours=1)),
        (practice, me, NOW),
    ):
        Assignment.objects.filter(pk=place.pk).update(
            annotator=holder, status=AssignmentStatus.HELD, claimed=at, lease_until=at, order=[1, 0, 2]
        )
    Assignment.objects.filter(pk=practice.pk).update(status=AssignmentStatus.DONE)
    # Past `ItemQuerySet`, which leaves this column to the task type.
    QuerySet(Item).filter(number__gt=1).update(group="topic")
    Assignment.objects.filter(annotator=me).update(group_place=1)
    Message.objects.create(
        item=held.item, reader=me, author=ben, from_researcher=True, text="Well seen.", created=NOW
    )
    client.force_login(ada)
    waits = builders.enrolment(study, cleo)
    return parameters(study, ada, me, other, held, lapsed) | {
        f"BEYOND {each}": {"study": study.pk, "me": waits.pk}
        for each in [(True, True), (True, False), (False, False)]
    }


def parameters(study, ada, me, other, held, lapsed):
    """Of each composed query, by its name."""
    free = Assignment.objects.get(item__number=4, slot=1)
    take = {"me": me.pk, "now": NOW, "claimed": NOW, "opened": None, "lease_until": SOON, "order": [2, 1, 0]}
    take["group_place"] = 2
    take["arm"] = "reveal"
    of_group = {"study": study.pk, "me": me.pk, "group": "topic"}
    before = {"me": me.pk, "claimed": SOON, "pk": free.pk}
    return {
        "LATEST_GUIDELINE": {"study": study.pk},
        "LATEST_CONSENT": {"study": study.pk},
        "OWN_ASSIGNMENT": {"user": ada.pk, "pk": held.pk},
        "GUIDELINE_AT": {"user": ada.pk, "pk": held.pk},
        "CONSENT_AT": {"user": ada.pk, "pk": held.pk},
        "LOCKED": {"pk": me.pk},
        "HELD": {"me": me.pk},
        "TAKE True": {**take, "pk": free.pk},
        "TAKE False": {**take, "pk": lapsed.pk, "holder": other.pk},
        "END": {"pk": held.pk, "me": me.pk, "status": AssignmentStatus.HELD},
        "BEYOND": {"study": study.pk, "me": me.pk},
        "AT_ITEM": {"item": free.item_id, "now": NOW},
        "IN_GROUP False": {**of_group, "slot": 2, "now": NOW},
        "IN_GROUP True": {**of_group, "group": "", "slot": 2, "now": NOW},
        "LAST_GIVEN": {"me": me.pk},
        "LAST_OF_GROUP": of_group,
        "ITEMS_OF_GROUP": of_group,
        "HERE_OR_NEW": {"item": free.item_id, "reader": me.pk},
        "BEFORE_WORK False": before,
        "BEFORE_WORK True": before,
        "BEFORE_PRACTICE": before,
        "SIGNED_IN": {"pk": ada.pk},
        "PERMISSIONS": {"pk": ada.pk},
        "VALID": {"key": Session.objects.get().pk, "now": NOW},
    }


def test_none_is_left_out(asked):
    either = {f"AT_ITEM {locked}" for locked in (True, False)} | {each for each in asked if " (" in each}
    assert {name.split(" (")[0] for name in COMPOSED} - either == {*asked} - either - {"AT_ITEM"}


def plain(composed, given):
    """The queryset that it is composed of, with the values where `Given` stands."""
    function = composed.compose.func if isinstance(composed.compose, partial) else composed.compose
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(function.__globals__, "Given", lambda name, field=None: given[name])
        return composed.compose()


def said(queries):
    """The statement, without the parentheses that an expression has and a plain value has not."""
    (one,) = [each["sql"] for each in queries if "SAVEPOINT" not in each["sql"]]
    return one.replace("(", "").replace(")", "")


@pytest.mark.parametrize("name", COMPOSED)
def test_it_is_its_queryset(name, asked):
    composed, given = COMPOSED[name], asked.get(name) or asked[name.split()[0]]
    queryset = plain(composed, given)
    if isinstance(composed, ComposedUpdate):
        ours, theirs = partial(composed, **given), partial(queryset.update, **set_to(composed, given))
    else:
        ours, theirs = partial(read, partial(composed, **given)), partial(read, queryset.all)
    found = outcome(ours)
    assert found == outcome(theirs)
    assert found[1], "nothing was found: the comparison says nothing"
    # Asked again, when it is put together already.
    assert found == outcome(ours)


def outcome(ask):
    """The statement, what came of it, and the rows there were then; nothing is kept."""
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        found = ask()
        statement = said(queries)
        rows = rows_now()
        transaction.set_rollback(True)
    return statement, found, rows


def read(ask):
    return [values_within(one) for one in ask()]


def set_to(composed, given):
    return {
        name: given[value.name] if isinstance(value, Given) else value
        for name, value in composed.values.items()
    }


def judged(place, **other):
    return Judgment(
        assignment=place,
        annotator=place.annotator,
        outcome="answer",
        answer={"option": 1},
        order=[1, 0, 2],
        active_seconds=1.25,
        submission=uuid4(),
        channel="web",
        created=NOW,
        **other,
    )


def test_an_insert_stores_what_saving_stores(asked):
    place = Assignment.objects.get(pk=asked["OWN_ASSIGNMENT"]["pk"])
    saved, *stored = (judged(place, revision=number, note="“ça” {}%s") for number in (1, 2, 3))
    saved.save(force_insert=True)
    # Composed by the first, and asked again by the second.
    for each in stored:
        each.derive()
        storing.STORE(each)
        row, theirs = (Judgment.objects.filter(pk=one.pk).values().get() for one in (each, saved))
        assert row == {**theirs, "id": each.pk, "revision": each.revision, "submission": each.submission}
        with pytest.raises(TypeError, match="append-only"):
            each.save()


def test_after_an_insert_that_was_refused_nothing_more_is_done_in_its_transaction(asked):
    place = Assignment.objects.get(pk=asked["OWN_ASSIGNMENT"]["pk"])
    one, same = judged(place), judged(place)
    for each in (one, same):
        each.derive()
    storing.STORE(one)
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            storing.STORE(same)
        with pytest.raises(TransactionManagementError):
            Judgment.objects.count()
        transaction.set_rollback(True)
    assert (same.pk, Judgment.objects.filter(assignment=place).count()) == (None, 1)


@pytest.mark.parametrize("word", ["it's", "", "Held", "is held"])
def test_a_literal_is_a_word_of_small_letters(word):
    with pytest.raises(ValueError, match="small letters"):
        Literal(word)
