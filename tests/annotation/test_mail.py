"""E-mail to readers: in their researcher's words, once, and not to who wants none."""

from __future__ import annotations

import smtplib
import uuid
from datetime import timedelta
from threading import Event
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.mail import by_hand, confirming, sending, stopping, wording
from annotation.mail.wording import Words
from annotation.models import (
    Assignment,
    Decision,
    Enrolment,
    Letter,
    MailTemplate,
    Message,
    Preferences,
    Study,
)
from annotation.people import withdrawal
from annotation.studies.lifecycle import open_study
from common.errors import BadInput
from tests import builders
from tests.annotation.manage_cast import hold, judge

NOW = timezone.now()
SITE = "https://variorum.example.org"


@pytest.mark.parametrize(
    ("subject", "text", "sentence"),
    [
        ("{study}", "{lnk}", "There is no {lnk}: use {study}, {link}, {contact}."),
        ("{0}", "{link}", "There is no {0}"),
        ("Hello", "{link!r:>9}", "There is no {link!r:>9}"),
        ("Hello", "No way in.", "The text has no {link}"),
        ("Hello {", "{link}", "A { or } stands alone"),
    ],
)
def test_placeholders_are_checked(subject, text, sentence):
    with pytest.raises(BadInput) as error:
        wording.check(Words(subject, text))
    assert sentence in str(error.value)


def test_a_title_can_neither_add_a_header_nor_be_filled_again():
    study = Study(title="Boats {link}\r\nBcc: eve@example.org", contact="")
    said = wording.filled(Words("On {study}", "{{study}} {study} {link} {contact}"), study, "LINK", "STOP")
    assert said.subject == "On Boats {link} Bcc: eve@example.org"
    assert said.text.startswith("{study} Boats {link}")
    assert said.text.endswith("No more e-mail about it: STOP\n")
    for kind, usual in wording.USUAL.items():
        wording.check(usual), kind


@pytest.fixture
def sends(settings):
    """A site that sends e-mail, into `mail.outbox`."""
    settings.SITE, settings.MAIL_IS_SENT = SITE, True
    return settings


@pytest.fixture
def switch(db):
    """`switch(study, kind)`: have the study send that kind from an hour ago on."""

    def on(study, kind, **fields):
        words = wording.USUAL[kind]._asdict()
        since = NOW - timedelta(hours=1)
        return MailTemplate.objects.create(study=study, kind=kind, since=since, **words, **fields)

    return on


@pytest.fixture
def early(dora, ada):
    """A study that Ada joined before it opened; it opens with her alone."""
    study = builders.study(items=2, overlap=2, by=dora, state="draft")
    ada.email = "ada@example.org"
    ada.save()
    confirming.confirm(ada)
    builders.enrolment(study, ada)
    return study


def sent(now=None):
    mail.outbox.clear()
    sending.send_due(now or timezone.now())
    return [(each.to[0], each.subject) for each in mail.outbox]


def test_who_came_early_is_told_once_when_it_opens_and_stops_it_without_signing_in(sends, switch, early):
    switch(early, "opened")
    assert sent() == []
    open_study(early, by=None, now=timezone.now())
    assert sent() == [("ada@example.org", "“Boats and their critics” is open")]
    (letter,) = mail.outbox
    assert f"{SITE}/studies/fleet/begin/" in letter.body
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = letter.extra_headers["List-Unsubscribe"].strip("<>")
    assert link in letter.body
    assert "ada" not in link
    assert sent() == []
    browser, path = Client(enforce_csrf_checks=True), link.removeprefix(SITE)
    assert "Stop e-mail about" in browser.get(path).text
    assert not stopping.stopped(early, "ada@example.org")
    assert browser.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert stopping.stopped(early, "Ada@Example.org")
    assert browser.post(path[:-3] + "x/").status_code == 404
    switch(early, "reminded", days=2)
    assert sent(NOW + timedelta(days=9)) == []


