"""One call to a chat endpoint, in every weather."""

import base64
import contextlib
import ssl
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote

import pytest
import trustme

from common.chat import SYSTEM, USER, Message, Request
from machines.client import chat
from machines.client.answers import first_object
from machines.client.chat import Chat
from machines.client.endpoint import Abilities, Endpoint
from machines.client.redaction import Key
from machines.client.weather import Paid, Weather
from tests.machines import weather
from tests.machines.weather import server

SCHEMA = {"type": "object", "properties": {"grade": {"enum": [0, 1, 2, 3, 4]}}}
ASKED = Request(
    (Message(SYSTEM, "Grade."), Message(USER, '{"passage": "…"}')),
    schema=SCHEMA,
    choices=tuple("01234"),
    seed=7,
)
LED_AWAY = weather.http(302, b"", "Location: http://127.0.0.1:1/")
TOO_LONG = weather.error(400, "This model's maximum context length is 4096 tokens.")
SECRET = "sk-very-secret-value"


def send(endpoint, request=ASKED, key="", abilities=None):
    with contextlib.closing(Chat(endpoint, lambda: Key(key))) as sending:
        return sending.send(request, abilities or Abilities())


def keyless(one):
    return Chat(one.endpoint(), lambda: Key(""))


def test_the_body_has_the_fields_of_the_design_and_those_of_the_settings():
    with server() as one:
        endpoint = one.endpoint(extra={"top_k": 1}, length_field="max_completion_tokens", temperature=False)
        assert send(endpoint).weather is Weather.FAIR
    head, body = one.seen[0]
    assert head.startswith("POST /v1/chat/completions ")
    assert "accept-encoding: identity" in head.lower()
    assert "authorization" not in head.lower()
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Grade."}, {"role": "user", "content": '{"passage": "…"}'},
        ],
        "seed": 7,
        "max_completion_tokens": 256,
        "response_format": {
            "type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
        "logprobs": True,
        "top_logprobs": 20,
        "top_k": 1,
    }  # fmt: skip


def test_what_a_probe_found_is_not_honoured_is_not_sent():
    with server() as one:
        send(one.endpoint(), abilities=Abilities(schema="", logprobs=False))
        send(one.endpoint(), abilities=Abilities(schema="schema"))
    assert {"response_format", "logprobs"}.isdisjoint(one.seen[0][1])
    assert one.seen[1][1]["response_format"] == {"type": "json_schema", "schema": SCHEMA}


def test_a_reply_is_read_with_its_counts():
    with server() as one:
        reply = send(one.endpoint()).reply
    assert (reply.text, reply.finish, reply.model, reply.fingerprint) == (
        '{"grade": 3}', "stop", "model-echoed", "fp",
    )  # fmt: skip
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (20, 6, None)


@pytest.mark.parametrize(
    ("way", "expected", "paid"),
    [
        pytest.param(weather.close, Weather.BROKEN, Paid.UNKNOWN, id="closed without a word"),
        pytest.param(weather.reset, Weather.BROKEN, Paid.UNKNOWN, id="reset"),
        pytest.param(weather.cut(weather.fair()), Weather.BROKEN, Paid.UNKNOWN, id="cut in the middle"),
        pytest.param(weather.bomb(), Weather.BROKEN, Paid.UNKNOWN, id="a bomb of gzip"),
        pytest.param(weather.http(200, b" " * (5 * 2**20)), Weather.BROKEN, Paid.UNKNOWN, id="too large"),
        pytest.param(weather.http(200, b"<html>"), Weather.NONSENSE, Paid.UNKNOWN, id="HTML with 200"),
        pytest.param(
            weather.http(200, b'{"choices": [{"mess'), Weather.NONSENSE, Paid.UNKNOWN, id="cut JSON"
        ),
        pytest.param(weather.http(200, b'{"choices": []}'), Weather.NONSENSE, Paid.UNKNOWN, id="no choices"),
        pytest.param(weather.http(200, b"[" * 200_000), Weather.NONSENSE, Paid.UNKNOWN, id="nested"),
        pytest.param(LED_AWAY, Weather.NONSENSE, Paid.UNKNOWN, id="led away"),
        pytest.param(weather.error(429), Weather.BUSY, Paid.NO, id="429"),
        pytest.param(weather.error(500), Weather.FAILING, Paid.NO, id="500"),
        pytest.param(weather.error(529), Weather.FAILING, Paid.NO, id="529"),
        pytest.param(weather.error(400), Weather.REFUSED, Paid.NO, id="400"),
        pytest.param(TOO_LONG, Weather.TOO_LONG, Paid.NO, id="too long"),
        pytest.param(weather.error(401), Weather.FORBIDDEN, Paid.NO, id="401"),
        pytest.param(weather.error(403), Weather.FORBIDDEN, Paid.NO, id="403"),
        pytest.param(weather.http(404, b"<html>no</html>"), Weather.REFUSED, Paid.NO, id="404 in HTML"),
    ],
)
def test_weather(way, expected, paid):
    with server(way) as one:
        outcome = send(one.endpoint())
    assert (outcome.weather, outcome.paid, outcome.reply) == (expected, paid, None)
    assert outcome.problem


