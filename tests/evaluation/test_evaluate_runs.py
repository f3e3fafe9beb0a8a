"""`manage.py evaluate_runs`: from files to every format, and what is refused."""

import csv
import io
import json
import re

import numpy as np
import pytest
import pytrec_eval
from django.core.management import CommandError, call_command

from evaluation.metrics.ranking.compared import difference, together
from evaluation.metrics.ranking.evaluated import evaluate, run_means
from evaluation.metrics.ranking.graded import judgments
from evaluation.metrics.ranking.measures import DEFAULT, FURTHER
from evaluation.runs.files import read_qrels, read_runs

N_TOPICS, N_DOCUMENTS = 12, 40


@pytest.fixture
def files(tmp_path):
    """Judgments of twelve topics, a run that finds what is relevant and one that finds it worse."""
    generator = np.random.default_rng(5)
    grades = generator.integers(0, 5, (N_TOPICS, N_DOCUMENTS)) * (
        generator.random((N_TOPICS, N_DOCUMENTS)) < 0.5
    )
    grades[-1] = 0
    lines = [
        f"{topic} 0 d{n} {grade}\n" for topic, row in enumerate(grades, 1) for n, grade in enumerate(row)
    ]
    (tmp_path / "x.qrels").write_text("".join(lines))
    for name, noise in (("base", 1.0), ("rm3", 3.0)):
        scores = np.round(grades + generator.normal(0, noise, grades.shape), 1)
        rows = [
            f"{topic} Q0 d{n} {rank} {row[n]} {name}\n"
            for topic, row in enumerate(scores, 1)
            for rank, n in enumerate(np.argsort(-row, kind="stable"), 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    return tmp_path


def run(files, *options, runs=("base", "rm3")):
    out = io.StringIO()
    paths = [str(files / f"{name}.run") for name in runs]
    call_command("evaluate_runs", str(files / "x.qrels"), *paths, *options, stdout=out)
    return out.getvalue()


def rows(files, *options):
    return list(csv.DictReader(io.StringIO(run(files, *options, "--format", "csv", "--resamples", "200"))))


def test_every_value_of_every_topic_is_trec_evals(files):
    found = rows(files, "--per-topic", "--level", "2", "--measures", "MAP,nDCG@10,bpref,MRR,P@5")
    qrels = read_qrels(files / "x.qrels")
    names = {
        "map": "map",
        "ndcg_at_10": "ndcg_cut_10",
        "bpref": "bpref",
        "mrr": "recip_rank",
        "p_at_5": "P_5",
    }
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "ndcg_cut.10", "bpref", "recip_rank", "P.5"}, relevance_level=2
    )
    n_compared = 0
    for name in ("base", "rm3"):
        lines = [line.split() for line in (files / f"{name}.run").read_text().splitlines()]
        scored = {}
        for topic, _, document, _, score, _ in lines:
            scored.setdefault(topic, {})[document] = float(score)
        theirs = evaluator.evaluate(scored)
        for row in found:
            if row["kind"] == "topic" and row["run"] == name:
                n_compared += 1
                assert float(row["value"]) == pytest.approx(
                    theirs[row["topic"]][names[row["measure"]]], abs=1e-9
                )
    assert n_compared == 2 * 5 * (N_TOPICS - 1)


def test_means_and_differences_are_those_of_the_heart(files):
    found = rows(files, "--compare", "base", "--seed", "3")
    judged = judgments(read_qrels(files / "x.qrels"), 2, 4)
    runs = [
        evaluate(each.name, each.run, judged, (*DEFAULT, *FURTHER))
        for each in read_runs([files / "base.run", files / "rm3.run"])
    ]
    means = {(row["run"], row["measure"]): row for row in found if row["kind"] == "mean"}
    for each in runs:
        for one in run_means(each, 3, 200):
            row = means[each.name, one.measure.slug]
            assert float(row["value"]) == one.mean.value
            assert float(row["low"]) == one.mean.low
            assert (row["n_topics"], row["relevance_level"], row["seed"]) == ("11", "2", "3")
    differences = {row["measure"]: row for row in found if row["kind"] == "difference"}
    base, rm3 = runs
    for each in together([difference(rm3, base, 3, 200)]):
        row = differences[each.measure.slug]
        assert (row["run"], row["against"]) == ("rm3", "base")
        assert float(row["p_holm"]) == each.paired.p_holm
        assert (int(row["n_lowered"]), int(row["n_raised"])) == (each.n_lowered, each.n_raised)


