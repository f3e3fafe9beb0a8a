"""Answers that a study prints elsewhere: what is found, covered, left out and taken back."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.items import covering, leaving_out
from annotation.items.option_orders import digest
from annotation.models import Event, Item, Kind
from annotation.studies import dismissals, guidelines, leaks, mending
from annotation.studies.duplicate import duplicate
from annotation.studies.lifecycle import in_kinds, open_study
from annotation.studies.readiness import readiness_of
from annotation.tasktypes.choice import Choice
from annotation.tasktypes.span import Span
from common.errors import BadInput
from evaluation.kinds.answers import n_retired
from retrieval.engine.leaks.places import Place
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()

# Sentences that share no six words.
LAMPS = "The lamps along the quay were lit before anybody had thought of the ferry."
FERRY = "Nobody who had ever crossed by night would trust that ferryman again with a child."
BELL = "A bell without a tongue is rung by those who have nothing left to say."
SALT = "He weighed the salt twice, and wrote the lesser figure in the harbour book."
ROPE = "Her brother’s rope had been cut, and whoever cut it was left-handed."
TIDE = "When the tide is out the town smells of what it owes to other towns."
OPTIONS = [LAMPS, FERRY, BELL]


@pytest.fixture
def draft(dora):
    return builders.study("draft", items=0, overlap=1, state="draft", by=dora)


def put(study, number, options, left="The critic begins here.", right="There he ends.", **fields):
    """An item whose right option is the first."""
    payload = {"left": [left], "right": [right], "options": options, "language": "en"}
    item = Item(
        study=study, number=number, payload=payload, gold={"option": 0}, digest=digest(payload), **fields
    )
    item.save(force_insert=True)
    return item


def found(study):
    return [
        (each.kind, each.sought.item.number, each.shown.item.number if each.shown.item else None)
        for each in leaks.check(study).leaks
    ]


def said(one):
    return f"Elsewhere we are told that “{one}” And so on."


@pytest.mark.parametrize(
    ("second", "kinds"),
    [
        ({"left": said(LAMPS)}, [("gold-in-context", 1, 2)]),
        ({"left": said(LAMPS.replace("lit", "burning"))}, [("gold-in-context", 1, 2)]),
        ({"left": said("lamps along the quay were lit")}, [("gold-in-context", 1, 2)]),
        ({"left": said("along the quay were lit")}, []),
        ({"right": said(SALT)}, [("gold-in-own-context", 2, 2)]),
        ({"right": said(ROPE)}, [("wrong-in-own-context", 2, 2)]),
        ({"right": said(ROPE.replace("brother’s", "sister’s"))}, [("wrong-in-own-context", 2, 2)]),
        ({"left": said(FERRY)}, [("wrong-in-context", 1, 2)]),
        ({"options": [LAMPS, ROPE, TIDE]}, [("gold-twice", 2, 1)]),
        ({"options": [SALT, LAMPS, TIDE]}, [("gold-as-wrong", 1, 2)]),
        ({"options": [SALT, FERRY, TIDE]}, []),
        ({"options": [LAMPS, ROPE, TIDE], "kind": Kind.PRACTICE}, [("gold-told-in-practice", 1, 2)]),
        ({"options": [LAMPS, ROPE, TIDE], "kind": Kind.CHECK}, [("gold-twice", 2, 1)]),
        (
            {"kind": Kind.PRACTICE, "provenance": {"explanation": said(LAMPS)}},
            [("gold-in-explanation", 1, 2)],
        ),
        (
            {"kind": Kind.PRACTICE, "provenance": {"explanation": said(SALT)}},
            [],
        ),  # its own is told afterwards
        ({"left": said(LAMPS), "retired": NOW}, []),
        ({}, []),
    ],
)
def test_what_the_check_finds(draft, second, kinds):
    put(draft, 1, OPTIONS)
    put(draft, 2, **{"options": [SALT, ROPE, TIDE], **second})
    assert found(draft) == kinds


def test_guidelines_that_print_an_answer(draft, dora):
    put(draft, 1, OPTIONS)
    seen = draft.latest_guideline().version
    guidelines.revise(draft, f"For example: {LAMPS}", seen=seen, by=dora)
    assert found(draft) == [("gold-in-text", 1, None)]
    guidelines.revise(draft, "Read.", seen=seen + 1, by=dora)
    assert found(draft) == []


def test_a_wrong_option_of_many_items_is_said_once(draft):
    golds = [LAMPS, FERRY, BELL, SALT]
    for number, gold in enumerate(golds[: leaks.MOST_USES], 1):
        put(draft, number, [gold, TIDE])
    assert found(draft) == []
    put(draft, 4, [golds[3], TIDE.upper()])
    assert found(draft) == [("wrong-often", 4, 1)]


def test_cautions_stand_first_and_say_which_words(draft):
    put(draft, 1, OPTIONS, left=said(FERRY))
    put(draft, 2, [SALT, ROPE, TIDE], left=said(FERRY), right=said(LAMPS))
    checked = leaks.check(draft)
    assert [each.kind for each in checked.leaks] == [
        "gold-in-context",
        "wrong-in-own-context",
        "wrong-in-context",
    ]
    assert checked.cautions == checked.leaks[:2]
    assert checked.leaks[0].words == [LAMPS[:-1]]
    assert checked.n_items == 2


def test_the_longest_run_of_every_item(draft):
    put(draft, 1, OPTIONS, left="Of lamps along the quay.")
    put(draft, 2, [SALT, ROPE], left="Nothing.", right="None.")
    runs = [(each.item.number, each.length, each.words) for each in leaks.check(draft).runs]
    assert runs == [(1, 4, "lamps along the quay"), (2, 0, "")]


def test_a_task_without_such_options_has_nothing_to_check(dora):
    study = builders.study("spans", items=0, state="draft", task="span")
    example = Span.example()
    Item(study=study, number=1, payload=example.payload, gold=example.gold, digest="d").save()
    assert leaks.check(study) == leaks.Checked([], [], 1)


def test_words_are_covered_and_uncovered(draft, dora):
    put(draft, 1, OPTIONS)
    item = put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    as_built, digest_built = item.payload, item.digest
    [leak] = leaks.check(draft).leaks
    mending.cover(leak, by=dora, now=NOW)
    item.refresh_from_db()
    assert item.payload["left"] == ["Elsewhere we are told that “[…].” And so on."]
    assert {**item.payload, "left": as_built["left"]} == as_built
    assert item.digest == digest_built
    [made] = covering.covers(item)
    assert (made.words, made.text) == (LAMPS[:-1], 0)
    event = Event.objects.get(pk=made.event)
    assert (event.verb, event.actor, event.data["number"]) == ("cover", dora, 2)
    assert "item 1" in made.why
    assert found(draft) == []
    with pytest.raises(BadInput, match="covered already"):
        mending.cover(leak, by=dora, now=NOW)
    item = covering.uncover(item, made.event, by=dora)
    item.refresh_from_db()
    assert (item.payload, item.provenance) == (as_built, {})
    with pytest.raises(BadInput, match="not there any more"):
        covering.uncover(item, made.event, by=dora)


def test_stretches_that_meet_are_one_and_each_is_taken_back_by_itself(draft):
    item = put(draft, 1, OPTIONS, left="one two three four five")
    for start, end in ((0, 7), (4, 13)):
        item = covering.cover(item, [Place(0, start, end)], by=None, why="by hand", now=NOW)
    assert item.payload["left"] == ["[…] four five"]
    first = covering.covers(item)[0]
    assert covering.uncover(item, first.event, by=None).payload["left"] == ["one […] four five"]


def test_words_that_meet_only_when_others_are_covered_are_covered_too(draft, dora):
    put(draft, 1, OPTIONS)
    parts = ["The lamps along the", "quay were lit before", "anybody had thought of", "the ferry."]
    words = ["a dog barked once", "a child cried twice", "a door fell shut"]
    left = " ".join(word for pair in zip(parts, [*words, "Enough."], strict=True) for word in pair)
    item = put(draft, 2, [SALT, ROPE, TIDE], left=left)
    assert found(draft) == []
    between = [Place(0, left.index(each), left.index(each) + len(each)) for each in words]
    covering.cover(item, between, by=dora, why="by hand", now=NOW)
    [leak] = leaks.check(draft).leaks
    assert mending.mend(draft, by=dora, now=NOW) == mending.Mended(covered=1, left_out=0)
    item.refresh_from_db()
    assert item.payload["left"] == ["[…]. Enough."]
    assert found(draft) == []
    with pytest.raises(BadInput, match="covered already"):
        mending.cover(leak, by=dora, now=NOW)


def test_nothing_is_covered_or_left_out_once_readers_may_come(draft, ada):
    item = put(draft, 1, OPTIONS)
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    [leak] = leaks.check(draft).leaks
    builders.enrolment(draft, ada)
    open_study(draft, by=None, now=NOW)
    item.study.refresh_from_db()
    for act in (
        lambda: mending.cover(leak, by=None, now=NOW),
        lambda: mending.mend(draft, by=None, now=NOW),
        lambda: covering.uncover(item, 1, by=None),
        lambda: leaving_out.leave_out(item, by=None, why="", now=NOW),
        lambda: leaving_out.take_back(item, by=None),
    ):
        with pytest.raises(BadInput, match="is open: readers have its items"):
            act()


def test_an_item_is_left_out_and_taken_back(draft, dora, ada):
    builders.enrolment(draft, ada)
    item = put(draft, 1, OPTIONS)
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    leaving_out.leave_out(item, by=dora, why="printed elsewhere", now=NOW)
    item.refresh_from_db()
    assert item.is_left_out
    assert (found(draft), in_kinds(draft)[Kind.WORK], n_retired(draft)) == ([], 1, 0)
    with pytest.raises(BadInput, match="left out already"):
        leaving_out.leave_out(item, by=dora, why="", now=NOW)
    leaving_out.take_back(item, by=dora)
    with pytest.raises(BadInput, match="was not left out"):
        leaving_out.take_back(item, by=dora)
    assert len(found(draft)) == 1
    leaving_out.leave_out(item, by=dora, why="", now=NOW)
    opened = open_study(draft, by=None, now=NOW)
    assert list(opened.assignments.values_list("item__number", flat=True)) == [2]
    assert list(draft.events.filter(verb__in=["leave out", "take back"]).values_list("verb", flat=True)) == [
        "leave out",
        "take back",
        "leave out",
    ]


def test_everything_is_mended_at_once(draft, dora):
    put(draft, 1, OPTIONS, left=said(BELL))
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS), right=said(ROPE.replace("rope", "line")))
    practice = put(draft, 3, [LAMPS, TIDE], kind=Kind.PRACTICE)
    assert len(leaks.check(draft).cautions) == 5
    assert mending.mend(draft, by=dora, now=NOW) == mending.Mended(covered=3, left_out=1)
    assert leaks.check(draft).cautions == []
    practice.refresh_from_db()
    assert practice.is_left_out
    assert mending.mend(draft, by=dora, now=NOW) == mending.Mended(0, 0)


def test_a_copy_keeps_what_is_covered_and_can_take_it_back(draft, dora):
    put(draft, 1, OPTIONS)
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    mending.mend(draft, by=dora, now=NOW)
    copy = duplicate(draft, slug="copy", title="Copy", by=dora)
    item = copy.items.get(number=2)
    assert "[…]" in item.payload["left"][0]
    [made] = covering.covers(item)
    assert covering.uncover(item, made.event, by=dora).payload["left"] == [said(LAMPS)]


def test_readiness_cautions_and_does_not_refuse(draft, ada):
    builders.enrolment(draft, ada)
    put(draft, 1, OPTIONS)
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    ready = readiness_of(draft)
    assert ready.missing == []
    assert "1 answer can be found without reading" in " ".join(ready.advice)
    mending.mend(draft, by=None, now=NOW)
    assert "without reading" not in " ".join(readiness_of(draft).advice)


def test_the_context_of_a_choice_is_put_back_where_it_was():
    payload = Choice.example().payload
    task = Choice()
    assert task.with_context(payload, task.context_texts(payload)) == payload
    changed = task.with_context(payload, ["before", "behind"])
    assert (changed["left"], changed["right"]) == (["before"], ["behind"])


def test_a_finding_that_was_dismissed_comes_back_with_another_text(draft, dora):
    put(draft, 1, OPTIONS)
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    seen = draft.latest_guideline().version
    guidelines.revise(draft, f"For example: {FERRY} {BELL}", seen=seen, by=dora)
    [leak] = leaks.check(draft).cautions
    dismissals.dismiss(draft, leak.key, leak.kind, leak.items, by=dora, why="a proverb")
    checked = leaks.check(draft)
    assert (checked.cautions, checked.noted, len(checked.dismissed)) == ([], [], 1)
    assert checked.dismissed[0].dismissal[::2] == (dora, "a proverb")
    assert mending.mend(draft, by=dora, now=NOW) == mending.Mended(0, 0)
    item = draft.items.get(number=2)
    builders.rewrite(
        draft.items.filter(pk=item.pk), payload={**item.payload, "left": [said(LAMPS) + " Indeed."]}
    )
    assert len(leaks.check(draft).cautions) == 1
    dismissals.take_back(draft, leak.key, by=dora)
    with pytest.raises(BadInput, match="not marked as harmless"):
        dismissals.take_back(draft, leak.key, by=dora)


def test_the_key_of_a_finding_tells_kind_and_texts_apart():
    keys = {
        dismissals.key_of(*each)
        for each in [("a", "bc", "d"), ("a", "b", "cd"), ("ab", "c", "d"), ("a", "bc", "e")]
    }
    assert len(keys) == 4
