"""What a reader's step, draft and page ask: each statement is a round trip to a database elsewhere."""

from __future__ import annotations

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment.claiming import claim, next_assignment
from annotation.models import AssignmentStatus
from tests import builders

HTMX = {"HX-Request": "true"}
WHO = ["django_session", "auth_user"]
BESIDE = ["annotation_message", "annotation_assignment", "annotation_item"]
STEP = [
    *WHO,
    "annotation_assignment",
    "annotation_guideline",
    "annotation_consent",
    "BEGIN",
    "annotation_enrolment",
    "UPDATE annotation_assignment",
    "INSERT annotation_judgment",
    "annotation_assignment",
    "UPDATE annotation_assignment",
    "COMMIT",
    *BESIDE,
]


@pytest.fixture
def study(ada):
    made = builders.study(items=6, overlap=2)
    builders.enrolment(made, ada)
    return made


def asked(queries) -> list[str]:
    """Of each statement what it does and the first table it names; what only a test's transaction adds is
    left out: savepoints stand where the site begins and commits.
    """
    said = []
    for sql in (each["sql"] for each in queries):
        if sql.startswith(("SAVEPOINT", "RELEASE")):
            said.append("BEGIN" if sql.startswith("SAVEPOINT") else "COMMIT")
            continue
        verb = sql.split(None, 1)[0]
        table = re.search(r'(?:FROM|UPDATE|INTO)\s+"?(\w+)', sql)
        name = table[1] if table else sql
        said.append(name if verb == "SELECT" else f"{verb} {name}")
    return said


def test_a_step_a_draft_and_a_page_ask_so_much_and_no_more(as_user, ada, study):
    browser = as_user(ada)
    place = next_assignment(study.enrolments.get(), now=timezone.now()).get_absolute_url()
    said = []
    for option in (0, 1):  # A second step is like all that follow.
        form = {"submission": str(uuid.uuid4()), "revision": "0", "position": str(option)}
        with CaptureQueriesContext(connection) as queries:
            reply = browser.post(place, form, headers=HTMX)
        said.append(asked(queries))
        place = reply["HX-Push-Url"]
    assert said[1] == STEP
    with CaptureQueriesContext(connection) as queries:
        assert browser.post(f"{place}draft/", {**form, "note": "Hm."}).status_code == 200
    assert asked(queries) == [*WHO, "annotation_assignment", "UPDATE annotation_assignment"]
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(place).status_code == 200
    texts = ["annotation_consent", "annotation_guideline"]
    # The last is the judgment that was saved last; the first table it names is that of additions since.
    assert asked(queries) == [*WHO, "annotation_assignment", *texts, *BESIDE, "annotation_event"]


def test_who_holds_an_item_is_given_none_beyond_it(study):
    me = study.enrolments.get()
    held = next_assignment(me, now=timezone.now())
    assert claim(me, timezone.now()) is None
    held.status, held.put_off = AssignmentStatus.HELD, timezone.now()
    held.save()
    assert claim(me, timezone.now()).item.number == 2
