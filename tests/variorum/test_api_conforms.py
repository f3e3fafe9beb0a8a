"""The API does what its schema says: schemathesis asks every operation, rightly and wrongly."""

from __future__ import annotations

from datetime import timedelta

import hypothesis
import pytest
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import timezone

from annotation.people.tokens import SCOPES, issue
from tests.variorum.whole_site import things  # noqa: F401 - a fixture
from variorum.api.schema import whole

schemathesis = pytest.importorskip("schemathesis", exc_type=ImportError)
pytestmark = [pytest.mark.services, pytest.mark.django_db]
EXAMPLES = 4
"""Of each operation, and as many that the schema forbids."""
SETTINGS = hypothesis.settings(
    max_examples=EXAMPLES,
    phases=[hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
    derandomize=True,
)
PLACES = {
    "studies": {"slug": "study", "name": "machine", "pseudonym": "pseudonym", "number": "delivery"},
    "assignments": {"id": "place"},
    "corpora": {"slug": "corpus", "topics": "topics", "name": "run", "number": "pool"},
    "topics": {"slug": "topics", "number": "item"},
    **{each: {"slug": each[:-1]} for each in ("books", "sources")},
    **{each: {"id": each[:-1]} for each in ("jobs", "trainings", "loadings", "evaluations")},
    "searches": {"id": "search"},
    "asked": {"id": "asked"},
}
"""Which of the things that exist the parts of an address name, by its first part."""
OTHERS = {"webhooks": {"id": "hook"}, "invitations": {"id": "invitation"}, "qrels": {"name": "qrels"}}
NAMED = "It must name what exists, or fit it, which no schema can say: a test of its own sends right ones."
JUDGED_BY_MEANING = {
    **dict.fromkeys(
        (
            "GET /api/v1/books/{slug}/search/",
            "GET /api/v1/corpora/{slug}/evaluation/{topics}/",
            "GET /api/v1/studies/{slug}/figures/",
            "GET /api/v1/studies/{slug}/pictures/",
            "GET /api/v1/studies/{slug}/layouts/",
            "GET /api/v1/studies/{slug}/citation/",
            "GET /api/v1/studies/{slug}/qrels/",
            "GET /api/v1/studies/{slug}/report/",
            "PUT /api/v1/studies/{slug}/stopping/",
            "POST /api/v1/assignments/{id}/judgment/",
            "POST /api/v1/assignments/{id}/take-back/",
            "POST /api/v1/corpora/{slug}/evaluation/{topics}/",
            "POST /api/v1/jobs/",
            "POST /api/v1/searches/",
            "POST /api/v1/studies/",
            "PATCH /api/v1/studies/{slug}/",
            "POST /api/v1/studies/{slug}/items/",
            "POST /api/v1/studies/{slug}/machines/",
            "POST /api/v1/studies/{slug}/machines/answers/",
            "POST /api/v1/studies/{slug}/machines/{name}/start/",
            "POST /api/v1/studies/{slug}/people/{pseudonym}/act/",
            "POST /api/v1/studies/{slug}/sample/",
            "POST /api/v1/studies/{slug}/sample/preview/",
            "POST /api/v1/studies/{slug}/sample/take-back/",
            "POST /api/v1/studies/{slug}/webhooks/",
            "POST /api/v1/topics/{slug}/members/",
            "POST /api/v1/topics/{slug}/members/{number}/versions/",
            "POST /api/v1/asked/{id}/resume/",
            *(
                f"POST /api/v1/asked/{what}/{more}"
                for what in ("reranking", "contamination", "questions")
                for more in ("", "estimate/")
            ),
            "POST /api/v1/asked/reranking/dry-run/",
            "POST /api/v1/corpora/{slug}/question-sets/",
        ),
        NAMED,
    ),
    "DELETE /api/v1/jobs/{id}/": "Its body holds the reason, and OpenAPI 3.0 has no body of DELETE.",
}
"""Operations that may refuse what their schema allows, and why."""


@pytest.fixture(scope="module")
def keys(things):  # noqa: F811
    """Tokens that may do everything of theirs: Dora directs the study, and is staff here; Ada reads in it."""
    User.objects.filter(username="dora").update(is_staff=True)
    ends = timezone.now() + timedelta(days=1)
    people = User.objects.filter(username__in=("ada", "dora"))
    return {each.username: issue(each, "all", list(SCOPES), ends)[1] for each in people}


def operations():
    found = schemathesis.openapi.from_dict(whole())
    found.app = WSGIHandler()
    return {each.ok().label: each.ok() for each in found.get_all_operations()}


def place(operation, existing):
    """What the parts of an address name: what exists, where the whole site of these tests has it."""
    of = PLACES[operation.path.split("/")[3]]
    for part in operation.path.split("/")[5:]:
        of = of | OTHERS.get(part, {})
    found = {each.name: existing[of[each.name]] for each in operation.path_parameters if each.name in of}
    return found or None


@pytest.fixture
def one_connection():
    """The server's end of a request leaves the connection to the test, as Django's own test client has it."""
    ends = (request_started, request_finished)
    for each in ends:
        each.disconnect(close_old_connections)
    yield
    for each in ends:
        each.connect(close_old_connections)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("part", PLACES)
def test_every_operation_does_what_the_schema_says(part, things, keys):  # noqa: F811
    """No 5xx, no status and no shape that is not declared; what is forbidden is refused, and nothing else."""
    checked = [each for each in operations().values() if each.path.split("/")[3] == part]
    assert checked
    for operation in checked:
        who = "ada" if part == "assignments" or operation.path.endswith("/next/") else "dora"
        for mode in schemathesis.GenerationMode:
            conforms(operation, mode, place(operation, things), keys[who])


def conforms(operation, mode, where, key):
    """Ask an operation; what it changes is taken back."""
    left_out = [schemathesis.checks.CHECKS.get_one("positive_data_acceptance")]

    @SETTINGS
    @hypothesis.given(operation.as_strategy(mode, path_parameters=where))
    def ask(case):
        if mode == schemathesis.GenerationMode.POSITIVE and case.query:
            # No schema can say which cursors there are.
            case.query.pop("cursor", None)
        with transaction.atomic():
            try:
                case.call_and_validate(
                    headers={"Authorization": f"Bearer {key}"},
                    excluded_checks=left_out if operation.label in JUDGED_BY_MEANING else [],
                )
            finally:
                transaction.set_rollback(True)

    ask()


def test_no_filter_of_a_list_may_be_empty_and_give_all_rows(things, keys, client):  # noqa: F811
    """As schemathesis finds in a hundred examples. An empty cursor is that of the first page."""
    asked = 0
    for operation in operations().values():
        names = {each.name for each in operation.query}
        if "page_size" in names:
            at = operation.path.format(**(place(operation, things) or {}))
            for name in names - {"cursor"}:
                said = client.get(at, {name: ""}, headers={"Authorization": f"Bearer {keys['dora']}"})
                assert (said.status_code, list(said.json())) == (400, [name]), at
                asked += 1
    assert asked > 40


def test_every_operation_is_asked_and_only_such_are_judged_by_meaning():
    assert {path.split("/")[3] for path in whole()["paths"]} == set(PLACES)
    assert set(JUDGED_BY_MEANING) <= set(operations())
