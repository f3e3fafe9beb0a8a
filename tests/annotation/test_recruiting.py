"""Readers from a recruiting service: one id is one reader, and everybody finds the way back."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.manage.recruiting.forms import ServiceForm
from annotation.models import Assignment, Enrolment, Event, Kind, OutsideId, RecruitingService, Study
from annotation.people import enrolments, leaving
from annotation.people.recruiting.arriving import is_id, read_link
from tests import builders
from tests.annotation.manage_cast import judge

PID = "5f3a9c0d1e2b4a6789abcdef"
SAID = {
    "seats": 5,
    "days": 30,
    "parameter": "PROLIFIC_PID",
    "code": "C1A2B3",
    "completed": "https://app.example.org/complete?cc=C1A2B3",
    "screened": "https://app.example.org/complete?cc=OUT",
    "left": "https://app.example.org/complete?cc=LEFT",
}


@pytest.mark.parametrize(
    "pasted",
    [
        f"https://x.org/join/#12.abc-_D?PROLIFIC_PID={PID}&STUDY_ID=s",
        f"https://x.org/join/?PROLIFIC_PID={PID}#12.abc-_D",
        f"12.abc-_D?STUDY_ID=s&prolific_pid={PID}",
        f"https://x.org/join/12.abc-_D/?PROLIFIC_PID={PID}",
    ],
)
def test_an_id_is_read_before_and_behind_the_code(pasted):
    found = read_link(pasted)
    assert (found.code, found.fields["prolific_pid"]) == ("12.abc-_D", PID)


@pytest.mark.parametrize("value", ["", "{{%PROLIFIC_PID%}}", "a b", "=1+1", "-x", "é", "x" * 101, "a\nb"])
def test_what_is_no_id_is_not_taken_for_one(value):
    assert not is_id(value)
    assert is_id(PID)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("completed", "http://app.example.org/"),
        ("screened", "javascript:alert(1)"),
        ("left", "https://me:secret@example.org/"),
        ("parameter", "A&B"),
        ("code", "two words"),
    ],
)
def test_odd_settings_of_a_service_are_named(field, value):
    assert list(ServiceForm({**SAID, field: value}).errors) == [field]
    assert ServiceForm(SAID).is_valid()


@pytest.fixture
def study(dora, request):
    return builders.study(**getattr(request, "param", {"items": 1, "overlap": 2}), by=dora)


@pytest.fixture
def code(study, dora, as_user):
    assert as_user(dora).post(reverse("annotation:recruiting", args=["fleet"]), SAID).status_code == 302
    return enrolments.link(RecruitingService.objects.get().invitation)


def come(code, value=PID, browser=None):
    """Open the link with that id and press the button; the browser, and the reply."""
    browser = browser or Client()
    page = browser.post("/join/", {"token": f"{code}?PROLIFIC_PID={value}&SESSION_ID=9"})["Location"]
    return browser, browser.post(page)


def test_the_same_id_is_the_same_reader_without_a_name_or_password(code, study, ada, as_user):
    _, reply = come(code)
    assert reply["Location"] == "/studies/fleet/begin/"
    again, _ = come(code)
    assert again.get("/studies/fleet/begin/").status_code == 200
    me = Enrolment.objects.get(role="annotator")
    service = RecruitingService.objects.get()
    assert (me.outside_id.value, service.invitation.used, me.user.has_usable_password()) == (PID, 1, False)
    _, reply = come(code, browser=as_user(ada))
    assert (reply.status_code, "by another account" in reply.text) == (422, True)
    for unknown in ("", "{{%PROLIFIC_PID%}}"):
        _, reply = come(code, unknown)
        assert (reply.status_code, "needs the id" in reply.text) == (422, True)
    me.user.set_password("a lamp before dawn")
    me.user.save()
    _, reply = come(code)
    assert "sign in with it" in reply.text, "who chose a password is not let in by an id alone"
    assert (Enrolment.objects.filter(role="annotator").count(), OutsideId.objects.count()) == (1, 1)


def test_an_id_alone_opens_no_account_that_leads_to_more(code, study, ada, as_user):
    ada.set_unusable_password()  # as accounts by `add_person` are at first
    ada.save()
    come(code, "ada", browser=as_user(ada))
    _, reply = come(code, "ada")
    assert (reply.status_code, "sign in with it" in reply.text) == (422, True)
    come(code)
    me = Enrolment.objects.get(outside_id__value=PID)
    leaving.change_role(me, "researcher", by=None)
    _, reply = come(code)
    assert (reply.status_code, "sign in with it" in reply.text) == (422, True)


def test_who_has_read_all_is_shown_code_and_address_and_stands_in_the_list_alone(code, study, dora, as_user):
    reader, _ = come(code)
    done = "/studies/fleet/done/"
    assert "C1A2B3" not in reader.get(done).text
    judge(study, 1, "A")
    Study.objects.update(rate="0.40", currency="GBP")
    page = reader.get(done).text
    assert "<code>C1A2B3</code>" in page
    assert f'rel="noopener noreferrer" href="{SAID["completed"]}">Go to app.example.org' in page
    listed = b"".join(as_user(dora).get("/manage/fleet/recruiting/payment/").streaming_content).decode()
    today = timezone.now().date()
    assert listed.splitlines()[1:] == [f"{PID},completed,1,0.40,GBP,{today}"]
    told = b"".join(as_user(dora).post("/manage/fleet/export/", {"format": "jsonl"}).streaming_content)
    said = told.decode() + str(list(Event.objects.values_list("data", flat=True)))
    assert '"A"' in told.decode()
    assert PID not in said + as_user(dora).get("/manage/fleet/people/").text


@pytest.mark.parametrize("study", [{"items": 2, "overlap": 1}], indirect=True)
@pytest.mark.parametrize("done", [0, 1])
def test_while_others_hold_what_is_left_nobodys_part_ends(code, study, dora, as_user, ada, done):
    """Neither completed nor screened out: it may come free. It ends when they have answered."""
    others = builders.enrolment(study, ada)
    reader, _ = come(code)
    me = Enrolment.objects.get(outside_id__value=PID)
    judge(study, 2, me.pseudonym if done else others.pseudonym)
    held = study.assignments.get(item__number=1)
    until = timezone.now() + timedelta(minutes=30)
    Assignment.objects.filter(pk=held.pk).update(annotator=others, status="held", lease_until=until)

    def standing():
        listed = b"".join(as_user(dora).get("/manage/fleet/recruiting/payment/").streaming_content).decode()
        return listed.splitlines()[1].split(",")[1]

    for page in ("begin", "done"):
        text = reader.get(f"/studies/fleet/{page}/").text
        assert "being read by others just now" in text
        assert "Look again" in text
        assert "Back to where you came from" not in text
    assert standing() == "reading"
    assert reader.post("/studies/fleet/begin/")["Location"] == "/studies/fleet/done/"
    judge(study, 1, others.pseudonym)
    assert "being read by others" not in reader.get("/studies/fleet/done/").text
    assert standing() == ("completed" if done else "screened out")
    Assignment.objects.filter(pk=held.pk).update(status="held", lease_until=timezone.now())
    assert reader.post("/studies/fleet/begin/")["Location"] == f"/work/{held.pk}/"


def test_who_fails_practice_leaves_or_withdraws_is_led_back_too(code, study):
    reader, _ = come(code)
    item = study.items.get()
    item.kind = Kind.PRACTICE
    item.save()
    Study.objects.update(pass_mark=1)
    item.assignments.all().delete()
    begin = "/studies/fleet/begin/"
    assert "Back to where you came from" not in reader.get(begin).text
    place = reader.post(begin)["Location"]
    wrong = builders.pick(Assignment.objects.get(), 0)
    reader.post(place, {"submission": str(uuid.uuid4()), "revision": "0", **wrong})
    for page in (begin, "/studies/fleet/done/"):
        text = reader.get(page).text
        assert SAID["screened"] in text
        # One thing to do: there was work, and nobody is to be asked for more.
        assert "0 of your 1 practice answer was right, and the work begins with 1." in text
        assert "knows that your part ends here" in text
        assert "ask the researcher" not in text
    sent = OutsideId.objects.get()
    sent.delete()
    assert "Please ask the researcher, who will help you." in reader.get(begin).text
    sent.save(force_insert=True)
    assert SAID["left"] in reader.post("/studies/fleet/leave/").text
    other, _ = come(code, "second")
    me = Enrolment.objects.get(outside_id__value="second")
    assert SAID["left"] in other.post("/studies/fleet/withdraw/", {"pseudonym": me.pseudonym}).text
    assert not OutsideId.objects.filter(value="second").exists()
    assert User.objects.filter(username__startswith="reader-").count() == 1
