"""O05: what an image gets of the sources boots and shows its pages; the wheel checks a bundle alone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import venv

import pytest

from tests.cases.installation import ROOT, Installation

pytestmark = pytest.mark.long
SITE = """
import json, os, sys
sys.path.insert(0, os.getcwd())
import django
django.setup()
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
settings.ALLOWED_HOSTS = ["testserver"]
assert str(settings.BASE_DIR) == os.getcwd(), settings.BASE_DIR
browser, found, seen = Client(), {}, set()
browser.force_login(User.objects.create_superuser("sue"))
todo = ["/"]
import re
while todo and len(seen) < 600:
    path = todo.pop()
    if path in seen:
        continue
    seen.add(path)
    reply = browser.get(path, follow=True)
    found[path] = reply.status_code
    if reply.status_code == 200 and not reply.streaming and b"<html" in reply.content[:300]:
        page = reply.content.decode()
        outside = re.findall(r'(?:src|srcset|action)="(?:https?:)?//[^"]*', page)
        assert not outside, (path, outside)
        for each in re.findall(r'(?:href|src)="(/[^"#?]*)', page):
            if not each.startswith("//"):
                todo.append(each)
print(json.dumps(found))
"""


def copied(to):
    """The sources that docker/Dockerfile copies."""
    names = re.findall(r"^COPY ([\w.-]+) \.$", (ROOT / "docker/Dockerfile").read_text("utf-8"), re.M)
    folders = re.findall(
        r"^COPY ([\w.-]+) ([\w.-]+)/?$", (ROOT / "docker/Dockerfile").read_text("utf-8"), re.M
    )
    wanted = {*names, *(name for name, _ in folders)} | {
        "variorum", "evaluation", "annotation", "retrieval", "machines", "common", "templates", "manage.py",
    }  # fmt: skip
    for name in wanted - {"tests", "."}:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        elif source.is_file():
            shutil.copy(source, to / name)


def python_of(kind, folder):
    """This Python, or that of a new environment with nothing but the packages of the web's image."""
    if kind == "this":
        return sys.executable
    venv.create(folder, with_pip=True, system_site_packages=False)
    python = str(folder / "bin/python")
    install = [python, "-m", "pip", "install", "--quiet", "-r", str(ROOT / "requirements-web.txt")]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index here: {done.stderr[-300:]}")
    torch = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False)
    assert torch.returncode == 1
    return python


@pytest.mark.parametrize("kind", ["this", "empty"])
def test_the_site_boots_from_its_packages_alone(tmp_path, kind):
    """Also in an environment that was empty: nothing is there that the requirements do not name."""
    tree, python = tmp_path / "tree", python_of(kind, tmp_path / "env")
    tree.mkdir()
    copied(tree)
    assert not (tree / "tests").exists()
    here = Installation(tmp_path / "data")

    def run(*words):
        done = subprocess.run(
            [python, *words],
            cwd=tree,
            env=here.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout

    run("manage.py", "migrate", "--verbosity", "0")
    run("manage.py", "collectstatic", "--no-input", "--verbosity", "0")
    found = json.loads(run("-c", SITE).splitlines()[-1])
    assert len(found) > 15
    assert {path: status for path, status in found.items() if status != 200} == {}


def test_the_wheel_brings_variorum_verify(tmp_path):
    """Built of a copy, and called in an environment in which nothing of ours lies beside it."""
    tree = tmp_path / "tree"
    tree.mkdir()
    copied(tree)
    for name in ("pyproject.toml", "README.md", "LICENSE", "requirements.txt", "requirements-web.txt"):
        shutil.copy(ROOT / name, tree / name)
    build = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "--wheel-dir", tmp_path]
    done = subprocess.run(build, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"no package index here: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-3000:]
    (wheel,) = tmp_path.glob("variorum-*.whl")
    venv.create(tmp_path / "env", with_pip=False, system_site_packages=False)
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    shutil.unpack_archive(wheel, site, "zip")
    (site / "packages.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    program = [tmp_path / "env/bin/python", "-I", "-m", "variorum.verify"]
    told = subprocess.run([*program, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert "bundle" in told.stdout
    where = subprocess.run(
        [tmp_path / "env/bin/python", "-I", "-c", "import variorum; print(variorum.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(tmp_path) in where.stdout
