"""Letters go to addresses that their owners confirmed, and to no other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.mail import by_hand, confirming, sending, stopping, wording
from annotation.mail.due import readers
from annotation.models import Letter, MailTemplate
from annotation.studies.lifecycle import open_study
from tests import builders

pytestmark = pytest.mark.django_db
SITE = "https://variorum.example.org"
EVE, ADA = "eve@example.org", "ada@example.org"


@pytest.fixture
def study(settings, dora, ada):
    """A study of a site that sends e-mail; Ada joined it early, without an address, and it has opened."""
    settings.SITE, settings.MAIL_IS_SENT = SITE, True
    study = builders.study(items=2, overlap=2, by=dora, state="draft")
    builders.enrolment(study, ada)
    since = timezone.now() - timedelta(hours=1)
    MailTemplate.objects.create(study=study, kind="opened", since=since, **wording.USUAL["opened"]._asdict())
    open_study(study, by=None, now=timezone.now())
    return study


def give(browser, address, **more):
    return browser.post(reverse("annotation:own_mail", args=["fleet"]), {"address": address, **more})


def sent(now=None):
    mail.outbox.clear()
    sending.send_due(now or timezone.now())
    return [(each.to[0], each.subject) for each in mail.outbox]


def link_in(letter):
    return next(line for line in letter.body.splitlines() if line.startswith(SITE)).removeprefix(SITE)


def test_an_address_is_written_to_once_it_is_confirmed(study, ada, as_user):
    give(as_user(ada), ADA, wanted="on")
    assert sent() == [(ADA, "Is this your address? “Boats and their critics”")]
    link, stranger = link_in(mail.outbox[0]), Client()
    assert sent() == [], "one link for each address"
    assert "It is mine" in stranger.get(link).text
    assert not confirming.is_confirmed(ada), "to look at the page confirms nothing"
    assert stranger.post(link[:-3] + "x/").status_code == 404
    assert "Address confirmed" in stranger.post(link).text
    assert sent() == [(ADA, "“Boats and their critics” is open")]


def test_the_first_page_promises_e_mail_to_an_address_that_is_confirmed_alone(settings, dora, ada, as_user):
    settings.SITE, settings.MAIL_IS_SENT = SITE, True
    study = builders.study(items=2, overlap=2, by=dora, state="draft")
    builders.enrolment(study, ada)
    browser = as_user(ada)

    def begins():
        return browser.get(reverse("annotation:begin", args=["fleet"])).text

    assert "Leave an e-mail address" in begins()
    give(browser, ADA, wanted="on")
    assert f"open the link that is sent to {ADA}" in begins()
    assert f"You are told at {ADA}" not in begins()
    ada.refresh_from_db()
    confirming.confirm(ada)
    assert f"You are told at {ADA}" in begins()
    stopping.stop_for(study, ADA)
    assert f"no e-mail of this study at {ADA}" in begins()
    stopping.go_on(study, ADA)
    ada.email = EVE
    ada.save()
    settings.MAIL_IS_SENT = False
    assert f"You are told at {EVE}" in begins(), "by hand, and then nothing need be confirmed"


def test_an_address_of_somebody_else_can_neither_be_written_to_nor_allowed_again(study, ada, as_user):
    stopping.stop_for(study, EVE)
    refused = give(as_user(ada), EVE, wanted="on")
    assert refused.status_code == 422
    assert "wants no e-mail of this study" in refused.text
    ada.refresh_from_db()
    assert ada.email == ""
    assert stopping.stopped(study, EVE)
    assert sent() == []


def test_nobody_stops_letters_to_an_address_that_is_not_theirs(study, ada, as_user):
    assert give(as_user(ada), EVE).status_code == 302
    assert not stopping.stopped(study, EVE)
    assert sent() == []


def test_another_address_is_confirmed_anew(study, ada, as_user):
    ada.email = ADA
    ada.save()
    confirming.confirm(ada)
    old = confirming.path(ada)
    give(as_user(ada), EVE, wanted="on")
    assert Client().get(old).status_code == 404
    assert [to for to, _ in sent()] == [EVE]
    assert mail.outbox[0].subject.startswith("Is this your address?")
    give(as_user(ada), ADA, wanted="on")
    assert sent() == [(ADA, "“Boats and their critics” is open")], "this one was confirmed before"


def test_a_reader_can_have_few_links_sent_in_a_day_and_another_after_it(study, ada, as_user):
    browser, now = as_user(ada), timezone.now()
    for n in range(confirming.MOST_A_DAY + 2):
        give(browser, f"{n}@example.org", wanted="on")
        sent(now)
    assert Letter.objects.filter(kind="confirm").count() == confirming.MOST_A_DAY
    give(browser, "0@example.org", wanted="on")
    assert sent() == []
    Letter.objects.update(created=now - timedelta(days=2))
    give(browser, "0@example.org", wanted="on")
    assert [to for to, _ in sent()] == ["0@example.org"]


def test_several_accounts_can_have_few_links_sent_to_one_address(study, ada, as_user):
    for n in range(confirming.MOST_A_DAY + 2):
        person = builders.person(f"reader{n}")
        person.email = EVE
        person.save(update_fields=["email"])
        builders.enrolment(study, person)
    assert [to for to, _ in sent()] == [EVE] * confirming.MOST_A_DAY
    assert sent() == []
    give(as_user(ada), ADA, wanted="on")
    assert [to for to, _ in sent()] == [ADA]


def test_who_must_confirm_is_asked_by_as_many_queries_for_many_as_for_one(study, ada, as_user):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            assert list(confirming.letters(readers(study), study, timezone.now())) == []
        return len(queries)

    give(as_user(ada), ADA, wanted="on")
    sent()
    one = asked()
    for n in range(9):
        person = builders.person(f"reader{n}")
        person.email = f"{n}@example.org"
        person.save(update_fields=["email"])
        builders.enrolment(study, person)
        if n % 2:
            confirming.confirm(person)
    sent()
    assert asked() == one


def test_the_researcher_sees_who_has_not_confirmed_and_what_to_send_by_hand(study, ada, as_user):
    give(as_user(ada), ADA, wanted="on")
    sent()
    (row,) = by_hand.by_hand(study, timezone.now())
    assert (row.what, row.why) == ("The study has opened", by_hand.NOT_CONFIRMED)
    assert ADA not in row


def test_who_has_the_link_of_a_letter_allows_e_mail_again(study):
    stopping.stop_for(study, EVE)
    link, browser = stopping.stop_path(study, EVE), Client(enforce_csrf_checks=True)
    assert "Allow e-mail again" in browser.post(link).text
    assert "E-mail is allowed again" in browser.post(link, {"again": "1"}).text
    assert not stopping.stopped(study, EVE)
