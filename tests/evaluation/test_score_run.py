"""`manage.py score_run`: trec_eval's own lines and names, with trec_eval in C as the oracle."""

from __future__ import annotations

import io

import numpy as np
import pytest
import pytrec_eval
from django.core.management import CommandError, call_command

from evaluation.metrics.ranking.order import ordered
from evaluation.metrics.ranking.trec_eval import COUNTS, LINES, USUAL, score

THEIRS = {
    "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall",
    "P", "recall", "success", "ndcg", "ndcg_cut", "map_cut",
}  # fmt: skip
ASKED = (*dict.fromkeys((*LINES, *USUAL, "map_cut_5", "ndcg_cut_100", "success_10")),)


def drawn(seed):
    """Graded judgments with gaps and negatives, a run with ties; topics that only one of the two has."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for topic in range(8):
        judged = rng.choice(60, 25, replace=False)
        qrels[f"q{topic}"] = {
            f"d{n}": int(grade) for n, grade in zip(judged, rng.integers(-1, 4, 25), strict=True)
        }
        ranked = rng.choice(60, int(rng.integers(3, 50)), replace=False)
        scores = np.round(rng.normal(0, 2, len(ranked)))
        run[f"q{topic}"] = {f"d{n}": float(s) for n, s in zip(ranked, scores, strict=True)}
    qrels["none"] = {"d1": 0, "d2": 0}
    run["none"] = {"d1": 2.0, "d3": 1.0}
    qrels["little"], run["little"] = {"d1": 1, "d2": 0}, {"d2": 2.0, "d1": 1.0}
    qrels["missing"] = {"d1": 2}
    run["unjudged"] = {"d1": 1.0}
    return qrels, run


def laid(run):
    return ordered({topic: (list(given), list(given.values())) for topic, given in run.items()})


@pytest.mark.parametrize("level", [1, 2])
def test_every_value_of_every_topic_is_trec_evals(level):
    names = [each for each in ASKED if "exp" not in each]
    for seed in range(12):
        qrels, run = drawn(seed)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, relevance_level=level).evaluate(run)
        ours = score(laid(run), qrels, names, level)
        assert ours.topics == tuple(sorted(theirs))
        for place, topic in enumerate(ours.topics):
            for name in names:
                if name in theirs[topic]:
                    assert ours.values[name][place] == pytest.approx(theirs[topic][name], abs=1e-9), name
        for name in names:
            values = [theirs[topic][name] for topic in theirs if name in theirs[topic]]
            if values and name not in COUNTS:
                wanted = pytrec_eval.compute_aggregated_measure(name, values)
                assert ours.all(name) == pytest.approx(wanted, abs=1e-9), name
        assert (ours.missing, ours.unjudged) == (("missing",), ("unjudged",))


def test_nothing_that_trec_eval_prints_is_left_out():
    qrels, run = drawn(1)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, THEIRS).evaluate(run)["q1"]
    assert {name for name in LINES if name not in theirs} == set()


def test_complete_counts_what_the_run_lacks_as_nothing():
    qrels, run = drawn(3)
    some, all_of_them = (score(laid(run), qrels, ["map"], complete=each) for each in (False, True))
    assert len(all_of_them.topics) == len(some.topics) + 1
    wanted = some.all("map") * len(some.topics) / len(all_of_them.topics)
    assert all_of_them.all("map") == pytest.approx(wanted)


@pytest.fixture
def files(tmp_path):
    qrels, run = drawn(5)
    (tmp_path / "x.qrels").write_text(
        "".join(
            f"{topic} 0 {doc} {grade}\n" for topic, given in qrels.items() for doc, grade in given.items()
        )
    )
    lines = []
    for topic, given in run.items():
        best = sorted(given, key=lambda doc: (-given[doc], doc))
        lines += [f"{topic} Q0 {doc} {n} {given[doc]} lamp\n" for n, doc in enumerate(best, 1)]
    (tmp_path / "x.run").write_text("".join(lines))
    return tmp_path


def said(files, *options):
    out, err = io.StringIO(), io.StringIO()
    paths = [str(files / "x.run"), "--qrels", str(files / "x.qrels")]
    call_command("score_run", *paths, *options, stdout=out, stderr=err)
    return out.getvalue().rstrip("\n").split("\n"), err.getvalue()


def test_all_prints_trec_evals_default_lines(files):
    lines, notes = said(files, "--all")
    assert [line.split("\t")[0].rstrip() for line in lines] == ["runid", "num_q", *LINES]
    assert lines[0] == "runid                 \tall\tlamp"
    assert lines[1].endswith("\tall\t10")
    qrels, run = drawn(5)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    mean = np.mean([each["map"] for each in theirs.values()])
    assert f"map                   \tall\t{mean:.4f}" in lines
    assert "1 judged topic" in notes


def test_topics_and_measures_are_chosen(files):
    lines, _ = said(files, "--measures", "P_5,ndcg_exp_cut_10", "--per-topic", "--complete")
    assert len(lines) == 11 * 2 + 4
    assert "P_5                   \tmissing\t0.0000" in lines


@pytest.mark.parametrize("name", ["P", "precision_5", "map_cut_0", "iprec_at_recall_0.15"])
def test_an_unknown_name_is_refused_with_those_there_are(files, name):
    with pytest.raises(CommandError, match="there are num_ret"):
        said(files, "--measures", name)


def test_a_run_for_other_topics_is_refused(files):
    (files / "x.run").write_text("other Q0 d1 1 1.0 lamp\n")
    with pytest.raises(CommandError, match="none of the judged topics"):
        said(files)


def test_without_what_nobody_judged_every_value_is_that_of_trec_eval_j(tmp_path):
    names = [each for each in ASKED if "exp" not in each]
    for seed in range(12):
        qrels, run = drawn(seed)
        qrels["outside"], run["outside"] = {"d1": 1}, {"d2": 1.0}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, judged_docs_only_flag=True).evaluate(run)
        ours = score(laid(run), qrels, names, judged_only=True)
        assert ours.topics == tuple(sorted(theirs))
        for place, topic in enumerate(ours.topics):
            for name in names:
                # Of a topic of which nothing is left it divides nothing by nothing; here that is 0.
                if name in theirs[topic]:
                    wanted = np.nan_to_num(theirs[topic][name])
                    assert ours.values[name][place] == pytest.approx(wanted, abs=1e-9), name
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 x 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n")
    assert "recip_rank            \tall\t0.3333" in printed(tmp_path)
    assert "recip_rank            \tall\t0.5000" in printed(tmp_path, judged_only=True)


def printed(folder, **options):
    out = io.StringIO()
    call_command(
        "score_run", folder / "run", qrels=folder / "qrels", stdout=out, stderr=io.StringIO(), **options
    )
    return out.getvalue()
