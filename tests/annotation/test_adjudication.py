"""Decisions: which items, in which order, and what becomes of a decision."""

from __future__ import annotations

import uuid
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from annotation.adjudication import decisions, worklist
from annotation.adjudication.decisions import DecisionConflict, SubmittedDecision, decide
from annotation.models import Decision, Item, Study
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def adjudicator(closed):
    return closed.enrolments.get(pseudonym="J1")


def ruling(item, answer, *, revision=0, reason="The second reads best.", submission=None, seen=None):
    shown = decisions.state_of(decisions.judgments_on(item)) if seen is None else seen
    return SubmittedDecision(submission or uuid.uuid4(), answer, reason, revision, shown)


def decided(item, adjudicator, answer, **fields):
    return decide(item, adjudicator, ruling(item, answer, **fields), now=timezone.now())


def test_an_open_study_gives_items_whose_places_are_all_filled(fleet):
    a, b = (fleet.enrolments.get(pseudonym=name) for name in "AB")
    builders.judgment(fleet, 1, a)
    builders.judgment(fleet, 2, a)
    builders.judgment(fleet, 2, b)
    assert [item.number for item in worklist.adjudicable_items(fleet)] == [2]


def test_a_closed_study_gives_whatever_was_judged(fleet):
    builders.judgment(fleet, 1, fleet.enrolments.get(pseudonym="A"))
    Study.objects.update(state="closed")
    assert [item.number for item in worklist.adjudicable_items(Study.objects.get(slug="fleet"))] == [1]


def test_what_was_replaced_is_never_settled_and_what_is_quarantined_waits(closed):
    Item.objects.update(quarantined=timezone.now())
    assert worklist.adjudicable_items(closed).count() == 1
    Study.objects.update(state="open")
    assert worklist.adjudicable_items(Study.objects.get(pk=closed.pk)).count() == 0
    Study.objects.update(state="closed")
    Item.objects.update(retired=timezone.now())
    assert worklist.adjudicable_items(Study.objects.get(pk=closed.pk)).count() == 0


def test_disagreement_stands_first_and_what_is_settled_last(dora, ada, ben, cleo):
    study = builders.study(items=4, overlap=2, by=dora)
    a, b = (builders.enrolment(study, user) for user in (ada, ben))
    j = builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    for number, (one, other) in enumerate([(0, 1), (1, 1), (0, None), (2, 0)], 1):
        builders.judgment(study, number, a, one)
        builders.judgment(study, number, b, other)
    decided(study.items.get(number=1), j, {"option": 1})
    found = worklist.items_to_adjudicate(study)
    assert [(each.number, each.disagreement, each.needs_decision) for each in found] == [
        (3, 1.0, True), (4, 1.0, True), (1, 1.0, False), (2, 0.0, False),
    ]  # fmt: skip
    assert [each.declined for each in found] == [1, 0, 0, 0]


def test_spans_lie_apart_by_what_they_do_not_share():
    span = registry.get("span")
    assert span.apart({"start": 0, "end": 4}, {"start": 2, "end": 6}, 0) == pytest.approx(1 - 2 / 6)
    assert span.apart({"start": 0, "end": 2}, {"start": 4, "end": 6}, 0) == 1
    assert span.apart({"start": 0, "end": 2}, {"declined": "no_allusion"}, 0) == 1
    assert span.apart({"declined": "no_allusion"}, {"declined": "no_allusion"}, 0) == 0


def test_readings_stand_together_without_names_in_an_order_of_the_seed(closed):
    item = closed.items.get()
    judgments = decisions.judgments_on(item)
    found = decisions.same_answers(item, judgments)
    assert sorted((each.answer["option"], each.times) for each in found) == [(0, 1), (1, 1)]
    assert decisions.same_answers(item, reversed(judgments)) != []
    assert found == decisions.same_answers(item, judgments)
    assert not {"A", "B"} & {str(part) for each in found for part in each}


def test_what_equals_a_reading_adopts_it(closed, adjudicator):
    item = closed.items.get()
    adopted = decided(item, adjudicator, {"option": 1})
    own = decided(item, adjudicator, {"option": 2}, revision=1)
    none = decided(item, adjudicator, None, revision=2)
    judgment = next(each for each in decisions.judgments_on(item) if each.answer == {"option": 1})
    assert [each.adopted for each in (adopted, own, none)] == [judgment.pk, None, None]
    assert [each.revision for each in (adopted, own, none)] == [1, 2, 3]
    assert adopted.seen == [each.pk for each in decisions.judgments_on(item)]


