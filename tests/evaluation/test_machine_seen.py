"""Numbers of a study that shows readers what a machine answered: said in the report, kept out of qrels."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from annotation.models import Assignment, SampledItem
from annotation.simulate import simulate
from common.errors import BadInput
from evaluation.qrels.of_study import study_qrels
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from evaluation.values.sentences import machine_seen
from tests.annotation import validating

pytestmark = pytest.mark.django_db


@pytest.fixture
def pulled(dora):
    """Twenty items, read by one simulated reader who follows the machine wherever it is shown."""
    made = validating.draft(topics=2, by=dora)
    data = validating.qrels(topics=2)
    validating.sampled(made, data=data, share=1.0)
    made.refresh_from_db()
    simulate(made, annotators=1, accuracy=0.5, seed=3, pull=1.0, sway=1.0)
    made.refresh_from_db()
    return made


def test_the_report_says_how_many_answers_saw_the_machine(pulled):
    arms = list(Assignment.objects.filter(study=pulled).values_list("arm", flat=True))
    found = report(pulled, resamples=20)
    said = machine_seen(found.machine_seen)
    assert f"{arms.count('prefilled')} current judgments began with it" in said
    assert f"after {arms.count('reveal')} it was revealed" in said
    assert f"{found.machine_seen.changed} of them changed afterwards" in said


def test_it_stands_beside_the_numbers_in_every_file(pulled):
    found = report(pulled, resamples=20)
    shown = found.machine_seen.prefilled + found.machine_seen.revealed
    for name, form in FORMATS.items():
        text = form.render(found)
        if name == "csv":
            rows = list(csv.DictReader(io.StringIO(text)))
            assert {row["saw_machine"] for row in rows} == {str(shown)}
        else:
            text, numbers = " ".join(text.split()), '"measures"' if name == "json" else "0."
            assert text.index("answer was shown to readers") < text.index(numbers)


ABOVE = {"results": "The numbers</h2>", "microscope": "<h1>", "watch": "Agreement</h2>"}


def test_it_stands_above_the_numbers_on_every_page(pulled, dora, as_user):
    for page, heading in ABOVE.items():
        body = as_user(dora).get(reverse(f"evaluation:{page}", args=[pulled.slug])).content.decode()
        numbers = body[body.index(heading) :]
        assert numbers.index("answer was shown to readers") < numbers.index("<table")


def test_qrels_of_first_answers_hold_nothing_prefilled_nor_changed(pulled):
    every, first = study_qrels(pulled), study_qrels(pulled, answers="first")
    assert (every.n_pairs, every.answers, first.answers) == (20, "all", "first")
    shown = Assignment.objects.exclude(arm="prefilled").filter(study=pulled)
    assert first.n_pairs == shown.count()
    revealed = SampledItem.objects.filter(item__assignments__arm="reveal").select_related("item")
    differ = 0
    for each in revealed:
        topic, document = (each.item.payload[name]["id"] for name in ("topic", "document"))
        assert every.made.qrels[topic][document] == each.machine_answer["grade"]
        differ += first.made.qrels[topic][document] != each.machine_answer["grade"]
    assert differ == report(pulled, resamples=20).machine_seen.changed > 0
    with pytest.raises(BadInput, match="all, first"):
        study_qrels(pulled, answers="last")


def test_the_page_offers_first_answers(pulled, dora, as_user):
    page = reverse("evaluation:qrels", args=[pulled.slug])
    client = as_user(dora)
    assert "Which answers" in client.get(page).content.decode()
    file = client.post(page, {"rule": "median", "answers": "first", "part": "qrels"})
    assert len(file.content.decode().splitlines()) == study_qrels(pulled, answers="first").n_pairs
    assert client.get(page, {"answers": "last"}).status_code == 422
