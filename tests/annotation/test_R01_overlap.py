"""R01: however many readers come at once, every item gets exactly its k judgments and nobody sees an error.

Real processes with threads in them: on PostgreSQL, then on a file of SQLite.
"""

import json
import os
import secrets
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Count

from annotation.models import Assignment, Filling, Item, Judgment, Kind, Study
from annotation.people.enrolments import letters
from tests import builders

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.sqlite]


def room_full(readers, items, overlap):
    study = builders.study(items=items, overlap=overlap)
    for number in range(1, readers + 1):
        user = builders.person(f"Reader{number}")
        builders.enrolment(study, user, pseudonym=letters(number))
    return [letters(number) for number in range(1, readers + 1)]


def environment(folder: Path) -> dict[str, str]:
    """Where the other processes find this test's database; SQLite's is copied out of memory."""
    values = {**os.environ, "DJANGO_SETTINGS_MODULE": "variorum.settings"}
    values |= {"VARIORUM_DATA_DIR": str(folder), "VARIORUM_SECRET_KEY": secrets.token_urlsafe(50)}
    if connection.vendor == "sqlite":
        values.pop("VARIORUM_DATABASE_URL", None)
        with sqlite3.connect(folder / "variorum.sqlite3") as file:
            connection.connection.backup(file)
        file.close()
    else:
        at = {key: quote(str(connection.settings_dict[key]), safe="") for key in ("USER", "PASSWORD", "NAME")}
        host, port = connection.settings_dict["HOST"], connection.settings_dict["PORT"]
        where = f"{host}:{port}" if port else host
        values["VARIORUM_DATABASE_URL"] = f"postgresql://{at['USER']}:{at['PASSWORD']}@{where}/{at['NAME']}"
    return values


def race(groups: list[list[str]], folder: Path) -> Counter[str]:
    """A process for each group of readers; what they report, added up."""
    command = [sys.executable, "-m", "tests.annotation.reading_room", "fleet", *map(",".join, groups)]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment(folder), capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    if connection.vendor == "sqlite":
        with sqlite3.connect(folder / "variorum.sqlite3") as file:
            file.backup(connection.connection)
        file.close()
    return Counter(json.loads(done.stdout))


def assert_exact(items, overlap):
    """I1-I5: k judgments an item, by k readers, at k places, all ended, none too many."""
    places = items * overlap
    assert Assignment.objects.filter(status="done").count() == places
    assert Assignment.objects.count() == places
    assert Judgment.objects.count() == places
    counts = Item.objects.annotate(
        given=Count("assignments__judgments"),
        readers=Count("assignments__judgments__annotator", distinct=True),
    )
    assert set(counts.values_list("given", "readers")) == {(overlap, overlap)}


def test_R01_eight_readers_in_four_processes(tmp_path):
    names = room_full(readers=8, items=40, overlap=3)
    happened = race([names[0:2], names[2:4], names[4:6], names[6:8]], tmp_path)
    assert_exact(items=40, overlap=3)
    assert (happened["judged"], happened["stale"], happened["errors"]) == (120, 0, 0)
    assert happened["repeated"] > 10, "some forms were sent twice and found their judgment"


def test_R07_three_readers_on_two_machines_each(tmp_path):
    names = room_full(readers=3, items=20, overlap=2)
    happened = race([names, names], tmp_path)
    assert_exact(items=20, overlap=2)
    assert (happened["judged"], happened["errors"]) == (40, 0)


def test_R01_in_breadth_with_practice_and_checks_the_work_stays_exact(tmp_path):
    names = room_full(readers=4, items=20, overlap=3)
    study = Study.objects.get()
    for kind, numbers in ((Kind.PRACTICE, (1, 2)), (Kind.CHECK, (3, 4, 5, 6))):
        Item.objects.filter(study=study, number__in=numbers).update(kind=kind)
    Assignment.objects.exclude(item__kind=Kind.WORK).delete()
    Study.objects.update(filling=Filling.BREADTH, pass_mark=2, check_every=4)
    race([names[0:2], names[2:4], names[0:2]], tmp_path)
    work = Assignment.objects.work()
    assert (work.count(), work.filter(status="done").count()) == (42, 42)
    assert Judgment.objects.work().count() == 42
    own = Assignment.objects.exclude(item__kind=Kind.WORK)
    assert not own.exclude(status="done").exists()
    assert own.filter(item__kind=Kind.PRACTICE).count() == 8, "each reader once at each practice item"
    for item in Item.objects.exclude(kind=Kind.WORK):
        places = list(item.assignments.order_by("slot").values_list("slot", flat=True))
        assert places == list(range(1, len(places) + 1))


def test_R01_many_readers_in_many_processes(tmp_path):
    """SQLite lets one write at a time and queues nobody: it is for a handful of processes, and tried so."""
    readers, per_process, items = (32, 2, 500) if connection.vendor == "postgresql" else (8, 1, 300)
    names = room_full(readers=readers, items=items, overlap=3)
    happened = race([names[n : n + per_process] for n in range(0, readers, per_process)], tmp_path)
    assert_exact(items=items, overlap=3)
    assert (happened["judged"], happened["stale"], happened["errors"]) == (items * 3, 0, 0)
