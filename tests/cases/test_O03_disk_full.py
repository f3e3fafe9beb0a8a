"""O03: the disk is full, for real: nothing is acknowledged that was not stored, and nothing is broken.

The disk is a tmpfs of some megabytes in a mount of the test's own.
"""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.cases.installation import READY, ROOT, Installation

UNSHARE = [
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs -o size=24m x "$0" && exec "$@"',
]


def mountable(folder) -> bool:
    if not shutil.which("unshare"):
        return False
    return subprocess.run([*UNSHARE, folder, "true"], capture_output=True, check=False).returncode == 0


INSIDE = (
    READY
    + """
import contextlib, errno, io, sqlite3, uuid
from pathlib import Path
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.core.files.uploadedfile import SimpleUploadedFile
from annotation.assignment.claiming import next_assignment
from annotation.models import Event, Item, Judgment
from annotation.record import sealing
from retrieval.models import Book, LoadingJob

settings.ALLOWED_HOSTS = ["testserver"]
settings.STORAGES = {**settings.STORAGES,
                     "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
call_command("migrate", verbosity=0)
home = Path(settings.DATA_DIR)
dora, ada, stan = builders.researcher("Dora"), builders.person("Ada"), builders.person("Stan", is_staff=True)
study = builders.study(items=200, overlap=1, by=dora)
draft = builders.study("draft", items=1, state="draft", by=dora)
me = builders.enrolment(study, ada)
browsers = {}
for who in (ada, dora, stan):
    browsers[who.username] = Client(raise_request_exception=False)
    browsers[who.username].force_login(who)
acknowledged = []

def submit():
    place = next_assignment(me, now=timezone.now())
    sent = {"submission": str(uuid.uuid4()), "revision": "0", "position": "1"}
    reply = browsers["ada"].post(f"/work/{place.pk}/", sent, headers={"HX-Request": "true"})
    if reply.status_code in (200, 302):
        acknowledged.append(sent["submission"])
    return reply

def full(left=0):
    with open(home / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 65536)
    with open(home / "filler-2", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x")

def room():
    for path in home.glob("filler*"):
        path.unlink()

told = {}
assert submit().status_code == 200
full()
for _ in range(60):
    try:
        reply = submit()
    except Exception as error:
        told["submit"] = ["could not claim", str(error)]
        break
    if reply.status_code not in (200, 302):
        told["submit"] = [reply.status_code, reply.content.decode()]
        break
lines = "\\n".join(json.dumps({"left": [f"See {at} " + "word " * 300], "right": [], "options": ["a", "b"]})
                   for at in range(3000))
reply = browsers["dora"].post(reverse("annotation:setup_items", args=["draft"]),
                              {"file": SimpleUploadedFile("i.jsonl", lines.encode())})
told["import"] = [reply.status_code, draft.items.count()]
reply = browsers["dora"].post(reverse("annotation:export", args=["fleet"]),
                              {"format": "jsonl", "what": "judgments"})
told["export"] = [reply.status_code]
if reply.status_code == 200:
    told["export"].append(len(b"".join(reply.streaming_content).splitlines()) == Judgment.objects.count())
told["exports"] = {}
for what in ("judgments", "decisions", "readings", "dataset", "record"):
    for form in ("jsonl", "csv"):
        name = "record" if what == "record" else "export"
        asked = {"format": form, "what": what, **({"parquet": "1"} if form == "csv" else {})}
        reply = browsers["dora"].post(reverse(f"annotation:{name}", args=["fleet"]), asked)
        size = len(b"".join(reply.streaming_content)) if reply.streaming else 0
        told["exports"][f"{what} {form}"] = [reply.status_code, size > 0]
out = io.StringIO()
call_command("export", "fleet", format="jsonl", stdout=out)
told["command"] = len(out.getvalue().splitlines()) == Judgment.objects.count()
facts = {"slug": "far", "title": "Far", "author": "N.", "year": "1900"}
reply = browsers["stan"].post(reverse("retrieval:import_book"),
    {**facts, "file": SimpleUploadedFile("b.txt", b"A lamp burns low in the window. " * 100_000)})
told["job"] = [reply.status_code, LoadingJob.objects.count(), Book.objects.count()]
try:
    call_command("backup", str(home / "b.tar"), stdout=io.StringIO(), stderr=io.StringIO())
    told["backup"] = ["written"]
except CommandError as error:
    told["backup"] = [str(error)]
told["left"] = sorted(each.name for each in home.iterdir() if "b.tar" in each.name)
room()
told["again"] = submit().status_code
stored = {str(each) for each in Judgment.objects.values_list("submission", flat=True)}
told["lost"] = sorted(set(acknowledged) - stored)
told["unsaid"] = sorted(stored - set(acknowledged))
told["integrity"] = connection.cursor().execute("PRAGMA integrity_check").fetchone()[0]
call_command("verify", stdout=io.StringIO())
call_command("backup", str(home / "b.tar"), stdout=io.StringIO(), stderr=io.StringIO())
print(json.dumps(told))
"""
)


@pytest.mark.long
def test_nothing_is_acknowledged_that_was_not_stored_and_it_goes_on_with_room(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mountable(folder):
        pytest.skip("no mount of one's own here (unshare)")
    here = Installation(folder)
    done = subprocess.run(
        [*UNSHARE, folder, *here.command("-c", INSIDE)],
        cwd=ROOT, env=here.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    told = json.loads(done.stdout.strip().splitlines()[-1])
    assert told["submit"][0] in (503, 507, "could not claim"), told["submit"]
    if told["submit"][0] == 503:
        assert "saved" in told["submit"][1].lower()
    status, items = told["import"]
    assert (status in (422, 503), items) == (True, 1)
    assert told["export"] == [200, True]
    # No export needs the disk: what is written in pieces stands in memory piece by piece.
    assert {name: said for name, said in told["exports"].items() if said[0] != 200} == {}
    assert {name for name, (_, some) in told["exports"].items() if some} >= {"judgments jsonl", "dataset csv"}
    assert told["command"]
    status, jobs, books = told["job"]
    assert (status in (422, 503), jobs, books) == (True, 0, 0)
    assert "No space left" in told["backup"][0] or "disk is full" in told["backup"][0]
    assert told["left"] == []
    assert told["again"] in (200, 302)
    assert (told["lost"], told["unsaid"], told["integrity"]) == ([], [], "ok")