def test_nothing_is_sent_where_nobody_listens():
    with server() as one:
        endpoint = one.endpoint()
    outcome = send(endpoint)
    assert (outcome.weather, outcome.paid) == (Weather.UNSENT, Paid.NO)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(weather.hang, id="hangs"),
        pytest.param(weather.drip(weather.fair()), id="drips its headers"),
        pytest.param(weather.drip(b" " * 999), id="drips a line without end"),
        pytest.param(
            lambda connection: (
                connection.sendall(weather.http(200, length=9999)), weather.drip(b" " * 9999)(connection),
            ), id="drips its body",
        ),
    ],
)  # fmt: skip
def test_a_call_ends_with_its_own_deadline(way):
    with server(way) as one:
        began = time.monotonic()
        outcome = send(one.endpoint(timeout=0.25))
    assert (outcome.weather, outcome.paid) == (Weather.BROKEN, Paid.UNKNOWN)
    assert time.monotonic() - began < 1


def test_a_server_that_closes_after_a_failure_does_not_break_the_next_call():
    def failing(connection):
        connection.sendall(weather.error(500))
        weather.reset(connection)

    with (
        server(failing, weather.fair()) as one,
        contextlib.closing(Chat(one.endpoint(), lambda: Key(""))) as ask,
    ):
        assert ask.send(ASKED, Abilities()).weather is Weather.FAILING
        assert ask.send(ASKED, Abilities()).weather is Weather.FAIR


def test_a_connection_is_used_again():
    ports = []

    class Counting(weather.Server):
        def _serve(self, connection):
            ports.append(connection.getpeername())
            super()._serve(connection)

    one = Counting()
    with contextlib.closing(keyless(one)) as ask:
        assert {ask.send(ASKED, Abilities()).weather for _ in range(3)} == {Weather.FAIR}
    one.stop()
    assert len(ports) == 1


def test_a_gzip_of_ordinary_size_is_read():
    import gzip
    import json

    data = gzip.compress(json.dumps(weather.BODY).encode())
    with server(weather.http(200, data, "Content-Encoding: gzip")) as one:
        assert send(one.endpoint()).reply.text == '{"grade": 3}'


def test_ten_thousand_tokens_of_nothing_are_a_reply():
    with server(weather.said("\n" * 10_000, finish_reason="length")) as one:
        reply = send(one.endpoint()).reply
    assert (len(reply.text), reply.finish) == (10_000, "length")


def test_a_key_stands_in_the_header_and_nowhere_else():
    with server(weather.error(400, f"Bad: Bearer {SECRET}, that is {SECRET} or Bearer other-key")) as one:
        outcome = send(one.endpoint(key_variable="SOME_KEY"), key=SECRET)
    assert f"Authorization: Bearer {SECRET}" in one.seen[0][0]
    assert SECRET not in repr(outcome)
    assert "other-key" not in outcome.problem
    assert SECRET not in repr(Key(SECRET)) + str(Key(SECRET))


def coded(text):
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("way", [str, quote, coded, lambda text: f'{{"note": "{text}"}}'])
def test_a_key_that_a_hostile_endpoint_puts_into_its_reply_is_taken_out(way):
    told = weather.said(f"My key: {way(SECRET)}.")
    with server(told, weather.fair(model="x" * 190 + SECRET, system_fingerprint=way(SECRET))) as one:
        first, second = (send(one.endpoint(key_variable="SOME_KEY"), key=SECRET) for _ in range(2))
    for outcome in (first, second):
        assert outcome.weather is Weather.FAIR
        assert SECRET not in repr(outcome)
        assert way(SECRET) not in repr(outcome)
        assert SECRET[:9] not in repr(outcome)  # no half of it either, where something is cut
    assert first.reply.text.startswith("My key: ")


def test_a_key_that_is_only_a_word_spoils_no_reply():
    with server(weather.said('{"undecided": "none of these"}')) as one:
        reply = send(one.endpoint(key_variable="SOME_KEY"), key="none").reply
    assert reply.text == '{"undecided": "none of these"}'


def test_an_error_of_characters_that_no_database_keeps_is_kept_without_them():
    with server(weather.http(400, b'{"error": {"message": "a\\u0000b\\ud800c"}}')) as one:
        assert send(one.endpoint()).problem.endswith("said 400: ab?c")
    with server(weather.http(500, b"x\0y")) as one:
        assert send(one.endpoint()).problem.endswith("said 500: xy")


@pytest.mark.parametrize(("key", "says"), [("", "is not set where this runs"), ("sk-\n2", "printable ASCII")])
def test_a_key_that_is_missing_or_none_is_said_by_its_variable(key, says):
    with server() as one:
        outcome = send(one.endpoint(key_variable="SOME_KEY"), key=key)
    assert (outcome.weather, one.seen) == (Weather.FORBIDDEN, [])
    assert "SOME_KEY" in outcome.problem
    assert says in outcome.problem
    assert "sk-" not in outcome.problem


