"""The cue audit of a study: its page, its command, its place in the report and before the opening."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Item, State
from evaluation.cues.audit import FORMATS, audit_of
from evaluation.kinds.nominal import cues
from evaluation.report.compute import report
from tests import builders
from tests.evaluation.graded import graded
from tests.evaluation.judged import judged

pytestmark = pytest.mark.django_db
URL = "/results/fleet/cues/"
LONG = "The tide had gone out further than anybody in the town could remember."


def tell(study, n: int) -> None:
    """Make gold the only long option of the first ``n`` items."""
    changed = list(study.items.order_by("number")[:n])
    for item in changed:
        gold = item.gold["option"]
        options = [f"{LONG} {item.number}" if k == gold else f"Rope {k} {item.number}." for k in range(3)]
        item.payload = {**item.payload, "options": options}
    for item in changed:
        builders.rewrite(Item.objects.filter(pk=item.pk), payload=item.payload)


@pytest.fixture
def told(ada, ben, dora):
    study = judged(["ggg"] * 24, by=dora)
    tell(study, 24)
    return study


def test_a_study_whose_golds_are_the_long_ones_is_found_out(told):
    audit = audit_of(told).audit
    by = {each.slug: each for each in audit.results}
    assert (audit.n_items, audit.n_options, audit.n_left) == (24, 3, 0)
    assert by["longest"].value == by["all"].value == 1
    assert {"longest", "all"} <= {each.slug for each in audit.telling}
    assert {"shortest", "middle"} <= {each.slug for each in audit.avoided}


def test_only_work_items_with_gold_enter(told):
    builders.rewrite(told.items.filter(number__in=[1, 2]), gold=None)
    assert audit_of(told).audit.n_items == 22


def test_a_large_study_is_read_in_part_and_says_so(told, monkeypatch):
    monkeypatch.setattr(cues, "MOST_ITEMS", 20)
    found = audit_of(told)
    assert (found.audit.n_items, found.audit.n_left) == (20, 4)
    assert "Tried on 20 items, drawn by the study’s seed; 4 were not read." in " ".join(
        FORMATS["table"].render(found).split()
    )
    assert audit_of(told) == found


def test_the_page_says_what_shows_without_reading(told, dora, as_user):
    text = as_user(dora).get(URL).text
    assert (
        "The answer shows without reading: a reader who sees only the length and takes the longest is right"
        in text
    )
    assert "a model of all these marks is right" in text
    assert 'id="longest"' in text
    for name in FORMATS:
        reply = as_user(dora).get(URL, {"format": name})
        assert reply.status_code == 200
        assert "longest" in reply.text
    assert as_user(dora).get(URL, {"format": "docx"}).status_code == 400


def test_every_format_says_the_same(told):
    found = audit_of(told)
    data = json.loads(FORMATS["json"].render(found))
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(found))))
    assert [row["reader"] for row in rows] == [each["slug"] for each in data["readers"]]
    assert [float(row["value"]) for row in rows] == [each["value"] for each in data["readers"]]
    assert data["sentences"][0] in " ".join(FORMATS["table"].render(found).split())


@pytest.mark.parametrize("name", ["ada", "stan", "eve"])
def test_others_find_nothing(told, name, as_user, request):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == 404


def test_the_command_prints_it_and_names_the_studies_there_are(told, capsys):
    call_command("cue_audit", "fleet")
    assert "Cue audit of" in capsys.readouterr().out
    with pytest.raises(CommandError, match="fleet"):
        call_command("cue_audit", "float")


def test_the_report_of_choices_has_it_in_every_format(told, dora, as_user):
    found = report(told)
    assert "Without reading" in as_user(dora).get(reverse("evaluation:results", args=["fleet"])).text
    data = json.loads(as_user(dora).get("/results/fleet/?format=json").text)
    assert data["cues"]["n_items"] == 24
    assert found.found.cues == audit_of(told).audit
    assert "Without reading:" in as_user(dora).get("/results/fleet/?format=table").text
    assert "without_reading_longest" in as_user(dora).get("/results/fleet/?format=csv").text


def test_a_study_that_is_not_open_yet_is_told_before(dora, as_user):
    study = builders.study("draft", items=24, state=State.DRAFT, by=dora)
    tell(study, 24)
    client = as_user(dora)
    asks = "/results/draft/cues/?brief"
    assert f'hx-get="{asks}"' in client.get(study.get_absolute_url()).text
    brief = client.get(asks).text
    assert "<html" not in brief
    assert "The answer shows without reading" in brief


def test_items_without_gold_or_with_unequal_options_have_no_audit(dora):
    study = judged(["ggg"] * 3, by=dora, names=["Ada", "Ben", "Hal"])
    builders.rewrite(study.items.all(), gold=None)
    assert "No item has a right answer" in audit_of(study).audit.problem
    assert all(
        "No item has a right answer" in each.render(audit_of(study))
        for each in FORMATS.values()
        if each.extension != "csv"
    )


def test_where_nobody_chooses_between_texts_there_is_none(dora, as_user):
    graded(["333", "332"], slug="grades", by=dora)
    client = as_user(dora)
    assert "Readers of this task choose between no texts" in client.get("/results/grades/cues/").text
    assert client.get("/results/grades/cues/?brief").text.strip() == ""
    assert json.loads(client.get("/results/grades/?format=json").text)["cues"] is None
