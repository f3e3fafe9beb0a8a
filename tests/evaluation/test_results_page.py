"""/results/<slug>/: who sees it, and what it says."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from django.urls import reverse

from annotation.models import Enrolment
from tests.evaluation.judged import judged

pytestmark = pytest.mark.django_db
URL = "/results/fleet/"


@pytest.fixture
def study(ada, ben, dora):
    return judged(["ggg"] * 8 + ["ggx", "gxy", "gu.", "gb."], by=dora)


def test_dora_sees_the_numbers(study, dora, as_user):
    page = as_user(dora).get(reverse("evaluation:results", args=["fleet"]))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Three readers judged twelve items and gave 32 answers." in text
    assert "Fleiss κ" in text
    assert "Randolph κ" in text
    assert "manage.py report fleet --format json --resamples 2000" in text
    assert "Simulated" not in text


@pytest.mark.parametrize("name", ["ada", "eve", "stan"])
@pytest.mark.parametrize("query", ["", "?format=json"])
def test_others_find_nothing(study, name, query, as_user, request):
    assert as_user(request.getfixturevalue(name)).get(URL + query).status_code == 404


def test_foreign_and_unknown_look_identical(study, eve, as_user, client):
    browser = as_user(eve)
    foreign, unknown = (
        re.sub(r"[A-Za-z0-9]{64}", "token", browser.get(url).content.decode())
        for url in (URL, "/results/unknown/")
    )
    assert foreign == unknown


def test_signed_out_is_asked_to_sign_in(study, client):
    page = client.get(URL)
    assert page.status_code == 302
    assert page["Location"] == f"/login/?next={URL}"


def test_nothing_can_be_posted(study, dora, as_user):
    assert as_user(dora).post(URL).status_code == 405


@pytest.mark.parametrize(
    ("form", "kind", "name"),
    [
        ("json", "application/json", "fleet-report.json"),
        ("csv", "text/csv; charset=utf-8", "fleet-report.csv"),
        ("latex", "application/x-tex; charset=utf-8", "fleet-report.tex"),
        ("markdown", "text/markdown; charset=utf-8", "fleet-report.md"),
        ("table", "text/plain; charset=utf-8", "fleet-report.txt"),
    ],
)
def test_downloads(study, dora, as_user, form, kind, name):
    page = as_user(dora).get(URL, {"format": form})
    assert page["Content-Type"] == kind
    assert page["Content-Disposition"] == f'attachment; filename="{name}"'
    assert len(page.content) > 100


def test_downloaded_json_holds_the_numbers_of_the_page(study, dora, as_user):
    browser = as_user(dora)
    data = json.loads(browser.get(URL, {"format": "json"}).content)
    kappa = next(each for each in data["measures"] if each["measure"] == "randolph_kappa")
    assert f"{kappa['value']:.3f}" in browser.get(URL).content.decode()


def test_an_unknown_format_is_one_sentence(study, dora, as_user):
    page = as_user(dora).get(URL, {"format": "<b>"})
    assert page.status_code == 400
    assert page.content.decode() == (
        "A report comes as table, json, csv, latex, latex-twocolumn, markdown, "
        "and not in the format asked for.\n"
    )


def test_an_undefined_measure_shows_why(study, dora, as_user):
    text = as_user(dora).get(URL).content.decode()
    row = re.search(r'<tr id="fleiss_kappa">.*?</tr>', text, re.S).group()
    assert "Items have 1 to 3 judgments and Fleiss (1971) needs the same number" in row
    assert '<td class="num value">—</td>' in row
    assert "Fleiss κ is undefined and not drawn" in text


def test_nothing_judged_yet(dora, as_user):
    judged(["...", "..."], by=dora)
    text = as_user(dora).get(URL).content.decode()
    assert "Nobody has judged anything yet." in text
    assert "an invitation</a>" in text
    assert "?format=" not in text
    assert "<svg" in text  # the spread of answers: two items with none


def test_a_study_of_programs_is_labelled(dora, as_user):
    study = judged(["ggg", "ggx", "gxy"], by=dora)
    Enrolment.objects.filter(study=study, role="annotator").update(simulated=True)
    text = as_user(dora).get(URL).content.decode()
    assert 'data-kind="note">Simulated readers</span>' in text
    assert "These numbers say nothing about human readers." in text
    assert text.count(">Simulated</span>") == 3


def test_pseudonyms_only(study, dora, as_user, ada, ben):
    main = as_user(dora).get(URL).content.decode().split("<main", 1)[1]
    assert not re.search(r"\b(Ada|Ben|Hal)\b", main)


def test_no_inline_style_or_script(study, dora, as_user):
    main = as_user(dora).get(URL).content.decode().split("<main", 1)[1]
    assert "style=" not in main
    assert "<style" not in main
    assert "<script" not in main.split("</main>")[0]


def test_every_picture_is_described_and_well_formed(study, dora, as_user):
    text = as_user(dora).get(URL).content.decode()
    pictures = re.findall(r'<svg class="intervals".*?</svg>', text, re.S)
    assert len(pictures) == 3
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        assert root.get("role") == "img"
        title, described = root.find("title"), root.find("desc")
        assert root.get("aria-labelledby") == title.get("id")
        assert root.get("aria-describedby") == described.get("id")
        assert title.text
        assert described.text
        for place in re.findall(r'c?x[12]?="(-?[\d.]+)%"', picture):
            assert 0 <= float(place) <= 100


def test_few_queries_however_large_the_study(dora, as_user, django_assert_max_num_queries):
    judged(["ggx"] * 90, by=dora)
    browser = as_user(dora)
    with django_assert_max_num_queries(11):
        browser.get(URL)
