"""Readers who never read: what they take, how often they are right, and what chance would give."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evaluation.metrics.cues import model, readers
from evaluation.metrics.cues.readers import READERS, audit, chance_p, interval_of_shares, shares
from evaluation.metrics.cues.surface import CueItem, surface

WORDS = "tide lamp harbour rope wall letter sermon field door winter stair bread candle river".split()


def item(*options: str, gold: int = 0, context: str = "") -> CueItem:
    return CueItem(context, options, gold)


def study(n: int, seed: int, *, q: int = 3, longer: float = 0.0, context: bool = False) -> list[CueItem]:
    """Items of random words; gold is the longest with the chance ``longer`` beyond lot."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        texts = [" ".join(draw.choice(WORDS, draw.integers(3, 30))).capitalize() + "." for _ in range(q)]
        longest = int(np.argmax([len(text) for text in texts]))
        gold = longest if draw.random() < longer else int(draw.integers(q))
        said = texts[gold] if context else " ".join(draw.choice(WORDS, 3))
        found.append(CueItem(said, texts, gold))
    return found


def by_slug(items, seed=1):
    return {each.slug: each for each in audit(surface(items), seed)}


def test_every_mark_is_measured_of_every_option():
    found = surface(
        [
            item(
                "“Go,” she said.",
                "and the tide went out",
                "Winter; bread: rope!",
                context="The TIDE, the rope",
            ),
            item("the Tide: went out", "(“Hush!”", "…", context=""),
        ]
    )
    assert found.length.tolist() == [[15, 21, 20], [18, 8, 1]]
    assert found.lower.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert found.quoted.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert found.marks.round(3).tolist() == [[1.333, 0, 1], [0.25, 4, 1]]
    assert found.whole.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert found.shared.round(3).tolist() == [[0, 0.4, 0.333], [0, 0, 0]]
    assert found.used.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_the_same_words_are_the_same_option_whatever_their_marks():
    found = surface([item("The lamp.", "a rope"), item("“The lamp!”", "the lamp")])
    assert found.used.tolist() == [[2, 1], [2, 2]]


def test_items_that_differ_in_options_are_refused():
    with pytest.raises(ValueError, match="the same number of options"):
        surface([item("a", "b"), item("a", "b", "c")])


def test_where_several_are_equal_a_reader_draws_lots():
    right, ties = shares(np.array([[1.0, 1, 0], [2, 1, 0], [0, 0, 0]]), np.array([1, 0, 2]))
    assert right.tolist() == [0.5, 1, 1 / 3]
    assert ties.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("slug", "gold"),
    [
        ("shortest", "at sea"),
        ("longest", "and then the tide went out again"),
        ("middle", "“The lamp is out”"),
    ],
)
def test_readers_of_length_take_what_their_name_says(slug, gold):
    options = ("and then the tide went out again", "“The lamp is out”", "at sea")
    found = by_slug([item(*options, gold=options.index(gold))] * 2)
    assert found[slug].value == 1
    others = {"shortest", "longest", "middle"} - {slug}
    assert {found[other].value for other in others} == {0}


@pytest.mark.parametrize(
    ("slug", "right", "wrong"),
    [
        ("lower_case", "the tide", "The tide"),
        ("capital", "The tide", "the tide"),
        ("quoted", "“The tide", "The tide"),
        ("unquoted", "The tide", "“The tide"),
        ("most_marks", "A tide; a lamp, a rope", "A tide, a lamp"),
        ("fewest_marks", "A tide, a lamp", "A tide; a lamp, a rope"),
        ("whole", "The tide.”", "The tide"),
        ("broken_off", "The tide", "The tide."),
        ("most_shared", "the river", "the field"),
        ("least_shared", "the field", "the river"),
    ],
)
def test_each_reader_sees_its_mark(slug, right, wrong):
    found = by_slug([item(wrong, right, gold=1, context="the river")] * 2)
    assert found[slug].value == 1


def test_the_frequency_of_an_option_in_the_study_is_a_mark():
    items = [item("the same lamp", f"rope {n}", gold=1) for n in range(3)]
    found = by_slug(items)
    assert (found["most_used"].value, found["least_used"].value) == (0, 1)


def test_stored_order_is_a_mark():
    found = by_slug([item("a b", "c d", "e f", gold=2)] * 4)
    assert (found["first"].value, found["last"].value) == (0, 1)


def test_p_is_the_share_of_golds_drawn_by_lot_that_lie_as_far_from_chance():
    """Against every one of the 3^6 ways to draw six golds."""
    scores = np.array([[2.0, 1, 0], [1, 1, 0], [0, 1, 1], [3, 2, 1], [1, 0, 1], [0, 0, 0]])
    right, ties = shares(scores, np.array([0, 1, 2, 0, 0, 1]))
    sums = [shares(scores, np.array(golds))[0].sum() for golds in product(range(3), repeat=6)]
    exact = np.mean(np.abs(np.array(sums) - 2) >= abs(right.sum() - 2) - 1e-9)
    assert chance_p(right, ties, 3, seed=3, draws=40_000) == pytest.approx(exact, abs=0.01)


def test_a_study_whose_golds_are_drawn_by_lot_tells_nothing():
    """Of 20 such studies about one has a reader with an adjusted p below .05; here at most three have."""
    told = 0
    for seed in range(20):
        found = audit(surface(study(60, seed)), seed)
        told += any(each.adjusted is not None and each.adjusted < 0.05 for each in found)
    assert told <= 3


