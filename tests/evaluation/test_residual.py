"""Runs with feedback from judgments are measured on what is left of them."""

from evaluation.metrics.ranking.order import STORED, ordered
from evaluation.runs.files import ReadRun
from evaluation.runs.report import runs_report
from evaluation.runs.sentences import notes

QRELS = {
    "1": {"a": 4, "b": 2, "c": 0, "d": 3},
    "2": {"a": 1, "e": 2},
    "3": {"b": 3},
}
LISTS = {
    "base": {"1": ["a", "c", "b", "d"], "2": ["e", "a"], "3": ["b"]},
    "fed": {"1": ["d", "b", "c"], "2": ["a", "e"], "3": ["c"]},
}
USED = {"1": {"a"}, "3": ["b"], "9": {"a"}}


def read(lists):
    return [
        ReadRun(
            name,
            ordered({topic: (found, range(len(found), 0, -1)) for topic, found in topics.items()}, STORED),
            0,
        )
        for name, topics in lists.items()
    ]


def means(report):
    return {run.name: {each.measure.slug: each.mean for each in run.means} for run in report.runs}


def test_documents_used_for_feedback_count_for_no_run():
    rest = {
        name: {
            topic: [each for each in found if each not in USED.get(topic, ())]
            for topic, found in topics.items()
        }
        for name, topics in LISTS.items()
    }
    qrels = {"1": {"b": 2, "c": 0, "d": 3}, "2": QRELS["2"], "3": {}}
    found = runs_report(QRELS, read(LISTS), used=USED, resamples=50)
    expected = runs_report(qrels, read(rest), most=4, resamples=50)
    assert means(found) == means(expected)
    assert (found.residual, expected.residual) == (2, None)
    assert found.judged.most == 4
    assert found.judged.without_relevant == ("3",)


def test_the_report_says_what_was_left_out():
    found = runs_report(QRELS, read(LISTS), used=USED, resamples=50)
    assert any(said.startswith("2 judgments left out, because a run took feedback") for said in notes(found))
    plain = runs_report(QRELS, read(LISTS), used={}, resamples=50)
    assert not any("feedback" in said for said in notes(plain))
