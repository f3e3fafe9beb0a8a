"""Feedback from judgments: what it finds, what it leaves out, and that runs remember it."""

import json

import pytest
from django.core.management import CommandError

from retrieval.corpora.models import Corpus, Run
from retrieval.corpora.searching.judged import residual
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
OF = ("--corpus", "gin", "--topics", "drink")
FEEDBACK = ("--feedback", "fiction", "--max-df", "0.7")


@pytest.fixture
def gin(written, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    texts = {
        "f1": "gin revelry the",
        "f2": "gin song the",
        "f3": "song of the morning",
        "c1": "gin and revelry",
        "c2": "a parish song",
    }
    genres = {"f": "fiction", "c": "criticism"}
    rows = [{"id": name, "text": text, "genre": genres[name[0]]} for name, text in texts.items()]
    said("import_corpus", written("gin.jsonl", *rows), "--slug", "gin")
    said("import_topics", written("t.tsv", "1\tgin", "2\tparish"), "--slug", "drink")
    grades = ["1 0 f1 2", "1 0 f2 1", "1 0 f3 4", "1 0 c1 3", "2 0 c2 4", "2 0 f1 0"]
    said("import_qrels", written("e.qrels", *grades), *OF, "--name", "experts")
    return Corpus.objects.get()


def search(name, *args):
    return said("search_corpus", *OF, "--name", name, *args)


def found(name, topic="1"):
    rows = Run.objects.get(name=name).rows.filter(topic__topic__external_id=topic).order_by("rank")
    return list(rows.values_list("document__external_id", flat=True))


def test_relevant_documents_of_the_genre_make_the_model_and_are_not_found_again(gin):
    out = search("judged", *FEEDBACK, "--judged", "experts", "--query-weight", "0.1")
    # Grade 2 is half the scale: f1 and f3 are read, and "revelry" and "morning" come from them alone.
    assert set(found("judged")) == {"c1", "c2", "f2"}
    assert found("judged")[0] == "c1"
    assert 'comes from 2 documents that "experts" judges 2 or more; they are left out of this run' in out
    assert "1 topic without a relevant document in the feedback genre" in out
    assert found("judged", "2") == ["c2"]
    run = Run.objects.get(name="judged")
    assert run.parameters["residual"]["used"] == {"1": ["f1", "f3"]}
    assert run.parameters["residual"]["level"] == 2
    assert len(run.parameters["residual"]["sha256"]) == 64


def test_a_run_is_as_deep_as_it_was_asked_to_be_without_what_was_used(gin):
    search("judged", *FEEDBACK, "--judged", "experts", "--judged-level", "1", "--depth", "1")
    assert found("judged") == ["c1"]
    assert residual(Run.objects.all()) == {"1": {"f1", "f2", "f3"}}


def test_a_fused_run_leaves_out_what_a_parent_was_fed(gin):
    search("base")
    search("judged", *FEEDBACK, "--judged", "experts")
    assert {"f1", "f3"} & set(found("base"))
    said("fuse_runs", "base", "judged", "--corpus", "gin", "--name", "both")
    assert set(found("both")) == {"c1", "c2", "f2"}
    assert residual(Run.objects.filter(name="both")) == {"1": {"f1", "f3"}}
    assert "left out of this run" in Run.objects.get(name="both").notes[0]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--judged", "experts"), "--judged is about feedback"),
        ((*FEEDBACK, "--judged", "nobody"), 'no judgments "nobody"; it has: experts'),
        ((*FEEDBACK, "--judged", "experts", "--judged-level", "5"), "grade 5 or more; the highest is 4"),
        ((*FEEDBACK, "--judged", "experts", "--judged-level", "0"), "is 0; it must be 1 or more"),
        ((*FEEDBACK, "--judged-level", "2"), "--judged-level is about judgments; say which"),
        (("--ranker", "dense", "--judged", "experts"), "--judged is about words"),
    ],
)
def test_judgments_that_cannot_feed_are_refused_and_leave_no_run(gin, more, sentence):
    with pytest.raises(CommandError) as refused:
        search("x", *more)
    assert sentence in str(refused.value)
    assert not Run.objects.exists()


def test_judgments_of_other_topics_are_refused(gin, written):
    said("import_topics", written("o.tsv", "1\tgin"), "--slug", "others")
    of = ("--corpus", "gin", "--topics", "others")
    with pytest.raises(CommandError, match='"experts" are of other topics'):
        said("search_corpus", *of, "--name", "x", *FEEDBACK, "--judged", "experts")


def test_an_evaluation_measures_every_run_on_what_is_left(gin):
    search("base")
    search("judged", *FEEDBACK, "--judged", "experts")
    of = ("--corpus", "gin", "--format", "json", "--resamples", "200")
    runs = (("base",), ("base", "judged"))
    alone, beside = (json.loads(said("evaluate_runs", "experts", *names, *of)) for names in runs)
    assert alone["judgments_used_for_feedback"] is None
    assert beside["judgments_used_for_feedback"] == 2
    assert any("residual corpus" in note for note in beside["notes"])
    assert beside["highest_grade"] == 4
