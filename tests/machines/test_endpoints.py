"""Endpoints are described in the settings, and every fault is said in a sentence that names it."""

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command

from common.chat import USER, Message, Request
from common.errors import BadInput
from machines import endpoints as site
from machines.client.endpoint import Abilities, Endpoint, Prices
from machines.client.redaction import Key
from machines.client.weather import Weather
from machines.endpoints import known, reading, scripted
from machines.endpoints.scripted import Scripted

SCRIPTS = "tests.machines.scripts"
CHAT = 'url = "https://models.example/v1"\nmodel = "m"\n'


def one(text, top=""):
    return reading.read(f"{top}\n[endpoints.a]\n{text}")


def test_a_whole_description():
    found, wrong = one(
        CHAT
        + """
        title = "The model"
        key_variable = "A_KEY"
        prompt_price = 0.15
        completion_price = 0.6
        cached_price = 0.075
        currency = "USD"
        rpm = 60
        tpm = 100_000
        concurrency = 8
        timeout = 90.5
        context = 8192
        length_field = "max_completion_tokens"
        temperature = false
        decisions = true
        extra = { top_k = 1, min_p = 0.05 }
        """
    )
    assert wrong == []
    assert found["a"] == Endpoint(
        "a", "The model", model="m", url="https://models.example/v1", key_variable="A_KEY",
        prices=Prices(150_000, 600_000, 75_000, "USD"), rpm=60, tpm=100_000, concurrency=8, timeout=90.5,
        context=8192, length_field="max_completion_tokens", temperature=False, decisions=True,
        extra={"top_k": 1, "min_p": 0.05},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "url is missing; kind 'chat' needs it"),
        ('url = "https://x.example/v1"', "model is missing"),
        (CHAT + "rmp = 3", "there is no field 'rmp'"),
        (CHAT + 'ca_file = "own.pem"', "ca_file must be a file's place from the root on"),
        (CHAT + "rpm = 0", "rpm must be a whole number from 1 to 1,000,000"),
        (CHAT + "rpm = true", "rpm must be a whole number"),
        (CHAT + 'timeout = "long"', "timeout must be a number of seconds"),
        (CHAT + "prompt_price = -1", "prompt_price must be the price of a million tokens"),
        (CHAT + "prompt_price = 0.0000001", "six digits"),
        (CHAT + 'prompt_price = "0.15"', "prompt_price must be the price"),
        (CHAT + "prompt_price = inf", "prompt_price must be the price"),
        (CHAT + "prompt_price = nan", "prompt_price must be the price"),
        (CHAT + "timeout = nan", "timeout must be a number of seconds"),
        (CHAT + 'title = "a\\u0000b"', "on one line"),
        (CHAT + "extra = { x = nan }", "extra may hold texts, numbers"),
        (CHAT + "extra = { x = [1, { y = 1979-05-27 }] }", "extra may hold texts, numbers"),
        (CHAT + 'extra = { model = "b" }', "extra may not set model"),
        (CHAT + "extra = { max_tokens = 9999 }", "extra may not set max_tokens"),
        (CHAT + 'extra = { api_key = "sk-secret" }', "a key belongs into key_variable's variable"),
        (CHAT + 'key_variable = "sk_live_secret"', "capital letters, digits and _"),
        ('url = "HTTP://models.example/v1"\nmodel = "m"', "url must begin with https://"),
        ('url = "https://models\\n.example/v1"\nmodel = "m"', "a whole address"),
        ('url = "https://mod els.example/v1"\nmodel = "m"', "a whole address"),
        ('url = "https://a\\\\@b.example/v1"\nmodel = "m"', "a whole address"),
        ('url = "https://models.example/v1/chat/completions"\nmodel = "m"', "end before /chat/completions"),
        ('kind = "checkpoint"\nfolder = "/srv/\\u0000/a"', "a folder's place from the root on"),
        (CHAT + 'currency = "€"', "three capital letters"),
        (CHAT + 'key_variable = "sk-proj-abc"', "the name of an environment variable, never the key itself"),
        (CHAT + 'temperature = "no"', "temperature must be true or false"),
        (CHAT + 'extra = "x"', "extra must be a table"),
        (CHAT + "extra = { n = 4 }", "extra may not set n"),
        (CHAT + 'folder = "/srv/m"', "folder is of kind 'checkpoint'"),
        (CHAT + 'kind = "magic"', "kind must be 'chat' or 'checkpoint' or 'scripted'"),
        ('url = "http://models.example/v1"\nmodel = "m"', "url must begin with https://"),
        ('url = "ftp://models.example/v1"\nmodel = "m"', "a whole address"),
        ('url = "https://user:secret@models.example/v1"\nmodel = "m"', "without user"),
        ('url = "https://models.example/v1?key=secret"\nmodel = "m"', "without user, query"),
        ('url = "https://models.example:99999/v1"\nmodel = "m"', "a whole address"),
        ('url = "https://[::1/v1"\nmodel = "m"', "a whole address"),
        ("url = 3\nmodel = 'm'", "a whole address"),
        ('kind = "checkpoint"\nfolder = "/srv/models/a"', "folder must lie under one that `folders`"),
        ('kind = "checkpoint"\nfolder = "models/a"', "a folder's place from the root on"),
        ('kind = "scripted"\nfunction = "os.system"', "package.module:function"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_endpoint_and_field(text, says):
    found, (wrong,) = one(text)
    assert found == {}
    assert wrong.startswith("Endpoint 'a': ")
    assert says in wrong
    assert "secret" not in wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[endpoints", "no TOML"),
        ("[endpoint.a]", "no field 'endpoint' at the top"),
        ("endpoints = 3", "a table of its own"),
        ('[endpoints."A B"]\n' + CHAT, "small letters"),
        ("[endpoints]\na = 3", "it must be a table"),
        ('folders = "/srv"', "folders must be a list"),
        ('folders = ["models"]', "from the root on"),
        ("[endpoints.a]\n[endpoints.a]", "twice (at line 2"),
    ],
)
def test_what_is_no_description_is_said(text, says):
    assert any(says in each for each in reading.read(text).problems)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000/v1", "http://localhost:11434/v1", "http://[::1]/v1"]
)
def test_this_machine_needs_no_encryption(address):
    assert one(f'url = "{address}"\nmodel = "m"').problems == []


