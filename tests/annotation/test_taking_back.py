"""An answer that is taken back stays in the record, is in no number, and its item is its reader's again."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.adjudication.worklist import adjudicable_items
from annotation.assignment.claiming import claim_row, next_assignment
from annotation.export.judgments import rows
from annotation.judging.judgments import Stale, submit
from annotation.judging.submissions import Submission
from annotation.judging.taking_back import take_back
from annotation.models import Assignment, Event, Judgment, Study
from tests import builders

NOW = timezone.now()
SOON = NOW + timedelta(seconds=40)
LATER = NOW + timedelta(hours=3)
HTMX = {"HX-Request": "true"}


def said(option="1", **fields):
    return Submission(uuid.uuid4(), "answer", {"option": option}, **fields)


def current():
    """What counts, by each of the two ways in which numbers ask for it."""
    one = list(Judgment.objects.current().values_list("annotator", "answer__option"))
    readers = Judgment.objects.values_list("annotator", flat=True)
    assert sorted(one) == sorted(
        Judgment.objects.current_of(set(readers)).values_list("annotator", "answer__option")
    )
    return one


@pytest.fixture
def study(db):
    return builders.study(items=2, overlap=2)


@pytest.fixture
def place(a):
    return next_assignment(a, now=NOW)


def again(place):
    return Assignment.objects.select_related("item", "study").get(pk=place.pk)


def test_a_first_answer_is_taken_back_once_and_answered_again(a, study, place):
    first, act = submit(place, a, said(), now=SOON), uuid.uuid4()
    next_assignment(a, now=SOON)
    done = take_back(again(place), a, act, of=first.submission, now=SOON)
    assert take_back(again(place), a, act, of=first.submission, now=LATER).pk == done.pk
    assert (done.outcome, done.answer, done.revision) == ("taken_back", None, 2)
    assert current() == []
    assert [(each["revision"], each["outcome"], each["current"]) for each in rows(study)] == [
        (1, "answer", False), (2, "taken_back", False),
    ]  # fmt: skip
    assert Event.objects.get(verb="taken back").data["revision"] == 1
    held = next_assignment(a, now=SOON)
    assert (held.pk, held.taken_back) == (place.pk, SOON)
    with pytest.raises(Stale, match="taken back already"):
        take_back(again(place), a, uuid.uuid4(), of=first.submission, now=SOON)
    with pytest.raises(Stale, match="has changed since this page was loaded"):
        submit(again(place), a, said("2", revision=1), now=SOON)
    assert submit(again(place), a, said("2", revision=2), now=SOON).revision == 3
    assert current() == [(a.pk, 2)]


def test_an_item_of_which_every_answer_was_taken_back_is_nobodys_to_decide(a, study, place):
    first = submit(place, a, said(), now=SOON)
    study.state = "closed"
    assert adjudicable_items(study).get() == place.item
    take_back(again(place), a, uuid.uuid4(), of=first.submission, now=SOON)
    assert not adjudicable_items(study).exists()


def test_a_changed_answer_that_is_taken_back_brings_the_one_before_it(a, place):
    submit(place, a, said("1", note="on balance", active_seconds=20), now=SOON)
    changed = submit(again(place), a, said("2", revision=1), now=SOON)
    back = take_back(again(place), a, uuid.uuid4(), of=changed.submission, now=LATER)
    assert (back.revision, back.answer, back.note) == (3, {"option": 1}, "on balance")
    assert back.active_seconds is None
    assert current() == [(a.pk, 1)]
    assert again(place).status == "done"


def test_who_goes_on_taking_back_goes_on_backwards_until_nothing_stands(a, place):
    """Never is an answer that was taken back brought again."""
    for revision, option in enumerate("120"):
        last = submit(again(place), a, said(option, revision=revision), now=SOON)
    stood = []
    for _ in range(3):
        last = take_back(again(place), a, uuid.uuid4(), of=last.submission, now=LATER)
        stood.append((last.outcome, last.answer))
    assert stood == [("answer", {"option": 2}), ("answer", {"option": 1}), ("taken_back", None)]
    assert (current(), again(place).status) == ([], "held")
    with pytest.raises(Stale, match="taken back already"):
        take_back(again(place), a, uuid.uuid4(), of=last.submission, now=LATER)
    # What is answered then is a beginning: behind it stands nothing.
    last = submit(again(place), a, said("2", revision=6), now=LATER)
    assert take_back(again(place), a, uuid.uuid4(), of=last.submission, now=LATER).outcome == "taken_back"


def test_a_change_after_taking_back_comes_upon_what_was_brought_again(a, place):
    submit(place, a, said("1"), now=SOON)
    changed = submit(again(place), a, said("2", revision=1), now=SOON)
    take_back(again(place), a, uuid.uuid4(), of=changed.submission, now=SOON)
    last = submit(again(place), a, said("0", revision=3), now=SOON)
    stood = []
    for _ in range(2):
        last = take_back(again(place), a, uuid.uuid4(), of=last.submission, now=LATER)
        stood.append(last.answer)
    assert stood == [{"option": 1}, None]


def test_whoever_gets_the_item_afterwards_answers_for_themselves(a, b, study, place):
    first = submit(place, a, said(), now=SOON)
    take_back(again(place), a, uuid.uuid4(), of=first.submission, now=SOON)
    Assignment.objects.filter(status="free").delete()
    theirs = next_assignment(b, now=LATER)
    assert theirs.pk == place.pk
    submit(theirs, b, said("0", revision=2), now=LATER)
    assert current() == [(b.pk, 0)]


def test_who_took_back_and_answers_when_the_time_had_run_out_gets_what_is_free(a, b, cleo, study, place):
    """A's place is B's by now, and the other one has what a third reader took back."""
    first = submit(place, a, said(), now=SOON)
    take_back(again(place), a, uuid.uuid4(), of=first.submission, now=SOON)
    c = builders.enrolment(study, cleo)
    other = next_assignment(c, now=SOON)
    theirs = submit(other, c, said(), now=SOON)
    take_back(again(other), c, uuid.uuid4(), of=theirs.submission, now=SOON)
    assert claim_row(again(place), b, now=LATER)
    stored = submit(again(place), a, said("2", revision=2), now=LATER)
    assert (stored.assignment_id, stored.revision, stored.answer) == (other.pk, 3, {"option": 2})
    with pytest.raises(Stale, match="has changed since this page was loaded"):
        submit(again(place), a, said("0", revision=3), now=LATER)
    assert current() == [(a.pk, 2)]


def test_what_cannot_be_taken_back_says_why(a, b, study, place):
    first = submit(place, a, said(), now=SOON)
    other = submit(next_assignment(b, now=SOON), b, said(), now=SOON)
    with pytest.raises(Stale, match="no answer of yours"):
        take_back(again(place), b, uuid.uuid4(), of=first.submission, now=SOON)
    with pytest.raises(Stale, match="changed this answer since"):
        take_back(again(place), a, uuid.uuid4(), of=other.submission, now=SOON)
    with pytest.raises(Stale, match="something else"):
        take_back(again(place), a, other.submission, of=first.submission, now=SOON)
    Study.objects.filter(pk=study.pk).update(state="closed")
    with pytest.raises(Stale, match="closed"):
        take_back(again(place), a, uuid.uuid4(), of=first.submission, now=SOON)
    assert len(current()) == 2


def test_pages_take_back_an_answer_and_later_and_fill_the_answer_in(as_user, ada, a, place):
    browser = as_user(ada)
    first = submit(place, a, said("2", note="a wave"), now=SOON)
    sent = {"of": first.submission, "submission": uuid.uuid4()}
    page = browser.post(f"/work/{place.pk}/take-back/", sent, headers=HTMX)
    assert page.context["chosen"] == {"position": place.order.index(2)}
    assert (page.context["form"]["revision"].value(), page.context["form"]["note"].value()) == (2, "a wave")
    assert "You took your answer of" in page.text
    browser.post(f"/work/{place.pk}/later/")
    listed = browser.get(f"/studies/{place.study.slug}/done/").text
    assert f'<li><a href="/work/{place.pk}/">Item 1</a><span>put off' in listed
    assert browser.post(f"/work/{place.pk}/take-back/", {"submission": uuid.uuid4()}).status_code == 302
    assert again(place).put_off is None
    refused = browser.post(f"/work/{place.pk}/take-back/", {**sent, "submission": "x"}, headers=HTMX)
    assert (refused.status_code, "did not arrive whole" in refused.text) == (409, True)


def test_what_waited_is_done_once_and_refused_by_status(as_user, ada, ben, a, b, place):
    browser, address = as_user(ada), f"/work/{place.pk}/act/"
    answer = {"act": "answer", "user": ada.pk, "submission": uuid.uuid4(), "revision": 0, "position": "1"}
    later = {"act": "later", "user": ada.pk, "id": uuid.uuid4()}

    def status(sent):
        return browser.post(address, sent).status_code

    assert [status(later), status(later)] == [200, 200]
    assert Event.objects.filter(verb="later").count() == 1
    assert [status(answer), status(answer)] == [200, 200]
    assert Judgment.objects.count() == 1
    assert status({**answer, "position": "2"}) == 422
    assert status({**answer, "submission": uuid.uuid4()}) == 409
    assert status({**later, "id": uuid.uuid4()}) == 409
    assert status({**answer, "user": ben.pk}) == 403
    back = {"act": "take_back", "user": ada.pk, "id": uuid.uuid4(), "of": answer["submission"]}
    assert [status(back), status(back), status({**back, "act": "jump"})] == [200, 200, 422]
    assert current() == []
    assert as_user(ben).post(address, {**answer, "user": ben.pk}).status_code == 410
