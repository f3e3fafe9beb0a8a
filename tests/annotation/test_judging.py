"""A judgment is checked, stored once, revised by adding, and never lost when it comes too late."""

import uuid
from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from annotation import access
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.judging import judgments
from annotation.judging.judgments import Late, Stale, submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Event, Guideline, Judgment, Study
from annotation.studies import lifecycle
from annotation.tasktypes.base import Invalid
from tests import builders

NOW = timezone.now()
SOON = NOW + timedelta(seconds=40)
LATER = NOW + timedelta(hours=3)


def said(option="1", **fields):
    defaults = {"submission": uuid.uuid4(), "outcome": "answer", "data": {"option": option}}
    return Submission(**{**defaults, **fields})


@pytest.fixture
def study(db):
    return builders.study(items=3, overlap=2)


@pytest.fixture
def place(a):
    return next_assignment(a, now=NOW)


def test_an_answer_is_stored_with_its_circumstances(a, place):
    made = submit(place, a, said(note=" On balance. ", active_seconds=31.5, previews=4), now=SOON)
    made.refresh_from_db()
    place.refresh_from_db()
    assert (made.answer, made.outcome, made.revision) == ({"option": 1}, "answer", 1)
    assert (made.note, made.active_seconds, made.previews) == ("On balance.", 31.5, 4)
    assert (made.order, made.channel, made.created) == (place.order, "web", SOON)
    assert (place.status, place.lease_until) == ("done", None)
    assert next_assignment(a, now=SOON).item.number == 2


@pytest.mark.parametrize("outcome", ["undecided", "broken"])
def test_other_outcomes_have_a_reason_and_no_answer(a, place, outcome):
    made = submit(place, a, said("2", outcome=outcome, reason="More than one fits"), now=SOON)
    assert (made.outcome, made.answer, made.reason) == (outcome, None, "More than one fits")


