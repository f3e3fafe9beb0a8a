"""Run files and qrels, in and out."""

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.interchange import qrels, runs
from retrieval.engine.interchange.lines import Line, wrong_in

WRONG = wrong_in("file")


def as_lines(text):
    return [Line(n, line, 0) for n, line in enumerate(text.split("\n"), 1)]


def read(text):
    return runs.run(as_lines(text), WRONG)


def test_a_run_is_ordered_by_score_and_then_by_the_bytes_of_the_id_downwards():
    found = read("# head\n1 Q0 a 1 2.0 x\n1 Q0 b 2 2.0 x\n1 Q0 c 3 5 x\n2 Q0 a 1 1 x\n")
    assert [row.document for row in found.topics["1"]] == ["c", "b", "a"]
    assert (found.tag, found.tied, found.contradicted) == ("x", 1, 1)


@pytest.mark.parametrize(
    ("ranks", "contradicted"), [((1, 2, 3), 0), ((2, 1, 3), 0), ((1, 3, 2), 1), ((0, 0, 0), 0), ("xyz", 0)]
)
def test_ranks_that_contradict_the_scores_are_counted_ties_apart(ranks, contradicted):
    scores = (2, 2, 1)
    text = "\n".join(
        f"1 Q0 d{n} {rank} {score} x" for n, (rank, score) in enumerate(zip(ranks, scores, strict=False))
    )
    assert read(text).contradicted == contradicted


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 Q0 a 1 2.0", "line 1: 5 columns; topic, Q0, document"),
        ("1 Q0 a 1 nan x", "line 1: the score 'nan' is no number"),
        ("1 Q0 a 1 1e999 x", "is no number"),
        ("1 Q0 a 1 1_0.5 x", "the score '1_0.5' is no number"),
        ("1 Q0 a 1 \u0661\u0662 x", "is no number"),
        ("1 Q0 a 1 2 x\n1 Q0 a 2 1 x", "line 2: a is ranked twice for topic 1; first on line 1"),
        ("\n", "line 1: no row"),
    ],
)
def test_a_broken_run_is_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        read(text)
    assert sentence in str(refused.value)


def test_what_is_written_is_read_in_the_same_order_even_as_float32():
    scores = [20.0000005, 20.0000004, 20.0, 20.0, 3.0, 0.0, -1.0, -1.0]
    ids = list("abcdefgh")
    text = "".join(runs.written("1", zip(ids, scores, strict=True), "x"))
    found = read(text.rstrip()).topics["1"]
    assert [row.document for row in found] == ids
    as_float32 = np.array([row.score for row in found], dtype=np.float32)
    assert (np.diff(as_float32) < 0).all()
    assert np.allclose(as_float32, scores, atol=1e-5)


def test_qrels_of_trec_and_of_beir():
    trec = list(qrels.qrels(as_lines("# by Ada\n1 0 a 2\n1 0 b -1\n"), WRONG))
    assert [(each.topic, each.document, each.grade) for each in trec] == [("1", "a", 2), ("1", "b", -1)]
    beir = list(qrels.qrels(as_lines("query-id\tcorpus-id\tscore\n1\ta\t1.0\n"), WRONG))
    assert beir[0] == ("1", "a", 1, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 0 a", "line 1: 3 columns; topic, iteration, document and grade were expected"),
        ("query-id\tcorpus-id\tscore\n1 0 a 1", "line 2: 4 columns; topic, document and grade"),
        ("1 0 a 0.5", "line 1: the grade '0.5' is no whole number"),
        ("1 0 a 101", "the grade 101 is not from -1 to 100"),
        ("1 0 a 1\n1 0 a 2", "line 2: a is judged twice for topic 1; first on line 1"),
    ],
)
def test_broken_qrels_are_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        list(qrels.qrels(as_lines(text), WRONG))
    assert sentence in str(refused.value)
