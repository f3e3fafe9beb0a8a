"""Answers as sets of tokens: how far two of them overlap, and what most of several mark.

O = |s ∩ t| / |s ∪ t|, which for two spans is A / (A + D) of Manjavacas et al. (2019). Two answers without any
span are equal, one without and one with a span have nothing in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

Borders = Sequence[int | None]
ALIKE = "the tokens that both marked as a share of those that either did; 1 where both say “no allusion”"


def tokens_of(borders: Borders) -> set[int]:
    """The tokens between start and end of each span; none for a declined answer."""
    whole = [each for each in borders if each is not None]
    return set(chain.from_iterable(map(range, whole[::2], whole[1::2])))


def overlap_of(first: Borders, second: Borders) -> float:
    """O of two answers, 0 to 1."""
    one, other = tokens_of(first), tokens_of(second)
    return len(one & other) / len(one | other) if one or other else 1.0


def marked_by_most(answers: Sequence[Borders]) -> tuple[int, ...]:
    """The tokens that more than half of the answers mark, as borders; none where they mark none."""
    times = Counter(chain.from_iterable(map(tokens_of, answers)))
    kept = sorted(token for token, n in times.items() if 2 * n > len(answers))
    found: list[int] = []
    for token in kept:
        if found and found[-1] == token:
            found[-1] += 1
        else:
            found += [token, token + 1]
    return tuple(found)
