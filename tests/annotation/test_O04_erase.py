"""O04: who withdraws disappears; what they said stays or goes as their consent says, and reports tell it."""

from __future__ import annotations

import io
import uuid

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.judging.judgments import Stale, submit
from annotation.judging.submissions import Submission
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Consent,
    Enrolment,
    Event,
    Judgment,
    Kind,
    Letter,
    MailStop,
    Message,
    OutsideId,
    RecruitingService,
)
from annotation.models.mail import address_digest
from annotation.people import enrolments, withdrawal
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from tests import builders
from tests.annotation.manage_cast import hold, judge
from tests.variorum.dump import whole_database

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(fleet):
    """Inesita reads in Dora's study: two judgments, one item held with a draft, a talk, a late answer."""
    user = builders.person("Inesita.Quixano", email="inesita@quixano.example", last_name="Quixano")
    me = builders.enrolment(fleet, user, pseudonym="C")
    judge(fleet, 1, "C", option=1, note="As on page nine.")
    judge(fleet, 2, "C", option=0)
    hold(fleet, 3, "C", draft={"note": "half a tho"})
    Message.objects.create(
        item=fleet.items.first(),
        reader=me,
        from_researcher=False,
        author=user,
        text="Is it?",
        created=timezone.now(),
    )
    Event.objects.create(
        study=fleet, actor=user, verb="late", data={"enrolment": me.pk, "answer": {"option": 2}}
    )
    sent = enrolments.invite(fleet, role="annotator", seats=1, days=1, by=None)
    service = RecruitingService.objects.create(invitation=sent, parameter="ID")
    OutsideId.objects.create(study=fleet, service=service, enrolment=me, value="inesita-8c1d")
    Letter.objects.create(study=fleet, kind="opened", reader=me)
    known = address_digest(user.email)
    Letter.objects.create(study=fleet, kind="invited", invitation=sent, about=known)
    MailStop.objects.create(study=fleet, digest=known)
    return me


def agree(me, *, keeps):
    Consent.objects.create(study=me.study, version=1, text="Yes.", keeps=keeps)
    Enrolment.objects.filter(pk=me.pk).update(consent_version=1, consented=timezone.now())
    me.refresh_from_db()


def test_O04_no_name_address_or_key_of_the_person_is_left(ines):
    key, browser = ines.user_id, Client()
    browser.force_login(ines.user)
    assert "inesita.quixano" in whole_database()
    done = withdrawal.erase(ines, now=timezone.now())
    assert done == ("fleet", "C", True, 2, True)
    left = whole_database().lower()
    for word in ("inesita", "quixano", "is it?", "half a tho"):
        assert word not in left
    assert not User.objects.filter(pk=key).exists()
    assert not any(each.objects.exists() for each in (Letter, OutsideId))
    assert MailStop.objects.count() == 1, "an address that wants no e-mail is not written to again"
    assert not Event.objects.filter(actor_id=key).exists()
    assert not any(each.get_decoded().get("_auth_user_id") == str(key) for each in Session.objects.all())
    assert browser.get(reverse("home")).status_code == 302


def test_O04_kept_judgments_stand_under_the_pseudonym(ines, fleet):
    agree(ines, keeps=True)
    withdrawal.erase(ines, now=timezone.now())
    assert list(Judgment.objects.values_list("annotator__pseudonym", "annotator__user")) == [("C", None)] * 2
    assert set(fleet.assignments.filter(annotator=ines).values_list("status", flat=True)) == {
        AssignmentStatus.DONE
    }
    assert not Assignment.objects.filter(item__number=3, annotator=ines).exists()
    assert Event.objects.filter(verb="late").count() == 1
    text = " ".join(FORMATS["table"].render(report(fleet)).split())
    assert "Reader C withdrew on" in text
    assert "two judgments stand under the pseudonym and are counted" in text


def test_O04_what_was_never_sent_goes_also_where_judgments_stay(ines, fleet):
    agree(ines, keeps=True)
    for verb in ("expired", "given back"):
        typed = {"enrolment": ines.pk, "draft": {"note": "Ines, never sent"}}
        Event.objects.create(study=fleet, actor=ines.user, verb=verb, data=typed)
    withdrawal.erase(ines, now=timezone.now())
    assert "never sent" not in whole_database()
    assert Judgment.objects.filter(annotator=ines).count() == 2


def test_O04_nothing_that_was_on_its_way_is_stored_of_who_has_withdrawn(ines, fleet):
    agree(ines, keeps=False)
    place = fleet.assignments.get(item__number=3, annotator=ines)
    sent = Submission(uuid.uuid4(), "answer", {"option": 1}, note="on its way")
    withdrawal.erase(ines, now=timezone.now())
    with pytest.raises(Stale, match="withdrawn"):
        submit(place, ines, sent, now=timezone.now())
    assert "on its way" not in whole_database()


