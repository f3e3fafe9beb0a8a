"""Word Mover's Distance: POT on every pair, gensim's, and the pruned ranking against the full one."""

from collections import Counter

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import order, rankers
from retrieval.engine.similarity import movers, terms, transport
from retrieval.engine.similarity.embedded import embed
from retrieval.engine.words.vectors import WordVectors
from tests.retrieval.engine.similarity.texts import PASSAGES, QUERIES, VECTORS, WORDS, texts

HOSTILE = [
    "", "word1", "word1 word1 word1", "word2", "word1 word2", "word2 word1 word2 word1", "word55",
    "word55 word1", " ".join(WORDS[1:10]), "word1", "twin", "word1 twin", "near word2", "nil",
]  # fmt: skip
HARD = WordVectors(
    [*WORDS[:50], "twin", "near", "nil"],
    np.concatenate(
        [VECTORS.matrix[:50], VECTORS.matrix[1:2], VECTORS.matrix[1:2] * (1 + 1e-6), np.zeros((1, 8))]
    ).astype(np.float32),
)
"""`twin` has the vector of another word, `near` nearly so, `nil` a vector of zeros, word55 none."""


def _cost(one: np.ndarray, other: np.ndarray, cost: str) -> float:
    one, other = one.astype(np.float64), other.astype(np.float64)
    if cost != "euclidean":
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    if cost == "cosine":
        return 1 - float(one @ other)
    return float(np.sqrt(((one - other) ** 2).sum()))


def _by_pot(query: str, passage: str, vectors: WordVectors, cost: str) -> float:
    """What `ot.emd2` says of normalised bags of the words that have a vector."""
    transport._solver()  # POT without torch
    import ot

    at = {word: row for row, word in enumerate(vectors.words) if vectors.matrix[row].any()}
    bags = [Counter(at[word] for word in text.split() if word in at) for text in (query, passage)]
    if not all(bags):
        return np.inf
    ours, theirs = (np.array(list(bag.values())) / bag.total() for bag in bags)
    between = [[_cost(vectors.matrix[i], vectors.matrix[j], cost) for j in bags[1]] for i in bags[0]]
    return float(ot.emd2(ours, theirs, np.array(between)))


def _index(passages: list[str], vectors: WordVectors = VECTORS, **given: object) -> movers.MoversIndex:
    return rankers.get("wmd").prepare(passages, {"vectors": vectors, **given})


@pytest.mark.parametrize("cost", transport.COSTS)
def test_distances_are_those_of_pot_on_every_pair(cost: str) -> None:
    passages, queries = [*HOSTILE, *PASSAGES[:20]], [*HOSTILE, *QUERIES[:10], "elsewhere"]
    found = _index(passages, HARD, cost=cost, exact=1000)
    expected = [[_by_pot(query, passage, HARD, cost) for passage in passages] for query in queries]
    assert -found.scores(queries) == pytest.approx(np.array(expected), abs=1e-8)
    assert all(
        found.distances(query).exact.sum() == np.isfinite(row).sum()
        for query, row in zip(queries, expected, strict=True)
    )


@pytest.mark.parametrize(("cost", "norm"), [("euclidean-unit", True), ("euclidean", False)])
def test_distances_are_those_of_gensim(cost: str, norm: bool) -> None:
    transport._solver()
    keyed_vectors = pytest.importorskip("gensim.models.keyedvectors")
    peer = keyed_vectors.KeyedVectors(8)
    peer.add_vectors(list(VECTORS.words), VECTORS.matrix)
    found = -_index(PASSAGES[:25], cost=cost, exact=1000).scores(QUERIES[:8])
    expected = [
        [peer.wmdistance(query.split(), passage.split(), norm=norm) for passage in PASSAGES[:25]]
        for query in QUERIES[:8]
    ]
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_a_text_moves_nowhere_to_become_itself() -> None:
    found = _index(HOSTILE, HARD, exact=1000).scores(["word2 word1", "nil", "word55", ""])
    assert np.flatnonzero(found[0] == 0).tolist() == [4, 5]
    assert not np.signbit(found[0, 4])
    assert (found[0, [0, 6, 13]] == order.UNRANKED).all()
    assert np.isfinite(found[0, 7])
    assert (found[1:] == order.UNRANKED).all()


@pytest.mark.parametrize("cost", transport.COSTS)
@pytest.mark.parametrize("exact", [1, 7, 50])
def test_the_first_are_those_of_the_full_ranking(cost: str, exact: int) -> None:
    passages = [*texts(5, 300, longest=25), *HOSTILE, *PASSAGES, *reversed(PASSAGES)]
    pruned, full = (_index(passages, HARD, cost=cost, exact=number) for number in (exact, 10_000))
    solved = 0
    for query in [*QUERIES[:6], *texts(6, 4, longest=60), "word1", "word1 word2", "elsewhere"]:
        found, known = pruned.distances(query), full.distances(query)
        assert (found.values[found.exact] == known.values[found.exact]).all()
        assert (found.values[~found.exact] <= known.values[~found.exact] + 1e-12).all()
        firsts = order.top(-known.values, exact)
        assert order.top(-found.values, exact).tolist() == firsts.tolist()
        able = firsts[np.isfinite(known.values[firsts])]
        assert found.exact[able].all()
        if able.size:
            assert found.values[~found.exact].min() >= found.values[able].max()
        solved += found.exact.sum()
    assert exact == 50 or solved < 0.5 * len(passages) * 13


