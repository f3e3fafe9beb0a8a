"""Tesserae, then Word Mover's Distance; and the oracle of the paper's footnote."""

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import order, rankers
from retrieval.engine.similarity import backoff
from retrieval.engine.similarity.movers import MoversIndex
from tests.retrieval.engine.similarity.texts import PASSAGES, QUERIES, VECTORS


def _index(**given: object) -> backoff.BackoffIndex:
    return rankers.get("tesserae-wmd").prepare(PASSAGES, {"vectors": VECTORS, **given})


@pytest.mark.parametrize("exact", [1, 20, 1000])
def test_what_tesserae_scores_comes_first_in_its_order_and_then_the_others(exact: int) -> None:
    tesserae = rankers.get("tesserae").prepare(PASSAGES, {}).scores(QUERIES)
    movers = rankers.get("wmd").prepare(PASSAGES, {"vectors": VECTORS, "exact": 1000}).scores(QUERIES)
    for row, scored, moved in zip(_index(exact=exact).scores(QUERIES), tesserae, movers, strict=True):
        there = np.isfinite(scored)
        expected = order.top(scored, int(there.sum())).tolist()
        others = np.where(there, order.UNRANKED, moved)
        expected += [at for at in order.top(others, len(PASSAGES)).tolist() if not there[at]]
        assert order.top(row, exact).tolist() == expected[:exact]
        assert (row[there] >= 1).all()
        assert (row[~there] <= 0).all()
        assert (np.isfinite(row) == (there | np.isfinite(moved))).all()


def test_ties_of_tesserae_stay_ties() -> None:
    found = rankers.get("tesserae-wmd").prepare(
        ["word1 word2", "word3 word1", "word2 word1"], {"vectors": VECTORS}
    )
    row = found.scores(["word1 word2"])[0]
    assert row[0] == row[2] == 1.0
    assert row[1] < 0


def test_no_problem_is_solved_that_the_first_do_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    distances = MoversIndex.distances

    def spied(self, query, among=None, exact=None):
        found = distances(self, query, among, exact)
        asked.append((exact, found.exact, among))
        return found

    monkeypatch.setattr(MoversIndex, "distances", spied)
    tesserae = rankers.get("tesserae").prepare(PASSAGES, {}).scores(QUERIES)
    _index(exact=10).scores(QUERIES)
    for (exact, solved, among), scored in zip(asked, np.isfinite(tesserae), strict=True):
        assert exact == max(0, 10 - scored.sum())
        assert not among[scored].any()
        assert exact or not solved.any()
    assert {exact == 0 for exact, _, _ in asked} == {True, False}


def test_the_oracle_takes_the_ranking_that_can_score_a_relevant_passage() -> None:
    tesserae, wmd = np.array([-np.inf, 0.5, -np.inf]), np.array([-0.1, -0.3, -0.2])
    assert backoff.oracle(tesserae, wmd, [1]) is tesserae
    assert backoff.oracle(tesserae, wmd, [2, 1]) is tesserae
    assert backoff.oracle(tesserae, wmd, [0, 2]) is wmd
    assert "oracle" not in [ranker.slug for ranker in rankers.all()]
    for relevant in ([], [3], [-1]):
        with pytest.raises(BadInput, match="The oracle of a query is given"):
            backoff.oracle(tesserae, wmd, relevant)
