"""Run files and qrels, in and out."""

import io

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.interchange import lines, qrels, runs


def read(text):
    return runs.run(io.BytesIO(text.encode()), "file")


def judged(text, name="file"):
    return qrels.qrels(io.BytesIO(text.encode()), name)


def rankings(found):
    return {topic: [found.documents[each] for each in numbers] for topic, numbers in found.numbers()}


def test_a_run_is_ordered_by_score_and_then_by_the_bytes_of_the_id_downwards():
    found = read("# head\n1 Q0 a 1 2.0 x\n1 Q0 b 2 2.0 x\n1 Q0 c 3 5 x\n2 Q0 a 1 1 x\n")
    assert rankings(found) == {"1": ["c", "b", "a"], "2": ["a"]}
    assert (found.tag, found.line, found.tied.tolist(), found.contradicted) == ("x", 2, [1, 0], 1)
    assert found.score.tolist() == [5, 2, 2, 1]
    assert found.lines.tolist() == [4, 3, 2, 5]


def test_topics_may_stand_mixed_and_ids_be_of_any_letters():
    found = read("\ufefft2 Q0 ä 1 3 x\r\nt1 Q0 z 1 1 x\n\nt2 Q0 z 2 3 x\nt2 Q0 日 3 3 x")
    assert rankings(found) == {"t2": ["日", "ä", "z"], "t1": ["z"]}
    assert found.topics == ("t2", "t1")


def test_blocks_of_any_size_are_read_alike(monkeypatch):
    rows = [f"t{n % 3} Q0 document-{n:0{3 + n % 9}} {n} {100 - n / 7:.4f} tag\n" for n in range(200)]
    rows[90] = f"# a comment\n\n{rows[90]}"
    whole = read("".join(rows))
    for size in (1, 50, 777):
        monkeypatch.setattr(lines, "BLOCK", size)
        found = read("".join(rows))
        assert rankings(found) == rankings(whole)
        assert (found.score == whole.score).all()
        assert (found.lines == whole.lines).all()


def test_other_tags_are_told_a_few_of_them():
    assert read("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n").other_tags == ()
    assert read("1 Q0 a 1 2 x\n1 Q0 b 2 1 z\n2 Q0 a 1 1 y\n").other_tags == ("y", "z")
    many = "".join(f"{n} Q0 a 1 1 tag{n}\n" for n in range(20))
    assert len(read(many).other_tags) == runs.MOST_TAGS


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x07", "\u200f"])
@pytest.mark.parametrize("row", ["1 Q0 a{0}b 1 2 x", "t{0} Q0 a 1 2 x"])
def test_ids_that_hide_a_character_are_refused(sign, row):
    with pytest.raises(BadInput, match=f"line 2: the id .* holds U\\+{ord(sign):04X}") as refused:
        read(f"1 Q0 a 1 2 x\n{row.format(sign)}\n")
    assert sign not in str(refused.value)


def test_ids_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr("retrieval.engine.interchange.tables._hashed", lambda cells: np.zeros(len(cells)))
    assert rankings(read("1 Q0 b 1 2 x\n1 Q0 a 2 1 x")) == {"1": ["b", "a"]}


