"""Models by their published name: a small hub on loopback plays the real one."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from retrieval.dense import checkpoints, hub
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.settings import checked
from retrieval.models import Checkpoint
from tests.retrieval.dense import berts, published
from tests.retrieval.dense.later import dense_encoder, safetensors_torch, torch
from tests.retrieval.dense.texts import BOOK

# A server of its own, and weights that another process converts.
pytestmark = [pytest.mark.django_db, pytest.mark.services]
COMMIT, OTHER = "a" * 40, "b" * 40
DANGEROUS = ("pytorch_model.bin", "modeling_own.py", "optimizer.pt", "onnx/model.onnx")


class Hub(BaseHTTPRequestHandler):
    """Answers for the models in `models`: name → folder; `asked` keeps every path, `keys` every sign-in."""

    models: dict[str, Path]
    asked: list[str]
    keys: set[str | None]
    failing: set[str]
    listed: tuple[str, ...]

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0].strip("/")
        self.asked.append(f"{self.command} {path}")
        self.keys.add(self.headers["Authorization"])
        if path.startswith("api/models/"):
            name, _, revision = path.removeprefix("api/models/").partition("/revision/")
            return self.information(name, revision)
        name, _, rest = path.partition("/resolve/")
        commit, _, file = rest.partition("/")
        place = self.models.get(name, Path("nowhere")) / file
        if commit != COMMIT or not place.is_file():
            return self.reply(404, b"", {"X-Error-Code": "EntryNotFound"})
        if self.command == "GET" and file in self.failing:
            return self.reply(500, b"", {})
        return self.reply(200, place.read_bytes(), {"X-Repo-Commit": COMMIT, "ETag": f'"{file}"'})

    def information(self, name, revision):
        if name not in self.models:
            return self.reply(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        if revision not in {"main", COMMIT, OTHER}:
            return self.reply(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        folder = self.models[name]
        files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
        told = {"id": name, "sha": COMMIT, "siblings": [{"rfilename": each} for each in (*files, *DANGEROUS)]}
        return self.reply(200, json.dumps(told).encode(), {"Content-Type": "application/json"})

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def played(monkeypatch, settings, tmp_path):
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    torch.set_num_threads(1)
    handler = type("Played", (Hub,), {"models": {}, "asked": [], "keys": set(), "failing": set()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setattr(hub, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def small(played, tmp_path):
    folder = berts.sentence_encoder(tmp_path / "small", BOOK)
    played.models["ada/small"] = folder
    return folder


def add(*arguments):
    out = StringIO()
    call_command("add_checkpoint", "--name=small", *arguments, stdout=out)
    return out.getvalue()


def left(settings):
    return sorted(path.name for path in (settings.DATA_DIR / "checkpoints").glob("*"))


def test_a_model_is_fetched_by_name_pinned_and_used_as_it_says_itself(played, small, settings):
    said = add("--hub=ada/small")
    assert f"ada/small: main is commit {COMMIT}." in said
    row = Checkpoint.objects.get()
    assert checked(row.settings) == PRESETS["minilm"]
    assert row.sha256 == dense_folder.fingerprint(row.place)
    assert row.card["hub"] == [{"name": "ada/small", "commit": COMMIT}]
    assert set(row.card["files"]) == {
        "config.json", "tokenizer.json", "model.safetensors", "modules.json", "sentence_bert_config.json",
        "1_Pooling/config.json",
    }  # fmt: skip
    fetched = {each.split(f"/{COMMIT}/")[1] for each in played.asked if "/resolve/" in each}
    assert fetched == set(row.card["files"])
    assert all(
        f"/resolve/{COMMIT}/" in each or "/api/" in f"/{each}" or "api/" in each for each in played.asked
    )
    assert left(settings) == ["small"]


def test_two_published_models_become_one_checkpoint(played, tmp_path):
    whole = berts.dpr(tmp_path / "dpr", BOOK)
    for tower in ("context", "quotation"):
        (whole / tower / "tokenizer.json").write_bytes((whole / "tokenizer.json").read_bytes())
        played.models[f"ada/{tower}"] = whole / tower
    add("--hub=ada/context", f"--revision={COMMIT}", "--hub-quotations=ada/quotation", "--preset=dpr")
    row = checkpoints.find("small")
    assert checked(row.settings) == PRESETS["dpr"]
    assert [each["name"] for each in row.card["hub"]] == ["ada/context", "ada/quotation"]
    words = json.loads((whole / "quotation/tokenizer.json").read_text())
    words["model"]["vocab"]["strange"] = 299
    (whole / "quotation/tokenizer.json").write_text(json.dumps(words))
    with pytest.raises(CommandError, match="ada/context and ada/quotation have different tokenisers"):
        call_command("add_checkpoint", "--name=b", "--hub=ada/context", "--hub-quotations=ada/quotation")


def test_code_in_the_configuration_is_refused_before_the_weights_are_fetched(played, small, settings):
    (small / "config.json").write_text('{"model_type": "bert", "auto_map": {"AutoModel": "own.Model"}}')
    with pytest.raises(CommandError, match=r"config\.json has auto_map, which runs code from outside"):
        add("--hub=ada/small")
    assert not any("safetensors" in each for each in played.asked)
    assert left(settings) == [".hub-small"]
    assert not Checkpoint.objects.exists()


def test_a_model_that_does_not_load_leaves_no_folder(played, small, settings):
    (small / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(CommandError, match=r"small/model\.safetensors"):
        add("--hub=ada/small")
    assert left(settings) == []
    assert not Checkpoint.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--hub=ada/nothing"], "The hub has no public model ada/nothing"),
        (["--hub=ada/small", "--revision=v9"], "ada/small has no revision 'v9'"),
        (["--hub=ada/small", f"--revision={OTHER}"], "The hub answers with the commit 'aaa"),
        (["--hub=../small"], "is no name of a model; write OWNER/NAME"),
        (["--hub=ada/small", "--preset=minilm", "--context-tokens=9999"], "whole number from 8 to 512"),
    ],
)
def test_what_cannot_be_fetched_is_said_in_a_sentence(played, small, settings, arguments, says):
    with pytest.raises(CommandError, match=says):
        add(*arguments)
    assert left(settings) == []
    assert not any("/resolve/" in each for each in played.asked)


def test_weights_that_are_no_safetensors_are_not_fetched(played, small):
    (small / "model.safetensors").unlink()
    with pytest.raises(
        CommandError, match=r"has no model\.safetensors at aaaaaaaaaaaa \(its weights: optim.*bin\)"
    ):
        add("--hub=ada/small")
    assert not any("/resolve/" in each for each in played.asked)


def test_without_a_network_it_says_so(monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(hub, "ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(CommandError, match=r"ada/small could not be fetched .* Is there a network"):
        add("--hub=ada/small")


def test_after_a_failure_only_what_did_not_come_is_fetched(played, small, settings):
    played.failing.add("model.safetensors")
    with pytest.raises(CommandError, match=r"could not be fetched .*500.* Files that came whole are kept"):
        add("--hub=ada/small")
    assert left(settings) == [".hub-small"]
    played.failing.clear()
    played.asked.clear()
    add("--hub=ada/small")
    got = {
        each.rpartition("/")[2] for each in played.asked if each.startswith("GET ") and "/resolve/" in each
    }
    assert got == {"model.safetensors"}
    assert left(settings) == ["small"]


def test_nobody_s_key_is_sent(played, small, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody")
    add("--hub=ada/small")
    assert played.keys == {None}


def pickled(folder, change=lambda weights: weights):
    """The folder with pytorch_model.bin for its safetensors and vocab.txt for its tokeniser."""
    weights = change(safetensors_torch.load_file(folder / "model.safetensors"))
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)))
    (folder / "tokenizer.json").unlink()


def test_a_pickle_is_fetched_and_converted_where_that_is_asked_for(played, small, settings, tmp_path):
    before = dense_encoder.Encoder(small, PRESETS["minilm"], asked="cpu").quotations(BOOK[:4])
    pickled(small)
    with pytest.raises(CommandError, match=r"or with --convert one with pytorch_model\.bin"):
        add("--hub=ada/small")
    assert "Converting pytorch_model.bin" in add("--hub=ada/small", "--convert")
    row = Checkpoint.objects.get()
    assert checked(row.settings) == PRESETS["minilm"]
    (told,) = row.card["converted"]
    sha256 = hashlib.sha256((small / "pytorch_model.bin").read_bytes()).hexdigest()
    assert told == {"of": "ada/small", "from": [{"file": "pytorch_model.bin", "sha256": sha256}]}
    assert row.card["hub"] == [{"name": "ada/small", "commit": COMMIT}]
    assert left(settings) == ["small"]
    after = dense_encoder.Encoder(row.place, PRESETS["minilm"], asked="cpu").quotations(BOOK[:4])
    assert (before == after).all()


def test_a_folder_is_converted_by_its_own_command(tmp_path):
    with pytest.raises(CommandError, match=r"--convert is of --hub; convert a folder with manage\.py conv"):
        call_command("add_checkpoint", tmp_path, "--name=small", "--convert")


def test_a_fetched_pickle_that_runs_a_command_leaves_nothing(played, small, settings, tmp_path):
    canary = tmp_path / "canary"
    pickled(small, lambda weights: {**weights, "x": published.Command(canary)})
    with pytest.raises(CommandError, match=r"pytorch_model\.bin holds more than tensors and was not read"):
        add("--hub=ada/small", "--convert")
    assert not canary.exists()
    assert left(settings) == [".hub-small"]
    assert not Checkpoint.objects.exists()
