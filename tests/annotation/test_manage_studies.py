"""The list of studies and the page of one."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from annotation.models import Enrolment, EnrolmentState, Event, Invitation, Role, Study
from annotation.studies import overview
from tests import builders
from tests.annotation.manage_cast import hold, judge


def page(browser, name, *args):
    return browser.get(reverse(f"annotation:{name}", args=args)).content.decode()


def test_the_list_shows_only_my_studies(fleet, eve, dora, as_user):
    assert Study.objects.count() == 2
    shown = page(as_user(dora), "studies")
    assert "Boats and their critics" in shown
    assert reverse("annotation:study", args=["elsewhere"]) not in shown


def test_the_list_counts_places_and_readers_without_multiplying_them(fleet, dora, as_user):
    judge(fleet, 1, "A")
    judge(fleet, 1, "B")
    judge(fleet, 2, "A")
    shown = as_user(dora).get(reverse("annotation:studies"))
    row = shown.context["page"].object_list[0]
    assert (row.n_items, row.n_assignments, row.n_done, row.n_readers, row.simulated) == (3, 6, 3, 2, False)
    assert "3 of 6" in shown.content.decode()


def test_without_a_study_the_list_says_what_to_do(dora, as_user):
    assert (
        "A study takes its items from a finished candidate job, from a pool of documents or from a file"
        in page(as_user(dora), "studies")
    )


def test_readers_in_numbers(fleet):
    judge(fleet, 1, "A")
    judge(fleet, 2, "A", outcome="undecided", reason="None of them fits")
    judge(fleet, 2, "A", outcome="broken", reason="Cut short", revision=2)
    hold(fleet, 3, "A")
    hold(fleet, 1, "B", put_off=timezone.now())
    Enrolment.objects.filter(study=fleet, pseudonym="B").update(state=EnrolmentState.LEFT)
    by_name = {each.pseudonym: each for each in overview.readers(fleet)}
    assert list(by_name) == ["R1", "A", "B", "J1"]
    a, b = by_name["A"], by_name["B"]
    # A change of mind counts once, as what was said last.
    assert (a.done, a.held, a.put_off, a.undecided, a.broken, a.left) == (2, 1, 0, 0, 1, False)
    assert (b.done, b.held, b.put_off, b.left) == (0, 0, 1, True)
    assert by_name["J1"].last_active is None
    assert timezone.now() - a.last_active < timedelta(minutes=1)


def test_places_and_items_by_readings(fleet):
    judge(fleet, 1, "A")
    judge(fleet, 1, "B")
    judge(fleet, 2, "A")
    hold(fleet, 3, "B")
    assert overview.assignment_counts(fleet) == (3, 1, 2, 6)
    assert overview.items_by_readings(fleet) == [(0, 1), (1, 1), (2, 1)]


def test_a_draft_says_what_is_missing(draft, dora, as_user):
    shown = page(as_user(dora), "study", "draft")
    assert (
        "It asks for 2 readings of each item and 1 reader is enrolled: 1 more must join, now or while"
        in shown
    )
    assert "No invitation link is valid" in shown
    assert "There are no guidelines" not in shown
    assert reverse("annotation:open", args=["draft"]) in shown, "the second reader may come later"
    draft.enrolments.filter(role=Role.ANNOTATOR).delete()
    shown = page(as_user(dora), "study", "draft")
    assert "It has no reader, and no invitation link is valid" in shown
    assert reverse("annotation:open", args=["draft"]) not in shown
    Invitation.objects.create(study=draft, expires=timezone.now() + timedelta(days=1))
    assert reverse("annotation:open", args=["draft"]) in page(as_user(dora), "study", "draft")


def test_a_draft_counts_the_seats_of_valid_reader_links_only(draft, dora, as_user):
    now = timezone.now()
    Study.objects.filter(pk=draft.pk).update(overlap=4)
    for fields in (
        {"seats": 3, "used": 1},
        {"seats": 9, "revoked": now},
        {"seats": 9, "expires": now - timedelta(days=1)},
        {"seats": 9, "role": Role.RESEARCHER},
    ):
        Invitation.objects.create(study=draft, **{"expires": now + timedelta(days=1), **fields})
    assert "The valid invitation links have 2 of the 3 seats that are needed." in page(
        as_user(dora), "study", "draft"
    )


def test_readiness_agrees_with_what_opening_refuses(draft, ben, dora, as_user):
    builders.enrolment(draft, ben)
    assert "Everything that is needed is here" in page(as_user(dora), "study", "draft")
    draft.items.all().delete()
    assert "It has no items" in page(as_user(dora), "study", "draft")


def test_an_open_study_leads_to_what_comes_next(fleet, dora, as_user):
    page = as_user(dora).get("/manage/fleet/").text
    assert 'class="button primary" href="/watch/fleet/"' in page
    assert "Invite readers" in page
    assert "Accuracy and agreement" not in page
    builders.judgment(fleet, 1, fleet.enrolments.get(pseudonym="A"))
    page = as_user(dora).get("/manage/fleet/").text
    assert "Invite readers" not in page
    assert 'class="button" href="/results/fleet/">Accuracy and agreement' in page


def test_a_filled_study_says_so(dora, ada, as_user):
    study = builders.study(items=1, overlap=1, by=dora)
    builders.enrolment(study, ada)
    judge(study, 1, "A")
    assert "every reading is given: you can close it" in page(as_user(dora), "study", "fleet")


def test_what_is_fixed_is_shown_with_the_job(dora, as_user):
    novel = builders.book()
    job = builders.finished_job(novel, [builders.excerpt(novel, builders.source())])
    study = builders.study(by=dora)
    Study.objects.filter(pk=study.pk).update(job=job)
    shown = page(as_user(dora), "study", "fleet")
    assert "BM25 on The Boats, 1 excerpt, 2 negatives" in shown
    assert "<dt>Seed</dt><dd>7</dd>" in shown


def test_opening_asks_first_and_then_makes_the_places(draft, ben, dora, as_user):
    builders.enrolment(draft, ben)
    browser, address = as_user(dora), reverse("annotation:open", args=["draft"])
    assert "Open this study?" in browser.get(address).content.decode()
    draft.refresh_from_db()
    assert draft.state == "draft"
    assert browser.post(address)["Location"] == draft.get_absolute_url()
    draft.refresh_from_db()
    assert (draft.state, draft.assignments.count()) == ("open", 6)
    assert Event.objects.get(study=draft, verb="open").actor == dora


def test_opening_too_early_says_why_and_changes_nothing(draft, dora, as_user):
    draft.enrolments.filter(role=Role.ANNOTATOR).delete()
    response = as_user(dora).post(reverse("annotation:open", args=["draft"]))
    assert response.status_code == 409
    assert "make a link, or enrol somebody." in response.content.decode()
    draft.refresh_from_db()
    assert (draft.state, draft.assignments.count()) == ("draft", 0)


def test_opening_twice_is_refused(fleet, dora, as_user):
    response = as_user(dora).post(reverse("annotation:open", args=["fleet"]))
    assert response.status_code == 409
    assert fleet.assignments.count() == 6


def test_closing_asks_first_and_is_final(fleet, dora, as_user):
    browser, address = as_user(dora), reverse("annotation:close", args=["fleet"])
    judge(fleet, 1, "A")
    hold(fleet, 2, "A")
    asked = browser.get(address).content.decode()
    assert "1 of 6 readings are given; 1 is begun" in asked
    assert browser.post(address).status_code == 302
    fleet.refresh_from_db()
    assert fleet.state == "closed"
    again = browser.post(address)
    assert again.status_code == 409
    assert "only an open study can be closed" in again.content.decode()
    assert Event.objects.filter(study=fleet, verb="close").count() == 1
