"""Every kind of data on every page of a study, in every format and in every state: no page fails, and each
holds what it must. A new kind is one line of KINDS here."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.urls import get_resolver, reverse

from annotation.manage.forms.steps import STEPS
from annotation.models import Study
from annotation.people import withdrawal
from annotation.tasktypes.registry import all_types
from evaluation.kinds.base import DataKind
from evaluation.kinds.registry import all_kinds
from evaluation.management.commands import report as command
from evaluation.report import views
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from evaluation.values.wording import headed
from tests import builders
from tests.evaluation.graded import graded
from tests.evaluation.judged import NOW, judged
from tests.evaluation.marked import ANCHOR, marked
from tests.evaluation.rubrics import answered
from tests.evaluation.test_settled import decide
from tests.thorough import as_thorough, thorough

pytestmark = pytest.mark.django_db


class Tried(NamedTuple):
    """A kind of data as these tests make it: a study from letters (two readings, right and wrong; d nothing
    to choose, u, b and . as elsewhere), what is decided on an item, its first coefficient, and how many
    pictures for print it has."""

    make: Callable[..., Study]
    decided: Mapping[str, object]
    headline: str
    pictures: int


def choices(votes: list[str], **fields: object) -> Study:
    letters = str.maketrans("rwd", "gxy")
    return judged([each.translate(letters) for each in votes], **fields)  # type: ignore[arg-type]


def spans(votes: list[str], **fields: object) -> Study:
    said = {"r": (7, 12), "w": (8, 10), "d": "n"}
    items = [[said.get(letter, letter) for letter in each] for each in votes]
    return marked(*items, gold=[(7, 12)] * len(votes), **fields)  # type: ignore[arg-type]


def grades(votes: list[str], **fields: object) -> Study:
    letters = str.maketrans("rwd", "320")
    return graded([each.translate(letters) for each in votes], gold="3" * len(votes), **fields)  # type: ignore[arg-type]


def several(votes: list[str], **fields: object) -> Study:
    said = {"r": ((0, 3), (7, 12)), "w": ((8, 10),), "d": "n"}
    items = [[said.get(letter, letter) for letter in each] for each in votes]
    return marked(*items, gold=[((0, 3), (7, 12))] * len(votes), task="spans", **fields)  # type: ignore[arg-type]


KINDS = {
    "nominal": Tried(choices, {"option": 1}, "generalised_fleiss_kappa", 1),
    "spans": Tried(spans, {"start": ANCHOR[0], "end": ANCHOR[1]}, "span_alpha", 3),
    "several_spans": Tried(several, {"spans": [[0, 3], list(ANCHOR)]}, "unitising_alpha", 3),
    "rubric": Tried(answered, {"type": "claim", "quality": "1"}, "type-krippendorff_alpha", 3),
    "ordinal": Tried(grades, {"grade": 2}, "ordinal_alpha", 3),
}
VOTES = ["rrr", "rrw", "rwd", "www", "rub", "ddd", "rrr"]
STATES = {
    "empty": [],
    "unread": ["...", "..."],
    "undecided": ["uub", "bu."],
    "one answer": ["r..", "..."],
    "two answers": ["rr.", "..."],
    "all alike": ["rrr"] * 3,
    "judged": VOTES,
}
USUAL = ("empty", "judged")
EACH_PAGE = [
    (kind, state) if state == "judged" or (kind, state) == ("rubric", "empty") else as_thorough((kind, state))
    for kind in KINDS
    for state in STATES
]
"""What is judged of each kind, and one study without an item; in all formats each kind has none, too."""
NUMBERLESS = ("empty", "unread", "undecided")
PARTS: dict[str, object] = {"slug": "tried", "number": 1, "pseudonym": "A", "step": ""}
SET_UP = {
    f"annotation:{each}"
    for each in (
        "consent", "declined", "duplicate", "guidelines", "invite", "setup", "setup_consent", "setup_items",
        "step",
    )
}  # fmt: skip
"""Pages of what a study is, which show nothing of what was said in it: read without items, and judged."""
PAGES = (
    "evaluation:results", "evaluation:microscope", "evaluation:apparatus", "evaluation:watch",
)  # fmt: skip


@pytest.fixture
def ada(db):
    return builders.researcher("Rhea")


@pytest.fixture
def study(kind, state, ada):
    return KINDS[kind].make(STATES[state], slug="tried", by=ada)


@pytest.fixture
def computed_once(monkeypatch):
    """A report is computed once for all formats, by pages and by the command each: for tests in which nobody
    says anything meanwhile."""
    monkeypatch.setattr(views, "report", cache(report))
    monkeypatch.setattr(command, "report", cache(report))


def as_json(client) -> dict:
    return json.loads(client.get(reverse("evaluation:results", args=["tried"]), {"format": "json"}).text)


def of_studies() -> list[tuple[str, dict[str, object]]]:
    """Every address of these apps that names a study, with what stands in it; a step of setting up each."""
    found = []
    for app in ("annotation", "evaluation"):
        _, resolver = get_resolver().namespace_dict[app]
        for name in {each for each in resolver.reverse_dict if isinstance(each, str)}:
            for shapes, *_ in resolver.reverse_dict.getlist(name):
                for _, parts in shapes:
                    if "slug" in parts and set(parts) <= set(PARTS):
                        each = {part: PARTS[part] for part in parts}
                        steps = [{"step": step} for step in STEPS] if "step" in parts else [{}]
                        found += [(f"{app}:{name}", each | step) for step in steps]
    return sorted(found, key=repr)


def test_every_kind_is_tried_and_every_task_type_has_one():
    assert set(KINDS) == set(all_kinds())
    assert {one.measure for one in all_types().values()} <= set(KINDS)


@pytest.mark.parametrize(("kind", "state"), EACH_PAGE)
def test_every_page_of_a_study_answers(kind, state, study, ada, as_user):
    """No page fails. Not read are those of annotators, of adjudicators, and those that take POST alone."""
    client, read = as_user(ada), set()
    passed_over = set() if state in ("empty", "judged") else SET_UP
    for name, parts in of_studies():
        if name in passed_over:
            continue
        reply = client.get(reverse(name, kwargs=parts))
        assert reply.status_code in (200, 301, 302, 404, 405), f"{name}: {reply.status_code}"
        if reply.status_code == 200:
            read.add(name)
    assert set(PAGES) <= read
    managed = {"study", "setup", "step", "people", "items", "workbench", "notes", "export", "guidelines"}
    assert {f"annotation:{each}" for each in managed} - passed_over <= read
    if study.items.exists():
        assert {"annotation:item", "evaluation:apparatus_item"} <= read
    assert client.get(reverse("evaluation:watch", args=["tried"]), headers={"HX-Request": "true"}).text


@pytest.mark.parametrize("state", thorough(STATES, USUAL))
@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_written(kind, state, study, ada, as_user, computed_once):
    found = {}
    for form in FORMATS:
        reply = as_user(ada).get(reverse("evaluation:results", args=["tried"]), {"format": form})
        assert reply.status_code == 200
        assert not re.search(r"\bnan\b", reply.text, re.IGNORECASE)
        found[form] = reply.text
    whole = json.loads(found["json"])
    assert whole["data"] == kind
    assert bool(whole["problem"]) == (state in NUMBERLESS) == (not whole["measures"])
    rows = list(csv.DictReader(io.StringIO(found["csv"])))
    assert {"n_items", "n_answers"} <= {row["number"] for row in rows}
    assert not any(None in row for row in rows)
    assert max(map(len, found["table"].splitlines())) <= 110
    assert found["markdown"].startswith("# ")
    # Every row of a table has as many cells as its head.
    tables = re.findall(r"(?:^\|.*\n)+", found["markdown"], re.MULTILINE)
    widths = [{len(re.findall(r"(?<!\\)\|", line)) for line in each.splitlines()} for each in tables]
    assert all(len(each) == 1 for each in widths)
    assert widths or state in NUMBERLESS
    if state not in NUMBERLESS:
        for form in ("latex", "latex-twocolumn"):
            assert found[form].count("\\begin{tabular}") >= 1
            assert found[form].count("\\label{") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_writes_what_the_page_gives(kind, ada, as_user, tmp_path, monkeypatch, computed_once):
    monkeypatch.setattr("evaluation.report.compute.timezone.now", lambda: NOW)
    KINDS[kind].make(VOTES, slug="tried", by=ada)
    client = as_user(ada)
    for form in FORMATS:
        call_command("report", "tried", format=form, output=tmp_path / form, stderr=io.StringIO())
        reply = client.get(reverse("evaluation:results", args=["tried"]), {"format": form})
        assert (tmp_path / form).read_bytes() == reply.content, form


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_writes_the_apparatus_that_the_page_gives(kind, ada, as_user, tmp_path):
    KINDS[kind].make(VOTES, slug="tried", by=ada)
    call_command("export_tei", "tried", output=tmp_path / "tei", stderr=io.StringIO())
    reply = as_user(ada).get(reverse("evaluation:apparatus", args=["tried"]), {"format": "tei"})
    assert (tmp_path / "tei").read_bytes() == reply.getvalue()


@pytest.mark.parametrize("state", thorough(STATES, USUAL))
@pytest.mark.parametrize("kind", KINDS)
def test_the_apparatus_is_well_formed_and_names_every_reading(kind, state, study, ada, as_user):
    text = as_user(ada).get(reverse("evaluation:apparatus", args=["tried"]), {"format": "tei"}).getvalue()
    tei = {"tei": "http://www.tei-c.org/ns/1.0"}
    root = ElementTree.fromstring(text)
    assert len(root.findall(".//tei:div", tei)) == len(STATES[state])
    said = "".join(STATES[state]).replace(".", "")
    sigla = " ".join(each.get("wit") or "" for each in root.findall(".//tei:app/*", tei)).split()
    assert len([each for each in sigla if each != "#gold"]) == len(said)
    assert len(root.findall(".//tei:app/*[@type='undecided']", tei)) == sum(
        "u" in each for each in STATES[state]
    )
    agreed = [each for each in STATES[state] if sum(letter in "rw" for letter in each) >= 2]
    assert len(root.findall(".//tei:note[@type='agreement']", tei)) >= len(agreed)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_judged_stands_on_every_page(kind, ada, as_user, computed_once):
    study, client = KINDS[kind].make(VOTES, slug="tried", by=ada), as_user(ada)
    found = as_json(client)
    labels = [each["label"] for each in found["measures"]]
    results, microscope, apparatus, watch = (client.get(reverse(name, args=["tried"])).text for name in PAGES)
    table = client.get(reverse("evaluation:results", args=["tried"]), {"format": "table"}).text
    for each in found["measures"]:
        assert f'id="{each["measure"]}"' in results
        assert each["label"] in table
    assert KINDS[kind].headline in {each["measure"] for each in found["measures"]}
    headline = next(each for each in found["measures"] if each["measure"] == KINDS[kind].headline)
    assert headline["value"] is not None
    assert headed(headline["label"]) in watch
    assert f'id="{headline["measure"]}"' in microscope
    assert apparatus.count('class="entry"') == study.items.count()
    assert all(f">{each}<" in results.replace(" <", "<") for each in "ABC")
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_are_a_layer_of_their_own(kind, ada, as_user, monkeypatch):
    study = KINDS[kind].make(VOTES, slug="tried", by=ada)
    before = json.loads(
        as_user(ada).get(reverse("evaluation:results", args=["tried"]), {"format": "json"}).text
    )
    decide(study, 1, dict(KINDS[kind].decided))
    decide(study, 4, dict(KINDS[kind].decided))
    decide(study, 2, None)
    monkeypatch.setattr(views, "report", cache(report))
    client = as_user(ada)
    assert "Against what was settled" in client.get(reverse("evaluation:results", args=["tried"])).text
    found = as_json(client)
    assert before["settled"] is None
    assert (found["settled"]["n_settled"], found["settled"]["n_without_answer"]) == (2, 1)
    compares = type(all_kinds()[kind]).against is not DataKind.against
    assert bool(found["settled"]["measures"]) == compares
    assert found["measures"] == before["measures"]
    for form in FORMATS:
        assert client.get(reverse("evaluation:results", args=["tried"]), {"format": form}).status_code == 200
    for name in PAGES:
        assert client.get(reverse(name, args=["tried"])).status_code == 200


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_who_withdrew_is_told_of_on_every_page(kind, drop, ada, as_user, computed_once):
    study = KINDS[kind].make(VOTES, slug="tried", by=ada)
    withdrawal.erase(study.enrolments.get(pseudonym="C"), now=datetime(2026, 3, 1, 12, tzinfo=UTC), drop=drop)
    client = as_user(ada)
    for name in ("evaluation:results", "evaluation:microscope", "evaluation:watch"):
        assert "Reader C withdrew on 1 March 2026" in client.get(reverse(name, args=["tried"])).text, name
    assert client.get(reverse("evaluation:apparatus", args=["tried"]), {"format": "tei"}).status_code == 200
    for form in FORMATS:
        text = client.get(reverse("evaluation:results", args=["tried"]), {"format": form}).text
        assert form == "csv" or "Reader C withdrew" in " ".join(text.split())


@pytest.mark.parametrize("kind", [kind for kind, each in KINDS.items() if each.pictures])
def test_pictures_for_print_are_drawn(kind, ada, tmp_path):
    pytest.importorskip("matplotlib")
    KINDS[kind].make(VOTES, slug="tried", by=ada)
    call_command("figures", "tried", format="svg", output=tmp_path, stdout=io.StringIO())
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert "tried-measures.svg" in drawn
    assert len(drawn) == KINDS[kind].pictures
