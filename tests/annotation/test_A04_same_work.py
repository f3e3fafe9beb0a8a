"""A04: how long a reply takes tells nothing. Right or wrong, first or last at an item: the same queries.

Time itself is noise on a shared machine; what could make it differ is work that is done for one and not for
the other, and that can be counted exactly.
"""

from __future__ import annotations

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.models import Item
from tests import builders
from tests.annotation.manage_cast import judge
from tests.builders import pick

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def study(ada, ben):
    made = builders.study("fleet", items=4, overlap=2)
    builders.enrolment(made, ada)
    builders.enrolment(made, ben)
    return made


def shape(sql: str) -> str:
    """A query without its values."""
    return re.sub(r"'[^']*'|\b\d+\b|s\d+_x\d+", "?", sql)


def work_of_a_submission(browser, study, option) -> list[str]:
    place = next_assignment(study.enrolments.get(pseudonym="A"), now=timezone.now())
    data = {"submission": str(uuid.uuid4()), "revision": "0", **pick(place, option)}
    with CaptureQueriesContext(connection) as queries:
        assert browser.post(place.get_absolute_url(), data, headers=HTMX).status_code == 200
    return [shape(each["sql"]) for each in queries]


def test_A04_a_right_answer_is_the_same_work_as_a_wrong_one(as_user, ada, study):
    builders.rewrite(Item.objects.all(), gold={"option": 1})
    browser = as_user(ada)
    work_of_a_submission(browser, study, 1)
    right, wrong = work_of_a_submission(browser, study, 1), work_of_a_submission(browser, study, 0)
    assert right == wrong
    assert any("annotation_judgment" in sql and sql.startswith("INSERT") for sql in right)


def test_A04_an_item_that_others_have_judged_is_the_same_work(as_user, ada, study):
    for number in (2, 4):
        judge(study, number, "B", option=2)
    browser = as_user(ada)
    work_of_a_submission(browser, study, 1)
    judged, fresh = work_of_a_submission(browser, study, 1), work_of_a_submission(browser, study, 1)
    assert judged == fresh
