"""The pages of the allusion workshop: the three tables, and queries of a study by a button."""

import csv
import io

import pytest
from django.urls import reverse

from evaluation.allusion import views
from retrieval.corpora.models import Grade, Qrels, Run, SearchJob, TopicSet
from retrieval.corpora.searching import jobs
from tests import builders
from tests.evaluation.allusion.verses import psalter, sermon
from tests.evaluation.allusion.workshop import workshop

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora():
    return builders.researcher("Dora")


@pytest.fixture
def shown(dora, client):
    """Open the page of tables, with what was chosen."""
    workshop()
    client.force_login(dora)
    return lambda **chosen: client.get(reverse("evaluation:allusions", args=["psalter", "spans"]), chosen)


def test_the_page_shows_table_2_first_with_groups_tests_and_the_papers_values(shown):
    text = shown().text
    assert "Table 2: Lexical, semantic and hybrid systems" in text
    assert '<th scope="colgroup" colspan="3">Lexical</th>' in text
    assert "62.5" in text
    assert "Paper: MRR, tokens" in text
    assert "Table 2: difference from SCemb, tokens" in text
    assert "P@10 and P@20 are what the paper calls them" in text


def test_what_is_chosen_is_shown_and_can_be_downloaded(shown):
    answer = shown(table="4", system="tfidf", paper="no")
    assert [each.label for each in answer.context["table"].columns] == ["Manual", "Win-3"]
    assert "Paper:" not in answer.text
    assert "?format=csv&amp;table=4&amp;system=tfidf&amp;paper=no" in answer.text
    file = shown(table="4", system="tfidf", paper="no", format="csv")
    assert file.headers["Content-Disposition"] == 'attachment; filename="psalter-spans-table-4.csv"'
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert {row["kind"] for row in rows} == {"mean", "difference"}
    assert shown(table="3", format="latex").text.startswith("% \\usepackage{array,booktabs}")
    assert shown(base="tfidf:tokens").context["table"].base == "TfIdf, tokens"


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"table": "5"}, "5 is not one of the available choices"),
        ({"wording": ["gold"]}, "gold is not one of the available choices"),
        ({"wording": ["manual", "window-3"]}, "queries of one wording"),
        ({"table": "4", "system": "sc-wn"}, "There is no run of SCwn"),
    ],
)
def test_what_cannot_be_shown_is_said_in_the_form(shown, chosen, sentence):
    answer = shown(**chosen)
    assert answer.status_code == 422
    assert sentence in answer.text


def test_without_runs_or_judgments_the_page_says_what_brings_them(shown):
    Run.objects.update(ranker="bm25")
    text = shown().text
    assert "manage.py allusion_runs --corpus psalter --topics spans" in text
    Grade.objects.all().delete()
    Qrels.objects.all().delete()
    assert "manage.py span_queries" in shown().text


def test_very_many_topics_are_left_to_the_command(shown, monkeypatch):
    monkeypatch.setattr(views, "MOST_TOPICS", 3)
    text = shown().text
    assert "Too much for a page." in text
    assert "manage.py allusion_tables --corpus psalter --topics spans" in text


def test_staff_launch_the_missing_runs_once_and_are_told_what_cannot_be_made(
    shown, client, settings, tmp_path
):
    settings.DATA_DIR = tmp_path
    assert "Make the missing runs" not in shown().text
    address = reverse("evaluation:allusion_runs", args=["psalter", "spans"])
    assert client.get(address).status_code == 404
    client.force_login(builders.person("Stan", is_staff=True))
    assert address in client.get(reverse("evaluation:allusions", args=["psalter", "spans"])).text
    chosen = f"{address}?system=bow&system=sc-wn&wording=manual&depth=5"
    # BOW on tokens is here; the synonym table is not.
    page = client.get(chosen)
    assert page.context["lacking"].there == 1
    assert "SCwn (tokens) and SCwn (lemmas): The ranker soft-cosine needs a synonym table." in page.text
    assert "manage.py add_words synonyms FILE --name NAME" in page.text
    answer = client.post(chosen, follow=True)
    assert "Launched, one for each run: 1." in answer.text
    (job,) = SearchJob.objects.all()
    assert (job.name, job.plan["depth"]) == ("spans-bow-lemmas-manual", 5)
    assert client.get(chosen).context["lacking"].begun == 1
    # Pressed again, or with another depth: never a second search of one name.
    again = client.post(chosen)
    assert again.status_code == 422
    assert "Nothing is missing that could be made" in again.text
    assert client.get(f"{address}?depth=0").status_code == 422
    jobs.attempt(job.pk, "here")
    assert Run.objects.filter(name="spans-bow-lemmas-manual", n_rows__gt=0).exists()
    assert client.get(chosen).context["lacking"].begun == 0


def asked(**more):
    return {"corpus": "psalter", "name": "spans", "windows": "3", **more}


def test_a_researcher_makes_queries_by_a_button_of_the_results(dora, client):
    psalter()
    study = sermon([(7, 13), (7, 13), (8, 11)], by=dora)
    client.force_login(dora)
    address = reverse("evaluation:span_queries", args=[study.slug])
    assert address in client.get(reverse("evaluation:results", args=[study.slug])).text
    page = client.get(address)
    assert "The study is open" in page.text
    assert f'value="{study.slug}-spans"' in page.text
    answer = client.post(address, asked(), follow=True)
    assert answer.redirect_chain == [(reverse("evaluation:allusions", args=["psalter", "spans"]), 302)]
    assert "Stored: 1 query." in answer.text
    (made,) = TopicSet.objects.all()
    assert made.created_by == dora
    assert "window-3" in made.wordings
    assert "window-10" not in made.wordings


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"windows": "three"}, "Write whole numbers with commas between them"),
        ({"windows": "0"}, "A window has 1 to 1,000 words to each side"),
        ({"corpus": "none"}, "Select a valid choice"),
        ({"name": "a b"}, "Enter a valid “slug”"),
    ],
)
def test_queries_that_cannot_be_made_are_refused_in_the_form(dora, client, more, sentence):
    psalter()
    study = sermon([(7, 13), ".", "."], by=dora)
    client.force_login(dora)
    answer = client.post(reverse("evaluation:span_queries", args=[study.slug]), asked(**more))
    assert answer.status_code == 422
    assert sentence in answer.text
    assert not TopicSet.objects.exists()


def test_a_study_that_marks_no_words_has_no_button_and_makes_no_queries(dora, client):
    study = builders.study("gaps", items=1, by=dora)
    client.force_login(dora)
    address = reverse("evaluation:span_queries", args=[study.slug])
    assert address not in client.get(reverse("evaluation:results", args=[study.slug])).text
    assert "this study marks none" in client.get(address).text
    assert client.post(address, asked()).status_code == 422


def test_a_study_of_others_is_not_there(dora, client):
    study = sermon([(7, 13), ".", "."])
    client.force_login(dora)
    assert client.get(reverse("evaluation:span_queries", args=[study.slug])).status_code == 404
