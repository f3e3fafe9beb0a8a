"""What an endpoint honours is found by asking it, and stored with the date."""

import json
import math
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from machines.client.endpoint import Abilities
from machines.ledger import probe, probe_if_old
from machines.models import Call, EndpointState
from tests.machines import weather
from tests.machines.weather import server

pytestmark = pytest.mark.django_db


class Model(weather.Server):
    """A server that honours what it is told to."""

    def __init__(self, schema="json_schema", logprobs=True, seed=True, usage=True, strict=False):
        self.schema, self.logprobs, self.seed, self.usage, self.strict = schema, logprobs, seed, usage, strict
        self.n = 0
        super().__init__()

    def _answer(self, connection, way):
        connection.sendall(self.reply(self.seen[-1][1]))

    def reply(self, asked):
        self.n += 1
        unknown = {"response_format"} if not self.schema else set()
        unknown |= set() if self.logprobs else {"logprobs"}
        if self.strict and unknown & set(asked):
            return weather.error(400, f"unknown field {sorted(unknown & set(asked))}")
        text = "blue" if self.seed or asked.get("temperature") == 0 else f"blue {self.n}"
        shape = asked.get("response_format", {})
        told = shape.get("schema") or shape.get("json_schema", {}).get("schema")
        if told and self.schema in shape:
            text = json.dumps({"word": told["properties"]["word"]["enum"][0]})
        body = {**weather.BODY, "choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        if self.logprobs and asked.get("logprobs"):
            alike = [{"token": text, "logprob": math.log(0.7)}]
            body["choices"][0]["logprobs"] = {
                "content": [{"token": text, "logprob": math.log(0.7), "top_logprobs": alike}]
            }
        if not self.usage:
            del body["usage"], body["model"]
        return weather.http(200, body)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"schema": "json_schema", "logprobs": True, "seed": True, "usage": True, "echo": True}),
        ({"schema": "schema"}, {"schema": "schema", "logprobs": True}),
        ({"schema": "", "logprobs": False}, {"schema": "", "logprobs": False, "seed": True}),
        ({"schema": "", "logprobs": False, "strict": True}, {"schema": "", "logprobs": False, "seed": True}),
        ({"seed": False, "usage": False}, {"seed": False, "usage": False, "echo": False, "logprobs": True}),
    ],
    ids=["all", "llama.cpp", "drops fields", "refuses fields", "no seed, no counts"],
)
def test_what_is_honoured_is_found(given, expected):
    model = Model(**given)
    found = probe(model.endpoint("probed"))
    model.stop()
    assert (found.reached, {name: getattr(found, name) for name in expected}) == (True, expected)
    row = EndpointState.objects.get()
    assert (row.probe, bool(row.probed)) == (found.as_json(), True)
    assert set(Call.objects.values_list("purpose", flat=True)) == {"probe"}


def test_what_is_not_honoured_is_left_out_afterwards():
    from machines.ledger import Asking
    from tests.machines.client.test_chat import ASKED

    model = Model(schema="", logprobs=False, strict=True)
    endpoint = model.endpoint("probed")
    assert probe(endpoint).abilities == Abilities(schema="", logprobs=False)
    (reply,) = Asking(endpoint)([ASKED])
    model.stop()
    assert reply.text == "blue"


def test_a_probe_of_today_is_not_repeated():
    model = Model()
    first = probe_if_old(model.endpoint("probed"))
    sent = len(model.seen)
    again = probe_if_old(model.endpoint("probed"))
    model.stop()
    assert (again, len(model.seen)) == (first, sent)


@pytest.mark.parametrize(
    ("way", "says"), [(weather.error(401), "does not accept"), (weather.error(400), "none of the requests")]
)
def test_an_endpoint_that_cannot_be_asked_says_why(way, says):
    with server(way) as one:
        found = probe(one.endpoint("probed"))
    assert found.reached is False
    assert says in found.problem


def test_the_command_prints_what_is_known(settings):
    model = Model()
    settings.MODELS = f"""
        [endpoints.here]
        title = "A model of the tests"
        url = "http://127.0.0.1:{model.port}/v1"
        model = "m"
    """
    out = StringIO()
    call_command("probe_models", stdout=out)
    model.stop()
    assert "here: A model of the tests, at 127.0.0.1:" in out.getvalue()
    for said in (
        "JSON schema      followed",
        "probabilities    told",
        "seed             the same reply twice",
    ):
        assert said in out.getvalue()


def test_the_command_ends_with_a_fault_where_one_does_not_answer(settings):
    with server(weather.close) as one:
        settings.MODELS = f'[endpoints.here]\nurl = "http://127.0.0.1:{one.port}/v1"\nmodel = "m"'
    with pytest.raises(CommandError, match="1 of 1 could not be asked"):
        call_command("probe_models", "here", stdout=StringIO())
    with pytest.raises(CommandError, match="There is no model 'gone'"):
        call_command("probe_models", "gone", stdout=StringIO())


def test_without_settings_the_command_says_where_they_are_described():
    out = StringIO()
    call_command("probe_models", stdout=out)
    assert "docs/models.md" in out.getvalue()