def test_O04_dropped_judgments_leave_their_places_free(ines, fleet):
    agree(ines, keeps=False)
    judge(fleet, 1, "A", option=1)
    done = withdrawal.erase(ines, now=timezone.now())
    assert (done.kept, done.judgments) == (False, 2)
    assert list(Judgment.objects.values_list("annotator__pseudonym", flat=True)) == ["A"]
    assert fleet.assignments.filter(status=AssignmentStatus.FREE).count() == 5
    assert not Event.objects.filter(verb="late").exists()
    assert "two judgments were dropped and are counted no more" in " ".join(
        FORMATS["table"].render(report(fleet)).split()
    )


def test_O04_the_pseudonym_is_not_given_to_the_next_reader(ines, fleet):
    from annotation.people import enrolments

    withdrawal.erase(ines, now=timezone.now())
    assert enrolments.enrol(fleet, builders.person("Gus"), "annotator").pseudonym == "D"


def test_O04_an_account_with_other_studies_stays(ines):
    other = builders.study("other")
    builders.enrolment(other, ines.user)
    assert not withdrawal.erase(ines, now=timezone.now()).account
    assert User.objects.filter(username="inesita.quixano").exists()
    assert not Event.objects.filter(
        study=ines.study, actor__isnull=False, actor__username="inesita.quixano"
    ).exists()


def test_O04_events_still_refuse_every_other_change(ines, dora):
    event = Event.objects.get(verb="late")
    for change in (
        {"verb": "x"},
        {"data": {}},
        {"actor": dora},
        {"verb": "x", "actor": None},
        {"study": None},
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(**change)


def test_O04_a_reader_withdraws_on_their_own_page(ines, as_user):
    browser, address = as_user(ines.user), reverse("annotation:withdraw", args=["fleet"])
    assert "under the pseudonym C" in browser.get(address).content.decode()
    refused = browser.post(address, {"pseudonym": "B"})
    assert refused.status_code == 422
    assert "Type C, the pseudonym" in refused.content.decode()
    assert Enrolment.objects.get(pk=ines.pk).user is not None
    page = browser.post(address, {"pseudonym": " C "}).content.decode()
    assert "Your account is deleted" in page
    assert browser.get(reverse("home")).status_code == 302


def test_O04_the_researcher_erases_and_the_table_says_so(ines, dora, as_user):
    browser, address = as_user(dora), reverse("annotation:erase", args=["fleet", "C"])
    assert "2 judgments will be <strong>kept</strong>" in browser.get(address).content.decode()
    assert browser.post(address, {"pseudonym": ""}).status_code == 422
    page = browser.post(address, {"pseudonym": "C"}, follow=True).content.decode()
    assert "C is nobody now; 2 judgments kept" in page
    assert "Withdrawn" in page
    assert browser.get(address).status_code == 404


def test_O04_the_command_asks_for_the_name_first(ines, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: "somebody")
    with pytest.raises(CommandError, match="Nothing was erased"):
        call_command("erase_annotator", "inesita.quixano", stdout=io.StringIO())
    out = io.StringIO()
    call_command("erase_annotator", "inesita.quixano", "--drop", "--yes", stdout=out)
    assert "C is nobody now; 2 judgments dropped" in out.getvalue()
    assert "The account is deleted." in out.getvalue()
    with pytest.raises(CommandError, match="is in no study"):
        call_command("erase_annotator", "inesita.quixano", "--yes")


def test_O04_a_researcher_is_part_of_the_history(fleet, dora):
    with pytest.raises(CommandError, match="cannot be erased"):
        call_command("erase_annotator", "dora", "--yes", stdout=io.StringIO())
    assert User.objects.filter(username="dora").exists()


@pytest.mark.parametrize("kind", [Kind.PRACTICE, Kind.CHECK])
def test_O04_dropped_judgments_take_the_places_at_practice_and_checks_with_them(ines, fleet, kind):
    """They are one reader's own: left behind as free places they would be nobody's, or somebody's work."""
    agree(ines, keeps=False)
    fleet.items.exclude(number=1).update(kind=kind)
    fleet.assignments.exclude(item__number=1).exclude(annotator=ines).delete()
    withdrawal.erase(ines, now=timezone.now())
    assert not fleet.assignments.exclude(item__kind=Kind.WORK).exists()
    assert list(fleet.assignments.values_list("item__number", "status")) == [(1, AssignmentStatus.FREE)] * 2
    assert not Judgment.objects.exists()
