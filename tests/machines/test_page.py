"""The page of models: staff see what is honoured and spent, and no reply of any model."""

import pytest
from django.urls import reverse

from common.chat import USER, Message, Request
from machines.endpoints import find
from machines.ledger import Asking
from machines.models import EndpointState, State
from tests.machines import weather
from tests.machines.weather import server

pytestmark = pytest.mark.django_db
PAGE = "/models/"


@pytest.fixture
def described(settings):
    """A model of the settings, and its server."""
    with server() as one:
        settings.MODELS = f"""
            [endpoints.judge]
            title = "The judge"
            url = "http://127.0.0.1:{one.port}/v1"
            model = "m"
            key_variable = "JUDGES_KEY"
            prompt_price = 1.5
            completion_price = 2
            rpm = 600
        """
        yield one


@pytest.fixture(autouse=True)
def a_key(monkeypatch):
    monkeypatch.setenv("JUDGES_KEY", "sk-not-on-any-page")


def page(client):
    return client.get(PAGE).content.decode()


def test_a_model_is_shown_with_limits_prices_and_what_it_cost(described, as_user, stan):
    (reply,) = Asking(find("judge"), purpose="reading 12")([Request((Message(USER, "Grade it."),))])
    text = page(as_user(stan))
    for said in (
        "The judge",
        "600 a minute",
        "1.50 EUR a million tokens sent, 2.00 EUR received",
        "reading 12",
    ):
        assert said in text
    # 20 tokens sent and 6 received.
    assert "0.000042 EUR on 1 call, 26 tokens; 1 answered" in " ".join(text.split())
    assert reply.text not in text
    assert "grade" not in text
    assert "sk-not-on-any-page" not in text


def test_the_button_probes_and_the_page_says_what_is_honoured(described, as_user, stan):
    client = as_user(stan)
    assert "not yet" in page(client)
    assert client.post(reverse("machines:probe", args=["judge"])).url == PAGE
    text = page(client)
    assert "The judge was probed." in text
    assert "<dt>JSON schema</dt><dd>not followed</dd>" in text


def test_a_probe_that_fails_says_why(described, as_user, stan):
    described.ways[:] = [weather.error(401, "wrong key sk-not-on-any-page")]
    client = as_user(stan)
    client.post(reverse("machines:probe", args=["judge"]))
    text = page(client)
    assert "does not accept the key in JUDGES_KEY" in text
    assert "sk-not" not in text


def test_an_unknown_model_and_a_checkpoint_are_not_probed(settings, tmp_path, as_user, stan):
    (tmp_path / "a").mkdir()
    settings.MODELS = f'folders = ["{tmp_path}"]\n[endpoints.a]\nkind = "checkpoint"\nfolder = "{tmp_path}/a"'
    client = as_user(stan)
    assert client.post(reverse("machines:probe", args=["a"])).status_code == 404
    assert client.post(reverse("machines:probe", args=["b"])).status_code == 404
    assert "probe_models a" in page(client)
    assert "Probe<" not in page(client)


def test_an_endpoint_that_is_left_alone_is_shown_as_paused(described, as_user, stan):
    EndpointState.objects.create(name="judge", failures=5, open_until=9e12)
    assert "It failed 5 times in a row" in page(as_user(stan))
    EndpointState.objects.update(open_until=0, not_before=9e12)
    assert "It asked to be left alone" in page(as_user(stan))


def test_faults_of_the_settings_and_no_settings_are_said(settings, as_user, stan):
    client = as_user(stan)
    assert "No model may be asked" in page(client)
    settings.MODELS = "[endpoints.x]\nrpm = 3"
    assert "url is missing" in page(client)


def test_every_state_of_a_call_has_its_badge(described, as_user, stan):
    from machines.models import Call

    for number, state in enumerate(State):
        Call.objects.create(key=str(number), endpoint="judge", prompt_sha256="", state=state)
    text = page(as_user(stan))
    assert all(state.label in text for state in State)
