"""The page of expansion terms: what each genre would add to topics, as the command prints it."""

import csv
import io
from urllib.parse import unquote

import pytest
from django.urls import reverse

from retrieval.corpora.models import Corpus, TopicSet
from retrieval.corpora.views import expansion
from tests import builders
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
ASKED = {"topics": "drink", "fb_docs": "10", "fb_terms": "4", "query_weight": "0.25", "max_df": "0.6"}
TOKENS = {"stop_list": "none", "stemmer": "none"}


@pytest.fixture
def gin(written, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    texts = {
        "f1": "fair fair gin gin gin revelry the the the",
        "f2": "fair gin song song the the",
        "c1": "gin act act temperance the",
        "c2": "parlour the",
        "c3": "the parish",
    }
    genres = {"f": "fiction", "c": "criticism"}
    rows = [{"id": name, "text": text, "genre": genres[name[0]]} for name, text in texts.items()]
    said("import_corpus", written("gin.jsonl", *rows), "--slug", "gin")
    said("import_topics", written("t.tsv", "1\tgin craze gin", "2\tunheard"), "--slug", "drink")


@pytest.fixture
def dora(client):
    client.force_login(builders.researcher("Dora"))
    return client


def page(client, **asked):
    return client.get(reverse("corpora:expansion", args=["gin"]), asked)


def test_the_terms_of_each_genre_and_of_both_as_one_stand_side_by_side(gin, dora):
    shown = page(dora, **ASKED, **TOKENS, feedback=["fiction", "criticism"], merged="on")
    (first, second) = shown.context["found"]
    assert [column.name for column in first["terms"].columns] == [
        "place",
        "terms_1",
        "terms_2",
        "terms_3",
    ]
    assert [column.heading for column in first["terms"].columns][1:] == [
        "fiction",
        "criticism",
        "fiction+criticism",
    ]
    assert "act (0." in shown.text
    assert "criticism: 1 term dropped, common: the" in shown.text
    assert "the words of the topic 25 % of the weight" in shown.text
    assert second["terms"] is None
    assert "Feedback adds no term" in shown.text


def test_a_first_visit_has_every_genre_and_a_form_that_was_sent_only_those_ticked(gin, dora):
    assert [column.heading for column in page(dora, max_df="1").context["found"][0]["terms"].columns][1:] == [
        "criticism",
        "fiction",
        "criticism+fiction",
    ]
    only = page(dora, **ASKED, **TOKENS, feedback="fiction")
    assert [column.heading for column in only.context["found"][0]["terms"].columns][1:] == ["fiction"]
    none = page(dora, **ASKED, **TOKENS)
    assert none.status_code == 422
    assert "Choose one genre at least." in none.text


def test_the_file_has_the_terms_of_all_topics(gin, dora):
    answer = page(dora, **ASKED, **TOKENS, feedback=["fiction", "criticism"], format="csv")
    assert answer["Content-Disposition"] == 'attachment; filename="expansion-gin-drink.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["term"] for row in rows if row["feedback"] == "criticism"] == ["act", "gin", "temperance"]
    out = said(
        "expansion_terms", "--corpus", "gin", "--topics", "drink", "--feedback", "fiction", "criticism",
        "--fb-terms", "4", "--query-weight", "0.25", "--max-df", "0.6", "--format", "csv",
    )  # fmt: skip
    assert answer.text.splitlines() == out.splitlines()
    assert page(dora, format="odt").status_code == 400


def test_the_page_names_the_command_that_prints_the_same(gin, dora):
    shown = page(dora, **ASKED, **TOKENS, feedback=["fiction", "criticism"], merged="on")
    command = shown.context["command"]
    assert command == (
        "manage.py expansion_terms --corpus gin --topics drink --feedback fiction criticism "
        "fiction,criticism --fb-terms 4 --query-weight 0.25 --max-df 0.6"
    )
    said(*command.split()[1:])


def test_an_index_that_takes_long_is_not_built_by_a_page(gin, dora, monkeypatch, settings):
    monkeypatch.setattr(expansion, "BUILT_AT_ONCE", 4)
    shown = page(dora)
    assert shown.status_code == 200
    assert "The index of these 5 documents with this stop list and this stemmer is not built" in shown.text
    assert "manage.py expansion_terms --corpus gin --topics drink" in shown.text
    assert not (settings.DATA_DIR / "indexes").exists()
    said("expansion_terms", "--corpus", "gin", "--topics", "drink", "--feedback", "all")
    assert page(dora).context["found"]
    monkeypatch.setattr(expansion, "MOST_COUNTED", 12)
    genres = {"feedback": ["fiction", "criticism"], "merged": "on"}
    assert "which has 5 documents, a page has at most 2 columns" in page(dora, **ASKED | TOKENS | genres).text
    monkeypatch.setattr(expansion, "MOST_DOCUMENTS", 4)
    assert "a page computes terms of at most 4" in page(dora).text


def test_many_topics_come_in_pages_and_as_a_file_of_the_command(gin, dora, monkeypatch):
    monkeypatch.setattr(expansion, "PAGE", 1)
    assert [len(page(dora, page=n).context["found"]) for n in (1, 2)] == [1, 1]
    monkeypatch.setattr(expansion, "MOST_TOPICS", 1)
    shown = page(dora, format="csv")
    assert shown["Content-Type"].startswith("text/html")
    assert "All topics as CSV" not in shown.text


@pytest.mark.parametrize("form", ["csv", "latex", "json", "markdown", "table"])
def test_topics_that_are_none_yet_come_as_an_empty_file(gin, dora, form):
    TopicSet.objects.create(slug="none", title="None yet")
    assert page(dora, topics="none", format=form).status_code == 200


def test_what_a_form_cannot_mean_is_refused_beside_its_field(gin, dora):
    shown = page(dora, **ASKED | {"fb_docs": "0", "query_weight": "2"}, **TOKENS, feedback="poetry")
    assert shown.status_code == 422
    assert set(shown.context["form"].errors) == {"fb_docs", "query_weight", "feedback"}


def test_without_topics_there_is_a_sentence_and_without_genres_all_documents(gin, dora):
    TopicSet.objects.all().delete()
    assert "No topics yet" in page(dora).text
    builders.collection()
    Corpus.objects.get(slug="quays").documents.update(genre="")
    found = dora.get(reverse("corpora:expansion", args=["quays"]))
    assert "All documents" in found.text


def test_corpus_and_topics_lead_to_the_page(gin, dora):
    address = reverse("corpora:expansion", args=["gin"])
    assert address in dora.get(reverse("corpora:corpus", args=["gin"])).text
    shown = unquote(dora.get(reverse("corpora:topics", args=["drink"])).text)
    assert f"{address}?topics=drink" in shown
