"""manage.py rank_report"""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    book, critic = builders.book(), builders.source()
    return builders.finished_job(book, [builders.excerpt(book, critic, first) for first in (3, 9, 15)])


def run(*args):
    out = StringIO()
    call_command("rank_report", *map(str, args), stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.parametrize(
    ("form", "start"), [("table", "Job "), ("json", "{"), ("csv", "job,book,"), ("latex", "% \\usepackage")]
)
def test_every_format(job, form, start):
    assert run(job.pk, "--format", form).startswith(start)


def test_the_number_after_beyond_is_the_cutoff(job):
    data = json.loads(run(job.pk, "--format", "json", "--beyond", "2", "--resamples", "200"))
    assert (data["cutoff"], data["n_beyond"], data["resamples"]) == (2, 3, 200)


def test_contexts_and_another_job(job):
    other = builders.finished_job(job.book, list(job.book.excerpts.all()))
    text = run(job.pk, "--contexts", "--against", other.pk)
    assert "By context, left/right" in text
    assert f"Difference in mean rank from job {job.pk}" in text


def test_a_row_for_each_query(job):
    rows = json.loads(run(job.pk, "--per-query", "--format", "json"))["queries"]
    golds = job.candidates.filter(is_gold=True).select_related("excerpt")
    assert {row["excerpt"]: row["rank"] for row in rows} == {each.excerpt.digest: each.rank for each in golds}
    assert {(row["recall_at_1"], row["recall_at_3"], row["reciprocal_rank"]) for row in rows} == {
        (0, 1, 1 / 3)
    }
    # The means of the rows are the numbers of the report.
    report = json.loads(run(job.pk, "--format", "json", "--resamples", "200"))
    mean = {line["number"]: line["value"] for line in report["groups"][0]["numbers"]}
    assert sum(row["recall_at_3"] for row in rows) / len(rows) == mean["recall_at_3"]
    assert sum(row["proxy"] for row in rows) / len(rows) == mean["proxy_accuracy"]
    lines = run(job.pk, "--per-query", "--format", "csv").splitlines()
    assert len(lines) == 1 + len(rows)
    assert "query by query" in run(job.pk, "--per-query")
    with pytest.raises(CommandError, match="the ranks of one job"):
        run(job.pk, "--per-query", "--contexts")


def test_output_goes_to_a_file(job, tmp_path):
    path = tmp_path / "ranks.csv"
    assert run(job.pk, "--format", "csv", "--output", path) == ""
    assert path.read_text(encoding="utf-8").startswith("job,book,ranker")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["99999"], r"There is no job 99999. There are: \d+\."),
        (["{job}", "--against", "{job}"], "cannot be compared with itself"),
        (["{job}", "--beyond", "0"], "it must be 1 or more"),
        (["{job}", "--output", "/nowhere/x"], "cannot be written"),
        (["{job}", "--resamples", "7"], "resamples"),
    ],
)
def test_refused_in_one_sentence(job, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(*(each.format(job=job.pk) for each in arguments))


def test_no_job_at_all():
    with pytest.raises(CommandError, match="There is no job 1: there is none yet"):
        run(1)
