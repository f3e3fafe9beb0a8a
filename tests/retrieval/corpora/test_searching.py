"""A corpus searched for its topics: the run that is kept, with and without feedback."""

import math
import shutil

import pytest
from django.core.management import CommandError

from retrieval.corpora.models import Corpus, Ranked, Run
from retrieval.corpora.searching import indexes
from retrieval.engine.corpora import building
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db

FICTION = (
    "fair fair gin gin gin revelry the the the",
    "fair gin song song the the",
)
CRITICISM = ("gin act act temperance the", "parlour the", "the parish")
OF = ("--corpus", "gin", "--topics", "drink")


@pytest.fixture
def gin(written, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    texts = [("fiction", text) for text in FICTION] + [("criticism", text) for text in CRITICISM]
    rows = [
        {"id": f"{genre[0]}{n}", "text": text, "genre": genre} for n, (genre, text) in enumerate(texts, 1)
    ]
    said("import_corpus", written("gin.jsonl", *rows), "--slug", "gin")
    said("import_topics", written("t.tsv", "1\tgin craze gin", "2\tparish"), "--slug", "drink")
    return Corpus.objects.get()


def search(name, *args):
    return said("search_corpus", *OF, "--name", name, *args)


def ranked(name):
    rows = Ranked.objects.filter(run__name=name).order_by("topic", "rank")
    return [(row.topic.topic.external_id, row.document.external_id, row.score) for row in rows]


def test_a_run_is_what_the_formula_says(gin):
    out = search("base", "--k1", "0.9", "--b", "0.4")
    assert out.startswith('Stored: "base" (bm25), 4 rows.\n')
    assert "Words of topics that no searched document has: craze." in out
    mean = (9 + 6 + 5 + 2 + 2) / 5

    def weight(times, length, frequency):
        idf = math.log(1 + (5 - frequency + 0.5) / (frequency + 0.5))
        return idf * times / (times + 0.9 * (1 - 0.4 + 0.4 * length / mean))

    expected = [
        ("1", "f1", 2 * weight(3, 9, 3)),
        ("1", "c3", 2 * weight(1, 5, 3)),
        ("1", "f2", 2 * weight(1, 6, 3)),
        ("2", "c5", weight(1, 2, 1)),
    ]
    assert [row[:2] for row in ranked("base")] == [row[:2] for row in expected]
    assert [row[2] for row in ranked("base")] == pytest.approx([row[2] for row in expected])


def test_a_run_says_how_it_was_made(gin):
    only = ("--genre", "criticism", "--depth", "1")
    search("base", "--variant", "atire", *only, "--fields", "title", "narrative")
    run = Run.objects.get()
    assert run.parameters["bm25"] == {"variant": "atire", "k1": 0.9, "b": 0.4, "delta": None}
    assert run.parameters["subset"]["name"] == "genre=criticism"
    assert run.parameters["fields"] == ["title", "narrative"]
    assert run.parameters["ties"] == "score descending, then document number ascending"
    assert run.made_with["numpy"]
    assert [row[:2] for row in ranked("base")] == [("1", "c3"), ("2", "c5")]


def test_only_documents_of_the_genre_are_found_and_counted(gin):
    search("all")
    search("criticism", "--genre", "criticism")
    assert {row[1] for row in ranked("criticism")} == {"c3", "c5"}
    assert ranked("criticism")[0][2] != {row[1]: row[2] for row in ranked("all")}["c3"]


def test_feedback_from_another_genre_finds_what_the_query_does_not_say(gin):
    search("base", "--genre", "criticism")
    search("fiction", "--genre", "fiction", "--feedback", "criticism", "--max-df", "0.6")
    run = Run.objects.get(name="fiction")
    assert run.ranker == "rm3"
    assert run.parameters["feedback"]["corpora"][0]["name"] == "criticism"
    assert run.parameters["feedback"]["settings"]["max_df"] == 0.6
    table = said(
        "expansion_terms", *OF, "--topic", "1", "--feedback", "fiction", "criticism", "--max-df", "0.6"
    )
    assert "act (" in table
    assert "criticism: 1 term dropped, common: the" in table


def test_two_genres_are_searched_as_one_or_mixed(gin):
    search("merged", "--feedback", "fiction,criticism")
    search("mixed", "--feedback", "fiction", "criticism", "--alpha", "0.5")
    merged, mixed = (Run.objects.get(name=name).parameters["feedback"] for name in ("merged", "mixed"))
    assert [each["name"] for each in merged["corpora"]] == ["fiction+criticism"]
    assert [each["name"] for each in mixed["corpora"]] == ["fiction", "criticism"]
    assert (merged["alpha"], mixed["alpha"]) == (None, 0.5)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--genre", "poetry"), 'has no genre "poetry"; it has: criticism, fiction'),
        (("--depth", "10001"), "not 10001"),
        (("--depth", "0"), "not 0"),
        (("--alpha", "0.5"), "--alpha is about feedback; say where that comes from (--feedback)"),
        (("--fb-docs", "3"), "--fb-docs is about feedback"),
        (("--preset", "anserini"), "--preset is about feedback"),
        (("--k1", "-1"), "k1 is -1"),
        (("--feedback", "fiction", "--alpha", "0.5"), "alpha is the weight of the first of two"),
        (("--feedback", "fiction", "criticism"), "alpha is the weight of the first of two"),
        (("--feedback", "fiction", "criticism", "all"), "one or two corpora, not from 3"),
        (("--feedback", "fiction", "--query-weight", "2"), "query_weight is 2"),
    ],
)
def test_a_search_that_cannot_be_is_refused_and_leaves_no_run(gin, more, sentence):
    with pytest.raises(CommandError) as refused:
        search("x", *more)
    assert sentence in str(refused.value)
    assert not Run.objects.exists()


