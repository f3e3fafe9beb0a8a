"""R07: one reader, one item, two windows: what one holds never silently replaces what the other does."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.judging import conflicts, drafts
from annotation.models import Assignment, Enrolment, Judgment
from tests import builders
from tests.annotation.test_drafts import save
from tests.annotation.test_R07_navigation import device
from tests.annotation.test_views_work import HTMX, fields
from tests.browser.passages import span_reader
from tests.builders import pick

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(ada):
    return builders.read_by(ada, items=3, overlap=1)


def drafted(place):
    return drafts.typed_fields(Assignment.objects.get(pk=place.pk))


def version(place):
    return Assignment.objects.get(pk=place.pk).draft.get(conflicts.VERSION, "")


def said(text):
    """A page as one reads it."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def buttons(text):
    """Name and value of the two buttons between which the reader chooses."""
    found = re.findall(r'<button[^>]*name="(\w+)" value="([^"]*)">', text[text.index("data-both") :])
    return found[:2]


def test_a_draft_of_another_window_is_not_replaced_and_both_are_shown(ada, place):
    browser = device(ada)
    first = save(browser, place, **pick(place, 1), note="Here.", draft_version="one.1", draft_known="")
    assert first.status_code == 200
    reply = save(browser, place, **pick(place, 2), note="There.", draft_version="two.1", draft_known="")
    assert reply.status_code == 409
    assert drafted(place) == {**pick(place, 1), "note": "Here."}
    told = reply.json()
    assert (told["known"], told["revision"]) == ("one.1", "0")
    options = place.item.payload["options"]
    shown = said(told["both"])
    assert shown.index("In another window you chose, and did not submit") < shown.index(options[1])
    assert shown.index("Here you chose") < shown.index(options[2])
    assert "Note: Here." in shown
    assert "Note: There." in shown
    assert buttons(told["both"]) == [("keep", "here"), ("keep", "other")]


@pytest.mark.parametrize(("kept", "option"), [("here", 2), ("other", 1)])
def test_the_reader_chooses_and_the_notes_of_both_are_kept(ada, place, kept, option):
    browser = device(ada)
    save(browser, place, **pick(place, 1), note="Here.", other="", draft_version="one.1", draft_known="")
    reply = save(
        browser,
        place,
        **pick(place, 2),
        note="There.",
        keep=kept,
        draft_version="two.1",
        draft_known="one.1 two.1",
    )
    assert reply["Location"] == place.get_absolute_url()
    assert drafted(place) == {**pick(place, option), "note": "Here.\nThere."}
    # The first window has not seen that.
    again = save(browser, place, **pick(place, 1), note="Here!", draft_version="one.2", draft_known="one.1")
    assert again.status_code == 409


def test_what_was_decided_on_an_old_state_is_asked_again(ada, place):
    browser = device(ada)
    save(browser, place, **pick(place, 1), draft_version="one.3", draft_known="")
    reply = save(browser, place, **pick(place, 2), keep="here", draft_version="two.1", draft_known="one.2")
    assert reply.status_code == 409
    assert drafted(place) == pick(place, 1)
    assert "Here you chose" in reply.text


def test_drafts_of_one_window_follow_each_other_whatever_their_order(ada, place):
    browser = device(ada)
    save(browser, place, note="The lamps decide", draft_version="one.2", draft_known="")
    late = save(browser, place, note="The la", draft_version="one.1", draft_known="")
    assert late.status_code == 200
    assert drafted(place) == {"note": "The lamps decide"}
    assert save(browser, place, note="No.", draft_version="one.3", draft_known="").status_code == 200
    # A page that was loaded again knows what the one before it had sent, also what had not arrived.
    assert (
        save(browser, place, note="No, yes.", draft_version="two.1", draft_known=" one.9").status_code == 200
    )
    assert version(place) == "two.1"


@pytest.mark.parametrize(
    "more", [{}, {"note": "Here."}, {"note": "Here.", "position": "1", "fault": "cut off"}]
)
def test_where_nothing_would_be_lost_nobody_is_asked(ada, place, more):
    browser = device(ada)
    save(
        browser, place, **{name: more[name] for name in list(more)[:1]}, draft_version="one.1", draft_known=""
    )
    assert save(browser, place, **more, draft_version="two.1", draft_known="").status_code == 200