def test_a_private_network_is_said_to_be_one():
    assert one('url = "http://gpu.local/v1"\nmodel = "m"\nprivate = true').problems == []


def test_a_checkpoint_lies_under_an_allowed_folder_links_followed(tmp_path):
    (tmp_path / "models" / "a").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "models" / "link").symlink_to(tmp_path / "elsewhere")
    top = f'folders = ["{tmp_path}/models"]'
    good = one(f'kind = "checkpoint"\nfolder = "{tmp_path}/models/a"', top)
    assert (good.endpoints["a"].concurrency, good.problems) == (1, [])
    assert one(f'kind = "checkpoint"\nfolder = "{tmp_path}/models/link"', top).problems
    assert one(f'kind = "checkpoint"\nfolder = "{tmp_path}/models/../elsewhere"', top).problems


def test_a_good_endpoint_is_there_beside_a_bad_one(settings):
    settings.MODELS = f"[endpoints.a]\n{CHAT}[endpoints.b]\nrpm = 3"
    assert list(site.endpoints()) == ["a"]
    assert len(site.problems()) == 1
    with pytest.raises(BadInput, match="There is no model 'b' here; use one of: a"):
        site.find("b")


def test_settings_are_read_from_a_file_again_when_it_changes(settings, tmp_path):
    file = tmp_path / "models.toml"
    settings.MODELS = str(file)
    assert "cannot be read" in site.problems()[0]
    file.write_text(f"[endpoints.a]\n{CHAT}")
    assert list(site.endpoints()) == ["a"]
    file.write_text(f"[endpoints.a]\n{CHAT}[endpoints.bb]\n{CHAT}")
    assert list(site.endpoints()) == ["a", "bb"]
    file.write_bytes(b"\xff\xfe")
    assert "UTF-8" in site.problems()[0]


