"""A01, S02 on the researcher’s pages, beside test_A01_matrix, which asks for every page as everybody."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Enrolment, EnrolmentState, Invitation
from tests import builders
from tests.annotation.manage_cast import judge
from tests.drawn import without_drawn

SAFE_ONLY = ["study", "items", "item", "notes"]
READ = [
    "study",
    "open",
    "close",
    "invite",
    "guidelines",
    "items",
    "item",
    "leaks",
    "notes",
    "export",
]
POST_ONLY = ["revoke"]
EVERY = READ + POST_ONLY
MORE = {"item": [1], "revoke": [1]}


def address(name, slug="fleet"):
    return reverse(f"annotation:{name}", args=[slug, *MORE.get(name, [])])


def reply(browser, method, name, slug="fleet"):
    return getattr(browser, method)(address(name, slug))


@pytest.fixture
def an_invitation(fleet):
    until = timezone.now() + timedelta(days=1)
    return Invitation.objects.create(pk=1, study=fleet, seats=1, expires=until)


def test_A01_a_superuser_reads_every_page(fleet, as_user):
    browser = as_user(builders.person("Root", is_superuser=True))
    assert [name for name in READ if reply(browser, "get", name).status_code != 200] == []


def test_A01_signed_out_is_sent_to_sign_in(fleet, an_invitation, client):
    for name in EVERY:
        response = reply(client, "get" if name in SAFE_ONLY else "post", name)
        assert (response.status_code, response["Location"].split("?")[0]) == (302, reverse("login")), name


def test_A01_a_researcher_who_left_sees_nothing(fleet, dora, as_user):
    Enrolment.objects.filter(study=fleet, user=dora).update(state=EnrolmentState.LEFT)
    assert reply(as_user(dora), "get", "study").status_code == 404


def test_A01_a_researcher_by_invitation_sees_the_study_and_builds_none(fleet, as_user):
    guest = builders.person("Gus")
    builders.enrolment(fleet, guest, role="researcher", pseudonym="R2")
    page = as_user(guest).get(reverse("annotation:studies")).content.decode()
    assert "Boats and their critics" in page
    assert "New study" not in page
    assert as_user(guest).get(reverse("annotation:build")).status_code == 404


def test_A01_pages_without_a_study_ask_for_sign_in(client, db):
    for name in ("studies", "build", "tokens"):
        assert client.get(reverse(f"annotation:{name}"))["Location"].startswith(reverse("login")), name


@pytest.mark.parametrize("who", ["dora", "eve"])
def test_S02_what_only_shows_refuses_post_to_everybody(who, fleet, request, as_user):
    browser = as_user(request.getfixturevalue(who))
    for name in SAFE_ONLY:
        said = [reply(browser, "post", name, slug).status_code for slug in ("fleet", "none")]
        assert said == [405, 405], name


def test_S02_a_get_writes_nothing(fleet, dora, as_user):
    judge(fleet, 1, "A", note="A note")
    browser = as_user(dora)
    for name in READ:
        with CaptureQueriesContext(connection) as queries:
            for method in ("get", "head", "options"):
                reply(browser, method, name)
        assert [q["sql"] for q in queries if not q["sql"].startswith("SELECT")] == [], name


@pytest.fixture(scope="module")
def directing(ground):
    """Wim directs a small study in each state, Vera the same and large ones, all with their readers."""
    vera, wim = builders.researcher("Vera"), builders.researcher("Wim")
    for state in ("draft", "open"):
        for size, n, readers in (("small", 3, "AB"), ("large", 60, "ABCDEFGHIJKL")):
            study = builders.study(f"{state}-{size}", items=n, by=vera, state=state)
            for reader in readers:
                builders.enrolment(study, builders.person(f"{study.slug}{reader}"), pseudonym=reader)
            if size == "small":
                builders.enrolment(study, wim, role="researcher", pseudonym="R2")
            if state == "open":
                for number in range(1, n + 1):
                    judge(study, number, "A", outcome="undecided", reason="More than one fits")
                    judge(study, number, "B", note="See page 3")
    return {"small": wim, "large": vera}


SETTING_UP = ["setup", "setup_items", "setup_consent", "people", "duplicate"]


@pytest.mark.parametrize("state", ["draft", "open"])
def test_queries_do_not_grow_with_the_study(state, directing, db, as_user):
    asked = {
        size: queries(as_user(who), {name: address(name, f"{state}-{size}") for name in READ + SETTING_UP})
        for size, who in directing.items()
    }
    assert asked["small"] == asked["large"]
    assert {name: n for name, n in asked["large"].items() if n > 12} == {}


def test_queries_do_not_grow_with_what_one_directs(directing, db, as_user):
    paths = {name: reverse(f"annotation:{name}") for name in ("studies", "build", "tokens")}
    few, many = (queries(as_user(who), paths) for who in directing.values())
    assert few == many
    assert {name: n for name, n in many.items() if n > 12} == {}


def queries(browser, paths):
    """How many each page asks."""
    asked = {}
    for name, path in paths.items():
        with CaptureQueriesContext(connection) as seen:
            assert browser.get(path).status_code == 200
        asked[name] = len(seen)
    return asked


def test_no_page_of_the_study_names_its_readers(fleet, dora, as_user):
    judge(fleet, 1, "A", note="A note")
    browser = as_user(dora)
    for name in READ:
        page = without_drawn(reply(browser, "get", name).text)
        assert not [person for person in ("Ada", "Ben", "Cleo") if person in page], name


def test_simulated_readers_are_labelled_wherever_their_numbers_stand(fleet, dora, as_user):
    Enrolment.objects.filter(study=fleet, role="annotator").update(simulated=True)
    judge(fleet, 1, "A", note="A note")
    for name in ("study", "items", "item", "notes", "export", "guidelines"):
        assert "simulated readers" in reply(as_user(dora), "get", name).content.decode().lower(), name
    assert "Simulated readers" in as_user(dora).get(reverse("annotation:studies")).content.decode()