def test_a_draft_written_between_look_and_write_is_seen(ada, place):
    reader, stale = place.annotator, Assignment.objects.get(pk=place.pk)
    for number, note in ((1, "first"), (2, "second")):
        there = Assignment.objects.get(pk=place.pk)
        words = {"note": note, "draft_version": f"one.{number}", "draft_known": ""}
        assert drafts.save(there, reader, words, seen=0, now=timezone.now())
    mine = {"note": "mine", "draft_version": "two.1", "draft_known": ""}
    with pytest.raises(conflicts.WindowConflict):
        drafts.save(stale, reader, mine, seen=0, now=timezone.now())
    assert drafted(place) == {"note": "second"}


@pytest.mark.parametrize("htmx", [{}, HTMX])
def test_a_submission_does_not_wipe_a_draft_it_does_not_know(ada, place, htmx):
    desk, tablet = device(ada), device(ada)
    form = fields(desk.get(place.get_absolute_url()))
    save(tablet, place, **pick(place, 1), note="From the train.", draft_version="one.1", draft_known="")
    reply = desk.post(place.get_absolute_url(), {**form, **pick(place, 2), "fault": "cut off"}, **htmx)
    assert reply.status_code == 409
    assert not Judgment.objects.exists()
    assert "In another window you chose, and did not submit" in reply.text
    assert reply.context["chosen"] == {"position": int(pick(place, 2)["position"])}
    assert buttons(reply.text) == [("answer", "1"), ("keep", "answer")]
    again = {**fields(reply), **pick(place, 2), "note": "From the train.", "answer": "1"}
    assert desk.post(place.get_absolute_url(), again).status_code == 302
    assert Judgment.objects.get().answer == {"option": 2}


def test_a_submission_ends_the_draft_that_its_own_window_wrote(ada, place):
    browser = device(ada)
    form = fields(browser.get(place.get_absolute_url()))
    save(browser, place, **pick(place, 1), note="So far", draft_version="one.2", draft_known="")
    known = {"draft_known": "one.2"}
    assert browser.post(place.get_absolute_url(), {**form, **known, **pick(place, 2)}).status_code == 302


ACTS = [
    ({"answer": "1", "position": "2"}, ("answer", "1")),
    ({"undecided": "None of them fits"}, ("undecided", "None of them fits")),
    ({"undecided": "", "other": "The text is cut."}, ("undecided", "")),
    ({"broken": "1", "fault": "The text is cut."}, ("broken", "1")),
]


@pytest.mark.parametrize(("act", "button"), ACTS)
def test_a_409_keeps_the_reason_as_well_as_the_note_and_submits_the_same_act(ada, place, act, button):
    desk, tablet = device(ada), device(ada)
    forms = [fields(each.get(place.get_absolute_url())) for each in (desk, tablet)]
    assert (
        desk.post(place.get_absolute_url(), {**forms[0], "position": "1", "note": "Desk."}).status_code == 302
    )
    reply = tablet.post(place.get_absolute_url(), {**forms[1], **act, "note": "Tablet."})
    assert reply.status_code == 409
    assert ">\nDesk.\nTablet.</textarea>" in reply.text
    for text in act.values():
        assert text in said(reply.text)
    assert buttons(reply.text)[0] == button
    pressed = {**fields(reply), **act, "note": "Desk.\nTablet."}
    assert tablet.post(place.get_absolute_url(), pressed).status_code == 302
    latest = Judgment.objects.get(revision=2)
    assert (latest.note, latest.reason) == (
        "Desk.\nTablet.",
        act.get("undecided") or act.get("other") or act.get("fault", ""),
    )


def test_keeping_what_was_submitted_elsewhere_stores_no_revision_and_keeps_the_note(ada, place):
    desk, tablet = device(ada), device(ada)
    form = fields(tablet.get(place.get_absolute_url()))
    desk.post(place.get_absolute_url(), {**fields(desk.get(place.get_absolute_url())), **pick(place, 1)})
    reply = tablet.post(place.get_absolute_url(), {**form, **pick(place, 2), "note": "Tablet."})
    address = f"/work/{place.pk}/draft/"
    kept = tablet.post(address, {**fields(reply), **pick(place, 2), "note": "Tablet.", "keep": "answer"})
    assert kept["Location"] == place.get_absolute_url()
    page = tablet.get(place.get_absolute_url())
    assert page.context["chosen"] == {"position": int(pick(place, 1)["position"])}
    assert ">\nTablet.</textarea>" in page.text
    assert Judgment.objects.get().answer == {"option": 1}