def test_scores_do_not_depend_on_the_queries_beside() -> None:
    index = _index(PASSAGES, exact=5)
    together = index.scores(QUERIES)
    for query, row in zip(QUERIES, together, strict=True):
        assert np.array_equal(_index(PASSAGES, exact=5).scores([query])[0], row)
    shuffled = " ".join(reversed(QUERIES[0].split()))
    assert np.array_equal(index.scores([shuffled, QUERIES[0]])[0], together[0])


def _raised(shares: np.ndarray, theirs: np.ndarray, costs: np.ndarray, goal: float, steps: int) -> float:
    """Of one text among others: what is beside it or behind its last word changes nothing."""
    padded = np.zeros((3, len(shares) + 2))
    padded[:, : len(shares)] = shares, np.roll(shares, 1), shares
    between = np.zeros((3, len(theirs), len(shares) + 2))
    between[:, :, : len(shares)] = costs.T
    found = transport.raised(padded, theirs, between, goal, steps)
    assert found[0] == pytest.approx(found[2], abs=1e-14)
    return float(found[0])


def test_bounds_hold_and_more_steps_make_them_greater() -> None:
    draw, tight = np.random.default_rng(7), []
    for ours, theirs in draw.integers(1, 30, size=(60, 2)):
        costs = draw.random((ours, theirs))
        one, other = draw.dirichlet(np.ones(ours)), draw.dirichlet(np.ones(theirs))
        exact = transport.distance(one, other, costs)
        relaxed = max(one @ costs.min(axis=1), other @ costs.min(axis=0))
        assert relaxed <= exact + 1e-12
        steps = [_raised(one, other, costs, exact + 1e-9, number) for number in (1, 5, 40)]
        assert steps == sorted(steps)
        assert steps[-1] <= exact + 1e-12
        # A goal that cannot be reached is not reached, and one that the first step is above ends the search.
        assert _raised(one, other, costs, 100.0, 40) <= exact + 1e-12
        assert _raised(one, other, costs, steps[0] - 1e-9, 40) == steps[0]
        tight.append((relaxed / exact, steps[-1] / exact))
    relaxed, raised = np.mean(tight, axis=0)
    assert relaxed < 0.9 < 0.95 < raised


def test_relaxed_bounds_are_the_greater_of_both_directions() -> None:
    embedded = embed(terms.read(PASSAGES, terms.Reading()), VECTORS)
    costs = np.random.default_rng(1).random((len(embedded.rows), 9))
    theirs = np.random.default_rng(2).dirichlet(np.ones(9))
    found = transport.Relaxed(embedded.shares).bounds(costs, theirs)
    for row, bound in enumerate(found):
        shares = embedded.shares[[row]]
        here = costs[shares.indices]
        expected = max(shares.data @ here.min(axis=1), theirs @ here.min(axis=0)) if shares.nnz else np.inf
        assert bound == pytest.approx(expected, abs=1e-12)


def test_a_tie_at_the_border_is_solved_and_what_lies_behind_is_not() -> None:
    asked = []

    def solve(text: int) -> float:
        asked.append(text)
        return [3.0, 1.0, 2.0, 2.0, 5.0][text]

    bounds = np.array([2.5, 1.0, 2.0, 1.5, 4.0])
    every = np.ones(5, dtype=bool)
    found = movers.nearest(bounds, every, 2, lambda texts, goal: bounds[texts], solve)
    assert asked == [1, 3, 2]  # the bound of 2 ties with the last of the first two
    assert found.values.tolist() == [2.5, 1.0, 2.0, 2.0, 4.0]
    raised = movers.nearest(bounds, every, 1, lambda texts, goal: np.full(len(texts), 2.25), solve)
    assert raised.exact.tolist() == [False, True, False, False, False]
    nothing = movers.nearest(bounds, every, 0, lambda texts, goal: np.full(len(texts), 9.0), solve)
    assert not nothing.exact.any()
    assert nothing.values.tolist() == bounds.tolist()


def test_a_passage_is_read_for_every_problem_so_that_a_job_keeps_its_lease() -> None:
    class Passages(list):
        read = 0

        def __getitem__(self, at):
            self.read += 1
            return super().__getitem__(at)

    passages = Passages(PASSAGES)
    index = _index(passages, exact=1000)
    before = passages.read
    index.scores(QUERIES[:2])
    assert passages.read - before >= 100


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cost": "manhattan"}, "cost is 'manhattan'; it must be one of: cosine, euclidean"),
        ({"exact": 0}, "exact is 0"),
    ],
)
def test_a_wrong_parameter_is_named(given: dict, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        _index(PASSAGES, **given)


def test_what_pot_does_not_solve_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        transport, "_solver", lambda: (lambda *given: (0, 0, 0, 0, 3), lambda code: "too many steps")
    )
    with pytest.raises(ArithmeticError, match="no optimal transport: too many steps"):
        transport.distance(np.ones(1), np.ones(1), np.ones((1, 1)))


def test_a_query_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    index = _index(["word1 word2 word3", "word4"])
    monkeypatch.setattr(movers, "MOST_COSTS", 8)
    assert index.scores(["word1 word2"]).shape == (1, 2)
    with pytest.raises(BadInput, match=r"“word1 word2 word5…” has 3 different words .* 2 words of a query"):
        index.scores(["word1 word2 word5"])


def test_bounds_raised_in_small_parts_give_the_same_first(monkeypatch: pytest.MonkeyPatch) -> None:
    index = _index(PASSAGES, exact=3)
    whole = index.scores(QUERIES)
    monkeypatch.setattr(movers, "RAISED_COSTS", 1)
    for one, other in zip(whole, index.scores(QUERIES), strict=True):
        first = order.ranked(one, 3)
        assert first.tolist() == order.ranked(other, 3).tolist()
        assert one[first].tolist() == other[first].tolist()