def test_the_guideline_is_the_newest_at_the_time(a, study, place):
    Guideline.objects.create(study=study, version=2, text="Read twice.")
    made = submit(place, a, said(), now=SOON)
    Guideline.objects.create(study=study, version=3, text="Read thrice.")
    assert Judgment.objects.get(pk=made.pk).guideline.version == 2


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"data": {}}, "option", "Choose the passage"),
        ({"data": {"option": "3"}}, "option", "0 to 2"),
        ({"data": {"option": [1, 2]}}, "option", "name one of the options"),
        ({"data": {"option": True}}, "option", "name one of the options"),
        ({"outcome": "maybe"}, "outcome", "answer, undecided, broken"),
        ({"note": "x" * 10_001}, "note", "10,001 characters: at most 10,000"),
        ({"note": "a\x00b"}, "note", "NUL"),
        ({"note": "a\ud800b"}, "note", "half a character pair"),
        ({"note": None}, "note", "must be a text"),
        ({"reason": "x" * 501, "outcome": "broken"}, "reason", "at most 500"),
        ({"data": {"option": "1", "extra": "\x00"}}, "extra", "NUL"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(a, place, fields, field, sentence):
    with pytest.raises(Invalid, match=sentence) as caught:
        submit(place, a, said(**fields), now=SOON)
    assert caught.value.field == field
    assert not Judgment.objects.exists()
    place.refresh_from_db()
    assert place.status == "held"


def test_I07_two_forged_values_are_refused_and_one_is_read(a, place):
    with pytest.raises(Invalid, match="came 2 times: give one value"):
        submit(place, a, said(data=QueryDict("option=1&option=2")), now=SOON)
    assert submit(place, a, said(data=QueryDict("option=2")), now=SOON).answer == {"option": 2}


def test_R02_the_same_submission_again_returns_the_first_judgment(a, place):
    sent = said(active_seconds=10)
    first = submit(place, a, sent, now=SOON)
    again = submit(place, a, sent._replace(active_seconds=12), now=LATER)
    assert first.pk == again.pk
    assert Judgment.objects.count() == 1


def test_R02_a_double_click_whose_halves_cross_finds_the_judgment_of_the_other(a, place, monkeypatch):
    sent, found = said(), []
    look = judgments.read_submission

    def crossed(*asked):
        if not found:
            found.append(None)
            found[0] = submit(place, a, sent, now=SOON)
        return look(*asked)

    monkeypatch.setattr(judgments, "read_submission", crossed)
    assert submit(place, a, sent, now=SOON) == found[0]
    assert Judgment.objects.count() == 1


def test_R03_the_same_id_with_another_answer_is_refused(a, place):
    sent = said("1")
    first = submit(place, a, sent, now=SOON)
    with pytest.raises(Stale, match="with another answer") as caught:
        submit(place, a, sent._replace(data={"option": "2"}), now=SOON)
    assert caught.value.current == first


def test_R03_the_same_id_at_another_item_is_refused_without_showing_anything(a, b, place):
    sent = said("1")
    submit(place, a, sent, now=SOON)
    for who in (a, b):
        with pytest.raises(Stale, match="something else") as caught:
            submit(next_assignment(who, now=SOON), who, sent, now=SOON)
        assert caught.value.current is None
    assert Judgment.objects.count() == 1


def test_R07_a_change_of_mind_is_a_new_revision(a, place):
    submit(place, a, said("1"), now=SOON)
    second = submit(place, a, said("2", revision=1), now=LATER)
    assert second.revision == 2
    assert [j.answer["option"] for j in Judgment.objects.order_by("revision")] == [1, 2]
    assert list(Judgment.objects.current()) == [second]


def test_R07_a_second_tab_gets_the_current_state_instead_of_a_second_judgment(a, place):
    first = submit(place, a, said("1"), now=SOON)
    with pytest.raises(Stale, match="has changed since this page was loaded") as caught:
        submit(place, a, said("2"), now=SOON)
    assert caught.value.current == first


@pytest.mark.parametrize(
    ("claimed", "stored"),
    [
        (31.25, 31.25),
        (4000, 40.0),
        (-5, 0.0),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        ("12", None),
    ],
)
def test_R10_active_seconds_stay_within_the_servers_clock(a, place, claimed, stored):
    assert submit(place, a, said(active_seconds=claimed), now=SOON).active_seconds == stored


def test_R10_a_clock_set_back_gives_no_negative_time(a, place):
    mark_opened(place, now=SOON)
    assert submit(place, a, said(active_seconds=9), now=NOW).active_seconds == 0


def test_an_expired_lease_nobody_wanted_does_not_matter(a, place):
    assert submit(place, a, said(), now=LATER).assignment_id == place.pk


def test_R05_a_released_place_is_taken_back(a, place):
    builders.release_expired(LATER)
    made = submit(place, a, said(), now=LATER)
    assert made.assignment_id == place.pk
    assert made.order == place.order
    place.refresh_from_db()
    assert (place.annotator, place.status) == (a, "done")


def test_R05_a_lost_place_is_replaced_by_another_of_the_item(study, a, b, place):
    builders.release_expired(LATER)
    taken = next_assignment(b, now=LATER)
    assert taken.pk == place.pk
    made = submit(place, a, said(), now=LATER)
    assert made.assignment.slot == 2
    assert made.assignment.item_id == place.item_id


def full(study, place, *users):
    """The item's places all end up with others, after the first reader's lease ran out."""
    builders.release_expired(LATER)
    for user in users:
        other = builders.enrolment(study, user)
        submit(next_assignment(other, now=LATER), other, said(), now=LATER)


def test_R05_with_no_place_left_the_whole_answer_is_kept(study, a, place, ben, cleo):
    full(study, place, ben, cleo)
    sent = said("2", note="I was on a train.", active_seconds=50, previews=3)
    for _ in range(2):
        with pytest.raises(Late, match="given to somebody else"):
            submit(place, a, sent, now=LATER)
    event = Event.objects.get(verb="late")
    assert event.actor == a.user
    kept = {key: event.data[key] for key in ("answer", "note", "outcome", "pseudonym", "active_seconds")}
    assert kept == {
        "answer": {"option": 2},
        "note": "I was on a train.",
        "outcome": "answer",
        "pseudonym": "A",
        "active_seconds": 50,
    }
    assert event.data["submission"] == str(sent.submission)
    assert Judgment.objects.filter(assignment__item=place.item).count() == 2


def test_R05_access_lets_a_late_answer_through_to_the_former_holder_only(study, a, place, ben, cleo, eve):
    full(study, place, ben, cleo)
    lost, enrolment = access.get_assignment_to_answer(a.user, place.pk)
    assert (lost.pk, enrolment.pk) == (place.pk, a.pk)


def test_after_closing_an_answer_is_refused_and_kept(study, a, place):
    lifecycle.close_study(study, by=None, now=SOON)
    with pytest.raises(Late, match="The study is closed"):
        submit(place, a, said(), now=SOON)
    assert not Judgment.objects.exists()
    assert Event.objects.get(verb="late").data["answer"] == {"option": 1}


def test_a_study_that_closes_while_an_answer_is_written_takes_it_no_more(study, a, place):
    assert a.study.is_open, "as the reader was read"
    lifecycle.close_study(Study.objects.get(pk=study.pk), by=None, now=SOON)
    with pytest.raises(Late, match="The study is closed"):
        submit(place, a, said(), now=SOON)
    assert not Judgment.objects.exists()
    assert a.study.is_open, "it was open when it was looked at"


@pytest.mark.parametrize(
    ("of_study", "changed"), [(False, {"consent_version": 3}), (True, {"neighbours": True})]
)
def test_what_changed_of_reader_or_study_since_they_were_read_stands_in_the_judgment(
    study, a, place, of_study, changed
):
    assert a.study.is_open
    (Study.objects if of_study else type(a).objects).filter(pk=study.pk if of_study else a.pk).update(
        **changed
    )
    made = submit(place, a, said(), now=SOON)
    made.refresh_from_db()
    assert (made.revision, Judgment.objects.count()) == (1, 1)
    assert (made.neighbours if of_study else made.consent_version) == ([] if of_study else 3)


def test_after_closing_a_repeat_still_finds_its_judgment(study, a, place):
    sent = said()
    first = submit(place, a, sent, now=SOON)
    lifecycle.close_study(study, by=None, now=SOON)
    assert submit(place, a, sent, now=SOON) == first


def test_who_has_left_is_told_so(a, place):
    type(a).objects.filter(pk=a.pk).update(state="left")
    with pytest.raises(Late, match="no longer in this study"):
        submit(place, a, said(), now=SOON)


def test_a_reader_of_another_study_is_a_mistake_of_the_caller(place, eve):
    with pytest.raises(ValueError, match="different studies"):
        submit(place, eve.enrolments.get(), said(), now=SOON)


def test_the_draft_is_gone_once_the_answer_is_stored(a, place):
    Assignment.objects.filter(pk=place.pk).update(draft={"note": "half"})
    submit(place, a, said(), now=SOON)
    assert Assignment.objects.get(pk=place.pk).draft == {}
