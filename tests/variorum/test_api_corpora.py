"""/api/v1/corpora/ and /topics/: what scripts read of them, and runs measured as on the page."""

import json

import pytest
from django.urls import reverse

from retrieval.corpora.models import Corpus, Document, State
from tests import builders
from tests.retrieval.corpora.conftest import said
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask():
    """Ask for an address below /api/v1/ as a researcher's script."""
    builders.judged_collection()
    client = script(builders.researcher("Dora"), "corpora")
    return lambda path, **query: client.get(f"/api/v1/{path}", query)


def results(reply):
    assert reply.status_code == 200, reply.content
    return reply.json()["results"]


def test_a_key_needs_the_scope_and_a_person_must_be_a_scholar(ask):
    assert script(builders.researcher("Fay"), "search").get("/api/v1/corpora/").status_code == 403
    assert script(builders.person("Ada"), "corpora").get("/api/v1/topics/").status_code == 403
    assert [each["slug"] for each in results(ask("corpora/"))] == ["quays"]


def test_documents_are_filtered_and_come_in_pages(ask):
    fiction = results(ask("corpora/quays/documents/", genre="fiction"))
    assert [each["id"] for each in fiction] == ["quay-2", "quay-4"]
    first = ask("corpora/quays/documents/", page_size=3).json()
    assert len(first["results"]) == 3
    assert "cursor=" in first["next"]
    Document.objects.filter(number=1).update(year=1813)
    (dated,) = results(ask("corpora/quays/documents/", first_year=1800, last_year=1820))
    assert (dated["id"], dated["year"], dated["source_key"]) == ("quay-2", 1813, "quay")
    assert ask("corpora/quays/documents/", gnre="fiction").json()["gnre"][0].startswith("Unknown parameter")


def test_a_corpus_that_is_being_loaded_is_not_there(ask):
    Corpus.objects.update(state=State.LOADING)
    assert results(ask("corpora/")) == []
    assert ask("corpora/quays/").status_code == 404
    assert ask("corpora/quays/documents/").status_code == 404


def test_topics_come_with_every_wording(ask):
    (first, _) = results(ask("topics/boats/members/"))
    assert [each["version"] for each in first["versions"]] == [1, 2]
    assert first["versions"][1]["why"] == "Too short."
    assert results(ask("topics/"))[0]["n_topics"] == 2


def test_runs_pools_and_judgments_are_read_by_the_ids_of_files(ask):
    assert [each["name"] for each in results(ask("corpora/quays/runs/", topics="boats"))] == ["bm25", "rm3"]
    rows = results(ask("corpora/quays/runs/rm3/rows/", topic="2", depth=2))
    assert [(each["rank"], each["document"], each["version"]) for each in rows] == [
        (1, "quay-2", 1),
        (2, "quay-3", 1),
    ]
    file = b"".join(ask("corpora/quays/runs/bm25/file/").streaming_content).decode()
    assert file == said("export_run", "bm25", "--corpus", "quays")
    assert results(ask("corpora/quays/pools/"))[0]["counts"] == {"bm25": {"gave": 4, "alone": 4}}
    entries = results(ask("corpora/quays/pools/boats/1/entries/", topic="1"))
    assert [each["document"] for each in entries] == ["quay-1", "quay-2", "quay-3", "quay-4"]
    assert results(ask("corpora/quays/qrels/"))[0]["source"] == "Two experts"
    grades = results(ask("corpora/quays/qrels/experts/grades/", topic="1"))
    assert {each["document"]: each["grade"] for each in grades} == {"quay-1": 4, "quay-2": 0, "quay-3": 1}
    for missing in ("runs/no/rows/", "runs/no/file/", "pools/boats/9/entries/", "qrels/no/grades/"):
        assert ask(f"corpora/quays/{missing}").status_code == 404


def test_runs_are_measured_as_on_the_page(ask, client):
    asked = {"qrels": "experts", "run": ["bm25", "rm3"], "base": "bm25", "facet": "specificity"}
    reply = ask("corpora/quays/evaluation/boats/", per_topic="true", **asked)
    client.force_login(builders.researcher("Fay"))
    page = client.get(reverse("evaluation:runs", args=["quays", "boats"]), asked | {"format": "json"})
    assert reply.json() == json.loads(page.text)
    assert len(ask("corpora/quays/evaluation/boats/", **asked).json()["numbers"]) < len(
        reply.json()["numbers"]
    )


@pytest.mark.parametrize(
    ("wrong", "field", "sentence"),
    [
        (
            {"qrels": "nobody"},
            "qrels",
            "There are no judgments “nobody” for these topics; there are: exp",
        ),
        ({"run": "dense"}, "run", "There is no run “dense” for these topics; there are: bm25, rm3."),
        ({"measures": "F1"}, "measures", "No measure is called 'F1'"),
        ({"measures": ",".join(f"P@{n}" for n in range(1, 14))}, "measures", "at most 12 at once"),
        ({"facet": "subset"}, "facet", "The topics have no facet “subset”; there are: specificity."),
        ({"level": "0"}, "level", "greater than or equal to 1"),
        ({"compare": "bm25"}, "compare", "Unknown parameter"),
        ({"base": "dense"}, "base", "There is no run 'dense' to compare with"),
    ],
)
def test_what_cannot_be_measured_is_said_of_its_parameter(ask, wrong, field, sentence):
    reply = ask("corpora/quays/evaluation/boats/", **{"qrels": "experts", "run": ["bm25"]} | wrong)
    assert reply.status_code == 400
    assert sentence in reply.json()[field][0]


def test_what_is_too_much_for_a_request_names_the_command(ask, monkeypatch):
    monkeypatch.setattr("evaluation.runs.measuring.MOST_AT_ONCE", 3)
    reply = ask("corpora/quays/evaluation/boats/", qrels="experts", run="bm25")
    assert reply.status_code == 400
    said = reply.json()["run"][0]
    assert "for a script. A POST lets a worker do it; so does manage.py" in said
    assert said.endswith("manage.py evaluate_runs experts bm25 --corpus quays")


def test_what_models_were_asked_and_what_they_wrote_is_read(ask):
    (job,) = results(ask("corpora/quays/asked/", what="rerank"))
    assert (job["name"], job["endpoint"], job["spent"], job["limit"], job["run"]) == (
        "bm25", "scripted", 120_000, 2_000_000, "bm25",
    )  # fmt: skip
    assert results(ask("corpora/quays/asked/", what="questions")) == []
    assert results(ask("corpora/quays/recalls/", contaminated="true")) == []
    refused, *more = results(ask("corpora/quays/questions/", standing="refused"))
    assert (more, refused["targets"], refused["source"]) == ([], ["quay-3"], "quay-4")
    assert refused["edits"][0] == {**refused["edits"][0], "before": "", "writer": "scripted"}