def test_the_reminder_comes_once_after_the_days_and_never_after_later(sends, switch, early, ada):
    me = early.enrolments.get(user=ada)
    open_study(early, by=None, now=NOW)
    switch(early, "reminded", days=3)
    assert sent(NOW + timedelta(days=2)) == []
    hold(early, 1, "A", put_off=NOW)
    assert sent(NOW + timedelta(days=4)) == []
    Assignment.objects.filter(annotator=me).update(put_off=None)
    judge(early, 1, "A")
    assert sent(NOW + timedelta(days=2)) == []
    assert sent(NOW + timedelta(days=4)) == [
        ("ada@example.org", "Items wait for you in “Boats and their critics”")
    ]
    assert sent(NOW + timedelta(days=40)) == []
    Letter.objects.all().delete()
    judge(early, 2, "A")
    assert sent(NOW + timedelta(days=40)) == [], "nothing waits for them"


def test_a_reply_and_a_decision_are_told_and_colleagues_hear_nothing(sends, switch, early, ada, ben, dora):
    me, item = early.enrolments.get(user=ada), early.items.first()
    give(ben, "ben@example.org")
    builders.enrolment(early, ben)
    open_study(early, by=None, now=NOW - timedelta(hours=2))
    for kind in ("replied", "decided"):
        switch(early, kind)
    said = {"item": item, "reader": me, "author": dora, "from_researcher": True}
    for words in ("Yes.", "And no."):
        Message.objects.create(text=words, created=NOW, **said)
    assert sent() == [("ada@example.org", "A reply to your note in “Boats and their critics”")]
    Message.objects.filter(text="Yes.").update(read=NOW)
    assert len(sent()) == 1
    judge(early, 1, "A")
    judge(early, 2, "B")
    me = builders.enrolment(early, builders.person("Jo"), role="adjudicator", pseudonym="J1")
    Decision.objects.create(item=item, reason="So.", adjudicator=me, submission=uuid.uuid4(), created=NOW)
    assert sent() == []
    Study.objects.update(state="closed", closed=NOW)
    assert sent() == [("ada@example.org", "What was decided in “Boats and their critics”")]
    assert "/studies/fleet/decisions/" in mail.outbox[0].body


class Refusing(EmailBackend):
    """A server that answers what `error` says."""

    error: Exception

    def send_messages(self, messages):
        raise self.error


@pytest.mark.parametrize(
    ("error", "told", "again"),
    [
        (
            smtplib.SMTPRecipientsRefused({"a": (550, b"no such\r\nuser")}),
            "answered 550: no such user",
            False,
        ),
        (smtplib.SMTPDataError(451, b"later"), "", True),
        (TimeoutError(), "it may have arrived", False),
    ],
)
def test_what_fails_is_shown_with_its_link_and_only_what_was_not_taken_is_tried_again(
    sends, switch, early, dora, as_user, monkeypatch, error, told, again
):
    switch(early, "opened")
    open_study(early, by=None, now=timezone.now())
    sends.EMAIL_BACKEND = f"{__name__}.Refusing"
    monkeypatch.setattr(Refusing, "error", error, raising=False)
    sent()
    letter, later = Letter.objects.get(), NOW + timedelta(hours=1)
    assert (told in letter.problem, bool(letter.not_before), letter.sent) == (True, again, None)
    address, browser = reverse("annotation:mail", args=["fleet"]), as_user(dora)
    if again:
        sends.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
        assert len(sent(later)) == 1
        return
    assert sent(later) == []
    page = browser.get(address).text
    assert told in page
    assert f"<code>{SITE}/studies/fleet/begin/</code>" in page
    assert "ada@example.org" not in page
    browser.post(address, {"act": "told", "key": f"letter-{letter.pk}"})
    assert told not in browser.get(address).text
    assert browser.post(address, {"act": "told", "key": f"letter-{letter.pk}"}).status_code == 422


def test_what_a_server_says_names_no_address_of_a_reader():
    said = "5.1.1 <Ada@Example.org>: ADA unknown at example.org (a.lovelace@uni.example, see badactor.org)"
    told = "5.1.1 <…>: … unknown at … (…, see badactor.org)"
    assert sending.without_address(said, "ada@example.org") == told


