"""O01: a backup is taken while people work, is checked as a whole, and restores into an empty place only."""

import errno
import gzip
import hashlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import uuid
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotation.models import Event, Judgment
from common.errors import BadInput
from common.progress import silent
from retrieval.models import Book
from tests import builders
from variorum.backup import interrupted, reading, restoring, tables, writing
from variorum.backup.manifest import Manifest

ROOT = Path(settings.BASE_DIR)
MISSHAPEN = Manifest("0", "", "sqlite", [], "", parts={"tables/x": 5}).as_json()
LETTERS = "Ἕλληνες, ﷽, \u2028 and 😀"


@pytest.fixture
def there(db, ada, tmp_path, settings):
    """A judgment, an event, a file of a checkpoint; everything that JSON could spoil."""
    settings.DATA_DIR = tmp_path / "data"
    home = settings.DATA_DIR / "checkpoints" / "toy"
    home.mkdir(parents=True)
    (home / "model.safetensors").write_bytes(bytes(range(256)) * 8)
    (settings.DATA_DIR / "vectors").mkdir()
    (settings.DATA_DIR / "secret-key").write_text("k" * 60)
    study = builders.study(items=2, overlap=1)
    reader = builders.enrolment(study, ada)
    for place in study.assignments.all():
        Judgment.objects.create(
            assignment=place, annotator=reader, revision=1, outcome="answer", answer={"option": 1},
            note=LETTERS, active_seconds=0.1 + 0.2, submission=uuid.uuid4(), channel="web",
            created=timezone.now(),
        )  # fmt: skip
    Event.objects.create(study=study, actor=ada, verb="later", data={"why": LETTERS, "n": [1, None, 1.5]})
    return study


def command(name, *arguments, **options):
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


def parts(path):
    with tarfile.open(path) as tar:
        return {each.name: tar.extractfile(each).read() for each in tar}


def made_anew(path, changed, target):
    """The backup with parts replaced, or left out where they are None."""
    with tarfile.open(target, "w") as tar:
        for name, data in (parts(path) | changed).items():
            if data is not None:
                head = tarfile.TarInfo(name)
                head.size = len(data)
                tar.addfile(head, io.BytesIO(data))
    return target


