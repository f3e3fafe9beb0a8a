"""Graded rankings as trec_eval counts them."""

from math import log2

import numpy as np
import pytest

from evaluation.metrics.ranking.graded import graded

nan, none = float("nan"), float("-inf")


def test_hand_case():
    found = graded([[3, 2, 1]], [[0, 1, 2]], cutoffs=(1, 2, 3))
    ideal = 2 + 1 / log2(3)
    assert found.values["ndcg_at_3"].tolist() == pytest.approx([(1 / log2(3) + 2 / 2) / ideal])
    assert found.values["ndcg_at_1"].tolist() == [0]
    assert found.values["recall_at_2"].tolist() == [0.5]
    assert found.values["mrr"].tolist() == [0.5]


def test_ties_go_to_the_greater_document_id():
    assert graded([[1, 1]], [[1, 0]]).values["mrr"].tolist() == [0.5]
    assert graded([[1, 1]], [[1, 0]], ids=[7, 3]).values["mrr"].tolist() == [1.0]
    assert graded([[1, 1]], [[1, 0]]).n_tied == 1


def test_relevant_documents_that_were_not_retrieved_count():
    found = graded([[2, 1]], [[1, nan]], judged=[[1, 1, 1, nan]], cutoffs=(5,))
    assert found.values["recall_at_5"].tolist() == pytest.approx([1 / 3])
    assert found.values["ndcg_at_5"].tolist() == pytest.approx([1 / (1 + 1 / log2(3) + 0.5)])


def test_padding_is_no_document():
    found = graded([[none, 1.0]], [[1, 0]], judged=[[1, 0]], cutoffs=(2,))
    assert found.values["recall_at_2"].tolist() == [0]


def test_queries_without_relevant_documents_are_excluded_and_counted():
    found = graded([[1, 2], [2, 1]], [[0, -1], [1, 0]])
    assert (found.queries.tolist(), found.n_excluded) == ([1], 1)
    assert found.values["mrr"].tolist() == [1.0]


def test_level_decides_what_is_relevant_but_not_the_gain():
    found = graded([[2, 1]], [[1, 2]], level=2, cutoffs=(1, 2))
    assert found.values["recall_at_1"].tolist() == [0]
    assert found.values["mrr"].tolist() == [0.5]
    assert found.values["ndcg_at_2"].tolist() == pytest.approx([(1 + 2 / log2(3)) / (2 + 1 / log2(3))])


@pytest.mark.parametrize(
    ("scores", "grades", "options", "sentence"),
    [
        ([[1, 2]], [[1]], {}, "must be"),
        ([[1, nan]], [[1, 0]], {}, "NaN"),
        ([[1, 2]], [[1, 0]], {"level": 0}, "above 0"),
    ],
)
def test_refused(scores, grades, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        graded(scores, grades, **options)


def test_against_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    generator = np.random.default_rng(3)
    n_queries, n_docs = 200, 60
    # Few distinct scores, exact in trec_eval's single precision, so that ties are many.
    scores = generator.integers(0, 25, (n_queries, n_docs)).astype(float)
    scores[generator.random(scores.shape) < 0.2] = none
    grades = generator.integers(-1, 4, scores.shape) * (generator.random(scores.shape) < 0.3)
    qrel, run = {}, {}
    for query in range(n_queries):
        qrel[str(query)] = {f"d{doc:03}": int(grades[query, doc]) for doc in range(n_docs)}
        run[str(query)] = {
            f"d{doc:03}": scores[query, doc] for doc in range(n_docs) if scores[query, doc] > none
        }
    theirs = pytrec_eval.RelevanceEvaluator(
        qrel, {"ndcg_cut.1,5,10", "recall.5,10,50", "recip_rank"}
    ).evaluate(run)
    ours = graded(scores, grades, cutoffs=(1, 5, 10, 50))
    assert len(ours.queries) > 150
    names = {"ndcg_cut_1": "ndcg_at_1", "ndcg_cut_5": "ndcg_at_5", "ndcg_cut_10": "ndcg_at_10"}
    names |= {"recall_5": "recall_at_5", "recall_10": "recall_at_10", "recall_50": "recall_at_50"}
    for place, query in enumerate(ours.queries.tolist()):
        for their_name, our_name in {**names, "recip_rank": "mrr"}.items():
            assert ours.values[our_name][place] == pytest.approx(theirs[str(query)][their_name], abs=1e-9)
