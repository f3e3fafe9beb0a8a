"""The web's image carries no torch: pages and rankers by words run without it, a model is missed in words."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from common.errors import MODEL_PACKAGES
from tests import builders
from tests.annotation.test_R01_overlap import environment

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([\w.-]+)(?:\[\w+\])?==", re.M)

UNIMPORTABLE = f"""
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {set(MODEL_PACKAGES)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""

VISIT = """
import django
django.setup()
from django.core.management import CommandError, call_command
call_command("collectstatic", interactive=False, verbosity=0)
from variorum.wsgi import application
from django.contrib.auth.models import User
from django.test import Client
from retrieval.candidates import pipeline, submitting
from retrieval.models import Book, CandidateJob
from variorum import diagnosis

client = Client()
client.force_login(User.objects.get(username="stan"))
book = Book.objects.get()
pages = ["/healthz", "/readyz", "/", "/login/", *map(str.strip, sys.argv[1].split(","))]
for page in pages:
    reply = client.get(page, follow=True)
    assert reply.status_code == 200, (page, reply.status_code)
print("pages", len(pages))

job = submitting.submit(book, ranker="bm25", parameters={"negatives": 3, "matching": False})
assert pipeline.attempt(job.pk, "here")
print("bm25", CandidateJob.objects.get(pk=job.pk).status)

job = submitting.submit(
    book, ranker="dense", parameters={"negatives": 1, "matching": False, "checkpoint": "toy"}
)
assert pipeline.attempt(job.pk, "here")
job.refresh_from_db()
print("dense", job.status, job.error)
asked = {"claim": "a lamp", "size": "1", "ranker": "dense:toy"}
found = client.get(f"/books/{book.slug}/search/", asked).content.decode()
print("page", found[found.index("A model is asked for"):].partition("<")[0].replace(chr(10), " "))
print("doctor", diagnosis.encoders().detail)
try:
    call_command("add_checkpoint", sys.argv[2], name="tried")
except CommandError as error:
    print("command", error)
print(sorted({"torch", "transformers", "tokenizers", "safetensors"} & set(sys.modules)))
"""


def pinned(name):
    return {found.lower() for found in PIN.findall((ROOT / name).read_text("utf-8"))}


def test_the_requirements_of_the_web_and_of_models_are_apart():
    assert {name.replace("-", "_") for name in pinned("requirements.txt")} == MODEL_PACKAGES
    assert pinned("requirements.txt").isdisjoint(pinned("requirements-web.txt"))
    assert "-r requirements-web.txt" in (ROOT / "requirements.txt").read_text("utf-8").splitlines()


@pytest.mark.services
@pytest.mark.sqlite
def test_pages_and_bm25_run_without_torch_and_models_are_missed_in_words(
    transactional_db, tmp_path, settings
):
    from retrieval.dense import checkpoints
    from retrieval.engine.dense import toy

    settings.DATA_DIR = tmp_path
    builders.person("Stan", is_staff=True)
    book, critic = builders.book(), builders.source()
    builders.excerpt(book, critic)
    model = tmp_path / "checkpoints" / "toy"
    toy.write_afresh(model, [book.text], seed=1)
    checkpoints.add(model, slug="toy")
    pages = ["/books/", "/sources/", "/jobs/", f"/books/{book.slug}/", f"/books/{book.slug}/search/?q=lamp"]
    done = subprocess.run(
        [sys.executable, "-c", UNIMPORTABLE + VISIT, ",".join(pages), str(model)],
        cwd=settings.BASE_DIR, env=environment(tmp_path) | {"VARIORUM_HOSTS": "testserver"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    assert (said["pages"], said["bm25"], done.stdout.splitlines()[-1]) == (str(4 + len(pages)), "done", "[]")
    assert said["dense"].startswith("failed ")
    for which in ("doctor", "command", "dense", "page"):
        assert "is not installed here" in said[which]
        assert "pip install -r requirements.txt" in said[which]


def test_the_package_names_what_the_web_needs_in_words_that_its_builder_reads():
    """It follows no `-r`: `pip install .` would end in an error. Nor does `variorum-verify` need a model."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (name,) = project["tool"]["setuptools"]["dynamic"]["dependencies"]["file"]
    lines = (ROOT / name).read_text("utf-8").splitlines()
    said = [line for line in lines if line and not line.startswith("#")]
    assert {Requirement(line).name.lower() for line in said} == pinned("requirements-web.txt")
