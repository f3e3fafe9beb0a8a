"""Webhooks: who is told what, signed how, once, again after a while, and only from the settings."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
import uuid
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.conf import settings as in_use
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.assignment.claiming import next_assignment
from annotation.judging import judgments
from annotation.judging.submissions import Submission
from annotation.judging.taking_back import take_back
from annotation.models import Delivery, Event, HookEvent, Webhook
from annotation.people.tokens import issue
from annotation.studies.trash import move_to_trash, purge
from annotation.webhooks import delivering, receivers
from retrieval import tasks
from tests import builders

KEY = base64.b64encode(b"a secret of thirty-two bytes 1234").decode()
ALL = list(HookEvent.values)
pytestmark = pytest.mark.django_db


class Listening(BaseHTTPRequestHandler):
    """Keeps what comes, and answers the next of `answers`, 204 when there is none."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver(settings, monkeypatch):
    """A receiver `lab` on this machine, named in the settings."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    server.came, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/hook"
    settings.WEBHOOKS = f'[receivers.lab]\nurl = "{url}"\nsecret_variable = "LAB_SECRET"\n'
    monkeypatch.setenv("LAB_SECRET", f"whsec_{KEY}")
    # A proxy of the environment must not see a message.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def fleet(dora, ada, ben):
    study = builders.study("fleet", items=1, overlap=2, by=dora)
    return study, [builders.enrolment(study, each) for each in (ada, ben)]


def script(user, *scopes):
    client = APIClient()
    _, plain = issue(user, "a script", scopes, timezone.now() + timedelta(days=1))
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}")
    return client


def judge(reader, revision=0):
    assignment = next_assignment(reader, now=timezone.now())
    told = Submission(uuid.uuid4(), "answer", {"option": 1}, note="I am Ada Lovelace", revision=revision)
    return judgments.submit(assignment, reader, told, now=timezone.now())


def work():
    """What workers do with the messages that are due, until none is; returns how many were tried."""
    tried = 0
    while True:
        due = Delivery.objects.filter(status="queued", not_before=None) | Delivery.objects.filter(
            status="queued", not_before__lte=timezone.now()
        )
        for pk in due.order_by("pk").values_list("pk", flat=True):
            tried += tasks.computing(Delivery.kind).attempt(pk, "worker")
        if not due.exists():
            return tried


def make_due():
    Delivery.objects.filter(status="queued").update(not_before=timezone.now() - timedelta(seconds=5))


def test_judgments_items_and_the_study_are_told_signed_and_without_persons(receiver, fleet, dora):
    _, readers = fleet
    told = script(dora, "direct").post(
        "/api/v1/studies/fleet/webhooks/", {"receiver": "lab", "events": ALL}, format="json"
    )
    assert (told.status_code, told.json()["events"]) == (201, ALL)
    first, second = map(judge, readers)
    work()
    said = [json.loads(body) for _, _, body in receiver.came]
    assert [each["type"] for each in said] == [
        "judgment.created", "judgment.created", "item.done", "study.done",
    ]  # fmt: skip
    item = {"study": "fleet", "item": 1, "item_digest": first.item.digest}
    assert said[0]["data"] == {
        **item, "kind": "work", "judgment": first.pk, "revision": 1, "outcome": "answer",
    }  # fmt: skip
    assert (said[2]["data"], said[3]["data"]) == ({**item, "readings": 2}, {"study": "fleet", "readings": 2})
    everything = b"".join(body for _, _, body in receiver.came)
    assert not any(word in everything for word in (b"Ada", b"ada", b"Lovelace", b"pseudonym", b"gold"))
    for path, headers, body in receiver.came:
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        mac = hmac.new(base64.b64decode(KEY), content, hashlib.sha256).digest()
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(mac).decode()}"
        assert abs(int(headers["webhook-timestamp"]) - time.time()) < 300
        assert path == "/hook"
    assert len({headers["webhook-id"] for _, headers, _ in receiver.came}) == 4
    assert second.pk == said[1]["data"]["judgment"]


def test_taking_back_is_told_as_a_judgment_and_items_and_study_are_done_once(receiver, fleet, dora):
    study, readers = fleet
    Webhook.objects.create(study=study, receiver="lab", events=ALL)
    _, second = map(judge, readers)
    work()
    place = study.assignments.select_related("item", "study").get(pk=second.assignment_id)
    changed = Submission(uuid.uuid4(), "answer", {"option": 0}, revision=1)
    again = judgments.submit(place, readers[1], changed, now=timezone.now())
    presses = [uuid.uuid4() for _ in range(2)]
    back = take_back(place, readers[1], presses[0], of=again.submission, now=timezone.now())
    gone = take_back(place, readers[1], presses[1], of=back.submission, now=timezone.now())
    assert take_back(place, readers[1], presses[1], of=back.submission, now=timezone.now()) == gone
    work()
    judge(readers[1], revision=4)
    work()
    said = [json.loads(body) for _, _, body in receiver.came]
    told = [each["data"] for each in said if each["type"] == "judgment.created"]
    assert [(each["revision"], each["outcome"]) for each in told] == [
        (1, "answer"), (1, "answer"), (2, "answer"), (3, "answer"), (4, "taken_back"), (5, "answer"),
    ]  # fmt: skip
    assert [each["judgment"] for each in told[3:5]] == [back.pk, gone.pk]
    assert [each["type"] for each in said if each["type"] != "judgment.created"] == [
        "item.done",
        "study.done",
    ]
    assert not any(b"Lovelace" in body for _, _, body in receiver.came)


def test_an_item_whose_last_reading_is_taken_back_before_it_is_told_is_not_done(receiver, fleet, dora):
    study, readers = fleet
    Webhook.objects.create(study=study, receiver="lab", events=ALL)
    _, second = map(judge, readers)
    place = study.assignments.select_related("item", "study").get(pk=second.assignment_id)
    take_back(place, readers[1], uuid.uuid4(), of=second.submission, now=timezone.now())
    work()
    said = [json.loads(body)["type"] for _, _, body in receiver.came]
    assert said == ["judgment.created"] * 3
    judge(readers[1], revision=2)
    work()
    said = [json.loads(body)["type"] for _, _, body in receiver.came]
    assert said == ["judgment.created"] * 4 + ["item.done", "study.done"]


def test_the_signature_is_the_one_of_the_specification():
    """Its own example: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md."""
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    said = delivering.signed("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}', secret)
    assert said["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_is_not_taken_comes_again_later_unchanged_and_is_given_up_at_last(receiver, fleet, dora):
    study, (ada, ben) = fleet
    hook = Webhook.objects.create(study=study, receiver="lab", events=[HookEvent.JUDGMENT])
    receiver.answers[:] = [302] + [500] * len(delivering.WAITS)
    judge(ada)
    assert work() == 1
    message = Delivery.objects.get()
    assert (message.status, message.tries, message.answered) == ("queued", 1, 302)
    assert message.not_before > timezone.now()
    judge(ben)
    # The second waits for the first, and is not sent: the receiver is asked once.
    assert (work(), len(receiver.came)) == (1, 1)
    for _ in delivering.WAITS:
        Delivery.objects.filter(pk=message.pk).update(not_before=timezone.now() - timedelta(seconds=5))
        work()
    message.refresh_from_db()
    assert (message.status, message.tries) == ("failed", len(delivering.WAITS) + 1)
    assert "lab answered 500" in message.error
    assert {path for path, _, _ in receiver.came} == {"/hook"}
    assert len({(headers["webhook-id"], body) for _, headers, body in receiver.came}) == 1
    address = f"/api/v1/studies/fleet/webhooks/{hook.pk}/deliveries/"
    assert script(dora, "direct").post(f"{address}{message.pk}/resend/").status_code == 202
    make_due()
    work()
    log = script(dora, "read").get(address).json()["results"]
    assert [(each["status"], each["tries"], each["answered"]) for each in log] == [("done", 1, 204)] * 2
    assert script(dora, "direct").post(f"{address}{message.pk}/resend/").status_code == 409


def test_gone_ends_the_webhook_and_a_missing_secret_sends_nothing(receiver, fleet, dora, monkeypatch):
    study, (ada, ben) = fleet
    hook = Webhook.objects.create(study=study, receiver="lab", events=[HookEvent.JUDGMENT])
    for value in ("", "plain", "whsec_c2hvcnQ=", "whsec_%%%"):
        monkeypatch.setenv("LAB_SECRET", value)
        with pytest.raises(ValueError, match="LAB_SECRET must hold whsec_ and 24"):
            receivers.secret(receivers.find("lab"))
    judge(ada)
    work()
    refused = Delivery.objects.get()
    assert (refused.status, receiver.came) == ("failed", [])
    assert "LAB_SECRET" in refused.error
    monkeypatch.setenv("LAB_SECRET", f"whsec_{KEY}")
    receiver.answers[:] = [410]
    judge(ben)
    work()
    hook.refresh_from_db()
    assert hook.ended is not None
    assert KEY not in json.dumps(list(Delivery.objects.values()), default=str)


def test_only_the_studys_researchers_see_and_send_again(receiver, fleet, dora, ada, eve, stan):
    study, (reader, _) = fleet
    hook = Webhook.objects.create(study=study, receiver="lab", events=ALL)
    judge(reader)
    message = Delivery.objects.get()
    Delivery.objects.update(status="failed")
    address = f"/api/v1/studies/fleet/webhooks/{hook.pk}/deliveries/"
    other = builders.study("other", items=1, overlap=1, by=(boss := builders.researcher("Gus")))
    for person in (ada, eve, stan, boss):
        assert script(person, "read").get(address).status_code == 404
        assert script(person, "direct").post(f"{address}{message.pk}/resend/").status_code == 404
    # Nor by way of a study of one's own.
    own = Webhook.objects.create(study=other, receiver="lab", events=ALL)
    ways = (f"other/webhooks/{hook.pk}", f"other/webhooks/{own.pk}")
    for way in ways:
        said = script(boss, "direct").post(f"/api/v1/studies/{way}/deliveries/{message.pk}/resend/")
        assert said.status_code == 404
    assert script(dora, "read").post(f"{address}{message.pk}/resend/").status_code == 403
    assert Delivery.objects.get().status == "failed"


def test_no_address_but_that_of_the_settings_is_called(receiver, fleet, dora):
    client = script(dora, "direct", "read")
    for name in ("http://127.0.0.1:1/", "somebody"):
        said = client.post(
            "/api/v1/studies/fleet/webhooks/", {"receiver": name, "events": ALL}, format="json"
        )
        assert (said.status_code, "use one of: lab" in said.json()["receiver"][0]) == (400, True)
    said = client.post(
        "/api/v1/studies/fleet/webhooks/", {"receiver": "lab", "events": ALL, "url": "x"}, format="json"
    )
    assert (said.status_code, list(said.json())) == (400, ["url"])
    assert not Webhook.objects.exists()
    made = client.post("/api/v1/studies/fleet/webhooks/", {"receiver": "lab", "events": ALL}, format="json")
    twice = client.post("/api/v1/studies/fleet/webhooks/", {"receiver": "lab", "events": ALL}, format="json")
    assert (made.status_code, twice.status_code) == (201, 409)
    ended = client.post(f"/api/v1/studies/fleet/webhooks/{made.json()['id']}/end/")
    assert ended.json()["ended"]
    judge(fleet[1][0])
    assert (work(), receiver.came) == (0, [])
    verbs = Event.objects.filter(study=fleet[0], verb__contains="webhook").values_list("verb", flat=True)
    assert sorted(verbs) == ["end webhook", "webhook"]


def test_the_page_adds_tests_sends_again_and_ends(receiver, fleet, dora, as_user):
    ada, _ = fleet[1]
    browser, at = as_user(dora), reverse("annotation:webhooks", args=["fleet"])
    assert browser.post(at, {"receiver": "elsewhere", "events": ALL}).status_code == 422
    assert browser.post(at, {"receiver": "lab", "events": [HookEvent.JUDGMENT]})["Location"] == at
    hook = Webhook.objects.get()
    assert browser.post(f"{at}{hook.pk}/test/")["Location"] == at
    work()
    test = json.loads(receiver.came[0][2])
    assert (test["type"], test["data"]) == ("webhook.test", {"study": "fleet"})
    judge(ada)
    Delivery.objects.filter(status="queued").update(status="failed", error="lab answered 500.")
    page = browser.get(at).text
    assert all(word in page for word in ("A test", "Taken", "Given up", "lab answered 500.", "1 given up"))
    assert not any(word in page for word in ("127.0.0.1", KEY, "LAB_SECRET"))
    message = Delivery.objects.get(status="failed")
    assert browser.post(f"{at}messages/{message.pk}/resend/")["Location"] == at
    assert Delivery.objects.get(pk=message.pk).status == "queued"
    browser.post(f"{at}{hook.pk}/end/")
    browser.post(f"{at}{hook.pk}/test/")
    page = browser.get(at).text
    assert ("The webhook has ended" in page, "Ended" in page, Delivery.objects.count()) == (True, True, 2)
    said = script(dora, "direct").post(f"/api/v1/studies/fleet/webhooks/{hook.pk}/test/")
    assert said.status_code == 409


def test_without_receivers_nothing_is_stored_and_nothing_asked(fleet, django_assert_num_queries):
    assert in_use.WEBHOOKS == ""
    judgment = judge(fleet[1][0])
    with django_assert_num_queries(0):
        delivering.announcing.announce(judgment, fleet[0])
    assert not Delivery.objects.exists()


def test_a_study_in_the_trash_takes_its_webhooks_along(receiver, fleet, dora):
    study, (ada, _) = fleet
    hook = Webhook.objects.create(study=study, receiver="lab", events=ALL)
    judge(ada)
    work()
    move_to_trash(study, typed="fleet", by=dora, now=timezone.now())
    assert script(dora, "read").get(f"/api/v1/studies/fleet/webhooks/{hook.pk}/").status_code == 404
    assert purge(timezone.now() + timedelta(days=31)) == ["fleet"]
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("x = ", "no TOML", id="broken"),
        pytest.param("hooks = 1", "no field 'hooks'", id="another table"),
        pytest.param(
            '[receivers.lab]\nurl = "https://a.example/"', "url and secret_variable", id="no secret"
        ),
        pytest.param(
            '[receivers.lab]\nurl = "http://a.example/"\nsecret_variable = "S"', "https://", id="in the open"
        ),
        pytest.param(
            '[receivers.Lab]\nurl = "https://a.example/"\nsecret_variable = "S"', "small letters", id="name"
        ),
        pytest.param(
            '[receivers.lab]\nurl = "https://u:p@a.example/"\nsecret_variable = "S"',
            "without user",
            id="user",
        ),
        pytest.param("/nowhere/hooks.toml", "cannot be read", id="no file"),
    ],
)
def test_settings_that_are_wrong_are_said_and_name_nobody(settings, text, says):
    settings.WEBHOOKS = text
    found = receivers.known()
    assert found.receivers == {}
    assert says in " ".join(found.problems)
