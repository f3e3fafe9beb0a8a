"""Exact search of vectors: equal to a full sort in float64, whatever the blocks."""

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.nearest import searching


def drawn(seed, documents, queries=5, width=24, repeats=0):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(documents, width)).astype(np.float16)
    if repeats:
        vectors[random.integers(documents, size=repeats)] = vectors[0]
    return vectors, random.normal(size=(queries, width)).astype(np.float32)


def brute(vectors, query, k, rows=None):
    """Sort everything in float64, ties by number."""
    numbers = np.arange(len(vectors)) if rows is None else rows
    scores = (vectors[numbers].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    placed = np.lexsort((numbers, -scores))[:k]
    return numbers[placed].tolist(), scores[placed].tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 7, 400])
def test_the_nearest_are_those_of_a_full_sort(monkeypatch, seed, k):
    monkeypatch.setattr(searching, "BLOCK", 13 + 29 * seed)
    monkeypatch.setattr(searching, "QUERIES", 2)
    vectors, queries = drawn(seed, 301, repeats=60)
    for query, found in zip(queries, searching.nearest(vectors, queries, k), strict=True):
        assert (found.numbers.tolist(), found.scores.tolist()) == brute(vectors, query, k)


def test_equal_vectors_tie_and_go_by_number_at_the_cut_as_well(monkeypatch):
    monkeypatch.setattr(searching, "BLOCK", 7)
    vectors = np.tile(np.float16([0.1, 0.7, -0.3]), (50, 1))
    vectors[::5] += np.float16(0.001)
    query = np.float32([[0.3, 0.2, 0.9]])
    (found,) = searching.nearest(vectors, query, 14)
    assert found.numbers.tolist() == [*range(0, 50, 5), 1, 2, 3, 4]
    assert len(set(found.scores.tolist())) == 2


def test_scores_that_float32_cannot_tell_apart_are_told_apart():
    """The difference of the last two numbers drowns in float32 beside the first."""
    vectors = np.float16([[4096, 0.0004], [4096, 0.0005], [4096, 0.0003]])
    query = np.float32([[4096, 0.001]])
    assert len(set((query @ vectors.astype(np.float32).T)[0].tolist())) == 1
    (found,) = searching.nearest(vectors, query, 1)
    assert found.numbers.tolist() == [1]


def test_a_long_vector_behind_short_ones_is_not_lost_to_its_own_error(monkeypatch):
    """In float32 the last score, 0.75 in truth, is 0: so long a vector allows a greater error."""
    monkeypatch.setattr(searching, "BLOCK", 4)
    short, long = [0, 0, 0.5], [4096, -4096, 0.75]
    vectors = np.float16([*[short] * 4, long])
    query = np.float32([[8192, 8192, 1]])
    monkeypatch.setattr(searching, "_product", lambda queries, _: lambda block: adding_up(queries, block))
    (found,) = searching.nearest(vectors, query, 1)
    assert (found.numbers.tolist(), found.scores.tolist()) == ([4], [0.75])


def adding_up(queries, block):
    """A product in float32 that adds from the last number to the first."""
    products = queries[:, None, ::-1] * block[None, :, ::-1].astype(np.float32)
    return np.cumsum(products, axis=2, dtype=np.float32)[:, :, -1]


def test_only_the_rows_asked_for_are_searched(monkeypatch):
    monkeypatch.setattr(searching, "BLOCK", 11)
    vectors, queries = drawn(9, 200)
    rows = np.flatnonzero(np.arange(200) % 3 == 1)
    for query, found in zip(queries, searching.nearest(vectors, queries, 10, rows=rows), strict=True):
        assert (found.numbers.tolist(), found.scores.tolist()) == brute(vectors, query, 10, rows)
    (nothing,) = searching.nearest(vectors, queries[:1], 3, rows=rows[:0])
    assert nothing.numbers.size == nothing.scores.size == 0


def test_progress_counts_documents_over_all_goes(monkeypatch):
    monkeypatch.setattr(searching, "BLOCK", 4)
    monkeypatch.setattr(searching, "QUERIES", 2)
    vectors, queries = drawn(1, 10, queries=3)
    told = []
    searching.nearest(vectors, queries, 2, progress=lambda *each: told.append(each[:2]))
    assert told == [(4, 20), (8, 20), (10, 20), (14, 20), (18, 20), (20, 20)]


@pytest.mark.parametrize(
    ("queries", "k", "sentence"),
    [
        (np.ones((1, 24), dtype=np.float32), 0, "asked for is 0"),
        (np.ones((1, 23), dtype=np.float32), 1, "a document has 24 numbers"),
        (np.full((1, 24), np.nan, dtype=np.float32), 1, "no finite vector"),
    ],
)
def test_what_cannot_be_searched_is_refused(queries, k, sentence):
    with pytest.raises(BadInput, match=sentence):
        searching.nearest(drawn(0, 5)[0], queries, k)


def test_what_is_computed_on_a_card_is_the_same_and_takes_the_whole_mantissa(monkeypatch):
    """The path of the card, with the processor's name in place of the card's."""
    import torch

    from retrieval.engine.nearest import gpu

    monkeypatch.setattr(gpu, "CARD", "cpu")
    monkeypatch.setattr(searching, "BLOCK", 13)
    before = torch.backends.cuda.matmul.allow_tf32
    asked, whole = [], gpu._whole

    def seen(queries, block):
        asked.append((queries.device.type, block.dtype))
        return whole(queries, block)

    monkeypatch.setattr(gpu, "_whole", seen)
    vectors, queries = drawn(3, 60, repeats=10)
    rows = np.arange(0, 60, 2)
    for given in (None, rows):
        found = searching.nearest(vectors, queries, 7, rows=given, device="cuda")
        for query, each in zip(queries, found, strict=True):
            assert (each.numbers.tolist(), each.scores.tolist()) == brute(vectors, query, 7, given)
    assert set(asked) == {("cpu", torch.float32)}
    assert torch.backends.cuda.matmul.allow_tf32 is before