def test_the_text_says_what_was_lowered_and_what_was_left_out(files):
    text = " ".join(run(files, "--compare", "base").split())
    assert re.search(
        r"rm3 lowered MAP on \d+ of 11 topics and raised it on \d+, against base: mean diff", text
    )
    assert "Left out, because no document is relevant to them: 1 topic (12)." in text
    assert "Relevant is a grade of 2 or more on a scale to 4." in text
    assert "Were grade 1 the least that is relevant" in text
    assert "p (Holm) is corrected for 9 comparisons" in text


def test_every_format_has_the_same_value(files):
    (row,) = (
        each
        for each in rows(files)
        if (each["run"], each["measure"], each["kind"]) == ("base", "map", "mean")
    )
    printed = f"{float(row['value']):.3f}"
    for form in ("table", "markdown", "latex"):
        assert printed in run(files, "--format", form)
    data = json.loads(run(files, "--format", "json", "--resamples", "200"))
    assert data["numbers"][0]["value"] == float(row["value"])
    assert data["relevance_level"] == 2
    assert data["topics_without_relevant"] == ["12"]
    latex = run(files, "--format", "latex", "--compare", "base")
    assert "\\begin{table}" in latex
    assert "Holm" not in latex
    assert "| base |" in run(files, "--format", "markdown")


def test_facets_and_pool(files):
    (files / "facets.tsv").write_text(
        "".join(f"{n}\t{'broad' if n % 2 else 'specific'}\n" for n in range(1, 13))
    )
    found = rows(files, "--facets", str(files / "facets.tsv"), "--pool", "5")
    by_facet = {row["facet"]: row["n_topics"] for row in found if row["kind"] == "mean" and row["facet"]}
    assert by_facet == {"broad": "6", "specific": "5"}
    alone = [float(row["value"]) for row in found if row["measure"] == "found_alone"]
    assert len(alone) == 2
    assert 0 < sum(alone) < 1
    assert "Topics of facet broad" in run(files, "--facets", str(files / "facets.tsv"))
    assert "Each run as if it had not been in the pool" in run(files, "--pool", "5")


def test_holes_are_said_and_keep_a_run_from_being_compared(files):
    lines = (files / "rm3.run").read_text().replace(" d", " u").replace(" rm3", " holes")
    (files / "holes.run").write_text(lines)
    text = run(files, "--compare", "base", "--measures", "MAP,P@10", runs=("base", "holes"))
    assert "ONLY 0.0 % WERE JUDGED" in text
    assert "NOT COMPARED, BECAUSE TOO LITTLE OF THEM WAS JUDGED" in " ".join(text.split())
    assert "Difference from base" not in text
    with_bpref = run(files, "--compare", "base", "--measures", "MAP,bpref", runs=("base", "holes"))
    assert "Difference from base" in with_bpref


def test_runs_of_one_tag_are_called_by_their_files(files):
    (files / "other.run").write_text((files / "base.run").read_text())
    assert [each.name for each in read_runs([files / "base.run", files / "other.run"])] == ["base", "other"]
    (files / "sub").mkdir()
    (files / "sub" / "base.run").write_text((files / "base.run").read_text())
    with pytest.raises(CommandError, match="Two runs are called 'base'"):
        run(files, runs=("base", "sub/base"))


def test_a_rank_column_that_contradicts_the_scores_is_counted(files):
    (files / "odd.run").write_text("1 Q0 d1 2 9.0 odd\n1 Q0 d2 1 8.0 odd\n")
    text = " ".join(run(files, runs=("odd",)).split())
    assert "odd: the rank column contradicts the scores in 1 topic." in text
    assert "odd has no document for 10 topics" in text


