"""Soft cosine against eq. 8 written out, and against gensim with the same S."""

import numpy as np
import pytest
from gensim.similarities import SoftCosineSimilarity, SparseTermSimilarityMatrix
from scipy import sparse

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.similarity import relations, terms
from retrieval.engine.similarity.soft_cosine import SoftCosineIndex
from retrieval.engine.words.tables import SynonymTable
from retrieval.engine.words.vectors import WordVectors
from tests.retrieval.engine.similarity.texts import PASSAGES, QUERIES, SYNONYMS, VECTORS

READ = terms.read(PASSAGES, terms.Reading())
WORDS = list(READ.vocabulary)


def made(name: str) -> relations.Relation:
    if name == "random":
        return relations.Random(WORDS, 7, 5)
    return (
        relations.of_vectors(WORDS, VECTORS, 6, 5)
        if name == "vectors"
        else relations.of_synonyms(WORDS, SYNONYMS, 1)
    )


def whole(relation: relations.Relation) -> np.ndarray:
    """S in full."""
    return relation.times(terms.counted([[column] for column in range(len(WORDS))], len(WORDS)))


def rows(texts: list[str]) -> np.ndarray:
    return terms.weighted(READ.queries(texts), READ.idf()).toarray()


@pytest.mark.parametrize("name", ["vectors", "synonyms", "random"])
def test_scores_are_equation_8(name: str) -> None:
    relation = made(name)
    s, queries, passages = whole(relation), rows(QUERIES), rows(PASSAGES)
    assert (np.array_equal(s, s.T), set(s.diagonal())) == (True, {1.0})
    found = SoftCosineIndex(READ, relation).scores(QUERIES)
    for query, row in zip(queries, found, strict=True):
        for passage, score in zip(passages, row, strict=True):
            lengths = np.sqrt(query @ s @ query) * np.sqrt(passage @ s @ passage)
            assert score == pytest.approx(query @ s @ passage / lengths if lengths else 0, abs=1e-10)


@pytest.mark.parametrize("name", ["vectors", "synonyms"])
def test_scores_are_those_of_gensim_with_the_same_s(name: str) -> None:
    relation = made(name)
    # gensim divides by the length of a text without words: leave these out.
    kept = [np.flatnonzero(rows(each).any(axis=1)) for each in (PASSAGES, QUERIES)]
    bags = [
        [[cell for cell in enumerate(row) if cell[1]] for row in rows(each)[some]]
        for each, some in zip((PASSAGES, QUERIES), kept, strict=True)
    ]
    matrix = SparseTermSimilarityMatrix(sparse.csc_matrix(relation.matrix))
    expected = SoftCosineSimilarity(bags[0], matrix)[bags[1]]
    found = SoftCosineIndex(READ, relation).scores(QUERIES)
    assert found[np.ix_(kept[1], kept[0])] == pytest.approx(np.asarray(expected), abs=1e-6)
    assert (found != rankers.get("tfidf").prepare(PASSAGES, {}).scores(QUERIES)).any()


def test_s_of_vectors_is_a_power_of_the_cosine_of_the_nearest() -> None:
    s = whole(made("vectors"))
    units = VECTORS.matrix / np.linalg.norm(VECTORS.matrix, axis=1)[:, None]
    at = [VECTORS.rows([word])[0] for word in WORDS]
    for one, (i, row) in enumerate(zip(at, s, strict=True)):
        others = [j for j in range(len(WORDS)) if j != one and at[j] >= 0]
        if i < 0:
            assert np.flatnonzero(row).tolist() == [one]
            continue
        cosines = {j: max(0.0, float(units[i] @ units[at[j]])) ** 5 for j in others}
        best = sorted(cosines, key=cosines.__getitem__)[-6:]
        assert all(row[j] == pytest.approx(cosines[j], abs=1e-6) for j in best)
        assert all(row[j] == 0 or row[j] == pytest.approx(cosines[j], abs=1e-6) for j in others)


@pytest.mark.parametrize("length", [2e38, 1e-44])
def test_very_long_and_very_short_vectors_have_a_direction(length: float) -> None:
    matrix = (np.array([[1, 1], [1, 1], [-1, 1]]) * length).astype(np.float32)
    found = relations.of_vectors(["a", "b", "c"], WordVectors(["a", "b", "c"], matrix), 2, 1).matrix.toarray()
    assert found == pytest.approx(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]), abs=1e-6)


def test_s_of_synonyms_is_one_by_the_words_both_have_for_synonyms() -> None:
    table = SynonymTable({
        "ship": frozenset({1}), "boat": frozenset({1}), "vessel": frozenset({1, 2}),
        "pot": frozenset({2}), "sea": frozenset({3}),
    })  # fmt: skip
    s = relations.of_synonyms(["ship", "vessel", "pot", "sea", "sand"], table, 1).matrix.toarray()
    third, half = pytest.approx(1 / 3), pytest.approx(1 / 2)
    # `ship` and `vessel` have ship, boat and vessel in common; `ship` and `pot` only vessel, and no group.
    assert s[0].tolist() == [1, third, 0, 0, 0]
    assert s[1].tolist() == [third, 1, half, 0, 0]
    assert s[3:].tolist() == [[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]


def test_a_random_s_is_of_the_words_and_the_seed_alone() -> None:
    names = [f"name{number}" for number in range(200)]
    s = relations.Random(names, 1, 1).times(terms.counted([[at] for at in range(200)], 200))
    drawn = s[np.triu_indices(200, 1)]
    # Four standard errors of the mean and of the standard deviation of 19 900 draws.
    assert drawn.mean() == pytest.approx(0.5, abs=4 * 0.05 / 141)
    assert drawn.std() == pytest.approx(0.05, abs=4 * 0.05 / 199)
    backwards = relations.Random(names[::-1], 1, 1).times(terms.counted([[199]], 200))
    assert np.array_equal(backwards[0, ::-1], s[0])
    other = relations.Random(names, 2, 1).times(terms.counted([[0]], 200))
    assert (other[0, 1:] != s[0, 1:]).all()


@pytest.mark.parametrize("relation", ["vectors", "synonyms", "random"])
def test_scores_are_the_same_alone_and_among_others(relation: str) -> None:
    given = {"relation": relation, "vectors": VECTORS, "synonyms": SYNONYMS, "nearest": 10}
    index = rankers.get("soft-cosine").prepare(PASSAGES, given)
    together = index.scores(QUERIES * 4)
    assert all(
        np.array_equal(index.scores([each])[0], row) for each, row in zip(QUERIES, together, strict=False)
    )
    assert np.array_equal(together[:, 0], together[:, -1])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, r"soft-cosine needs word vectors.* manage.py add_words vectors FILE --name NAME"),
        ({"relation": "synonyms"}, r"soft-cosine needs a synonym table.* add_words synonyms FILE"),
        ({"relation": "random", "seed": 1.5}, r"The parameter seed is 1.5; it must be a whole number"),
        (
            {"vectors": WordVectors(["x"], np.ones((1, 2), np.float32))},
            r"None of the \d+ words .* has a vector",
        ),
        ({"relation": "synonyms", "synonyms": SynonymTable({})}, r"None of the \d+ words .* has a synonym"),
        ({"relation": "none"}, r"relation is 'none'; it must be one of: vectors, synonyms, random"),
    ],
)
def test_what_it_lacks_is_said(given: dict, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        rankers.get("soft-cosine").prepare(PASSAGES, given)
