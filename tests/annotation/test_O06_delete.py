"""O06: deleting asks for the name, hides at once, can be undone for thirty days, and then is for good."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Consent, Event, Item, Judgment, Role, Study
from annotation.people import enrolments
from annotation.people.tokens import issue
from annotation.studies import trash
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(dora, ada):
    made = builders.study(items=2, overlap=1, by=dora)
    builders.enrolment(made, ada)
    Consent.objects.create(study=made, version=1, text="Yes.")
    made.enrolments.update(consent_version=1)
    reader = made.enrolments.get(user=ada)
    said = Submission(uuid.uuid4(), "answer", {"option": 1})
    submit(next_assignment(reader, now=NOW), reader, said, now=NOW)
    return made


def delete(browser, study, name):
    return browser.post(reverse("annotation:delete", args=[study.slug]), {"name": name})


@pytest.mark.parametrize("typed", ["", "FLEET", "another"])
def test_O06_without_the_name_nothing_happens(as_user, dora, study, typed):
    response = delete(as_user(dora), study, typed)
    assert response.status_code == 422
    assert "Type fleet, the short name, to go on." in response.text
    study.refresh_from_db()
    assert study.deleted is None


def test_O06_what_is_put_away_is_seen_by_nobody_through_any_door(as_user, client, dora, ada, study):
    held = next_assignment(study.enrolments.get(user=ada), now=NOW)
    code = enrolments.link(enrolments.invite(study, role="annotator", seats=1, days=1, by=dora))
    invited = as_user(ada).post("/join/", {"token": code})
    assert delete(as_user(dora), study, "fleet")["Location"] == reverse("annotation:studies")
    seen = {
        dora: ["study", "items", "export", "people", "setup", "guidelines"],
        ada: ["begin", "done", "consent"],
    }
    for person, names in seen.items():
        browser = as_user(person)
        assert {browser.get(reverse(f"annotation:{name}", args=["fleet"])).status_code for name in names} == {
            404
        }
        assert "Boats and their critics" not in browser.get("/").text
    assert as_user(ada).get(held.get_absolute_url()).status_code == 404
    assert "No study invites by this link." in as_user(ada).post("/join/", {"token": code}).text
    assert invited.client.get(invited["Location"])["Location"] == "/join/"
    assert next_assignment(study.enrolments.get(user=ada), now=NOW) is None
    for person, where in ((dora, "/api/v1/studies/fleet/"), (ada, "/api/v1/studies/fleet/next/")):
        _, plain = issue(person, "script", ["read", "judge"], timezone.now() + timedelta(days=1))
        ask = client.get if person is dora else client.post
        assert ask(where, headers={"Authorization": f"Bearer {plain}"}).status_code == 404


@pytest.mark.parametrize(
    "command", [["report", "fleet"], ["export", "fleet", "--format", "csv"], ["invite", "fleet"]]
)
def test_O06_commands_do_not_see_it_either(as_user, dora, study, command):
    delete(as_user(dora), study, "fleet")
    with pytest.raises(CommandError, match="no study"):
        call_command(*command)


def test_O06_it_comes_back_with_everything_in_it(as_user, dora, study):
    before = list(Judgment.objects.values()), list(Assignment.objects.values())
    browser = as_user(dora)
    delete(browser, study, "fleet")
    assert "Bring it back" in browser.get(reverse("annotation:studies")).text
    response = browser.post(reverse("annotation:restore", args=["fleet"]))
    assert response["Location"] == study.get_absolute_url()
    assert browser.get(study.get_absolute_url()).status_code == 200
    assert (list(Judgment.objects.values()), list(Assignment.objects.values())) == before
    assert [e.verb for e in Event.objects.filter(actor=dora).order_by("pk")][-2:] == [
        "put away",
        "brought back",
    ]


def test_O06_others_cannot_bring_it_back_nor_anybody_after_thirty_days(as_user, ada, dora, study):
    delete(as_user(dora), study, "fleet")
    assert as_user(ada).post(reverse("annotation:restore", args=["fleet"])).status_code == 404
    Study.objects.update(deleted=timezone.now() - timedelta(days=30, minutes=1))
    as_user(dora).post(reverse("annotation:restore", args=["fleet"]))
    study.refresh_from_db()
    assert study.deleted is not None


def test_O06_after_thirty_days_a_command_deletes_it_for_good(as_user, dora, study, capsys):
    other = builders.study("other", items=1, overlap=1, by=dora)
    Item.objects.filter(study=study, number=2).update(replaces=Item.objects.get(study=study, number=1))
    delete(as_user(dora), study, "fleet")
    call_command("purge_studies")
    assert "Nothing was put away" in capsys.readouterr().out
    Study.objects.filter(pk=study.pk).update(deleted=timezone.now() - timedelta(days=31))
    call_command("purge_studies")
    assert "Deleted “fleet”." in capsys.readouterr().out
    assert list(Study.objects.all()) == [other]
    assert not Judgment.objects.exists()
    assert not Event.objects.filter(data__slug="other").exists()
    left = Event.objects.get(verb="purge")
    assert (left.study, left.data["slug"], left.data["judgments"]) == (None, "fleet", 1)
    assert other.enrolments.filter(role=Role.RESEARCHER).exists()
    assert trash.purge(timezone.now()) == []
