"""The benchmark of the fifth novel: what is chosen and ranked is what its text says."""

import numpy as np
import pytest

from evaluation.metrics.common.means import means
from evaluation.metrics.ranking.gold_ranks import stored_ranks
from retrieval.engine.dense.settings import Settings
from retrieval.engine.quotations.finding import Quotation
from retrieval.engine.text.sentences import segment
from retrieval.engine.text.tokens import GAP
from tests.retrieval.dense import texts
from tests.retrieval.dense.later import austen, austen_ranks, austen_report, austen_similarity, dense_encoder

NUMBERS = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}


@pytest.fixture(scope="module")
def start():
    return austen.Start("", Settings("mean", "cosine", "mask", 64, 16), (0.1, 0.2), 2, "fp32")


def losses(best):
    """Of models of three: the losses of the two novels left out, lowest at each one's place (rate, epoch)."""
    return [{slug: table(best[slug]) for slug in others} for others in ("ab", "bc", "cd", "de", "ea")]


def table(place):
    found = np.ones((2, 2))
    found[place] = 0.0
    return found.tolist()


def quotation(first, size, left, right):
    return Quotation("", 0, 0, (left,), (right,), first, size, 100.0, "")


@pytest.fixture
def novel():
    made = austen_ranks.Novel.__new__(austen_ranks.Novel)
    made.slug, made.text = "boats", "\n\n".join(texts.BOOK)
    made.bounds = segment(made.text).sentences
    made.quoted = [
        quotation(3, 1, "She says:", "so."),
        quotation(1, 4, "He", "then."),
        quotation(8, 9, "", "It."),
    ]
    made.queries = [" ".join([*each.left, GAP, *each.right]) for each in made.quoted]
    made.sizes = [1, 4, 9]
    return made


def test_the_choice_is_made_by_what_was_left_out_beside_the_fifth(start):
    best = {"a": (0, 1), "b": (1, 1), "c": (1, 1), "d": (1, 0), "e": (1, 1)}
    # Beside e were a and d: four excerpts outweigh one.
    assert austen.chosen(start, losses(best), NUMBERS, "e") == (0.2, 1)
    assert austen.chosen(start, losses(best), NUMBERS | {"a": 9}, "e") == (0.1, 2)


def test_the_fifth_has_no_say_in_its_choice(start):
    best = {"a": (0, 1), "b": (1, 1), "c": (1, 1), "d": (1, 0), "e": (1, 1)}
    many = NUMBERS | {"e": 1000}
    assert austen.chosen(start, losses(best), many, "e") == (0.2, 1)
    assert austen.chosen(start, losses(best | {"e": (0, 0)}), many, "e") == (0.2, 1)


def test_cut_passages_are_encoded_once_and_stand_where_they_belong(novel, start, toy):
    encoder = dense_encoder.Encoder(toy, start.settings, asked="cpu")
    vectors = austen_ranks.encoded(encoder, novel)
    for size in novel.sizes:
        alone = encoder.quotations(list(novel.texts(size)))
        assert len(vectors[size]) == len(novel.bounds) - size + 1
        np.testing.assert_allclose(vectors[size], alone, atol=1e-3)


def test_a_quotation_is_ranked_with_its_own_context_and_with_the_others(novel, monkeypatch):
    number = len(novel.bounds)

    def scores(self, size):
        rows = np.tile(np.arange(number - size + 1, dtype=float), (3, 1))
        rows[0, 3] = number  # the first context finds passage 3 first
        return rows

    monkeypatch.setattr(austen_ranks.Ranked, "scores", scores)
    one = austen_ranks._found(austen_ranks.Ranked(novel, None), [(0, 1), (0, 2), (0, 9)])
    assert one.ranks.lowest.tolist() == [1, number - 4, number - 8 - 8]
    assert one.ranks.candidates.tolist() == [number, number - 3, number - 8]
    assert one.won.tolist() == [1.0, 0.0, 0.0]
    assert one.elsewhere[0] == pytest.approx((number - 3 - 0.5) / number)
    assert austen_ranks.together([one, one]).relative.tolist() == [*one.relative, *one.relative]
    assert austen_ranks.restored(one.stored()).relative.tolist() == one.relative.tolist()


def test_chance_is_told_from_ranks_that_are_better():
    numbers = np.full(40, 1000)
    middle = stored_ranks(np.linspace(1, 1000, 40).round(), numbers)
    assert austen_report.by_chance(middle, draws=2000) > 0.9
    assert austen_report.by_chance(stored_ranks(np.linspace(1, 500, 40).round(), numbers), draws=2000) < 0.001


def test_novels_are_resampled_whole():
    low, high = austen_report.by_novel([np.zeros(10), np.ones(10)])
    assert (low, high) == (0.0, 1.0)
    assert austen_report.by_novel([np.tile([0.0, 1.0], 50)] * 5) == (0.5, 0.5)


def test_what_was_kept_is_not_computed_again(tmp_path):
    assert austen.kept(tmp_path / "one.json", lambda: [1]) == [1]
    assert austen.kept(tmp_path / "one.json", lambda: [2]) == [1]


def test_a_ranker_by_similarity_is_asked_for_each_length_up_to_five(novel):
    number = len(novel.bounds)
    novel.queries = [novel.texts(each.size)[each.first] for each in novel.quoted]
    lowest, highest, candidates = austen_similarity.ranked(novel, "bow", {})
    assert lowest == highest == [1, 1]
    assert candidates == [number, number - 3]  # nine sentences are too many
    novel.queries[1] = "zzz"  # nothing is shared: all cosines are 0
    lowest, highest, _ = austen_similarity.ranked(novel, "bow", {})
    assert (lowest[1], highest[1]) == (1, number - 3)


def test_nothing_is_claimed_below_two_standard_errors_or_without_the_test():
    (mean,) = means([[1.0, 2.0, 3.0, 2.0]], seed=0, shares=False)
    assert austen_similarity.verdict(mean, 0.01) == "better"
    assert austen_similarity.verdict(mean, 0.01, up=False) == "worse"
    assert austen_similarity.verdict(mean._replace(value=-mean.value), 0.01) == "worse"
    assert austen_similarity.verdict(mean, 0.05) == "no claim"
    below = mean._replace(value=1.99 * mean.standard_error)
    assert austen_similarity.verdict(below, 0.01) == "no claim"
    (same,) = means([[0.0, 0.0]], seed=0, shares=False)
    assert austen_similarity.verdict(same, 0.01) == "no claim"