def test_no_decision_without_a_reason(closed, adjudicator):
    with pytest.raises(Invalid) as caught:
        decided(closed.items.get(), adjudicator, {"option": 1}, reason="  ")
    assert caught.value.field == "reason"
    assert not Decision.objects.exists()


@pytest.mark.parametrize("answer", [{"option": 9}, {"option": "1"}, {}])
def test_a_decision_is_an_answer_of_the_task(closed, adjudicator, answer):
    with pytest.raises(Invalid):
        decided(closed.items.get(), adjudicator, answer)
    assert not Decision.objects.exists()


def test_the_same_form_twice_is_one_decision(closed, adjudicator):
    item = closed.items.get()
    sent = ruling(item, {"option": 1})
    first = decide(item, adjudicator, sent, now=timezone.now())
    assert decide(item, adjudicator, sent, now=timezone.now()) == first
    with pytest.raises(DecisionConflict):
        decide(item, adjudicator, sent._replace(answer={"option": 0}), now=timezone.now())
    assert Decision.objects.count() == 1


def test_a_double_click_whose_halves_cross_is_one_decision(closed, adjudicator, monkeypatch):
    item = closed.items.get()
    sent, found = ruling(item, {"option": 1}), []

    def crossed():
        if not found:
            found.append(None)
            found[0] = decide(item, adjudicator, sent, now=timezone.now())
        return transaction.atomic()

    monkeypatch.setattr(decisions, "transaction", SimpleNamespace(atomic=crossed))
    assert decide(item, adjudicator, sent, now=timezone.now()) == found[0]
    assert Decision.objects.count() == 1


def test_a_stale_form_is_refused_with_what_is_stored(closed, adjudicator):
    item = closed.items.get()
    first = decided(item, adjudicator, {"option": 1})
    with pytest.raises(DecisionConflict) as caught:
        decided(item, adjudicator, {"option": 0})
    assert caught.value.current == first
    assert Decision.objects.get() == first


def test_a_reading_that_changed_is_looked_at_first(closed, adjudicator):
    item = closed.items.get()
    sent = ruling(item, {"option": 1})
    Study.objects.update(state="open")
    builders.judgment(closed, 1, closed.enrolments.get(pseudonym="A"), 2, revision=2)
    item = Item.objects.select_related("study").get(pk=item.pk)
    with pytest.raises(DecisionConflict, match="changed their answer"):
        decide(item, adjudicator, sent, now=timezone.now())
    decided(item, adjudicator, {"option": 1})
    builders.judgment(closed, 1, closed.enrolments.get(pseudonym="B"), 2, revision=2)
    assert [(each.changed, each.needs_decision) for each in worklist.items_to_adjudicate(item.study)] == [
        (True, False)
    ]


def test_a_decision_is_never_changed(closed, adjudicator):
    made = decided(closed.items.get(), adjudicator, {"option": 1})
    made.reason = "Another."
    with pytest.raises(TypeError):
        made.save()
    with pytest.raises(DatabaseError), transaction.atomic():
        Decision.objects.update(reason="Another.")


def test_readers_learn_of_decisions_when_the_study_is_closed(closed, adjudicator):
    decided(closed.items.get(), adjudicator, {"option": 1})
    ada = closed.enrolments.get(pseudonym="A")
    assert len(decisions.decisions_for_reader(ada)) == 1
    ada.study.state = "open"
    assert decisions.decisions_for_reader(ada) == {}


def test_two_who_can_not_decide_agree_on_nothing(dora, ada, ben, cleo):
    """Neither has given an answer, so the item is as open as one on which two answers differ."""
    choice = registry.get("choice")
    assert worklist.disagreement(choice, [None, None], 3) == 1.0
    assert worklist.disagreement(choice, [None], 3) == 1.0
    assert worklist.disagreement(choice, [None, None, {"option": 0}], 3) == 1.0
    assert worklist.disagreement(choice, [{"option": 0}], 3) == 0.0
    study = builders.study(items=2, overlap=2, by=dora)
    for user in (ada, ben):
        reader = builders.enrolment(study, user)
        builders.judgment(study, 1, reader, 0)
        builders.judgment(study, 2, reader, None)
    found = worklist.items_to_adjudicate(study)
    assert [(each.number, each.disagreement, each.needs_decision, each.declined) for each in found] == [
        (2, 1.0, True, 2), (1, 0.0, False, 0),
    ]  # fmt: skip