class Ending(EmailBackend):
    """A server that says 421 to the first letter and hangs up, as smtplib leaves its connection then."""

    def send_messages(self, messages):
        if hasattr(self, "connection"):
            raise smtplib.SMTPServerDisconnected("please run connect() first")
        self.connection = smtplib.SMTP()
        raise smtplib.SMTPSenderRefused(421, b"too many letters", "us")


def test_a_server_that_hangs_up_leaves_the_other_letters_waiting(sends, switch, early, ben):
    give(ben, "ben@example.org")
    builders.enrolment(early, ben)
    switch(early, "opened")
    open_study(early, by=None, now=timezone.now())
    sends.EMAIL_BACKEND = f"{__name__}.Ending"
    sent()
    assert list(Letter.objects.values_list("problem", "tried")) == [("", None)] * 2
    sends.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert len(sent(NOW + timedelta(hours=1))) == 2


def test_a_letter_that_is_being_sent_is_not_given_to_another_worker(sends, early, monkeypatch):
    me = early.enrolments.get(pseudonym="A")
    letter = Letter.objects.create(study=early, kind="opened", reader=me, tried=NOW, tries=1)
    with pytest.raises(BadInput):
        by_hand.try_again(early, f"letter-{letter.pk}", NOW)
    letter.refresh_from_db()
    assert (letter.tried, letter.tries) == (NOW, 1)
    # One who listed it before, and does not reach the server.
    monkeypatch.setattr(sending, "waiting", lambda now: Letter.objects.all())
    monkeypatch.setattr(EmailBackend, "open", Mock(side_effect=OSError), raising=False)
    sending.send_waiting(NOW)
    letter.refresh_from_db()
    assert (letter.tried, letter.tries) == (NOW, 1)


def test_without_a_server_the_page_says_which_link_to_send_to_whom(switch, early, dora, as_user):
    switch(early, "opened")
    open_study(early, by=None, now=timezone.now())
    address, browser = reverse("annotation:mail", args=["fleet"]), as_user(dora)
    page = browser.get(address).text
    assert "This site sends no e-mail" in page
    assert "<code>http://testserver/studies/fleet/begin/</code>" in page
    browser.post(address, {"act": "told", "key": "opened-A-"})
    assert "/studies/fleet/begin/" not in browser.get(address).text
    assert Letter.objects.get().by_hand


def test_invitations_go_to_addresses_that_are_kept_no_longer_than_needed(sends, early, dora, as_user):
    address, browser = reverse("annotation:mail", args=["fleet"]), as_user(dora)
    asked = {"act": "invite", "addresses": "gus@example.org, hal@example.org\ngus@example.org", "days": 7}
    refused = browser.post(address, {**asked, "addresses": "gus@example.org\nnobody"})
    assert "“nobody” is no e-mail address" in refused.text
    assert browser.post(address, asked).status_code == 302
    assert {each for each, _ in sent()} == {"gus@example.org", "hal@example.org"}
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith(SITE))
    joined = Client().post("/join/", {"token": link})
    assert joined["Location"].startswith("/join/")
    assert set(Letter.objects.values_list("address", flat=True)) == {""}
    browser.post(address, asked)
    assert sent() == [], "who has a valid link gets no second"
    browser.post(address, {**asked, "addresses": "ida@example.org"})
    assert sending.drop_ended(timezone.now()) == 0
    assert sending.drop_ended(timezone.now() + timedelta(days=8)) == 1
    assert not Letter.objects.filter(address="ida@example.org").exists()
    browser.post(address, {**asked, "addresses": "kim@example.org"})
    Study.objects.update(state="closed")
    assert sent() == [], "nobody can join any more"


@pytest.mark.django_db
def test_a_template_is_previewed_saved_and_refused_at_its_field(early, dora, as_user):
    address, browser = reverse("annotation:mail_template", args=["fleet", "reminded"]), as_user(dora)
    said = {"on": "on", "days": 5, "subject": "Still {study}?", "text": "Come: {link}"}
    assert "Still Boats and their critics?" in browser.post(address, {**said, "preview": "1"}).text
    assert not MailTemplate.objects.exists()
    assert browser.post(address, {**said, "text": "Come: {lnk}"}).status_code == 422
    assert browser.post(address, said).status_code == 302
    assert MailTemplate.objects.values_list("kind", "days", "subject").get() == (
        "reminded",
        5,
        "Still {study}?",
    )
    assert browser.get(reverse("annotation:mail_template", args=["fleet", "no-such"])).status_code == 404