def test_without_settings_nothing_may_be_asked():
    with pytest.raises(BadInput, match="VARIORUM_MODELS names none"):
        site.find("gpt")


def test_a_key_is_read_when_it_is_needed(monkeypatch):
    endpoint = Endpoint("a", key_variable="A_TEST_KEY")
    assert not known.key(endpoint)
    monkeypatch.setenv("A_TEST_KEY", "sk-1")
    assert known.key(endpoint).reveal() == "sk-1"
    assert not known.key(Endpoint("b"))


def test_a_key_is_never_pickled():
    import pickle

    with pytest.raises(TypeError, match="never written down"):
        pickle.dumps(Key("sk-1"))


@pytest.mark.parametrize("name", ["nowhere.at:all", f"{SCRIPTS}:missing", f"{SCRIPTS}:NO_FUNCTION"])
def test_a_script_that_is_not_there_is_said(settings, name):
    settings.MODELS = f'[endpoints.a]\nkind = "scripted"\nfunction = "{name}"'
    with pytest.raises(BadInput, match="no function"):
        site.sender(site.find("a"))
    assert [each.id for each in run_checks(tags=["models"])] == ["machines.E001"]


def test_checks_say_each_fault(settings):
    settings.MODELS = '[endpoints.a]\nrpm = 3\n[endpoints.b]\nkind = "scripted"\nfunction = "x:y"'
    told = run_checks(tags=["models"])
    assert [each.id for each in told] == ["machines.E001"] * 2
    with pytest.raises(CommandError, match="Endpoint 'a': url is missing"):
        call_command("check", tags=["models"])


def test_before_a_deployment_risks_are_named(settings, monkeypatch):
    settings.MODELS = f'[endpoints.a]\n{CHAT}key_variable = "UNSET_KEY"\n' + (
        '[endpoints.b]\nurl = "http://gpu.local/v1"\nmodel = "m"\nprivate = true\nprompt_price = 1\n'
        '[endpoints.c]\nurl = "http://127.0.0.1/v1"\nmodel = "m"\n'
    )
    told = run_checks(tags=["models"], include_deployment_checks=True)
    assert [each.id for each in told] == ["machines.W001", "machines.W003", "machines.W002"]
    assert "UNSET_KEY is not set" in told[0].msg


def test_only_scripted_endpoints_are_registered():
    with pytest.raises(ValueError, match="only scripted"):
        scripted.register(Endpoint("a", url="https://x.example/v1", model="m"), lambda request: "")


def test_a_file_may_begin_with_the_mark_that_windows_writes():
    assert reading.read("\ufeff[endpoints.a]\n" + CHAT).problems == []


@pytest.mark.parametrize(
    ("text", "why"), [(None, "No such file"), ("no certificate", "no certificate in PEM")]
)
def test_a_file_of_authorities_that_cannot_be_used_is_said(settings, tmp_path, text, why):
    place = tmp_path / "own.pem"
    if text:
        place.write_text(text)
    settings.MODELS = f"[endpoints.a]\n{CHAT}ca_file = {str(place)!r}"
    (found,) = run_checks(tags=["models"])
    assert (found.id, why in found.msg) == ("machines.E001", True)
    with pytest.raises(BadInput, match="ca_file"):
        known.sender(site.find("a"))


def test_the_script_of_the_demonstration_says_what_it_cannot_do():
    endpoint = Endpoint("word-overlap", kind="scripted", function="variorum.demo.machine:by_overlap")
    for asked in ("[1] A lamp.", '{"passage": "A lamp."}', "[]"):
        outcome = Scripted(endpoint).send(Request((Message(USER, asked),)), Abilities())
        assert outcome.weather is Weather.REFUSED
        assert outcome.problem.startswith("word-overlap: this script chooses passages for gaps")
