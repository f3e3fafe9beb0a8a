"""`manage.py compare_rankers`: the same numbers as a job's own report, side by side."""

import csv
import io
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.ranking.comparison import compare
from evaluation.ranking.comparison_formats import FORMATS
from evaluation.ranking.report import rank_report
from retrieval.candidates import pipeline, submitting
from retrieval.engine.ranking import bm25, rankers
from tests import builders

pytestmark = pytest.mark.django_db


class Plain(bm25.Bm25Ranker):
    """A second ranker without torch: the first passage of the book is its best, whatever is asked."""

    slug, label = "plain", "Plain"

    def prepare(self, passages, parameters):
        return self

    def scores(self, queries):
        return np.tile(-np.arange(24.0), (len(queries), 1))


@pytest.fixture
def boats(monkeypatch):
    rankers.all()
    monkeypatch.setitem(rankers._rankers, "plain", Plain())
    book, critic = builders.book(), builders.source()
    for first in (3, 6, 9, 12, 15):
        builders.excerpt(book, critic, first=first)
    return book


@pytest.fixture
def job(boats):
    made = submitting.submit(boats, ranker="bm25", parameters={})
    pipeline.attempt(made.pk, "one")
    made.refresh_from_db()
    return made


def run(*arguments):
    out = StringIO()
    call_command("compare_rankers", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_rows_of_a_ranker_are_those_of_its_job_s_report(boats, job):
    found = compare(boats, ["bm25", "plain"], proxy=job, seed=0, resamples=100)
    report = rank_report(job, contexts=True, resamples=100)
    own = {group.label: group for group in report.of_kind("context")}
    assert [row.label for row in found.rows][:6] == [f"bm25 {label}" for label in own]
    assert [row.label for row in found.rows][6:] == [f"plain {label}" for label in own]
    for row in found.rows[:6]:
        assert row.lines == own[row.label.split()[1]].lines
    assert found.rows[11].line("mean_rank").estimate.value == np.mean([4, 7, 10, 13, 16])


def test_every_other_ranker_is_compared_with_the_first_on_the_same_excerpts(boats, job):
    found = compare(boats, ["bm25", "plain"], proxy=job, resamples=100)
    rank = next(each for each in found.compared if each.slug == "mean_rank")
    (row,) = rank.rows
    one, other = (found.rows[at].line("mean_rank").estimate.value for at in (5, 11))
    assert (row.name, row.against, row.n_queries) == ("plain", "bm25", 5)
    assert row.difference == pytest.approx(other - one)
    assert [each.slug for each in found.compared][-1] == "proxy_accuracy"


def test_without_a_job_there_is_no_proxy_task_and_all_else_is_there(boats):
    said = run("--book=boats", "--rankers=bm25,plain", "--resamples=100")
    assert "- Proxy task: no job was found for it." in said
    assert "Difference in mean rank from bm25, 4/4" in said
    assert "proxy-task" not in said
    assert said.count("plain ") >= 6
    assert "random" in said


def test_json_holds_every_row_with_its_interval(boats, job, tmp_path):
    file = tmp_path / "table.json"
    run(
        "--book=boats", "--rankers=plain,bm25", "--format=json", f"--proxy={job.pk}",
        f"--output={file}", "--resamples=100",
    )  # fmt: skip
    told = json.loads(file.read_text())
    assert len(told["rows"]) == 12
    assert {"recall_at_1", "recall_at_100", "mean_rank", "proxy_accuracy"} <= set(told["rows"][0]["numbers"])
    assert told["compared"]["mean_rank"][0]["against"] == "plain"
    assert told["proxy"] == job.pk


def test_every_format_prints_every_ranker_and_context(boats, job):
    found = compare(boats, ["bm25", "plain"], proxy=job, resamples=100)
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(found))))
    values = {(row["group"], row["number"]): row["value"] for row in rows if row["kind"] == "context"}
    for row in found.rows:
        for line in row.lines:
            assert float(values[row.label, line.slug]) == line.estimate.value
        for form, start in (
            ("table", row.label),
            ("markdown", f"| {row.label} |"),
            ("latex", f"{row.label} &"),
        ):
            assert f"\n{start}" in FORMATS[form].render(found)
    differences = [row for row in rows if row["kind"] == "difference"]
    assert [(row["group"], row["against"]) for row in differences] == [("plain", "bm25")] * len(
        found.compared
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--book=ships", "--rankers=bm25"], "no book 'ships'; the known books are: boats, empty, lamps"),
        (["--book=boats", "--rankers=bm52"], "no ranker called 'bm52'"),
        (["--book=boats", "--rankers=bm25,bm25"], "The ranker bm25 is there twice"),
        (["--book=boats", "--rankers=dense:tiny"], "No checkpoint is there yet"),
        (["--book=boats", "--rankers=bm25:tiny"], "bm25 takes no checkpoint"),
        (["--book=boats", "--rankers=,"], "No ranker is named"),
        (["--book=empty", "--rankers=bm25"], "'empty' has no excerpt in use"),
        (["--book=lamps", "--rankers=bm25", "--proxy={job}"], "is on another book"),
    ],
)
def test_what_cannot_be_compared_is_said_in_a_sentence(boats, job, arguments, says):
    builders.book("empty")
    builders.excerpt(builders.book("lamps"), builders.source("other"))
    with pytest.raises(CommandError, match=says):
        run(*[each.format(job=job.pk) for each in arguments])
