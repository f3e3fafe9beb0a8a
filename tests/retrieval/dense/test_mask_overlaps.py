"""The benchmark of `--mask-overlaps`: what it counts, learns and ranks is what its text says."""

from types import SimpleNamespace

import pytest

from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.pairs import Pair
from retrieval.engine.training.recipe import Recipe
from tests.retrieval.dense import texts
from tests.retrieval.dense.later import mask_overlaps, torch, training


def novel(*places):
    """A novel of which so many places are quoted, each a first sentence and a number of them."""
    quoted = [SimpleNamespace(left=("a", "b"), right=("c", "d"), first=at, size=n) for at, n in places]
    queries = [f"a b {GAP} c d" for _ in places]
    pairs = [Pair("boats", query, f"{at} {n}", at, n) for query, (at, n) in zip(queries, places, strict=True)]
    return SimpleNamespace(
        quoted=quoted,
        queries=queries,
        pairs=lambda: pairs,
        texts=lambda size: [f"passage {at} of {size}" for at in range(300)],
    )


def test_wrong_answers_that_overlap_are_counted_each_way():
    found = mask_overlaps.counted(mask_overlaps.learned([novel((3, 2), (4, 1), (9, 1))], 1), 3)
    assert list(found.values()) == [6, 2, 3, 2]


def test_a_second_critic_quotes_every_place_with_less_context():
    twice = mask_overlaps.learned([novel((3, 2), (9, 1))], 2)
    assert [pair.query for pair in twice] == [f"a b {GAP} c d", f"b {GAP} c"] * 2
    assert list(mask_overlaps.counted(twice, 4).values()) == [12, 4, 4, 4]


def test_a_quotation_is_ranked_among_passages_that_do_not_overlap_it():
    asked = mask_overlaps.questions([novel((3, 2), (9, 1), (20, 16))])
    assert [each.passages[0] for each in asked] == ["passage 3 of 2", "passage 9 of 1"]
    assert all(len(set(each.passages)) == 100 for each in asked)
    assert not {f"passage {at} of 2" for at in (2, 4)} & set(asked[0].passages)


def test_the_rank_is_that_of_the_scores_and_the_middle_of_a_tie(toy):
    trainer = training.Trainer(toy, mask_overlaps.SETTINGS, Recipe(), torch.device("cpu"))
    same = mask_overlaps.Asked(texts.CONTEXTS[0], (texts.BOOK[3],) * 100)
    assert mask_overlaps.ranks(trainer, [same]) == pytest.approx([50.5])