@pytest.mark.parametrize(
    "text",
    [
        "q1\td2\t1\nq1\td1\t2\nq2\td1\t1\n",
        "query_id\tdoc_id\tscore\nq1\td1\t0.5\nq1\td2\t1.5\nq2\td1\t0\n",
        "qid docno rank score\nq1 d1 2 0.5\nq1 d2 1 1.5\nq2 d1 1 0\n",
    ],
)
def test_runs_of_ms_marco_and_with_a_head(text):
    found = read(text)
    assert rankings(found) == {"q1": ["d2", "d1"], "q2": ["d1"]}
    assert (found.tag, found.contradicted) == ("", 0)


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
        ("1 Q0 a 1 2.0 x\n1 Q0 a 1 2.0 two words", "line 2: 7 columns; topic, Q0, document"),
        ("1 Q0 a 1 2.0 x\n1 Q0 b 2 x\n1 Q0 c 3 1 x y z", "line 2: 5 columns"),
        ("1 a 1", "line 1: 3 columns; topic, Q0, document, rank, score and tag (or topic, document and rank"),
        ("1\ta\tfirst", "line 1: the rank 'first' is no whole number"),
        (f"1 Q0 a 1 1 x\n1 Q0 {'b' * 201} 2 1 x", "line 2: the document 'bbb"),
        (f"1 Q0 ä 1 1 x\n1 Q0 c 2 1 {'b' * 201}", "line 2: the tag 'bbb"),
        ("1 Q0 a 1 nan x", "line 1: the score 'nan' is no number"),
        ("1 Q0 a 1 1e999 x", "is no number"),
        ("1 Q0 a 1 1_0.5 x", "the score '1_0.5' is no number"),
        ("1 Q0 a 1 \u0661\u0662 x", "is no number"),
        ("1 Q0 a 1 2 x\n1 Q0 a 2 1 x", "line 2: a is ranked twice for topic 1; first on line 1"),
        ("1 Q0 ä 1 2 x\n1 Q0 b 2 \u0661 x", "line 2: the score '\u0661' is no number"),
        ("\n", "line 1: no row"),
    ],
)
def test_a_broken_run_is_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        read(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("scores", [[1e308, 1e39, 7, 7, -1e39, -1e308], [-3.4e38, -3.5e38, -1e300]])
def test_scores_beyond_float32_are_written_as_numbers_that_fall_too(scores):
    text = "".join(runs.written("1", [(f"d{n}", score) for n, score in enumerate(scores)], "far"))
    found = np.array([line.split()[4] for line in text.splitlines()], dtype=np.float32)
    assert np.isfinite(found).all()
    assert (found[1:] < found[:-1]).all()


def test_what_is_written_is_read_in_the_same_order_even_as_float32():
    scores = [20.0000005, 20.0000004, 20.0, 20.0, 3.0, 0.0, -1.0, -1.0]
    ids = list("abcdefgh")
    text = "".join(runs.written("1", zip(ids, scores, strict=True), "x"))
    found = read(text.rstrip())
    assert rankings(found) == {"1": ids}
    as_float32 = found.score.astype(np.float32)
    assert (np.diff(as_float32) < 0).all()
    assert np.allclose(as_float32, scores, atol=1e-5)


def test_qrels_of_trec():
    found = judged("# by Ada\n1 0 a 2\n1 0 b -1\n2 0 a -2\n")
    assert found.by_topic() == {"1": {"a": 2, "b": -1}, "2": {"a": -2}}
    assert list(found.rows())[1] == ("1", "b", -1, 3)


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\n1\ta\t1.0\n1\tb\t0\n",
        "query_id doc_id relevance iteration\n1 a 1 0\n1 b 0 0\n",
        "qid\tdocno\tlabel\n1\ta\t1\n1\tb\t0\n",
        "1\ta\t1\n1\tb\t0\n",
        "1\t0\ta\t1\n1\t0\tb\t0\n",
    ],
)
def test_qrels_with_a_head_and_between_tabs(text):
    assert judged(text).by_topic() == {"1": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "1 0 a",
            "line 1: 3 columns; topic, iteration, document and grade (or topic, document and grade, tabs",
        ),
        (
            "query-id\tcorpus-id\tscore\n1 0 a 1",
            "line 2: 4 columns; topic, iteration, document and grade (or",
        ),
        ("1 0 a 0.5", "line 1: the grade '0.5' is no whole number"),
        ("1 0 a 101", "the grade 101 is not from -2 to 100"),
        ("1 0 a -3", "line 1: the grade -3 is not from -2"),
        ("1 0 a 1\n1 0 a 2", "line 2: a is judged twice for topic 1; first on line 1"),
    ],
)
def test_broken_qrels_are_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        judged(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"qid": "2", "docno": "7", "score": 1.0}\n{"qid": "2", "docno": "9", "score": 1}\n',
        '{"query-id": "2", "corpus-id": 7, "score": 1}\n{"query-id": 2, "corpus-id": "9", "score": 1}',
        '{"query_id": "2", "doc_id": "7", "relevance": 1}\n\n{"qid": "2", "docno": "9", "label": 1}',
        '{"query": "None?", "corpusids": []}\n{"query": "Who sold gin?", "quality": 2, "corpusids": [7, 9]}',
    ],
)
def test_qrels_in_json_lines_and_litsearchs_questions(text, monkeypatch):
    monkeypatch.setattr(qrels, "AT_ONCE", 1)
    assert judged(text, "x.jsonl").by_topic() == {"2": {"7": 1, "9": 1}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"query-id": "1", "corpus-id": "a"}', "line 1: no grade"),
        ('{"corpus-id": "a", "score": 1}', 'line 1: no "query-id"'),
        ('{"query": "q", "corpusids": [[1]]}', 'line 1: "corpusids" must hold ids'),
        ('{"query": "q", "corpusids": 1}', 'line 1: "corpusids" is a number; a list was expected'),
        ('{"query": "q", "corpusids": [1, 1]}', "line 1: 1 is judged twice for topic 1"),
        ("", "x.jsonl holds no judgment"),
    ],
)
def test_broken_qrels_in_json_lines_are_named(text, sentence):
    with pytest.raises(BadInput) as refused:
        judged(text, "x.jsonl")
    assert sentence in str(refused.value)
