"""O01: a backup taken while people write restores on either database, after a kill at any moment, and from an
older version: rows to the byte, the record's chain, guards, sign-ins.
"""

from __future__ import annotations

import signal
import subprocess
import tarfile

import pytest

from tests.cases.installation import COUNTED, FILLED, GUARDED, HERE, READY, installation

pytestmark = pytest.mark.long
PLACES = [("sqlite", "sqlite")] if HERE == "sqlite" else [
    ("postgresql", "postgresql"), ("postgresql", "sqlite"), ("sqlite", "postgresql"),
]  # fmt: skip
WRITING = """
from annotation.models import Event
n = 0
while True:
    Event.objects.create(verb="written", data={"n": n})
    n += 1
    print(n, flush=True)
"""
SIGNED_IN = """
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS = ["testserver"]
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
reply = Client().post("/login/", {"username": "ada", "password": "a lamp before dawn"})
print(json.dumps(reply.status_code))
"""


def head_in(told: str) -> str:
    return next(line for line in told.splitlines() if line.startswith("Head")).split()[-1]


def table(path, name):
    with tarfile.open(path) as tar:
        return tar.extractfile(f"tables/{name}.jsonl.gz").read()


@pytest.fixture
def filled(tmp_path):
    """An installation with judgments, seals, a withdrawal and a checkpoint's file."""
    with installation(tmp_path / "here") as made:
        made.script(FILLED, 150)
        (made.folder / "checkpoints" / "toy").mkdir(parents=True)
        (made.folder / "checkpoints" / "toy" / "model.safetensors").write_bytes(bytes(range(256)) * 4000)
        yield made


@pytest.mark.parametrize(("source", "target"), PLACES)
def test_from_one_database_to_another_while_people_write(tmp_path, source, target):
    with (
        installation(tmp_path / "here", source) as here,
        installation(tmp_path / "there", target, migrated=False) as there,
    ):
        here.script(FILLED, 300)
        with here.started("-c", READY + WRITING, stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            for _ in range(3):
                writer.stdout.readline()
            head = head_in(here.manage("backup", tmp_path / "b.tar").stdout)
            assert writer.poll() is None
        assert "as it was" in there.manage("verify", tmp_path / "b.tar", "--head", head).stdout
        there.manage("restore", tmp_path / "b.tar")
        assert "as it was" in there.manage("verify", "--head", head).stdout
        assert "as it was" in here.manage("verify", "--head", head).stdout
        assert there.told(COUNTED) == here.told(COUNTED)
        assert there.told(SIGNED_IN) == 302
        refused, tried = there.told(GUARDED)
        assert refused == tried
        there.manage("backup", tmp_path / "again.tar")
        for name in (
            "annotation_judgment",
            "annotation_decision",
            "annotation_assignment",
            "annotation_erasure",
        ):
            assert table(tmp_path / "again.tar", name) == table(tmp_path / "b.tar", name)


KILLED = """
from django.core.management import call_command
from variorum.backup import restoring, tables
def bomb(): os.kill(os.getpid(), signal.SIGKILL)
where, file = sys.argv[1:3]
if where == "first table":
    tables.insert = lambda *_: bomb()
elif where == "record":
    plain = tables.insert
    record = "annotation_judgment"
    tables.insert = lambda model, rows: bomb() if model._meta.db_table == record else plain(model, rows)
elif where == "files":
    restoring._unpack = lambda *_: bomb()
elif where == "moved":
    plain = restoring._move
    restoring._move = lambda *words: (plain(*words), bomb())
elif where == "stored":
    restoring.call_command = lambda *words, **_: bomb()
elif where == "tables":
    plain = restoring.prepare
    restoring.prepare = lambda backup: (plain(backup), bomb())
call_command("restore", file)
"""


@pytest.mark.parametrize("where", ["tables", "files", "first table", "record", "moved", "stored"])
def test_a_restore_that_is_killed_is_run_again(filled, tmp_path, where):
    head = head_in(filled.manage("backup", tmp_path / "b.tar").stdout)
    with installation(tmp_path / "there", migrated=False) as there:
        killed = there.script(KILLED, where, tmp_path / "b.tar", check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        there.manage("restore", tmp_path / "b.tar")
        assert "as it was" in there.manage("verify", "--head", head).stdout
        assert there.told(COUNTED) == filled.told(COUNTED)
        file = there.folder / "checkpoints" / "toy" / "model.safetensors"
        assert file.read_bytes() == bytes(range(256)) * 4000
        assert [each.name for each in there.folder.iterdir() if "restor" in each.name] == []
        # What is complete is not begun again.
        assert "is not empty" in there.manage("restore", tmp_path / "b.tar", check=False).stderr


OLDER = """
from django.db.migrations.executor import MigrationExecutor
from variorum.backup import writing
from pathlib import Path
executor = MigrationExecutor(connection)
done = [tuple(each.split(".", 1)) for each in writing.applied()]
writing.apps = executor.loader.project_state(done).apps
writing.sealing.try_to_seal = lambda: 0
writing.files.elsewhere = lambda: []
print(json.dumps(writing.write(Path(sys.argv[1])).migrations))
"""
"""Write the backup that the version of these migrations would have written."""


SEALED_THEN = """
from annotation.record import rows
rows.COLUMNS["erasure"] = tuple(name for name in rows.COLUMNS["erasure"] if name != "keys")
"""
"""Seal as that version did, whose erasures named no rows."""


def test_a_backup_of_an_earlier_version_is_brought_to_this_one(tmp_path):
    with (
        installation(tmp_path / "here") as here,
        installation(tmp_path / "there", migrated=False) as there,
    ):
        here.script(SEALED_THEN + FILLED, 100)
        before = here.told(COUNTED)
        here.manage("migrate", "--verbosity", "0", "evaluation", "zero")
        here.manage("migrate", "--verbosity", "0", "annotation", "0026")
        assert "annotation.0026_record_guarded" in here.told(OLDER, tmp_path / "old.tar")
        there.manage("verify", tmp_path / "old.tar")
        there.manage("restore", tmp_path / "old.tar")
        assert "as it was" in there.manage("verify").stdout
        assert there.told(COUNTED) == before
        refused, tried = there.told(GUARDED)
        assert refused == tried
        assert there.manage("makemigrations", "--check", "--dry-run").returncode == 0
        assert there.manage("migrate", "--check").returncode == 0


def test_a_backup_that_is_killed_leaves_nothing_that_stays(filled, tmp_path):
    """What it leaves is swept by the next one; the file of one that still writes is not touched."""
    killed = filled.script(
        """
from django.core.management import call_command
from variorum.backup import writing
writing._add_files = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
call_command("backup", sys.argv[1])
""",
        tmp_path / "b.tar",
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    left = [path.name for path in tmp_path.glob(".b.tar.*")]
    assert len(left) == 1
    filled.manage("backup", tmp_path / "b.tar")
    assert list(tmp_path.glob(".b.tar.*")) == []
