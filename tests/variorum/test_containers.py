"""docker/: what its files say holds in this tree, as far as it shows without an engine that builds images."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import load_command_class

from variorum import env

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
IMAGES = dict(line.split() for line in (DOCKER / "images").read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def compose():
    """The file as compose reads it, variables unset."""
    return yaml.safe_load((DOCKER / "compose.yml").read_text("utf-8"))


def test_every_service_is_closed_watched_and_pinned(compose):
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "/tmp" in service["volumes"] or name == "redis", name
        assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}, name
        assert service["healthcheck"]["interval"], name
        if "build" in service:
            assert service["build"]["args"] == {"PYTHON_IMAGE": "${PYTHON_IMAGE:?run docker/pin}"}
        else:
            assert service["image"] in {f"${{{each}:?run docker/pin}}" for each in IMAGES}, name
            assert service["user"] not in {"root", "0"}, name


def test_every_setting_of_the_containers_is_one_and_every_secret_a_file(compose):
    for service in compose["services"].values():
        variables = {key for key in service.get("environment", {}) if key.startswith("VARIORUM_")}
        assert variables <= set(env.VARIABLES)
        files = [value for key, value in service.get("environment", {}).items() if key.endswith("_FILE")]
        assert {f"/run/secrets/{name}" for name in service.get("secrets", [])} >= set(files)
        assert set(service.get("secrets", [])) <= set(compose["secrets"])
    # No password stands in a variable that others can list.
    text = (DOCKER / "compose.yml").read_text("utf-8")
    assert re.findall(r"\$\{\w*(?:PASSWORD|SECRET|TOKEN)\w*", text) == []


def test_the_image_of_the_web_has_no_model_packages_and_workers_of_the_processor_the_small_build(compose):
    stages = re.split(r"(?m)^FROM (\S+) AS (\S+)$", (DOCKER / "Dockerfile").read_text("utf-8"))
    of = {
        name: (base, text) for base, name, text in zip(stages[1::3], stages[2::3], stages[3::3], strict=True)
    }
    targets = {name: each["build"]["target"] for name, each in compose["services"].items() if "build" in each}
    assert targets == {"web": "web", "worker-cpu": "worker-cpu", "worker-gpu": "worker-gpu"}
    assert {name: re.search(r"--from=(\S+)", of[name][1])[1] for name in targets} == {
        "web": "packages-web", "worker-cpu": "packages-cpu", "worker-gpu": "packages-gpu",
    }  # fmt: skip
    web, cpu = of["packages-web"], of["packages-cpu"]
    assert "requirements-web.txt" in web[1]
    assert "requirements.txt" not in web[1]
    assert (cpu[0], of["packages-gpu"][0]) == ("packages-web", "packages-web")
    # The CPU build comes first: its version satisfies the pin that follows.
    assert cpu[1].index('--index-url "$TORCH_INDEX"') < cpu[1].index("-r requirements.txt")
    assert re.search(r"/whl/cpu$", cpu[1], re.M)
    assert {base for base, _ in of.values()} <= {"${PYTHON_IMAGE}", *of}
    assert "\nUSER variorum\n" in of["site"][1]
    copied = [name for _, text in of.values() for name in re.findall(r"^COPY ([\w.-]+) \.$", text, re.M)]
    assert all((ROOT / name).exists() for name in copied)


def test_every_command_is_one(compose):
    for script in ("entrypoint", "healthcheck", "pin"):
        assert os.access(DOCKER / script, os.X_OK)
        subprocess.run(["sh", "-n", DOCKER / script], check=True)
    scripts = "".join((DOCKER / each).read_text("utf-8") for each in ("entrypoint", "healthcheck"))
    named = re.findall(r"python manage\.py (\w+)", scripts)
    assert sorted(set(named)) == ["collectstatic", "migrate", "wait_until_ready", "worker_alive"]
    for name in named:
        app = "django.contrib.staticfiles" if name == "collectstatic" else "django.core"
        ours = (ROOT / f"variorum/management/commands/{name}.py").exists()
        assert load_command_class("variorum" if ours else app, name)
    for service in compose["services"].values():
        if "build" not in service:
            continue
        verb = service["command"][0]
        assert f"\n  {verb})\n" in (DOCKER / "entrypoint").read_text("utf-8")
        check = service["healthcheck"]["test"][1:]
        assert check == ["/app/docker/healthcheck", *service["command"]]
        assert f"\n  {verb})\n" in (DOCKER / "healthcheck").read_text("utf-8")


def test_the_proxy_has_each_port_once_and_keeps_the_numbers_within(compose):
    text = (DOCKER / "nginx.conf").read_text("utf-8")
    assert re.findall(r"listen ([\d.:]+)", text) == ["127.0.0.1:8081", "8080", "8443"]
    assert text.count("location = /metrics { return 404; }") == 1
    assert compose["services"]["proxy"]["healthcheck"]["test"][-1] == "http://127.0.0.1:8081/healthz"
    assert (text.count("{"), text.count("X-Request-ID")) == (text.count("}"), 1)


def test_a_healthcheck_fails_where_nothing_answers():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        at = f"127.0.0.1:{probe.getsockname()[1]}"
    here = {**os.environ, "WEB_HEALTH": at}
    for words, status in ((["web"], 1), (["nothing"], 2)):
        done = subprocess.run(["sh", DOCKER / "healthcheck", *words], env=here, capture_output=True, cwd=ROOT)
        assert done.returncode == status, done.stderr


DIGESTS = """#!/bin/sh
case "$4" in *postgres*) echo "$DIGEST" ;; *) echo sha256:%s ;; esac
""" % ("a" * 64)


def test_images_are_pinned_by_what_the_registry_says_and_a_missing_digest_is_found(tmp_path):
    """A registry cannot be asked here: a `docker` of the test's own answers in its place."""
    (tmp_path / "docker").write_text(DIGESTS)
    (tmp_path / "docker").chmod(0o755)
    pins = tmp_path / "env"
    pins.write_text("VARIORUM_HOSTS=variorum.example.org\nREDIS_IMAGE=redis:6@sha256:old\n")

    def pin(*words, digest="sha256:" + "b" * 64):
        here = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PINS": str(pins), "DIGEST": digest}
        return subprocess.run(["sh", DOCKER / "pin", *words], env=here, capture_output=True, text=True)

    assert shutil.which("sh")
    first = pin("--check")
    assert (first.returncode, first.stderr.count("run docker/pin")) == (1, len(IMAGES))
    assert pin(digest="").returncode == 1
    assert "sha256:old" in pins.read_text()
    assert pin().returncode == 0
    assert pin("--check").returncode == 0
    lines = pins.read_text().splitlines()
    assert lines[0] == "VARIORUM_HOSTS=variorum.example.org"
    assert [line.partition("@")[0] for line in lines[1:]] == [f"{name}={tag}" for name, tag in IMAGES.items()]
    pins.write_text(pins.read_text().replace("redis:7-bookworm", "redis:6"))
    assert "REDIS_IMAGE as redis:7-bookworm@sha256" in pin("--check").stderr
