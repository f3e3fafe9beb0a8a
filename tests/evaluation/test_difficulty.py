"""What makes items hard, and which wrong passages fooled whom: by command, on the page, in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.studies.build import build_study
from evaluation.difficulty.report import difficulty
from evaluation.difficulty.tables import FORMATS, picture
from tests import builders
from tests.evaluation.judged import judged
from tests.evaluation.machines import read_by_machine
from tests.evaluation.test_kinds_pages import KINDS, VOTES

pytestmark = pytest.mark.django_db


def hard(n=40):
    """Items whose right passage is the longer the later the item; readers miss the long ones more often."""
    study = judged(["ggg", "ggx", "gxx", "xxg"] * (n // 4), slug="fleet", names=["Ada", "Ben", "Hal"])
    for item in study.items.order_by("number"):
        missed = (item.number - 1) % 4
        options = list(item.payload["options"])
        gold = item.gold["option"]
        options[gold] += " and so on" * (1 + 3 * missed + item.number % 5)
        options[(gold + 1) % 3] += " it comes to the point"
        builders.rewrite([item], payload={**item.payload, "options": options})
    return study


def test_a_feature_that_makes_items_hard_is_found():
    found = difficulty(hard())
    (effect,) = [one for one in found.people.effects if one.name.startswith("quotation")]
    assert effect.high < 0
    assert found.unknown == ("rank of the right passage, a doubling",)
    assert found.machines is None
    assert "quotation, a doubling of its words (harder)" in " ".join(FORMATS["table"].render(found).split())
    assert len(picture(found).dots) == len(found.people.effects)


def test_lures_by_overlap_and_whom_they_fooled():
    study = hard()
    golds = study.items.order_by("number").values_list("gold__option", flat=True)
    read_by_machine(study, [{"option": (gold + 1) % 3} for gold in golds])
    found = difficulty(study)
    rates = {(each.part, each.group): each for each in found.lures}
    part = "words shared with the criticism"
    lured, other = rates[part, "50 to 75 %"], rates[part, "25 to 50 %"]
    # Of forty items with three readers, 50 answers chose the one passage with the critic's words.
    assert (lured.n_passages, lured.people.value, lured.machines.value) == (40, 50 / 120, 1.0)
    assert (other.n_passages, other.people.value, other.machines.value) == (40, 0.0, 0.0)
    assert lured.people.low < 50 / 120 < lured.people.high
    worst = found.worst[0]
    assert (len(worst.people), worst.n_people, worst.machines, worst.n_machines) == (2, 3, ("M1",), 1)
    assert found.machines.problem.startswith("No model: all answers are right, or all are wrong")


def test_a_lure_has_the_ranker_and_the_rank_that_brought_it(dora):
    book, source = builders.book(), builders.source()
    job = builders.finished_job(book, [builders.excerpt(book, source, first) for first in (3, 6)])
    study = build_study(slug="gaps", title="Gaps", task="choice", job=job, overlap=1, seed=7, by=dora).study
    items = list(study.items.order_by("number"))
    read_by_machine(study, [{"option": (item.gold["option"] + 1) % 3} for item in items])
    found = difficulty(study)
    assert {each.group for each in found.lures if each.part == "ranker that brought it"} == {"bm25"}
    assert {each.group for each in found.lures if each.part == "rank"} == {"1", "2 to 3"}
    assert found.unknown == ()
    assert found.people is None
    assert found.worst[0].passage.ranker == "bm25"


def test_every_format_has_the_same_numbers(tmp_path):
    found, written = difficulty(hard()), {}
    for name, each in FORMATS.items():
        call_command("item_difficulty", "fleet", "--format", name, "--output", str(tmp_path / name))
        written[name] = (tmp_path / name).read_text()
        assert written[name].rstrip("\n") == each.render(found).rstrip("\n"), name
    value = next(one.value for one in found.people.effects if one.name.startswith("quotation"))
    effects = json.loads(written.pop("json"))["models"]["people"]["effects"]
    assert value in [one["value"] for one in effects]
    rows = csv.DictReader(io.StringIO(written.pop("csv")))
    assert str(value) in [row["value"] for row in rows]
    assert [name for name, said in written.items() if f"{abs(value):.2f}" not in said] == []


def test_the_page_and_what_it_says_where_there_is_nothing(dora, as_user):
    hard()
    client = as_user(dora)
    builders.enrolment(made := judged(["..."], slug="empty"), dora, role="researcher", pseudonym="R1")
    assert "Nobody has answered" in client.get(reverse("evaluation:difficulty", args=["empty"])).text
    builders.rewrite(made.items.all(), gold=None)
    assert "No item has a right answer" in client.get(reverse("evaluation:difficulty", args=["empty"])).text
    KINDS["ordinal"].make(VOTES, slug="grades", by=dora)
    assert "choose between no passages" in client.get(reverse("evaluation:difficulty", args=["grades"])).text


def test_the_page_has_model_picture_and_lures(dora, as_user):
    builders.enrolment(hard(), dora, role="researcher", pseudonym="R1")
    client = as_user(dora)
    page = client.get(reverse("evaluation:difficulty", args=["fleet"])).text
    assert "<svg" in page
    assert "Whom they fooled" in page
    assert client.get(reverse("evaluation:difficulty", args=["fleet"]) + "?format=csv").status_code == 200
    results = client.get(reverse("evaluation:results", args=["fleet"])).text
    assert reverse("evaluation:difficulty", args=["fleet"]) in results
