"""k1 and b by a grid."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from rank_bm25 import BM25Okapi

from common.errors import BadInput
from evaluation.ranking.bm25_tuning import K1, B, tune
from retrieval.engine.text.passages import texts
from retrieval.engine.text.tokens import words
from retrieval.models import Excerpt
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def book():
    sentences = [f"{'boat ' * (n % 4)}{'gull ' * (n % 3)}{'lamp ' * (n % 7)}and {n}." for n in range(1, 30)]
    book, critic = builders.book(sentences=sentences), builders.source()
    for first, size, left in (
        (3, 1, "boat lamp"),
        (9, 1, "gull lamp lamp"),
        (15, 2, "boat gull"),
        (20, 1, "lamp"),
    ):
        one = builders.excerpt(book, critic, first, size)
        Excerpt.objects.filter(pk=one.pk).update(left=[left], right=["and boat"])
    return book


def run(*args):
    out = StringIO()
    call_command("tune_bm25", *args, stdout=out, stderr=StringIO())
    return out.getvalue()


def reciprocal(book, k1, b):
    """Mean reciprocal rank by rank_bm25, ties averaged."""
    found = []
    for excerpt in book.excerpts.all():
        passages = [words(text) for text in texts(book.text, book.bounds(), excerpt.size)]
        scores = BM25Okapi(passages, k1=k1, b=b).get_scores(words(excerpt.context(4, 4)))
        scores = np.round(scores, 9)
        better, equal = (
            int(np.sum(scores > scores[excerpt.first])),
            int(np.sum(scores == scores[excerpt.first])),
        )
        found.append(np.mean([1 / (better + place) for place in range(1, equal + 1)]))
    return np.mean(found)


def test_every_setting_is_what_rank_bm25_gives(book):
    k1, b = (0.3, 0.5, 1.5), (0.2, 0.9)
    found = tune(Excerpt.objects.all(), k1=k1, b=b)
    assert {each.setting for each in found.tried} == {(one, other) for one in k1 for other in b}
    for each in found.tried:
        assert each.value == pytest.approx(reciprocal(book, *each.setting), abs=1e-9)
    values = [each.value for each in found.tried]
    assert values == sorted(values, reverse=True)
    assert (found.n_queries, found.n_books) == (4, 1)
    assert found.default.setting == (0.5, 0.9)


def test_a_rank_is_best_when_small_and_equal_settings_keep_the_grids_order(book):
    found = tune(Excerpt.objects.all(), k1=[0.5, 1.0], b=[0.3, 0.9], objective="mean_rank")
    values = [each.value for each in found.tried]
    assert values == sorted(values)
    Excerpt.objects.update(left=["nothing known"], right=[])
    equal = tune(Excerpt.objects.all(), k1=[1.0, 0.5], b=[0.9, 0.3])
    assert [each.setting for each in equal.tried] == [(0.5, 0.3), (0.5, 0.9), (1.0, 0.3), (1.0, 0.9)]
    assert equal.difference.p == 1


def test_the_default_grid_holds_relics_choice(book):
    assert (len(K1), len(B)) == (20, 10)
    assert 0.5 in K1
    assert 0.9 in B
    seen = []
    tune(Excerpt.objects.all(), k1=[0.5, 0.7], b=[0.9], progress=lambda *at: seen.append(at))
    assert seen == [(1, 2), (2, 2)]


def test_the_default_alone_has_no_difference(book):
    assert tune(Excerpt.objects.all(), k1=[0.5], b=[0.9]).difference is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"objective": "map"}, "no objective 'map'; choose one of: recall_at_1"),
        ({"k1": [0]}, "The parameter k1 is 0"),
        ({"b": [1.5]}, "The parameter b is 1.5"),
        ({"b": []}, "no value of b"),
        ({"left": 0, "right": 0}, "The context is empty"),
    ],
)
def test_refused(book, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        tune(Excerpt.objects.all(), **options)


def test_no_excerpt_to_tune_on():
    with pytest.raises(BadInput, match="no excerpt with a place"):
        tune(Excerpt.objects.all())


def test_the_command_prints_the_best_and_the_default(book):
    text = run("--book", "boats", "--k1", "0.5:1.5:0.5", "--b", "0.3,0.9")
    assert "6 settings on 4 excerpts of 1 book, by MRR." in text
    assert "default" in text
    assert "Best is " in text


def test_json_and_csv_hold_the_whole_grid(book):
    data = json.loads(run("--book", "boats", "--k1", "0.5,1", "--b", "0.9", "--format", "json"))
    assert len(data["grid"]) == 2
    assert data["best"] == data["grid"][0]
    assert len(run("--book", "boats", "--k1", "0.5,1", "--b", "0.9", "--format", "csv").splitlines()) == 3


@pytest.mark.parametrize(("form", "line"), [("markdown", "| 1 | {} | 0.9 |"), ("latex", "1 & {} & 0.9 &")])
def test_a_paper_and_a_note_get_the_best_and_the_verdict(book, form, line):
    given = ("--book", "boats", "--k1", "0.5,1", "--b", "0.9", "--format")
    best = json.loads(run(*given, "json"))["best"]["k1"]
    said = run(*given, form)
    assert line.format(f"{best:g}") in said
    assert "The best of a grid looks better" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--book", "boots"], "the known books are: boats"),
        (["--book", "boats", "--source", "nobody"], "no excerpt with a place"),
        (["--book", "boats", "--k1", "0.1:0.5"], "neither FROM:TO:BY"),
        (["--book", "boats", "--k1", "1:2:0"], "neither FROM:TO:BY"),
        (["--book", "boats", "--b", "x"], "neither FROM:TO:BY"),
        (["--book", "boats", "--seed", "-1"], "The seed is -1"),
    ],
)
def test_the_command_refuses_in_one_sentence(book, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)
