"""docs/adding-a-kind.md, followed literally: its two files make every page of a study of that kind answer."""

from __future__ import annotations

import json
import re
import sys
from types import ModuleType
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse

from annotation.tasktypes.registry import all_types
from evaluation.kinds.base import DataKind
from evaluation.kinds.registry import all_kinds
from evaluation.report.formats import FORMATS
from tests import builders
from tests.evaluation.graded import graded
from tests.evaluation.test_settled import decide

pytestmark = pytest.mark.django_db
PAGE = (settings.BASE_DIR / "docs" / "adding-a-kind.md").read_text(encoding="utf-8")


@pytest.fixture
def yes_no(monkeypatch):
    """The two files as the page prints them, for the time of a test."""
    files = re.findall(r"`(\w+/yes_no)\.py`:\n\n```python\n(.*?)```", PAGE, re.S)
    assert [name for name, _ in files] == ["metrics/yes_no", "kinds/yes_no"]
    for name, code in files:
        module = ModuleType(f"evaluation.{name.replace('/', '.')}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(code, f"{name}.py", "exec"), module.__dict__)
    made = DataKind.known.pop("yes_no")
    monkeypatch.setitem(all_kinds(), "yes_no", made())
    monkeypatch.setattr(type(all_types()["grade"]), "measure", "yes_no")


@pytest.mark.parametrize("votes", [[], ["..."], ["uub"], ["1.."], ["110", "111", "0u1", "b00"]])
def test_every_page_answers_in_every_format(yes_no, as_user, votes, tmp_path):
    ada = builders.researcher("Rhea")
    study = graded(votes, slug="tried", by=ada, gold="1" * len(votes), grades=["no", "yes"])
    client = as_user(ada)
    for name in ("results", "microscope", "apparatus", "watch"):
        assert client.get(reverse(f"evaluation:{name}", args=["tried"])).status_code == 200
    for form in FORMATS:
        reply = client.get(reverse("evaluation:results", args=["tried"]), {"format": form})
        assert reply.status_code == 200
    tei = client.get(reverse("evaluation:apparatus", args=["tried"]), {"format": "tei"}).getvalue()
    divs = ElementTree.fromstring(tei).findall(".//{*}div")
    assert len(divs) == study.items.count()


def test_its_numbers_readings_and_decisions_stand_on_the_pages(yes_no, as_user, tmp_path):
    ada = builders.researcher("Rhea")
    study = graded(["110", "111", "0u1", "b00"], slug="tried", by=ada, gold="1..0", grades=["no", "yes"])
    decide(study, 1, {"grade": 1})
    client = as_user(ada)
    found = json.loads(client.get(reverse("evaluation:results", args=["tried"]), {"format": "json"}).text)
    (line,) = found["measures"]
    assert (line["measure"], line["value"], line["random"]) == ("share_of_yes", 0.6, 0.5)
    assert found["settled"]["n_settled"] == 1
    results, microscope, watch = (
        client.get(reverse(f"evaluation:{name}", args=["tried"])).text
        for name in ("results", "microscope", "watch")
    )
    assert "60.0 %" in results
    assert "60.0 %" in microscope
    assert "60.0 %" in watch
    # Item 1: of three pairs one agrees; item 3: a reading without an answer agrees with none.
    assert re.search(r"Item\u00a01</a>.*?</th><td class=\"num\">0.67<", watch)
    # Annotator B: one of two others on item 1 says the same, both on item 2, the one other on item 4.
    assert '80.0 %<br><span class="soft small">5 pairs</span>' in watch
    apparatus = client.get(reverse("evaluation:apparatus_item", args=["tried", 1])).text
    assert re.search(r'<span class="words"[^>]*>yes</span><span class="bracket">', apparatus)
    assert "1 of 3 pairs agree" in apparatus
    pytest.importorskip("matplotlib")
    call_command("figures", "tried", format="svg", output=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["tried-measures.svg"]


def test_two_kinds_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two kinds of data call themselves 'nominal'"):
        type("Again", (DataKind,), {"name": "nominal"})