def test_a_name_is_used_once_and_topics_that_find_nothing_make_no_run(gin, written):
    search("base")
    with pytest.raises(CommandError, match='has a run "base" already'):
        search("base")
    said("import_topics", written("none.tsv", "1\tunheard"), "--slug", "none")
    with pytest.raises(CommandError, match="finds a document: none of their words"):
        said("search_corpus", "--corpus", "gin", "--topics", "none", "--name", "none")
    assert Run.objects.count() == 1


def test_the_index_is_built_once_and_opened_afterwards(gin, monkeypatch):
    search("one")
    monkeypatch.setattr(building, "build", lambda *args, **kwargs: pytest.fail("built again"))
    search("two")
    assert ranked("one") == ranked("two")


def test_an_interrupted_build_goes_on(gin, monkeypatch):
    texts_from = indexes.texts_from

    def stop(corpus, first):
        yield from (text for n, text in zip(range(3), texts_from(corpus, first), strict=False))
        raise KeyboardInterrupt

    monkeypatch.setattr(indexes, "texts_from", stop)
    with pytest.raises(CommandError, match="Stopped"):
        search("x")
    assert not Run.objects.exists()
    monkeypatch.setattr(indexes, "texts_from", texts_from)
    search("x")
    assert len(ranked("x")) == 4


@pytest.mark.parametrize("form", ["table", "markdown", "json", "csv", "latex"])
def test_expansion_terms_come_in_every_format(gin, form):
    out = said(
        "expansion_terms", *OF, "--feedback", "fiction", "criticism", "--max-df", "1", "--format", form
    )
    assert "revelry" in out
    assert "temperance" in out


def test_expansion_of_an_unknown_topic_is_refused(gin):
    with pytest.raises(CommandError, match="'9' is not among the topics"):
        said("expansion_terms", *OF, "--topic", "9", "--feedback", "fiction")


def full(monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=300_000)
    monkeypatch.setattr(indexes.shutil, "disk_usage", lambda where: usage)


@pytest.mark.parametrize(
    "command", [("search_corpus", *OF, "--name", "x"), ("expansion_terms", *OF, "--feedback", "all")]
)
def test_a_full_disk_is_told_before_an_index_is_built(gin, monkeypatch, command):
    full(monkeypatch)
    monkeypatch.setattr(indexes.needs, "POSTING", 10**6)
    with pytest.raises(CommandError, match="data folder has 1 MB left; make room first"):
        said(*command)


def test_an_index_that_is_there_is_searched_on_a_full_disk(gin, monkeypatch):
    search("one")
    full(monkeypatch)
    monkeypatch.setattr(indexes.needs, "POSTING", 10**6)
    assert "Stored" in search("two")


def test_a_disk_that_fills_while_an_index_is_built_is_told_in_a_sentence(gin, monkeypatch):
    def fills(*given, **more):
        raise OSError("560 requested and 112 written")

    monkeypatch.setattr(indexes.building, "build", fills)
    with pytest.raises(CommandError, match='index of "gin" cannot be written: 560 requested and 112 written'):
        search("x")


def test_where_feedback_adds_nothing_a_sentence_says_so(gin):
    out = said("expansion_terms", *OF, "--topic", "2", "--feedback", "fiction")
    assert out == "2: parish: feedback adds no term.\n"
