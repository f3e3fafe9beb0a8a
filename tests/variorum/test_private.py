"""Nobody but the user of the site can read its data: made closed, closed again, and looked at by doctor."""

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.retrieval import processes
from variorum import data_directory, diagnosis
from variorum.backup import interrupted

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can read as somebody else")


def run(folder, *arguments):
    """Python on that data directory, under the umask that most machines have."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=processes.alone(folder),
        umask=0o022,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )


def migrate(folder):
    return run(folder, "manage.py", "migrate", "--verbosity=0")


def modes(folder):
    paths = [folder, *folder.rglob("*")]
    return {path.name: oct(stat.S_IMODE(path.lstat().st_mode)) for path in paths}


@pytest.fixture
def reachable():
    """A folder that everybody can enter, as a home or /srv is; pytest's own is closed."""
    made = Path(tempfile.mkdtemp(prefix="variorum-test-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def old(reachable):
    """A data directory as an older version left it."""
    folder = reachable / "var"
    (folder / "checkpoints/toy").mkdir(parents=True)
    for name in ("variorum.sqlite3", "variorum.sqlite3-wal", "secret-key", "checkpoints/toy/card.json"):
        (folder / name).write_text("secret")
        (folder / name).chmod(0o644)
    for each in (folder, folder / "checkpoints", folder / "checkpoints/toy"):
        each.chmod(0o755)
    return folder


def readable_by_nobody(path):
    found = subprocess.run(["cat", path], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True)
    return found.returncode == 0


LOGGED = """
import sys, django
django.setup()
from pathlib import Path
from django.conf import settings
from django.contrib.auth.models import User
User.objects.create(username="ada")
(settings.DATA_DIR / "vectors").mkdir()
(settings.DATA_DIR / "vectors/one.npy").write_text("1")
print(*sorted(f"{path.name} {path.stat().st_mode & 0o777:o}" for path in settings.DATA_DIR.rglob("*")))
"""


@pytest.mark.services
def test_a_first_start_makes_everything_closed_whatever_the_umask(reachable):
    folder = reachable / "var"
    told = migrate(folder)
    assert told.stderr == ""
    files = ["secret-key", "variorum.sqlite3", "variorum.sqlite3-turn"]
    assert modes(folder) == {"var": "0o700", **dict.fromkeys(files, "0o600")}
    # While a connection is open the log lies beside the database, and a worker makes folders.
    assert run(folder, "-c", LOGGED).stdout.split() == [
        "one.npy", "600", "secret-key", "600", "variorum.sqlite3", "600",
        "variorum.sqlite3-shm", "600", "variorum.sqlite3-turn", "600", "variorum.sqlite3-wal", "600",
        "vectors", "700",
    ]  # fmt: skip


@AS_ROOT
def test_nobody_reads_the_key_or_the_database(old):
    names = ("variorum.sqlite3", "secret-key", "checkpoints/toy/card.json")
    assert all(readable_by_nobody(old / name) for name in names)
    data_directory.close_open(old)
    assert not any(readable_by_nobody(old / name) for name in names)
    # Each file for itself, too, not only by the folder it lies in.
    old.chmod(0o755)
    assert not any(readable_by_nobody(old / name) for name in names)


@pytest.mark.services
def test_a_later_start_closes_what_is_open_and_says_so(old, embedded):
    (old / "variorum.sqlite3").unlink()
    (old / "variorum.sqlite3-wal").unlink()
    (embedded(old) / "variorum.sqlite3").chmod(0o644)
    (old / "secret-key").write_text("k3Jx0aZq9LmWvB7cRtYp" * 3)
    told = migrate(old)
    assert told.stderr.startswith(f"Closed to other users: {old}, ")
    assert set(modes(old).values()) == {"0o700", "0o600"}
    assert migrate(old).stderr == ""


def test_indexes_of_corpora_are_ours_and_closed(old):
    (old / "indexes").mkdir(mode=0o755)
    (old / "indexes").chmod(0o755)
    assert data_directory.find_open(old).shared == []
    data_directory.close_open(old)
    assert modes(old)["indexes"] == "0o700"


def test_links_are_not_followed(old, reachable):
    outside = reachable / "outside"
    outside.mkdir(mode=0o755)
    (outside / "model").touch()
    (outside / "model").chmod(0o644)
    outside.chmod(0o755)
    (old / "checkpoints/linked").symlink_to(outside)
    (old / "vectors").symlink_to(outside)
    data_directory.close_open(old)
    assert modes(outside) == {"outside": "0o755", "model": "0o644"}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.ELOOP])