def elsewhere(tmp_path, *arguments, **environment):
    """Run a command in an empty installation on SQLite."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VARIORUM_")}
    own = {"VARIORUM_DATA_DIR": str(tmp_path / "other"), **environment}
    (tmp_path / "other").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT, env=kept | own, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.services
def test_O01_a_backup_restores_elsewhere_row_for_row(there, tmp_path):
    told = command("backup", tmp_path / "b.tar")
    assert "Head of the record:" in told
    assert (tmp_path / "b.tar").stat().st_mode & 0o077 == 0
    assert "each as the manifest says" in command("verify", tmp_path / "b.tar")
    done = elsewhere(tmp_path, "restore", tmp_path / "b.tar")
    assert done.returncode == 0, done.stderr
    other = tmp_path / "other"
    assert (other / "checkpoints/toy/model.safetensors").read_bytes() == bytes(range(256)) * 8
    assert not (other / "vectors").exists()
    assert not (other / "restoring").exists()
    again = elsewhere(tmp_path, "backup", tmp_path / "again.tar")
    assert again.returncode == 0, again.stderr
    first, second = parts(tmp_path / "b.tar"), parts(tmp_path / "again.tar")
    differing = {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)}
    # When which migration ran is of the place; everything else is the same to the byte.
    assert differing <= {"manifest.json", "tables/django_migrations.jsonl.gz"}
    with sqlite3.connect(other / "variorum.sqlite3") as stored:
        assert stored.execute("SELECT note, active_seconds FROM annotation_judgment LIMIT 1").fetchone() == (
            LETTERS, 0.1 + 0.2,
        )  # fmt: skip
        # What guards the record guards it again.
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            stored.execute("DELETE FROM annotation_judgment")
    assert "is not empty" in elsewhere(tmp_path, "restore", tmp_path / "b.tar").stderr


def test_O01_what_was_changed_is_named_and_nothing_restored(there, tmp_path):
    command("backup", tmp_path / "b.tar")
    name = "tables/annotation_judgment.jsonl.gz"
    held = parts(tmp_path / "b.tar")
    forged = gzip.compress(gzip.decompress(held[name]).replace(b'"web"', b'"api"', 1), mtime=0)
    bad = made_anew(tmp_path / "b.tar", {name: forged}, tmp_path / "bad.tar")
    with pytest.raises(CommandError, match=f"{name} was changed"):
        command("verify", bad)
    # With a manifest made to fit, the chain of the record shows it.
    manifest = json.loads(held["manifest.json"])
    manifest["parts"][name] = {
        "bytes": len(forged),
        "sha256": hashlib.sha256(forged).hexdigest(),
    }
    fitting = {name: forged, "manifest.json": json.dumps(manifest).encode()}
    bad = made_anew(tmp_path / "b.tar", fitting, tmp_path / "fitting.tar")
    with pytest.raises(CommandError, match=r"Judgment \d+ was changed after it was sealed"):
        command("verify", bad)
    done = elsewhere(tmp_path, "restore", bad)
    assert done.returncode == 1
    assert "Nothing was restored" in done.stderr
    assert not (tmp_path / "other" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"manifest.json": None}, "has no manifest: it was cut off"),
        ({"manifest.json": b"[]"}, "its manifest cannot be read"),
        ({"manifest.json": MISSHAPEN}, "its manifest cannot be read"),
        ({"../outside": b"x"}, "is not in the manifest"),
        ({"tables/annotation_event.jsonl.gz": None}, "annotation_event.jsonl.gz is missing"),
    ],
    ids=["no manifest", "no JSON", "misshapen", "strange part", "lost part"],
)
def test_what_is_no_backup_is_refused(there, tmp_path, changed, says):
    command("backup", tmp_path / "b.tar")
    bad = made_anew(tmp_path / "b.tar", changed, tmp_path / "bad.tar")
    with pytest.raises(CommandError, match=says):
        command("verify", bad)


@pytest.mark.parametrize(
    "part", ["files//words/x", "files/words/../../x", "/words/x", "files/elsewhere/x", "files/words/./x", ""]
)
def test_S11_a_part_that_would_be_written_elsewhere_is_refused(there, tmp_path, part):
    command("backup", tmp_path / "b.tar")
    manifest = json.loads(parts(tmp_path / "b.tar")["manifest.json"])
    manifest["parts"][part] = {"bytes": 2, "sha256": hashlib.sha256(b"hi").hexdigest()}
    fitting = {part: b"hi", "manifest.json": json.dumps(manifest).encode()}
    with pytest.raises(CommandError, match="is no part of a backup"):
        command("verify", made_anew(tmp_path / "b.tar", fitting, tmp_path / "bad.tar"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_S11_a_link_is_no_part(there, tmp_path, kind):
    command("backup", tmp_path / "b.tar")
    name, manifest = "files/words/x", json.loads(parts(tmp_path / "b.tar")["manifest.json"])
    manifest["parts"][name] = {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}
    bad = made_anew(
        tmp_path / "b.tar", {"manifest.json": json.dumps(manifest).encode()}, tmp_path / "bad.tar"
    )
    with tarfile.open(bad, "a") as tar:
        head = tarfile.TarInfo(name)
        head.type, head.linkname = kind, "/etc/passwd"
        tar.addfile(head)
    with pytest.raises(CommandError, match="the part files/words/x is missing"):
        command("verify", bad)


def test_a_file_that_is_cut_off_or_something_else_is_refused(there, tmp_path):
    command("backup", tmp_path / "b.tar")
    whole = (tmp_path / "b.tar").read_bytes()
    for data in (whole[: len(whole) // 2], b"", b"not a tar at all" * 100):
        (tmp_path / "cut.tar").write_bytes(data)
        with pytest.raises(CommandError, match="cut off"):
            command("verify", tmp_path / "cut.tar")
    with pytest.raises(CommandError, match="is there already"):
        command("backup", tmp_path / "b.tar")
    assert (tmp_path / "b.tar").read_bytes() == whole
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.tar", "cut.tar", "data"]


def test_O03_a_full_place_is_not_blamed_on_the_backup(there, tmp_path, settings, monkeypatch):
    command("backup", tmp_path / "b.tar")
    settings.DATA_DIR = tmp_path / "other"

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(restoring.shutil, "copyfileobj", full)
    with (
        pytest.raises(BadInput, match="other cannot be written: No space left on device"),
        reading.opened(tmp_path / "b.tar") as backup,
        restoring._beside(backup, silent),
    ):
        pass
    assert list(settings.DATA_DIR.iterdir()) == []


def test_O01_rows_of_another_site_are_not_taken_for_a_restore_that_was_cut_off(there, tmp_path, monkeypatch):
    """A restore was cut off before its rows were stored, and a site was begun in that place."""
    done = []
    builders.book("only")
    monkeypatch.setattr(restoring, "call_command", lambda *words, **options: done.append(words[0]))
    writing.write(tmp_path / "b.tar")
    with reading.opened(tmp_path / "b.tar") as backup:
        interrupted.note(backup.manifest.taken, [])
        restoring.restore(backup)
        assert (done, interrupted.noted()) == (["migrate"], None)
        interrupted.note(backup.manifest.taken, [])
        Book.objects.filter(slug="only").delete()
        with pytest.raises(BadInput, match="The database is not empty"):
            restoring.restore(backup)


@pytest.mark.services
def test_keys_are_left_out_or_encrypted(there, tmp_path):
    command("backup", tmp_path / "plain.tar")
    assert b"k" * 60 not in (tmp_path / "plain.tar").read_bytes()
    (tmp_path / "pass").write_text("a long enough phrase\n")
    command("backup", tmp_path / "b.tar", with_keys=True, passphrase_file=tmp_path / "pass")
    assert b"k" * 60 not in (tmp_path / "b.tar").read_bytes()
    (tmp_path / "wrong").write_text("another phrase than that\n")
    refused = elsewhere(
        tmp_path, "restore", tmp_path / "b.tar", "--with-keys", "--passphrase-file", tmp_path / "wrong"
    )
    assert "the passphrase is another one" in refused.stderr
    done = elsewhere(
        tmp_path, "restore", tmp_path / "b.tar", "--with-keys", "--passphrase-file", tmp_path / "pass"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "other" / "secret-key").read_text() == "k" * 60
    assert (tmp_path / "other" / "secret-key").stat().st_mode & 0o077 == 0


def test_a_backup_of_a_newer_version_is_refused(there, tmp_path):
    command("backup", tmp_path / "b.tar")
    manifest = json.loads(parts(tmp_path / "b.tar")["manifest.json"])
    manifest["migrations"] = [*manifest["migrations"], "annotation.9999_of_tomorrow"]
    newer = made_anew(
        tmp_path / "b.tar", {"manifest.json": json.dumps(manifest).encode()}, tmp_path / "n.tar"
    )
    done = elsewhere(tmp_path, "restore", newer)
    assert "newer than this one: it has the migration annotation.9999_of_tomorrow" in done.stderr


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_does_not_see_what_is_written_meanwhile_and_stops_nobody(ada):
    from threading import Thread

    def another():
        Book.objects.create(slug="late", title="Late", author="N.", year=1900)
        connection.close()

    builders.book("early")
    with tables.snapshot():
        assert Book.objects.count() == 1
        if connection.vendor == "postgresql" or not connection.is_in_memory_db():
            writer = Thread(target=another)
            writer.start()
            writer.join(20)
            assert not writer.is_alive()
        assert [json.loads(line)[0] for line in tables.written(Book)][1:] == [
            Book.objects.get(slug="early").pk
        ]


def test_the_record_in_a_backup_is_the_record_here(there, tmp_path):
    from annotation.record import checking

    writing.write(tmp_path / "b.tar")
    with reading.opened(tmp_path / "b.tar") as backup:
        assert reading.check(backup) == checking.check()


def test_O01_what_a_killed_backup_left_is_swept_and_nothing_else(tmp_path):
    kept = {".b.tar.7.part": b"notes of somebody", ".b.tar.part": b"tables/", "b.tar.7.part": b"tables/"}
    for name, data in {**kept, ".b.tar.8.part": b"tables/x", ".c.tar.9.part": b""}.items():
        (tmp_path / name).write_bytes(data)
    with (tmp_path / ".b.tar.10.part").open("xb") as writing_still:
        writing_still.write(b"tables/x")
        writing_still.flush()
        assert interrupted.hold(writing_still, tmp_path / ".b.tar.10.part")
        interrupted.sweep(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {*kept, ".b.tar.10.part"}
    interrupted.sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*kept}


def test_O01_a_file_that_is_swept_before_it_is_locked_is_begun_again(there, tmp_path, monkeypatch):
    """Of two backups at once the second sweeps between the first's making its file and locking it."""
    plain, swept = interrupted.hold, []

    def hold(file, path):
        if not swept:
            swept.append(path)
            interrupted.sweep(tmp_path)
            assert not path.exists()
        return plain(file, path)

    monkeypatch.setattr(interrupted, "hold", hold)
    writing.write(tmp_path / "b.tar")
    assert len(swept) == 1
    with reading.opened(tmp_path / "b.tar") as backup:
        reading.check(backup)
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


@pytest.mark.parametrize(
    ("note", "read"),
    [
        (None, None),
        (b"", ("", [])),
        (b'{"taken": "now", "names": ["words", "../x", "static"]}', ("now", ["words"])),
    ],
    ids=["no restore", "cut off in the note", "folders"],
)
def test_O01_a_restore_takes_back_what_its_note_names_and_nothing_else(tmp_path, settings, note, read):
    settings.DATA_DIR = tmp_path
    if note is not None:
        (tmp_path / interrupted.NOTE).write_bytes(note)
    assert interrupted.noted() == read
    names = read[1] if read else []
    for name in ("words", "static"):
        (tmp_path / name).mkdir()
    interrupted.take_back(names)
    assert {path.name for path in tmp_path.iterdir()} == {"words", "static"} - {*names}