def test_readers_give_change_and_take_back_their_address(early, ada, ben, as_user):
    address, browser = reverse("annotation:own_mail", args=["fleet"]), as_user(ada)
    assert "You are told at ada@example.org" in browser.get("/studies/fleet/begin/").text
    assert browser.post(address, {"address": "nobody"}).status_code == 422
    browser.post(address, {"address": "ada@example.com", "wanted": "on"})
    ada.refresh_from_db()
    assert ada.email == "ada@example.com"
    confirming.confirm(ada)
    browser.post(address, {"address": "ada@example.com"})
    assert stopping.stopped(early, ada.email), "without the tick nothing is wanted"
    browser.post(address, {"address": "ada@example.com", "wanted": "on"})
    assert not stopping.stopped(early, ada.email)
    assert as_user(ben).get(address).status_code == 404
    assert Enrolment.objects.count() == 2


def test_the_usual_words_are_sent_in_the_language_that_a_reader_chose(sends, switch, early, ada, ben):
    switch(early, "opened")
    builders.enrolment(early, ben)
    give(ben, "ben@example.org")
    Preferences.objects.create(user=ada, reading={"language": "de"})
    open_study(early, by=None, now=timezone.now())
    assert dict(sent()) == {
        "ada@example.org": "„Boats and their critics“ hat begonnen",
        "ben@example.org": "“Boats and their critics” is open",
    }
    german = next(each.body for each in mail.outbox if each.to == ["ada@example.org"])
    assert german.startswith("Guten Tag,")
    assert "\n\n-- \nSie erhalten diese Nachricht wegen der Studie" in german


def test_who_left_an_address_on_a_german_page_and_chose_no_language_is_written_to_in_german(
    sends, switch, early, ada, ben, as_user
):
    builders.enrolment(early, ben)
    address, german = f"/studies/{early.slug}/mail/", {"Accept-Language": "de"}
    as_user(ada).post(address, {"address": "ada@example.org", "wanted": "on"}, headers=german)
    as_user(ben).post(address, {"address": "ben@example.org", "wanted": "on"}, headers=german)
    # What is chosen stands above it, and a choice of something else leaves it as it is.
    as_user(ben).post("/preferences/", {"language": "en"})
    as_user(ada).post("/preferences/", {"size": "l"})
    give(ben, "ben@example.org")
    switch(early, "opened")
    open_study(early, by=None, now=timezone.now())
    assert dict(sent()) == {
        "ada@example.org": "„Boats and their critics“ hat begonnen",
        "ben@example.org": "“Boats and their critics” is open",
    }


def test_words_of_a_researcher_are_sent_as_they_wrote_them(sends, early, ada):
    words = {"subject": "Now: {study}", "text": "Come: {link}"}
    MailTemplate.objects.create(study=early, kind="opened", since=NOW - timedelta(hours=1), **words)
    Preferences.objects.create(user=ada, reading={"language": "de"})
    open_study(early, by=None, now=timezone.now())
    assert sent() == [("ada@example.org", "Now: Boats and their critics")]


def test_an_invitation_is_written_in_the_language_that_is_chosen_for_it(sends, early, dora, as_user):
    address, browser = reverse("annotation:mail", args=["fleet"]), as_user(dora)
    asked = {"act": "invite", "addresses": "gus@example.org", "days": 7}
    assert browser.post(address, {**asked, "language": "xx"}).status_code == 422
    browser.post(address, {**asked, "language": "de"})
    browser.post(address, {**asked, "addresses": "hal@example.org"})
    assert dict(sent()) == {
        "gus@example.org": "Würden Sie für „Boats and their critics“ lesen?",
        "hal@example.org": "Would you read for “Boats and their critics”?",
    }
    shown = browser.get(reverse("annotation:mail_template", args=["fleet", "invited"])).text
    assert "Would you read for" in shown
    assert "Würden Sie für" in shown
    own = {"subject": "Come and read", "text": "Here: {link}", "preview": "1"}
    assert (
        "Würden" not in browser.post(reverse("annotation:mail_template", args=["fleet", "invited"]), own).text
    )