def test_problems_are_cut():
    with server(weather.error(400, "x" * 100_000)) as one:
        assert len(send(one.endpoint()).problem) == 500


def test_nothing_is_taken_from_the_environment(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    with server() as one:
        assert send(one.endpoint()).weather is Weather.FAIR


NOW = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0), ("99999999999", 3600.0), ("", None), ("soon", None), ("-1", None), ("²", None),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None), ("Mon, 01 Jan 2020 00:00:00 +99999999999", None),
        (format_datetime(NOW + timedelta(seconds=90)), 90.0), (format_datetime(NOW - timedelta(days=1)), 0.0),
        (format_datetime(NOW + timedelta(days=9)), 3600.0),
    ],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date_and_an_hour_at_most(value, seconds):
    assert chat.retry_after(value, NOW) == seconds


@pytest.mark.parametrize("told", [-3, "12", 1.5, True, None, [], 2**30, 10**400])
def test_tokens_that_cannot_be_are_not_counted(told):
    usage = {"prompt_tokens": told, "completion_tokens": 2**30 - 1, "completion_tokens_details": told}
    with server(weather.fair(usage=usage)) as one:
        reply = send(one.endpoint()).reply
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (None, 2**30 - 1, None)


def test_retry_after_comes_with_the_outcome():
    with server(weather.error(429, "slow", "Retry-After: 12")) as one:
        assert send(one.endpoint()).retry_after == 12.0


def test_typed_decisions_are_asked_where_they_are_offered():
    answers = {"answer": {"type": "choice", "choice": "3", "probabilities": {"3": 0.7, "1": 0.2, "x": 0.1}}}
    told = {"model": "m", "answers": answers, "usage": {"input_tokens": 9, "output_tokens": 0}}
    with server(weather.http(200, told)) as one:
        reply = send(one.endpoint(decisions=True)).reply
    head, body = one.seen[0]
    assert head.startswith("POST /v1/systemone ")
    assert body == {
        "model": "m", "state": '{"passage": "…"}',
        "questions": {"answer": {
            "type": "choice", "instructions": "Grade.", "criteria": dict.fromkeys("01234"),
        }},
    }  # fmt: skip
    assert (reply.text, reply.probabilities) == ('{"grade": 3}', {"3": 0.7, "1": 0.2})
    assert (reply.prompt_tokens, reply.completion_tokens) == (9, 0)


def test_an_endpoint_shows_no_key():
    assert "KEY_VALUE" not in repr(Endpoint("x", key_variable="A_VARIABLE"))


def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": '{"gra'}, {"type": "image_url"}, {"type": "text", "text": 'de": 3}'}]
    with server(weather.said(parts)) as one:
        assert send(one.endpoint()).reply.text == '{"grade": 3}'


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_what_a_model_reasoned_is_kept_and_is_no_answer(field):
    message = {"content": '{"grade": 3}', field: 'Perhaps </think>{"grade": 1}.'}
    with server(weather.fair(choices=[{"message": message, "finish_reason": "stop"}])) as one:
        text = send(one.endpoint()).reply.text
    assert text == '<think>Perhaps {"grade": 1}.</think>\n{"grade": 3}'
    assert first_object(text) == {"grade": 3}


def test_reasoning_without_an_answer_is_none_and_never_crowds_one_out():
    long = {"message": {"content": '{"grade": 2}', "reasoning_content": "é" * 300_000}}
    with server(weather.fair(choices=[{"message": {"content": None, "reasoning_content": "Hm."}}])) as one:
        assert first_object(send(one.endpoint()).reply.text) is None
    with server(weather.fair(choices=[long])) as one:
        text = send(one.endpoint()).reply.text
    assert len(text.encode()) < 2**18
    assert first_object(text) == {"grade": 2}


@contextlib.contextmanager
def encrypted(authority):
    """A server whose certificate this authority, which nobody knows, has signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    class Say(BaseHTTPRequestHandler):
        def do_POST(self):
            self.wfile.write(weather.said("yes"))

    with HTTPServer(("127.0.0.1", 0), Say) as web:
        web.socket = context.wrap_socket(web.socket, server_side=True)
        threading.Thread(target=web.serve_forever, args=(0.01,), daemon=True).start()
        yield Endpoint("own", model="m", url=f"https://127.0.0.1:{web.server_port}/v1", timeout=10)
        web.shutdown()


def test_a_private_authority_is_believed_where_the_settings_name_it(tmp_path):
    authority, file = trustme.CA(), tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(file)
    with encrypted(authority) as endpoint:
        strange = send(endpoint)
        assert (strange.weather, "certificate" in strange.problem.lower()) == (Weather.UNSENT, True)
        assert send(replace(endpoint, ca_file=file)).reply.text == "yes"
