"""manage.py figures: pictures for print, and nothing else that loads matplotlib."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from common.pictures import paper
from evaluation.kinds.spans.pictures import drawings
from evaluation.report.compute import report
from tests.evaluation.graded import graded
from tests.evaluation.judged import judged
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db


def draw(folder, *args):
    out = StringIO()
    call_command("figures", *args, "--output", str(folder), "--resamples", "100", stdout=out)
    return out.getvalue().split()


def same_twice(tmp_path, *args):
    """The files' names, after they were drawn twice to the same bytes."""
    names = draw(tmp_path / "one", *args)
    draw(tmp_path / "two", *args)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    return names


def test_a_study_of_spans_has_three_pictures(tmp_path):
    marked([(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), (8, 10)])
    names = same_twice(tmp_path, "sermon", "--format", "svg")
    assert [name.rsplit("/", 1)[1] for name in names] == [
        f"sermon-{name}.svg" for name in ("measures", "overlap", "shared-words")
    ]
    assert all(ElementTree.parse(name).getroot().tag.endswith("svg") for name in names)


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF-")])
def test_a_study_of_choices_has_its_measures(tmp_path, form, magic):
    judged(["ggg", "ggx", "gxy"])
    (name,) = same_twice(tmp_path, "fleet", "--format", form)
    assert name.endswith(f"fleet-measures.{form}")
    with open(name, "rb") as file:
        assert file.read(5).startswith(magic)


def test_dollars_in_the_words_of_a_grade_are_no_mathematics(tmp_path):
    graded(["012", "120"], gold="01", grades=["under $5", "$5 to $10", "over $\\nothing{$"])
    names = draw(tmp_path, "tides", "--format", "svg")
    assert [name.rsplit("/", 1)[1] for name in names] == [
        f"tides-{name}.svg" for name in ("measures", "grades-of-two", "grades-against-gold")
    ]
    assert "$5 to $10" in (tmp_path / "tides-grades-of-two.svg").read_text()


def test_drawing_says_nothing_of_its_fonts(tmp_path, caplog):
    judged(["ggg", "ggx"])
    # The first drawing on a machine looks for its fonts, and says so where that takes long.
    draw(tmp_path, "fleet", "--format", "svg")
    caplog.clear()
    draw(tmp_path, "fleet", "--format", "pdf")
    assert caplog.messages == []


def test_simulated_readers_are_named_in_the_picture(tmp_path):
    judged(["ggg", "ggx"], slug="people")
    judged(["ggg", "ggx"], slug="programs", names=["Kim", "Lee", "Max"], simulated=True)
    from matplotlib import rc_context

    said = {}
    for slug in ("people", "programs"):
        with rc_context({"svg.fonttype": "none"}):
            (name,) = draw(tmp_path, slug, "--format", "svg")
        said[slug] = "Simulated readers: programs, not people" in Path(name).read_text(encoding="utf-8")
    assert said == {"people": False, "programs": True}


def test_many_words_in_common_leave_room_between_their_numbers(tmp_path):
    verse = " ".join(f"word{number}" for number in range(30))
    study = marked([(0, 30), (0, 24), (0, 30)], text=verse, verse=verse, anchor=(0, 1), lemmas=False)
    (axes,) = paper.charts(*dict(drawings(report(study).found))["shared-words"]).axes
    places = axes.get_xticks()
    assert len(places) <= 14
    assert sum(bar.get_height() for bar in axes.patches) == 3
    assert all(place == int(place) for place in places)


def test_nothing_to_draw_is_one_sentence(tmp_path):
    judged(["..."])
    with pytest.raises(CommandError, match=r"There is nothing to draw. Nobody has judged anything yet."):
        draw(tmp_path, "fleet")
    assert list(tmp_path.iterdir()) == []


def test_a_study_of_which_no_measure_has_a_value_is_one_sentence_too(tmp_path):
    judged(["g.."], gold=False)
    with pytest.raises(CommandError, match=r"to draw: no share and no coefficient has a value."):
        draw(tmp_path / "pictures", "fleet")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    judged(["ggg", "ggx"])
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match=r"file: cannot be written \(File exists\)"):
        draw(tmp_path / "file", "fleet", "--format", "svg")


def test_without_matplotlib_the_command_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in ("evaluation.figures.for_print", "common.pictures.paper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(CommandError, match=r"pip install -r requirements-figures.txt"):
        draw(tmp_path, "fleet")
