"""The commands that have a model asked, from an estimate to the numbers by subset."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.corpora.models import EndpointJob, Question, Run
from retrieval.jobs import workers
from tests.retrieval.corpora import models_asked
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
AT = ("--corpus", "quay")
ASK = ("--endpoint", "scripted", "--limit", "1")
WRITTEN = "Which account tells of a loud morning at the harbour?"


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch):
    monkeypatch.setattr(workers, "is_absent", lambda queue: True)


@pytest.fixture
def model():
    return models_asked.registered()


@pytest.fixture
def there(quay, written, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    lines = [f"t{t} Q0 d{n} {n} {10 - n} base" for t in (1, 2) for n in range(1, 6)]
    said("import_run", written("base.run", *lines), *AT, "--topics", "boats")
    said(
        "import_qrels",
        written("gold.qrels", "t1 0 d5 1", "t2 0 d4 1"),
        *AT,
        "--topics",
        "boats",
        "--name",
        "gold",
    )
    return quay


def test_an_estimate_asks_nothing_and_a_run_says_what_it_took(there, model):
    err = StringIO()
    call_command(
        "rerank_run", "base", *AT, "--name", "better", *ASK, "--method", "score", "--estimate", stderr=err
    )
    assert "About 10 calls" in err.getvalue()
    assert not EndpointJob.objects.exists()
    told = said("rerank_run", "base", *AT, "--name", "better", *ASK, "--method", "score")
    assert "10 calls, 0.0" in told
    assert 'Stored: "better" (score by scripted), 10 rows.' in told
    assert "0.0% of all pairs have equal scores" in told
    first = Run.objects.get(name="better").rows.filter(rank=1)
    assert set(first.values_list("document__external_id", flat=True)) == {"d5"}


def test_a_job_that_cannot_go_on_says_where_it_waits(there, model):
    asked = ("--endpoint", "scripted", "--calls", "2")
    with pytest.raises(CommandError, match=r"failed\..*What was answered is kept"):
        said("rerank_run", "base", *AT, "--name", "better", *asked, "--method", "score")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("base", "--name", "b", "--endpoint", "none", "--limit", "1"), "no model 'none'"),
        (("base", "--name", "b", "--endpoint", "scripted"), "what may be spent"),
        (("base", "--name", "b", "--endpoint", "scripted", "--limit", "much"), "an amount such as 1.50"),
        (("base", "--name", "b", "--fields", "wording:span", *ASK), 'no wording "span"; they have: none'),
        (("--name", "b", *ASK), "No topics"),
        (("--name", "b", "--topics", "boats", *ASK), "starts from a run or from a pool"),
        (("--name", "b", "--topics", "boats", "--pool", "3", *ASK), "no pool 3"),
    ],
)
def test_what_is_wrong_is_one_sentence(there, model, args, sentence):
    with pytest.raises(CommandError, match=sentence):
        said("rerank_run", *args, *AT)


def test_what_a_model_knows_by_heart_is_listed(there, model):
    model.say = lambda words: "the quay at hour 5 was wet and loud" if "wet quay" in words else "unknown"
    told = said("check_contamination", "gold", *AT, *ASK)
    assert "1 of 2 topics known by heart.\n  t1: 9 words in a row, similarity 1." in told
    numbers = said("evaluate_runs", "gold", "base", *AT, "--facets", "contamination:scripted")
    assert "Topics of facet not known by heart" in numbers


def test_from_paragraphs_to_recall_by_subset(there, model, written, tmp_path):
    """One question seeks d1, which the run has first; the other seeks d2, which it does not have."""
    model.say = lambda words: (
        WRITTEN if "[CITED] first" in words else "Who describes how wet the landing was later?"
    )
    file = written("p.jsonl", {"id": "p", "source": "d5", "text": "Loud [@d1] first, wet [@d2] then."})
    told = said("write_questions", file, *AT, "--slug", "asked", *ASK)
    assert "2 calls" in told
    assert "Kept: 2" in told
    with pytest.raises(CommandError, match="waits to be written"):
        said("write_questions", file, *AT, "--slug", "asked", *ASK)
    with pytest.raises(CommandError, match="--topics SLUG, or --output FILE"):
        said("export_questions", "asked")
    with pytest.raises(CommandError, match='No questions "other"'):
        said("export_questions", "other", "--topics", "t")
    with pytest.raises(CommandError, match="cannot be written"):
        said("export_questions", "asked", "--output", str(tmp_path / "nowhere" / "all.jsonl"))
    Question.objects.filter(number=1).update(specificity="specific", quality=2)
    Question.objects.filter(number=2).update(specificity="broad", quality=2)
    output = tmp_path / "all.jsonl"
    assert "2 topics" in said("export_questions", "asked", "--topics", "asked", "--output", str(output))
    assert json.loads(output.read_text().splitlines()[0])["question"] == WRITTEN
    lines = ["q1 Q0 d1 1 9 base2", "q2 Q0 d1 1 9 base2", "q2 Q0 d3 2 8 base2"]
    said("import_run", written("q.run", *lines), *AT, "--topics", "asked")
    args = ("--measures", "recall@5,recall@20", "--facets", "subset", "--format", "json")
    found = said("evaluate_runs", "asked", "base2", *AT, *args)
    rows = [each for each in json.loads(found)["numbers"] if each["label"] == "recall@5"]
    assert {each["facet"]: each["value"] for each in rows if each["kind"] == "mean"} == {
        "": 0.5, "inline, specific": 1.0, "inline, broad": 0.0,
    }  # fmt: skip
