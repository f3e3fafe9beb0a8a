"""One index, many k1 and b."""

import pytest

from retrieval.engine.ranking.bm25 import Bm25, count
from retrieval.engine.ranking.reweighing import Reweighed

PASSAGES = [text.split() for text in ("a b a c", "b b d", "c a", "e f a a a", "d", "b c d e f")]


@pytest.mark.parametrize(("k1", "b"), [(0.5, 0.9), (1.2, 0.4), (2.0, 1.0), (0.1, 0.1)])
def test_equal_to_a_new_index_in_every_bit(k1: float, b: float) -> None:
    reweighed = Reweighed(count(PASSAGES))
    reweighed.batch_scores([["a"]])
    reweighed.weigh(1.7, 0.3)
    reweighed.weigh(k1, b)
    fresh = Bm25(PASSAGES, k1=k1, b=b)
    query = ["a", "d", "a", "f"]
    assert reweighed.get_scores(query).tobytes() == fresh.get_scores(query).tobytes()
    assert reweighed.batch_scores([query]).tobytes() == fresh.batch_scores([query]).tobytes()
