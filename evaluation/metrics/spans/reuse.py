"""How much a marked span has in common with the text it alludes to: the paper's Table 1 and Figure 2.

Jaccard index of the *sets* of tokens (or lemmata) of span and reference, tokens that they share, and lengths
in running tokens; mean and sample standard deviation over pairs of a span and its reference.

Manjavacas, E., Long, B. and Kestemont, M. (2019), Table 1 and Figure 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import FloatArray, IntArray, whole_numbers


class Spread(NamedTuple):
    """Mean and scatter of some values.

    ``mean``: None for no value.
    ``deviation``: sample standard deviation, None for fewer than two values.
    """

    mean: float | None
    deviation: float | None


class LexicalOverlap(NamedTuple):
    """What N instances have in common with their references.

    ``jaccard`` (N,): index of the two sets of words.
    ``shared`` (N,): words in common.
    ``jaccard_spread``: of ``jaccard``.
    ``histogram`` (S,): instances that share 0, 1, 2 … words.
    ``source_length``, ``reference_length``: of both sides, in running words.
    """

    jaccard: FloatArray
    shared: IntArray
    jaccard_spread: Spread
    histogram: IntArray
    source_length: Spread
    reference_length: Spread


def lexical_overlap(
    source_item: ArrayLike,
    source_word: ArrayLike,
    reference_item: ArrayLike,
    reference_word: ArrayLike,
    n_items: int,
) -> LexicalOverlap:
    """Running words of spans and of references, as flat arrays, → what each instance has in common.

    ``source_item`` and ``reference_item``: the instance, 0..N-1, that a word stands in; ``source_word`` and
    ``reference_word``: the word as a number >= 0 (tokens, or lemmata in a second call), the same number for
    the same word on both sides. Two empty texts have index 0. Raises ValueError for numbers out of range and
    arrays of unequal length.
    """
    sides = []
    for name, item, word in (
        ("source", source_item, source_word),
        ("reference", reference_item, reference_word),
    ):
        items = whole_numbers(f"{name}_item", item, 0, n_items - 1)
        words = whole_numbers(f"{name}_word", word, 0, None)
        if len(items) != len(words):
            raise ValueError(
                f"{name}_item and {name}_word must have one entry per word, "
                f"but have {len(items)} and {len(words)}."
            )
        sides.append((items, words))
    width = 1 + max(int(words.max(initial=0)) for _, words in sides)
    source, reference = (np.unique(items * width + words) for items, words in sides)
    common = np.intersect1d(source, reference, assume_unique=True)
    shared = np.bincount(common // width, minlength=n_items).astype(np.int64, copy=False)
    either = np.bincount(source // width, minlength=n_items) - shared
    either += np.bincount(reference // width, minlength=n_items)
    jaccard = shared / np.maximum(either, 1)
    lengths = [np.bincount(items, minlength=n_items) for items, _ in sides]
    return LexicalOverlap(
        jaccard,
        shared,
        spread(jaccard),
        np.bincount(shared, minlength=1).astype(np.int64, copy=False),
        spread(lengths[0]),
        spread(lengths[1]),
    )


def spread(values: FloatArray | IntArray) -> Spread:
    """Of (N,) values."""
    if len(values) == 0:
        return Spread(None, None)
    return Spread(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)