def test_what_cannot_be_closed_is_named_and_the_rest_is_closed(old, monkeypatch, number):
    real, stubborn = os.open, old / "secret-key"

    def refuse(path, *more, **named):
        if path == stubborn:
            raise OSError(number, os.strerror(number), path)
        return real(path, *more, **named)

    monkeypatch.setattr(data_directory.os, "open", refuse)
    (done, said) = data_directory.close_open(old)
    assert done.startswith("Closed to other users: ")
    assert said.endswith(f"who may read them: {stubborn} ({os.strerror(number)}).")
    found = modes(old)
    assert (found.pop("secret-key"), set(found.values())) == ("0o644", {"0o700", "0o600"})


def test_what_has_gone_meanwhile_is_nothing(old, monkeypatch):
    found = data_directory.find_open(old)
    (old / "variorum.sqlite3-wal").unlink()
    monkeypatch.setattr(data_directory, "find_open", lambda folder: found)
    (said,) = data_directory.close_open(old)
    assert said.startswith("Closed to other users: ")


def test_a_file_system_without_modes_is_not_called_closed(old, monkeypatch):
    monkeypatch.setattr(data_directory.os, "fchmod", lambda opened, mode: None)
    (said,) = data_directory.close_open(old)
    assert f"{old} (this file system keeps no modes)" in said


def test_a_shared_folder_is_not_closed_but_its_secrets_are_and_one_is_told(old):
    (old / "thesis.tex").touch()
    (old / "thesis.tex").chmod(0o644)
    (said,) = data_directory.close_open(old)[1:]
    assert "thesis.tex" in said
    assert "VARIORUM_DATA_DIR" in said
    assert modes(old) == {
        "var": "0o755", "thesis.tex": "0o644", "checkpoints": "0o755", "toy": "0o755", "card.json": "0o644",
        "variorum.sqlite3": "0o600", "variorum.sqlite3-wal": "0o600", "secret-key": "0o600",
    }  # fmt: skip
    old.chmod(0o700)
    assert data_directory.close_open(old) == []


def test_a_sticky_folder_such_as_tmp_is_shared_though_nothing_else_lies_there(old):
    old.chmod(0o1777)
    data_directory.close_open(old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o1777


@AS_ROOT
def test_what_another_user_owns_is_left_and_one_is_told_what_to_do(old):
    os.chown(old / "variorum.sqlite3", NOBODY, NOBODY)
    said = data_directory.close_open(old)[-1]
    assert f"Others can read {old}/variorum.sqlite3, which another user owns" in said
    assert f"chown -R 0 {old}" in said
    assert modes(old)["variorum.sqlite3"] == "0o644"


def test_doctor_finds_what_is_open_and_changes_nothing(old, settings):
    settings.DATA_DIR = old
    before = modes(old)
    found = diagnosis.data_dir()
    assert found.ok is False
    assert f"chmod -R go= {old}" in found.detail
    assert modes(old) == before
    data_directory.close_open(old)
    assert diagnosis.data_dir() == ("Data directory", True, f"{old}, closed to other users")


def test_collected_files_are_public_in_a_closed_folder(old):
    (old / "static").mkdir()
    (old / "static/site.css").touch()
    (old / "static/site.css").chmod(0o644)
    (old / "static").chmod(0o755)
    data_directory.close_open(old)
    found = modes(old)
    assert (found["static"], found["site.css"]) == ("0o700", "0o644")
    assert data_directory.find_open(old) == ([], [], [])


def test_every_folder_that_the_code_makes_in_the_data_directory_is_known_as_ours():
    named = set()
    for app in ("variorum", "evaluation", "annotation", "retrieval", "machines", "common"):
        for path in (ROOT / app).rglob("*.py"):
            named |= set(re.findall(r'DATA_DIR\)?(?: / |, )"([\w.-]+)"', path.read_text("utf-8")))
    assert {"indexes", "restoring", "uploads", "checkpoints"} <= named
    assert named <= data_directory.OURS
    assert interrupted.NOTE in data_directory.OURS


def test_what_a_restore_that_was_cut_off_left_keeps_nothing_open(tmp_path):
    for name in ("restoring", "indexes"):
        (tmp_path / name).mkdir(mode=0o755)
        (tmp_path / name).chmod(0o755)
    (tmp_path / interrupted.NOTE).write_text("{}")
    assert data_directory.find_open(tmp_path).shared == []
    data_directory.close_open(tmp_path)
    assert data_directory.find_open(tmp_path) == ([], [], [])