def test_who_stopped_e_mail_and_withdrew_is_not_invited_again(sends, early, ada, dora, as_user):
    stopping.stop_for(early, ada.email)
    withdrawal.erase(early.enrolments.get(user=ada), now=timezone.now())
    browser = as_user(dora)
    browser.post(
        reverse("annotation:mail", args=["fleet"]),
        {"act": "invite", "addresses": "Ada@example.org", "days": 7},
    )
    assert sent() == []
    assert not Letter.objects.exists()


def test_an_invitation_by_e_mail_is_withdrawn_on_its_page(sends, early, dora, as_user):
    address, browser = reverse("annotation:mail", args=["fleet"]), as_user(dora)
    browser.post(address, {"act": "invite", "addresses": "gus@example.org\nhal@example.org", "days": 7})
    of_gus, of_hal = Letter.objects.order_by("pk")
    page = browser.get(address).text
    assert f"{of_gus.invitation_id}: gus@example.org" in page
    revoke = reverse("annotation:revoke", args=["fleet", of_gus.invitation_id])
    assert f'action="{revoke}"' in page
    assert browser.post(revoke)["Location"] == address
    assert sending.drop_ended(timezone.now()) == 1
    assert {each for each, _ in sent()} == {"hal@example.org"}
    assert "hal@example.org" not in browser.get(address).text
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith(SITE))
    browser.post(reverse("annotation:revoke", args=["fleet", of_hal.invitation_id]))
    assert "Invited by e-mail, and not here yet" not in browser.get(address).text
    stranger = Client()
    invited = stranger.post("/join/", {"token": link})["Location"]
    assert "This invitation was withdrawn" in stranger.post(invited, as_hal()).text


def as_hal():
    return {"username": "hal", "password1": "a-harbour-wall-1", "password2": "a-harbour-wall-1"}


def test_what_happened_before_a_kind_was_switched_on_is_not_written_of(sends, early):
    open_study(early, by=None, now=NOW - timedelta(days=30))
    Enrolment.objects.update(created=NOW - timedelta(days=40))
    for kind in ("opened", "reminded"):
        words = wording.USUAL[kind]._asdict()
        MailTemplate.objects.create(study=early, kind=kind, since=NOW, days=7, **words)
    assert sent(NOW) == [], "it opened, and they fell silent, before that"
    assert sent(NOW + timedelta(days=6)) == []
    assert [subject for _, subject in sent(NOW + timedelta(days=8))] == [
        "Items wait for you in “Boats and their critics”"
    ]


def test_a_slow_mail_server_keeps_no_worker_from_reporting(monkeypatch):
    asked, answers, looks = Event(), Event(), []

    def slow(now):
        looks.append(now)
        asked.set()
        answers.wait(60)
        raise OSError("gone")

    monkeypatch.setattr(sending, "_next_look", 0.0)
    monkeypatch.setattr(sending, "drop_ended", slow)
    monkeypatch.setattr(sending, "connections", SimpleNamespace(close_all=lambda: None))
    sending.send_if_due()
    assert asked.wait(60), "it returned while the server had not answered"
    monkeypatch.setattr(sending, "_next_look", 0.0)
    sending.send_if_due()
    assert len(looks) == 1, "one look at a time"
    answers.set()
    assert sending._sends.acquire(timeout=60), "a look that failed does not end all others"
    sending._sends.release()


def test_a_look_that_no_thread_can_be_started_for_does_not_end_all_others(monkeypatch):
    monkeypatch.setattr(sending, "_next_look", 0.0)
    monkeypatch.setattr(sending.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
    sending.send_if_due()
    assert sending._sends.acquire(blocking=False)
    sending._sends.release()


def give(user, address):
    """An address of their own, confirmed."""
    user.email = address
    user.save()
    confirming.confirm(user)
