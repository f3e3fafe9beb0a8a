"""Who changes a study locks its row, and holds up no row that names it: judgments, events, enrolments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import annotation
from annotation.models import Role
from annotation.people import enrolments
from annotation.studies.build import take_items_out
from annotation.studies.lifecycle import open_study
from tests import builders

HERE = Path(annotation.__file__).parent
LOCK = re.compile(r"\bStudy\.objects\.select_for_update\(([^)]*)\)")


def test_no_lock_of_a_study_is_on_its_key():
    found = [(path.name, said) for path in HERE.rglob("*.py") for said in LOCK.findall(path.read_text())]
    assert len(found) > 20
    assert [each for each in found if each[1] != "no_key=True"] == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no rows")
def test_opening_a_study_and_emptying_one_hold_up_nobody_who_names_it(db, ada):
    made, other = (builders.study(slug, items=2, state="draft") for slug in ("boats", "lamps"))
    enrolments.enrol(made, ada, Role.ANNOTATOR)
    with CaptureQueriesContext(connection) as asked:
        open_study(made, by=None, now=timezone.now())
        take_items_out(other, by=None)
    locks = [
        each["sql"] for each in asked if 'FROM "annotation_study"' in each["sql"] and " FOR " in each["sql"]
    ]
    assert len(locks) >= 2
    assert all(sql.endswith("FOR NO KEY UPDATE") for sql in locks)
