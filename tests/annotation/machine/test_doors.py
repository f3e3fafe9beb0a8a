"""Machine readers by API, by command, and in files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from annotation.export import readings
from annotation.machine import jobs
from annotation.machine.estimates import SAMPLE, spread
from annotation.machine.plan import Wanted
from annotation.models import Guideline, MachineJob, MachinePurpose, MachineReader
from annotation.studies.build import LONGEST_GUIDELINES
from annotation.studies.duplicate import duplicate
from common.chat import Reply
from common.errors import BadInput
from machines.client.endpoint import Prices
from machines.endpoints import scripted
from machines.models import Budget, Call
from retrieval.jobs import queue
from retrieval.models import Status
from tests import builders
from tests.annotation.machine.scripted import ENDPOINT, FIRST, Script, claimed, reader_of, registered
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db
AT = "/api/v1/studies/fleet/machines/"


@pytest.fixture
def fleet(dora):
    registered()
    return builders.study(items=3, by=dora)


def command(*said, **options):
    out = io.StringIO()
    call_command("read_by_machine", *said, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def test_a_script_makes_starts_and_follows_a_reader(fleet, dora):
    client = script(dora, "machines")
    made = client.post(AT, {"endpoint": "lamp", "replicates": 1}, format="json")
    assert (made.status_code, made.json()["name"], made.json()["prompt"]) == (201, "M1", 1)
    started = client.post(f"{AT}M1/start/", {"calls": 2}, format="json")
    assert (started.status_code, started.json()["status"]) == (202, "queued")
    jobs.attempt(started.json()["id"], "worker")
    found = client.get(f"{AT}M1/").json()["job"]
    assert (found["status"], found["done"], "used up" in found["error"]) == ("failed", 2, True)
    client.post(f"{AT}M1/start/", {"calls": 9}, format="json")
    assert client.post(f"{AT}M1/stop/").json()["status"] == "cancelled"
    assert client.post(f"{AT}M1/stop/").status_code == 409
    rows = client.get(f"{AT}M1/readings/?page_size=1").json()
    assert (rows["results"][0]["text"], rows["next"] is None) == (FIRST, False)
    assert [each["name"] for each in client.get(AT).json()["results"]] == ["M1"]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"endpoint": "nowhere"}, "endpoint"),
        ({"endpoint": "lamp", "orders": 99}, "orders"),
        ({"endpoint": "lamp", "prompt": 7}, "prompt"),
        ({"endpoint": "lamp", "temperature": "hot"}, "temperature"),
        ({}, "endpoint"),
    ],
)
def test_a_reader_that_cannot_be_is_refused_with_its_field(fleet, dora, said, field):
    reply = script(dora, "machines").post(AT, said, format="json")
    assert (reply.status_code, list(reply.json())) == (400, [field])
    assert not MachineReader.objects.exists()


def test_A01_others_find_nothing_and_another_scope_may_spend_nothing(fleet, dora, eve, stan):
    reader_of(fleet)
    assert script(dora, "read").post(AT, {"endpoint": "lamp"}, format="json").status_code == 403
    for person in (eve, stan):
        client = script(person, "machines")
        for path in ("", "M1/", "M1/readings/"):
            assert client.get(AT + path).status_code == 404
        assert client.post(f"{AT}M1/start/").status_code == 404
    assert not MachineJob.objects.exists()


def test_the_command_reads_to_the_end_and_says_what_came_of_it(fleet):
    reader_of(fleet)
    with pytest.raises(CommandError, match="budget of 2 calls is used up"):
        command("fleet", "M1", calls=2)
    assert command("fleet", "M1", calls=5) == "M1 has read all there is to read: 3 answered.\n"
    assert Budget.objects.get().calls == 3
    with pytest.raises(CommandError, match="has read all"):
        command("fleet", "M1")
    with pytest.raises(CommandError, match="has no machine reader 'M9'; it has: M1"):
        command("fleet", "M9")


def test_the_file_holds_what_was_said_and_no_judgment_does(fleet, dora, as_user):
    reader = reader_of(fleet)
    jobs.attempt(jobs.submit(reader).pk, "worker")
    one = json.loads(next(readings.export(fleet, "jsonl", by=dora)))
    stored, call = reader.readings.order_by("item__number").first(), Call.objects.order_by("pk").first()
    assert list(one) == readings.columns(fleet)
    assert (one["option"], one["text"], one["model"]) == (stored.answer["option"], FIRST, "lamp")
    assert (one["request_sha256"], one["prompt_sha256"]) == (call.prompt_sha256, reader.prompt.sha256)
    assert one["correct"] == (stored.answer == stored.item.gold)
    address = reverse("annotation:export", args=["fleet"])
    browser = as_user(dora)
    assert "What machine readers said" in browser.get(address).content.decode()
    reply = browser.post(address, {"format": "csv", "what": "readings"})
    assert reply["Content-Disposition"].startswith('attachment; filename="fleet-readings-')
    rows = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    assert [row["item"] for row in rows] == ["1", "2", "3"]
    judged = browser.post(address, {"format": "jsonl"})
    assert b"".join(judged.streaming_content) == b""
    assert fleet.events.filter(verb="export", data__what="readings").count() == 2


def test_the_price_of_a_reading_is_that_of_all_its_calls(fleet, dora):
    """Item 1 is read at once, item 2 at the second time of asking, item 3 never."""

    def said(request):
        item = next(n for n, text in enumerate(texts, 1) if text in request.messages[1].content)
        again = len(request.messages) > 2
        text = FIRST if item == 1 or (item == 2 and again) else "no"
        return Reply(text, prompt_tokens=100 + item if again else 10, completion_tokens=0)

    texts = [item.payload["left"][0] for item in fleet.items.order_by("number")]
    assert len(set(texts)) == 3
    scripted.register(replace(ENDPOINT, prices=Prices(prompt=1_000_000)), said)
    reader = reader_of(fleet)
    jobs.attempt(jobs.submit(reader).pk, "worker")
    rows = [json.loads(line) for line in readings.export(fleet, "jsonl", by=dora)]
    assert [(row["state"], row["asked"]) for row in rows] == [
        ("answered", 1), ("answered", 2), ("unreadable", 2)
    ]  # fmt: skip
    assert [row["price"] for row in rows] == [10, 10 + 102, 10 + 103]
    assert sum(row["price"] for row in rows) == Call.objects.aggregate(paid=Sum("price"))["paid"]
    assert all(row["milliseconds"] is not None for row in rows)


def test_the_ledger_says_of_which_replies_no_answer_could_be_made(fleet):
    registered(lambda request: "no")
    jobs.attempt(jobs.submit(reader_of(fleet)).pk, "worker")
    told = Call.objects.values_list("state", "problem")
    assert [state for state, _ in told] == ["unreadable"] * 6
    assert all("JSON" in problem for _, problem in told)


def test_a_copy_of_a_study_has_no_machine_readers(fleet, dora):
    jobs.run(claimed(reader_of(fleet)), ask=Script(lambda request: FIRST))
    copy = duplicate(fleet, slug="again", title="Again", by=dora)
    assert not copy.machine_readers.exists()
    assert not copy.prompts.exists()


def test_nothing_is_read_for_a_study_in_the_trash(fleet, dora):
    """Who put a study away pays for nothing more in it."""
    job = jobs.submit(reader_of(fleet))
    fleet.deleted = timezone.now()
    fleet.save(update_fields=["deleted"])
    jobs.attempt(job.pk, "worker")
    job.refresh_from_db()
    assert (job.status, "put away" in job.error, Call.objects.count()) == ("failed", True, 0)
    fleet.deleted = None
    fleet.save(update_fields=["deleted"])
    assert queue.retry(job.pk, MachineJob)


@pytest.mark.parametrize(
    "said",
    [
        "--calls=0",
        "--calls=-3",
        "--tokens=99999999999",
        "--money=nan",
        "--money=inf",
        "--money=-2",
        "--money=x",
    ],
)
def test_a_limit_that_is_none_is_refused_by_the_command(fleet, said):
    reader_of(fleet)
    with pytest.raises(CommandError, match=said.partition("=")[0]):
        call_command("read_by_machine", fleet.slug, "M1", said)
    assert not MachineJob.objects.exists()


def test_the_command_says_that_another_one_reads(fleet):
    registered()
    jobs.submit(reader_of(fleet))
    assert queue.claim(MachineJob.objects.get().pk, "far-away", MachineJob)
    with pytest.raises(CommandError, match="far-away is at it, or was until it was killed"):
        call_command("read_by_machine", fleet.slug, "M1")


def test_an_alias_that_leads_to_another_model_is_not_read_on(fleet):
    registered()
    job = jobs.submit(reader_of(fleet))
    scripted.register(replace(ENDPOINT, model="lamp-2"), lambda request: FIRST)
    assert jobs.attempt(job.pk, "worker")
    job.refresh_from_db()
    assert job.status == Status.FAILED
    assert "another model now, 'lamp-2'; M1 was made with 'lamp-1'" in job.error
    with pytest.raises(BadInput, match="Make another reader"):
        jobs.submit(job.reader)
    assert not job.reader.readings.exists()


def test_limits_and_leave_given_to_the_command_are_those_of_a_job_that_waits(fleet):
    reader = reader_of(fleet)
    jobs.submit(reader)
    with pytest.raises(CommandError, match="budget of 2 calls is used up"):
        command("fleet", "M1", calls=2, allow_unreadable=True)
    assert MachineJob.objects.get().unreadable_allowed


def test_a_job_that_stopped_does_not_go_on_beside_another(fleet, dora):
    reader = reader_of(fleet)
    stopped = jobs.submit(reader)
    assert queue.cancel(stopped.pk, MachineJob)
    jobs.submit(reader, purpose=MachinePurpose.TRIAL)
    said = script(dora, "machines").post(f"{AT}M1/start/", {"calls": 2}, format="json")
    assert said.status_code == 400
    assert "another of its jobs has not ended" in said.json()["detail"]
    with pytest.raises(CommandError, match="another of its jobs has not ended"):
        command("fleet", "M1", calls=2)
    assert Budget.objects.get(pk=stopped.budget).call_limit is None


def test_the_longest_guidelines_make_a_prompt_and_what_is_refused_makes_none(fleet, dora):
    Guideline.objects.create(study=fleet, version=9, text="Read. " * (LONGEST_GUIDELINES // 6))
    client = script(dora, "machines")
    assert client.post(AT, {"endpoint": "nowhere"}, format="json").status_code == 400
    assert not fleet.prompts.exists()
    assert client.post(AT, {"endpoint": "lamp"}, format="json").status_code == 201


def test_a_sample_of_many_readings_goes_from_the_first_to_the_last():
    many = [Wanted(item, 0, 0) for item in range(SAMPLE * 2 - 1)]
    assert spread(many[:5]) == many[:5]
    assert spread([]) == []
    assert len(set(spread(many))) == SAMPLE
    assert spread(many)[-1].item > len(many) - 3


def test_an_item_that_is_left_out_is_not_called_replaced(fleet):
    jobs.run(claimed(reader_of(fleet)), ask=Script(lambda request: FIRST))
    first, second, _third = fleet.items.order_by("number")
    fleet.items.filter(pk__in=[first.pk, second.pk]).update(retired=timezone.now())
    fleet.items.create(number=9, payload=second.payload, gold=second.gold, digest="9", replaces=second)
    assert [row["replaced"] for row in readings.rows(fleet)] == [False, True, False]
