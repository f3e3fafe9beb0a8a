"""O03: no room for PostgreSQL's own files, and none for the log: nothing is lost, and it goes on after."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cases.installation import HERE, READY, ROOT, installation
from tests.cases.test_O03_disk_full import mountable
from tests.cases.test_R09_database_stopped import ROOM, STORED, Reader
from variorum.server import processes

pytestmark = pytest.mark.long
DISK = 'mount -t tmpfs -o size=256m,mode=755 x "$0" && exec "$@"'
AROUND = """
import json, sys
from pathlib import Path
from tests.cases.installation import Installation
from tests.cases.test_O03_database_full import INSIDE
from tests.services import start
disk, data = map(Path, sys.argv[1:])
with start.postgresql(disk, durable=True) as url:
    here = Installation(data, url)
    here.manage("migrate", "--verbosity", "0")
    told = here.told(INSIDE, disk)
    told["verified"] = "as it was" in here.manage("verify").stdout
    print(json.dumps(told))
"""
"""PostgreSQL's whole folder on a disk of 256 MB that this process and those below it see."""
INSIDE = (
    READY
    + """
import contextlib, uuid
from pathlib import Path
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from annotation.models import Item, Judgment
settings.ALLOWED_HOSTS = ["testserver"]
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
disk = Path(sys.argv[1])
dora, ada = builders.researcher("Dora"), builders.person("Ada")
study = builders.study(items=2000, overlap=1, by=dora)
draft = builders.study("draft", items=1, state="draft", by=dora)
builders.enrolment(study, ada)
browsers = {}
for who in (ada, dora):
    browsers[who.username] = Client(raise_request_exception=False)
    browsers[who.username].force_login(who)
acknowledged, refused = [], []

def post(place, sent):
    reply = browsers["ada"].post(place, sent, headers={"HX-Request": "true"})
    (acknowledged if reply.status_code == 200 else refused).append((place, sent, reply.status_code))
    return reply

def submit():
    begun = browsers["ada"].post("/studies/fleet/begin/")
    if begun.status_code != 302:
        return begun
    return post(begun["Location"], {"submission": str(uuid.uuid4()), "revision": "0", "position": "1"})

def fill():
    with open(disk / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (1 << 16, 1 << 12):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)

told = {"before": submit().status_code}
fill()
for n in range(1000):
    reply = submit()
    if reply.status_code != 200:
        break
told["submit"] = [n, reply.status_code, reply.content.decode()[-3000:]]
lines = "\\n".join(json.dumps({"left": [f"See {at} " + "word " * 300], "right": [], "options": ["a", "b"]})
                   for at in range(3000))
file = SimpleUploadedFile("i.jsonl", lines.encode())
reply = browsers["dora"].post("/manage/draft/setup/items/", {"file": file})
told["import"] = [reply.status_code, draft.items.count()]
reply = browsers["dora"].post("/manage/fleet/export/", {"format": "jsonl", "what": "judgments"})
told["export"] = [reply.status_code, reply.streaming and len(b"".join(reply.streaming_content).splitlines())]
told["judgments"] = Judgment.objects.count()
(disk / "filler").unlink()
told["again"] = [post(*each[:2]).status_code for each in refused[:1]]
told["more"] = submit().status_code
stored = [str(each) for each in Judgment.objects.values_list("submission", flat=True)]
said = {sent["submission"] for _, sent, _ in acknowledged}
told["lost"], told["unsaid"] = sorted(said - set(stored)), sorted(set(stored) - said)
told["twice"] = len(stored) - len(set(stored))
print(json.dumps(told))
"""
)


@pytest.mark.skipif(HERE != "postgresql", reason="needs PostgreSQL (make cases)")
@pytest.mark.skipif(os.getuid() != 0, reason="mounts a disk, and lends it to the user of PostgreSQL")
def test_a_database_without_room_takes_nothing_that_it_does_not_keep(tmp_path):
    with tempfile.TemporaryDirectory(prefix="variorum-") as disk:
        Path(disk).chmod(0o755)  # PostgreSQL runs as another user
        if not mountable(disk):
            pytest.skip("no mount of one's own here (unshare)")
        around = ["-c", AROUND, disk, tmp_path / "data"]
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", DISK, disk, sys.executable, *around],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    told = json.loads(done.stdout.strip().splitlines()[-1])
    assert told["before"] == 200
    n, status, page = told["submit"]
    assert (n < 999, status) == (True, 503), page
    assert "saved" in page.lower()
    # No row of the file is half of it: one transaction, and it says so.
    assert told["import"] == [503, 1]
    assert told["export"] == [200, told["judgments"]]
    assert (told["again"], told["more"]) in (([200], 200), ([], 200))
    assert (told["lost"], told["unsaid"], told["twice"]) == ([], [], 0)
    assert told["verified"]


def test_a_log_without_room_holds_up_nobody(tmp_path):
    """Each line that the web writes fails, as on a disk that is full."""
    with installation(tmp_path / "here") as here, open("/dev/full", "w") as log:
        here.manage("collectstatic", "--no-input", "--verbosity", "0")
        key, place = here.told(ROOM)
        with socket.create_server(("127.0.0.1", 0)) as door:
            host, port = door.getsockname()
        command = processes.web_command(host, port, 1)[1:]
        with here.started(*command, stdout=log, stderr=log) as web:
            assert processes.wait_until_answering(
                f"http://{host}:{port}/login/", 300, lambda: web.poll() is None
            )
            reader = Reader(f"{host}:{port}", f"variorum={key}", place)
            for _ in range(2):
                assert reader.send(reader.form())[0] == 200
            # What is refused, and what is not there, has a line of its own.
            assert reader.ask("GET", "/nowhere/")[0] == 404
            assert reader.ask("POST", f"/work/{place}/", "a=b")[0] == 403
            assert reader.ask("GET", f"/work/{place}/")[0] == 200
            assert web.poll() is None
        assert here.told(STORED) == [2, 2]