def test_a_study_whose_golds_are_too_long_says_so():
    found = by_slug(study(100, 5, longer=0.8))
    assert found["longest"].tells(1 / 3)
    assert found["shortest"].avoided(1 / 3)
    assert found["all"].tells(1 / 3)
    assert not found["lower_case"].tells(1 / 3)


def test_the_model_sees_what_no_single_mark_shows():
    """Gold is the whole sentence in lower case: each of both marks alone leaves two options."""
    items = [item("The tide.", "the lamp", "the rope.", gold=2) for _ in range(40)]
    shuffled = [
        CueItem("", [each.options[k] for k in order], order.index(2))
        for each, order in zip(items, map(_order, range(40)), strict=True)
    ]
    found = by_slug(shuffled)
    assert found["all"].value == 1
    assert found["lower_case"].value == found["whole"].value == 0.5


def _order(seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(3).tolist()


def test_the_model_is_tried_only_on_items_it_was_not_fitted_to():
    """Marks of noise: fitted and tried on the same 40 items it would be right on far more than a third."""
    values = [by_slug(study(40, seed), seed)["all"].value for seed in range(20)]
    assert 0.25 < np.mean(values) < 0.42


def test_what_lots_give_the_model_is_found_without_fitting_it_to_each():
    """Golds redrawn 60 times and the whole model fitted to each: as many right, and they vary as much, which
    is more than the binomial number of a reader who learns nothing."""
    found, n, q = surface(study(30, 1, q=2)), 30, 2
    draw = np.random.default_rng(3)
    drawn = [found._replace(gold=draw.integers(0, q, n)) for _ in range(60)]
    slow = [shares(model.cross_validated(each, 1), each.gold)[0].sum() for each in drawn]
    fast = model.by_lot(found, 1, 2000)
    assert fast.mean() == pytest.approx(n / q, abs=0.3)
    assert np.mean(slow) == pytest.approx(n / q, abs=1.2)
    assert np.var(slow) == pytest.approx(fast.var(), rel=0.5)
    assert fast.var() > 1.25 * n / q * (1 - 1 / q)


def test_a_model_below_chance_has_learned_nothing():
    """Of 15 golds on the first and 15 on the second place, nine tenths hold more of the one, and the tenth
    left out more of the other: the model is wrong on most, and gold avoids nothing by that."""
    items = [item("A tide", "A lamp", gold=n % 2) for n in range(30)]
    found = by_slug(items)
    assert found["all"].value <= 0.3
    assert found["all"].p > 0.5
    assert not found["all"].avoided(1 / 2)
    assert found["all"].low <= 1 / 2 <= found["all"].high


def test_points_on_letters_are_no_punctuation_and_end_no_word():
    plain, pointed = "שלום אמר הזקן.", "שָׁלוֹם אָמַר הַזָּקֵן."
    composed, apart = "Café déjà vu", "Cafe\u0301 de\u0301ja\u0300 vu"
    found = surface([item(plain, pointed, composed, apart, context="שלום café")])
    assert found.marks[0].tolist() == [1 / 3, 1 / 3, 0, 0]
    assert found.shared[0].tolist() == [1 / 3] * 4
    assert found.used.tolist() == [[1, 1, 1, 1]]
    assert found.length[0, 2] == found.length[0, 3] == len(composed)


def test_in_a_script_without_spaces_each_sign_is_a_word():
    found = surface([item("「今天天氣很好。」", "他说", "🌊🌊", context="昨天很好")])
    assert found.shared[0].tolist() == [3 / 5, 0, 0]
    assert found.quoted[0].tolist() == [1, 0, 0]
    assert found.whole[0].tolist() == [1, 0, 0]
    assert found.marks[0].tolist() == [0.5, 0, 2]


def test_a_mark_that_every_gold_has_gets_a_finite_weight():
    items = [item("the tide", "The lamp", "The rope", gold=0) for _ in range(30)]
    found = surface(items)
    x = model.marks(found)
    weights = model._weights(x, np.arange(3)[None, :] == found.gold[:, None])
    assert np.isfinite(weights).all()
    assert np.abs(weights).max() < 20


def test_too_few_items_have_no_model_and_no_p():
    found = by_slug(study(model.FEWEST - 1, 2))
    assert found["all"].value is None
    assert found["all"].adjusted is None
    assert found["shortest"].adjusted is not None


def test_a_mark_that_no_option_has_decides_nothing():
    found = by_slug([item("The tide", "The lamp")] * 5)
    assert (found["quoted"].decided, found["quoted"].value, found["quoted"].p) == (0, 0.5, None)


def test_the_same_items_and_seed_give_the_same_audit():
    items = study(50, 9)
    assert audit(surface(items), 4) == audit(surface(items), 4)


def test_intervals_cover_what_they_promise():
    """Shares of 0, 1/2 and 1 with a known mean, 60 items, 2,000 studies: within 2 % of 95 %."""
    draw = np.random.default_rng(8)
    samples = draw.choice([0.0, 0.5, 1.0], p=[0.5, 0.3, 0.2], size=(2000, 60))
    covered = [found.low <= 0.35 <= found.high for found in map(interval_of_shares, samples)]
    assert 0.935 < np.mean(covered) < 0.97


def test_an_interval_without_spread_is_wilsons():
    found = interval_of_shares(np.ones(12))
    assert found.method.startswith("Wilson")
    assert found.low == pytest.approx(0.7575, abs=1e-4)


def test_every_reader_has_its_own_name_and_says_what_it_sees():
    names = [each.slug for each in READERS]
    assert len(set(names)) == len(names)
    assert readers.ALL_MARKS not in names
