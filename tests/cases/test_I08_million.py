"""I08 and R08: a large file is imported, killed and begun again, while people answer and one exports.

Nobody is told that the database is locked, an answer takes as long as ever, and the file ends up whole.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from tests.cases.installation import HERE, READY, idle, installation
from tests.cases.many import MANY, peak

pytestmark = pytest.mark.long
SLOW = 0.5
"""Seconds that 95 of 100 answers take at most, where the machine has nothing else to do."""
MOST, LONGEST = 300, 300
"""MB of memory and, on such a machine, seconds that an import may take, of a million items as of few."""
ROOM = """
study = builders.study("room", items=int(sys.argv[2]), overlap=1)
for at in range(int(sys.argv[1])):
    builders.enrolment(study, builders.person(f"Reader{at}"), pseudonym=f"R{at}")
"""
READING = (
    READY
    + """
import threading, traceback, uuid
from django.utils import timezone
from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Enrolment
took, errors = [], []
def read(reader):
    try:
        while not os.path.exists(sys.argv[1]):
            began = time.monotonic()
            place = next_assignment(reader, now=timezone.now())
            if place is None:
                break
            submit(place, reader, Submission(uuid.uuid4(), "answer", {"option": 1}), now=timezone.now())
            took.append(time.monotonic() - began)
            time.sleep(0.2)
    except Exception:
        errors.append(traceback.format_exc())
    finally:
        connection.close()
readers = list(Enrolment.objects.filter(study__slug="room"))
threads = [threading.Thread(target=read, args=[reader]) for reader in readers]
print("reading", flush=True)
for each in threads: each.start()
for each in threads: each.join()
took.sort()
p95 = took[len(took) * 95 // 100] if took else 0
print(json.dumps({"n": len(took), "p95": p95, "longest": max(took, default=0), "errors": errors}))
"""
)
EXPORTING = (
    READY
    + """
from django.core.management import call_command
n = 0
while not os.path.exists(sys.argv[1]):
    with open(os.devnull, "w") as nothing:
        call_command("export", "exported", format="jsonl", stdout=nothing)
    n += 1
print(json.dumps(n))
"""
)
STORED = """
from annotation.models import Item
items = Item.objects.filter(study__slug="big")
print(json.dumps([items.count(), items.values("number").distinct().count()]))
"""
LISTED = peak("""
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS = ["testserver"]
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
from django.contrib.auth.models import User
browser = Client()
browser.force_login(User.objects.create_superuser("sue"))
took = []
for _ in range(4):
    began = time.monotonic()
    assert browser.get("/manage/big/items/").status_code == 200
    took.append(time.monotonic() - began)
print(json.dumps(sorted(took)[1]))
""")


def write(path, n, words):
    with path.open("w", encoding="utf-8") as file:
        for at in range(n):
            line = {
                "id": f"i{at}", "left": [f"A critic writes sentence {at} here. " + "and so on " * words],
                "right": ["And goes on."], "options": [f"Lamp {at} burns low.", f"A boat left on day {at}."],
                "gold": {"option": at % 2},
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")


MEASURED = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""
"""Runs a command from a small process: the kernel counts what the starting one holds as the command's own."""


def imported(here, file):
    """Run the import to its end; its most memory in MB, and seconds."""
    began = time.monotonic()
    command = here.command("manage.py", "import_items", "big", file, "--task", "choice", "--overlap", "1")
    measured = [sys.executable, "-c", MEASURED, *command]
    done = subprocess.run(measured, env=here.environment, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) / 1024, time.monotonic() - began


def under_load(tmp_path, n, *, readers, words, export):
    """Import while people read; what they met, and how much memory it took."""
    with installation(tmp_path / "here") as here:
        here.script(ROOM, readers, 200_000 if n > 10**5 else 20_000)
        if export:
            here.script(MANY + 'large(2000, slug="exported")')
        file, stop = tmp_path / "big.jsonl", tmp_path / "stop"
        write(file, n, words)
        with here.started("-c", READING, stop, stdout=subprocess.PIPE) as reading:
            assert reading.stdout
            assert reading.stdout.readline() == "reading\n"
            exporting = here.started("-c", EXPORTING, stop, stdout=subprocess.PIPE) if export else None
            beside = exporting.__enter__() if exporting else None
            first = here.command(
                "manage.py", "import_items", "big", file, "--task", "choice", "--overlap", "1"
            )
            with subprocess.Popen(first, env=here.environment, stdout=subprocess.DEVNULL) as killed:
                while killed.poll() is None and here.told(STORED)[0] == 0:
                    # Asking takes a processor, and checking a million lines takes minutes.
                    time.sleep(n / 10**6)
                killed.kill()
            begun = here.told(STORED)[0]
            most, took = imported(here, file)
            stop.touch()
            said = json.loads(reading.communicate(timeout=600)[0].splitlines()[-1])
            if beside and exporting:
                assert json.loads(beside.communicate(timeout=600)[0].splitlines()[-1]) > 0
        assert 0 < begun <= n
        assert here.told(STORED) == [n, n]
        assert "as it was" in here.manage("verify").stdout
        return said | {"memory": most, "took": took, "begun": begun, "list": here.told(LISTED)}


@pytest.mark.parametrize("n", [20_000, 1_000_000])
def test_I08_a_large_file_while_ten_people_answer(tmp_path, n, capsys):
    said = under_load(tmp_path, n, readers=10, words=2, export=False)
    with capsys.disabled():
        sys.stdout.write(f"\nI08: {n:,} items: {said}\n")
    assert (said["errors"], said["n"] > 0) == ([], True)
    assert said["memory"] < MOST
    if idle():
        assert said["took"] < LONGEST
        assert said["p95"] < SLOW
        assert said["list"] < 0.3


@pytest.mark.skipif(HERE != "sqlite", reason="SQLite has one writer at a time, and says when it is busy")
def test_R08_thirty_megabytes_eight_writers_and_an_export(tmp_path, capsys):
    said = under_load(tmp_path, 30_000, readers=8, words=80, export=True)
    with capsys.disabled():
        sys.stdout.write(f"\nR08: {said}\n")
    assert (said["errors"], said["n"] > 0) == ([], True)
    if idle():
        assert said["p95"] < SLOW
