"""/results/<slug>/ of a span study: pictures with their tables, nothing inline, the same numbers as files."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from common.pictures.marks import round_step
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
URL = "/results/sermon/"


@pytest.fixture
def page(dora, as_user):
    marked(
        [(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), "n"], [(7, 15), (5, 12), "u"], gold=[(7, 12)], by=dora
    )
    return as_user(dora).get(URL).content.decode()


def test_the_numbers_stand_under_their_names(page):
    for slug, label in (("lcs_overlap_kappa", "LCS-overlap κ"), ("span_alpha", "span_alpha")):
        row = re.search(rf'<tr id="{slug}">.*?</tr>', page, re.S).group()
        assert f'<span class="measure">{label}</span>' in row
        assert "<em>Chance:</em>" in row
    assert "guessing among" not in page


def test_figure_three_has_two_pictures_and_the_table_behind_them(page):
    pictures = re.findall(
        r'<svg class="intervals"[^>]*(?:overlap|cumulative)-title.*?</svg>\s*(?:</svg>)?', page, re.S
    )
    assert len(pictures) == 2
    bars = re.findall(r'<rect class="column"[^>]*height="([\d.]+)"', page)
    table = re.search(r"Pairs of spans by overlap.*?</table>", page, re.S).group()
    counts = [int(each) for each in re.findall(r'</th><td class="num">(\d+)</td>', table)]
    assert len(counts) == 20
    assert sum(counts) == 5  # three pairs and one and one
    assert len(bars) == sum(count > 0 for count in counts)
    assert max(map(float, bars)) == 180


def test_the_curve_climbs_from_nothing_to_everything(page):
    points = re.search(r'<polyline class="curve" points="([^"]+)"', page).group(1).split()
    places = [tuple(map(float, each.split(","))) for each in points]
    assert (places[0], places[-1]) == ((0, 100), (100, 0))
    assert all(one[0] <= other[0] and one[1] >= other[1] for one, other in pairwise(places))


@pytest.mark.parametrize(
    ("most", "step"),
    [(1, 1), (4, 1), (5, 2), (9, 2), (10, 5), (24, 5), (25, 10), (317, 100), (2_400_000, 500_000)],
)
def test_counts_beside_the_columns_are_round(most, step):
    assert round_step(most) == step


def test_where_nothing_can_be_drawn_no_caption_stands_alone(dora, as_user):
    marked([(7, 9)], by=dora, names=["Ada"])
    page = as_user(dora).get(URL).content.decode()
    assert "No item has two spans." in page
    assert "<figcaption>Dot" not in page


def test_readers_have_the_columns_of_spans_before_anybody_read(dora, as_user):
    marked([".", ".", "."], by=dora)
    page = as_user(dora).get(URL).content.decode()
    assert "Nobody has judged anything yet." in page
    assert ">Overlap with others<" in page
    assert ">Accuracy<" not in page


def test_every_picture_is_described_and_well_formed(page):
    main = page.split("<main", 1)[1].split("</main>")[0]
    described = 0
    for picture in re.findall(r"<svg.*?(?=<svg class|</div>|<p |</figure>|</td>)", main, re.S):
        root = ElementTree.fromstring(picture.strip())
        if root.get("role") == "img":
            described += 1
            assert root.find("title").text
            assert root.find("desc").text
            assert root.get("aria-labelledby") == root.find("title").get("id")
    assert described == 5  # shares, coefficients, readers, histogram, curve
    assert "style=" not in main
    assert "<script" not in main


def test_sections_readers_offsets_and_dataset(page):
    for heading in ("Overlap with others", "Can’t set the borders", "Where readers part",
                    "Spans per item", "Jaccard (lemmata)", "By lemmata"):  # fmt: skip
        assert heading in page
    assert re.search(r'href="/results/sermon/microscope/"', page)
    assert re.search(r'href="/results/sermon/apparatus/"', page)


def test_files_hold_the_numbers_of_the_page(page, dora, as_user):
    data = json.loads(as_user(dora).get(URL, {"format": "json"}).content)
    alpha = next(each for each in data["measures"] if each["measure"] == "span_alpha")
    assert f"{alpha['value']:.3f}" in page.replace("−", "-")


def test_nothing_to_compare_yet_shows_no_picture_of_it(dora, as_user):
    marked([(7, 12), ".", "."], by=dora)
    text = as_user(dora).get(URL).content.decode()
    assert "No item has two spans yet" in text
    assert "overlap-title" not in text
