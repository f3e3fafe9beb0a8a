"""Against `transformers serve` with a model that is made here: what a real server does, and what it drops."""

import contextlib
import dataclasses
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from common.chat import SYSTEM, USER, Message, Request
from machines.client.chat import Chat
from machines.client.endpoint import Abilities, Endpoint
from machines.client.redaction import Key
from machines.client.weather import Weather
from machines.ledger import Asking, Stopped, probe
from machines.models import Call, State
from tests.machines import tiny

pytestmark = pytest.mark.services  # it starts a server, which takes seconds

SCHEMA = {"type": "object", "properties": {"grade": {"type": "integer", "enum": [0, 1, 2, 3, 4]}}}
GRADED = Request(
    (Message(SYSTEM, "Grade the passage."), Message(USER, '{"passage": "The boat left at dawn."}')),
    schema=SCHEMA, choices=tuple("01234"), max_tokens=8,
)  # fmt: skip
PLAIN = Request((Message(USER, "Say something."),), max_tokens=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def endpoint(folder):
    from transformers.utils.import_utils import is_serve_available

    if not is_serve_available():
        pytest.skip("transformers serve needs fastapi, uvicorn and openai, as requirements-dev.txt has them")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("transformers"), "serve", str(folder), "--host", "127.0.0.1"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    server = subprocess.Popen(
        [*command, "--port", str(port), "--device", "cpu"], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and server.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health"):
                break
            time.sleep(0.2)
        yield Endpoint(
            "served", url=f"http://127.0.0.1:{port}/v1", model=str(folder), concurrency=1, context=512
        )
    finally:
        server.terminate()
        server.wait(30)


def forced(endpoint, folder, text):
    """The endpoint when it must answer with one letter."""
    return dataclasses.replace(endpoint, extra={"logit_bias": {str(tiny.token(folder, text)): 100.0}})


def send(endpoint, request):
    with contextlib.closing(Chat(endpoint, lambda: Key(""))) as sending:
        return sending.send(request, Abilities())


def test_a_reply_is_read_and_its_tokens_are_counted(endpoint):
    outcome = send(endpoint, PLAIN)
    assert (outcome.weather, outcome.status) == (Weather.FAIR, 200)
    assert outcome.reply.completion_tokens <= 8
    assert outcome.reply.prompt_tokens > 10
    # It echoes the folder's place: that is never exported, the endpoint's name is.
    assert endpoint.model in outcome.reply.model


def test_typed_decisions_tell_the_probability_of_every_choice(endpoint):
    reply = send(dataclasses.replace(endpoint, decisions=True), GRADED).reply
    assert set(reply.probabilities) == set("01234")
    assert sum(reply.probabilities.values()) == pytest.approx(1, abs=1e-4)
    best = max(reply.probabilities, key=reply.probabilities.get)
    assert reply.text == f'{{"grade": {best}}}'
    assert reply.completion_tokens == 0


def test_a_field_that_it_does_not_know_is_refused_in_words(endpoint):
    outcome = send(dataclasses.replace(endpoint, extra={"no_such_field": 1}), PLAIN)
    assert (outcome.weather, outcome.status) == (Weather.REFUSED, 422)
    assert "no_such_field" in outcome.problem


def test_another_model_than_the_one_that_is_served_is_refused(endpoint):
    assert send(dataclasses.replace(endpoint, model="elsewhere"), PLAIN).weather is Weather.REFUSED


@pytest.mark.django_db
def test_what_is_cut_says_so_and_can_be_noted_as_no_answer(endpoint, folder):
    asking = Asking(forced(endpoint, folder, "3"))
    (reply,) = asking([dataclasses.replace(PLAIN, max_tokens=1)])
    assert (reply.text, reply.finish) == ("3", "length")
    asking.unreadable(reply.call, reply.finish)
    assert list(Call.objects.values_list("state", flat=True)) == [State.UNREADABLE]


@pytest.mark.django_db
def test_a_prompt_that_it_would_cut_in_silence_is_no_answer(endpoint):
    long = Request((Message(USER, "word " * 150),), max_tokens=4)  # 750 bytes, 512 positions
    asking = Asking(endpoint)
    assert asking([long]) == [None]
    assert "too long" in asking.problems[0]


@pytest.mark.django_db
def test_the_probe_finds_what_it_drops_in_silence(endpoint):
    found = probe(endpoint)
    assert (found.reached, found.schema, found.usage, found.echo) == (True, "", True, True)
    assert found.logprobs is not True


@pytest.mark.django_db
def test_a_second_run_is_free_and_says_the_same(endpoint):
    first = Asking(endpoint, purpose="one")([PLAIN, GRADED])
    assert Asking(endpoint, purpose="two")([PLAIN, GRADED]) == first
    assert Call.objects.count() == 2


@pytest.mark.django_db
def test_a_server_that_is_gone_ends_it_in_words(endpoint):
    gone = dataclasses.replace(endpoint, name="gone", url="http://127.0.0.1:1/v1")
    with pytest.raises(Stopped, match="gone") as stopped:
        Asking(gone, patience=0.0)([PLAIN])
    assert stopped.value.retry_after > 0