class TestRefused:
    def test_names_file_and_line(self, files):
        with (files / "base.run").open("a") as file:
            file.write("1 Q0 d1 1 9.9 base\n")
        with pytest.raises(CommandError, match=r"base.run, line 481: d1 is ranked twice for topic 1"):
            run(files)
        (files / "x.qrels").write_text("1 0 d1 two\n")
        with pytest.raises(CommandError, match=r"x.qrels, line 1: the grade 'two' is no whole number"):
            run(files)

    def test_what_cannot_be_measured(self, files):
        with pytest.raises(CommandError, match="level of relevance must lie between 1 and 4, not at 7"):
            run(files, "--level", "7")
        with pytest.raises(CommandError, match="whole number up to 3, not 4"):
            run(files, "--highest", "3")
        with pytest.raises(CommandError, match="There is no run 'bm25' to compare with; there are base, rm3"):
            run(files, "--compare", "bm25")
        (files / "far.run").write_text("q Q0 d1 1 9.0 far\n")
        with pytest.raises(CommandError, match="Run far has none of the judged topics"):
            run(files, runs=("far",))
        with pytest.raises(CommandError, match="No measure is called 'F1'; there are MAP"):
            run(files, "--measures", "F1")
        with pytest.raises(CommandError, match="'0' is not a whole number from 1 on"):
            run(files, "--pool", "0")

    def test_empty_files_and_wrong_facets(self, files):
        (files / "x.qrels").write_text("")
        with pytest.raises(CommandError, match=r"x.qrels holds no judgment"):
            run(files)
        (files / "x.qrels").write_text("1 0 d1 1\n")
        (files / "facets.tsv").write_text("1\tbroad\n1\tbroad\n")
        with pytest.raises(CommandError, match=r"facets.tsv, line 2: topic 1 has a facet already"):
            run(files, "--facets", str(files / "facets.tsv"))
        (files / "facets.tsv").write_text("1 broad\n")
        with pytest.raises(
            CommandError, match=r"facets.tsv, line 1: a topic, a tab and its facet were expected"
        ):
            run(files, "--facets", str(files / "facets.tsv"))
        (files / "facets.tsv").write_text("\n\n")
        with pytest.raises(CommandError, match=r"facets.tsv holds no facet; a topic, a tab and its facet"):
            run(files, "--facets", str(files / "facets.tsv"))
        (files / "facets.tsv").write_text("q\tbroad\n")
        with pytest.raises(CommandError, match="No judged topic has a facet; others have, such as 'q'"):
            run(files, "--facets", str(files / "facets.tsv"))
        (files / "x.qrels").write_text("1 0 d1 0\n")
        with pytest.raises(CommandError, match="no grade above 0"):
            run(files)


def test_measures_before_and_after_a_further_pool_stand_side_by_side(files):
    """The first pool: every other document. What it measures is what evaluate_runs says of it alone."""
    every = (files / "x.qrels").read_text().splitlines(keepends=True)
    first = [line for line in every if int(line.split()[2][1:]) % 2]
    (files / "first.qrels").write_text("".join(first))
    found = run(files, "--before", str(files / "first.qrels"), "--level", "2")
    assert f"Before and after the further pool: {len(first)} judgments and {len(every)}" in found
    table = rows(files, "--before", str(files / "first.qrels"), "--level", "2")
    before = {
        (row["run"], row["measure"]): float(row["value"])
        for row in table
        if row["kind"] == "before the further pool"
    }
    (files / "x.qrels").write_text("".join(first))
    alone = {
        (row["run"], row["measure"]): float(row["value"])
        for row in rows(files, "--level", "2", "--highest", "4")
        if row["kind"] == "mean" and not row["facet"]
    }
    assert len(before) == 2 * len(DEFAULT)
    assert before == {key: pytest.approx(alone[key]) for key in before}


def test_what_a_first_pool_held_unjudged_may_be_judged_later_and_counts_before_as_none(files):
    """One run lacks the only topic of the first pool, of which two documents were judged and one was not."""
    (files / "x.qrels").write_text("1 0 d0 1\n1 0 d1 0\n1 0 d2 1\n2 0 d0 1\n")
    (files / "first.qrels").write_text("1 0 d0 1\n1 0 d1 0\n1 0 d2 -1\n")
    base = (files / "base.run").read_text().splitlines(keepends=True)
    (files / "base.run").write_text("".join(line for line in base if not line.startswith("1 ")))
    found = run(files, "--before", str(files / "first.qrels"), "--measures", "MAP")
    assert "Before and after the further pool: 2 judgments and 4" in found
    before = rows(files, "--before", str(files / "first.qrels"), "--measures", "MAP")
    values = {row["run"]: float(row["value"]) for row in before if row["kind"] == "before the further pool"}
    assert values["base"] == 0 < values["rm3"]


def test_earlier_judgments_that_are_no_part_of_all_are_refused(files):
    (files / "first.qrels").write_text("1 0 d0 9\n")
    with pytest.raises(CommandError, match="must be a part of all: topic 1, document d0 has grade 9 there"):
        run(files, "--before", str(files / "first.qrels"))


@pytest.mark.parametrize("more", [(), ("--corpus", "c")])
def test_a_rule_for_grades_of_a_study_is_refused_where_there_is_no_study(files, more):
    with pytest.raises(CommandError, match="--rule is about the grades of a study"):
        run(files, "--rule", "decided", *more)