@pytest.mark.parametrize("kept", ["here", "other"])
def test_notes_too_long_to_be_joined_are_said_and_shortened_once(ada, place, kept):
    browser = device(ada)
    desk, tablet = "d" * 6_000, "t" * 6_000
    save(browser, place, **pick(place, 1), note=desk, draft_version="one.1", draft_known="")
    mine = {**fields(browser.get(place.get_absolute_url())), **pick(place, 2), "note": tablet}
    known = {"draft_version": "two.1", "draft_known": "one.1"}
    address = f"/work/{place.pk}/draft/"
    reply = browser.post(address, {**mine, **known, "keep": kept})
    assert reply.status_code == 409
    assert "has 12,001 characters: at most 10,000 fit. Shorten it below, then choose again." in said(
        reply.text
    )
    assert f"{desk}\n{tablet}</textarea>" in reply.text
    assert buttons(reply.text)[1] == ("keep", "answer")
    assert drafted(place)["note"] == desk
    # What is shortened there is not joined a second time.
    short = {**fields(reply), **pick(place, 2), "note": "dt", "keep": "answer"}
    assert browser.post(address, short)["Location"] == place.get_absolute_url()
    assert drafted(place) == {**pick(place, 1), "note": "dt"}


@pytest.mark.parametrize(
    "act",
    [{"answer": "1", "position": "1"}, {"undecided": "None of them fits"}, {"broken": "1", "fault": "cut"}],
)
def test_a_reason_that_was_begun_for_another_act_stands_in_nobodys_way(ada, place, act):
    browser = device(ada)
    form = fields(browser.get(place.get_absolute_url()))
    begun = {"other": "o" * 501, "fault": "f" * 501}
    assert browser.post(place.get_absolute_url(), {**form, **begun, **act}).status_code == 302
    assert Judgment.objects.get().reason in {"", "None of them fits", "cut"}


def test_a_reason_too_long_for_its_own_act_is_refused(ada, place):
    browser = device(ada)
    form = fields(browser.get(place.get_absolute_url()))
    for act in ({"undecided": "", "other": "o" * 501}, {"broken": "1", "fault": "f" * 501}):
        assert browser.post(place.get_absolute_url(), {**form, **act}).status_code == 422


def test_who_chose_nothing_yet_is_told_so(ada, place):
    browser = device(ada)
    save(browser, place, note="Here.", draft_version="one.1", draft_known="")
    told = save(browser, place, **pick(place, 2), draft_version="two.1", draft_known="").json()
    shown = said(told["both"])
    assert "two windows hold different things" in shown
    assert "nothing yet Note: Here." in shown


LINES = st.lists(st.sampled_from(["", "a", "ab", "abc", "b", "b c", "  "]), max_size=6).map("\n".join)


@given(LINES.map(conflicts.plain_text), LINES.map(conflicts.plain_text))
def test_notes_are_joined_once_line_by_line(one, two):
    both = conflicts.merged_lines(one, two)
    assert {
        conflicts.merged_lines(*sides) for sides in ((both, one), (both, two), (one, both), (both, both))
    } == {both}
    for line in (one + "\n" + two).split("\n"):
        assert any(each.startswith(line.strip()) for each in both.split("\n"))


def test_joined_notes_keep_their_order_and_their_paragraphs():
    one, two = "Line one.\nLine two.\n\nA gap.", "Line one. Line three.\n\nLine two.\nOf two.\n\nAnd more."
    joined = "Line one. Line three.\nLine two.\n\nA gap.\nOf two.\n\nAnd more."
    assert conflicts.merged_lines(one, two) == joined


@pytest.fixture
def span_place():
    me = Enrolment.objects.get(user__username=span_reader(["la"])["user"])
    found = next_assignment(me, now=timezone.now())
    mark_opened(found, now=timezone.now())
    return Assignment.objects.select_related("item", "study", "annotator__user").get(pk=found.pk)


def test_a_span_is_shown_as_the_task_shows_it(span_place):
    me = span_place.annotator.user
    desk, tablet = device(me), device(me)
    address = span_place.get_absolute_url()
    forms = [fields(each.get(address)) for each in (desk, tablet)]
    task, payload = span_place.study.task_type, span_place.item.payload
    gold = span_place.item.gold
    assert desk.post(address, {**forms[0], **task.fields(gold, [])}).status_code == 302
    reply = tablet.post(address, {**forms[1], "declined": "no_allusion"}, **HTMX)
    assert reply.status_code == 409
    shown = said(reply.text[reply.text.index("data-both") :])
    assert shown.index(task.rows(payload, gold)["span_text"]) < shown.index("Here you chose No allusion here")
    assert buttons(reply.text)[0] == ("declined", "no_allusion")
