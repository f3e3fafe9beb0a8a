"""What moving the words of one text to those of another costs: exactly by POT, and bounds of it from below.

    WMD(s, t) = min_T Σ_ij T_ij c(i, j)        T ≥ 0, Σ_j T_ij = share of i in s, Σ_i T_ij = share of j in t

Kusner, Sun, Kolkin and Weinberger 2015, "From Word Embeddings to Document Distances". POT's network simplex
(Bonneel et al. 2011) finds the minimum; Flamary et al. 2021, "POT: Python Optimal Transport".
"""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from retrieval.engine.ranking.order import Positions
from retrieval.engine.similarity.embedded import Vectors, unit
from retrieval.engine.similarity.terms import Matrix, Weights

Cost = Literal["cosine", "euclidean", "euclidean-unit"]
COSTS: tuple[Cost, ...] = get_args(Cost)

NEAR = 1e-6
"""Where the square of a distance is below this share of both squared lengths, it is computed anew."""
OPTIMAL = 1
MOST_STEPS = 10_000_000
BLOCK = 256
"""Passages whose nearest words are sought at once: few enough for the processor's cache."""
LEVEL = 1e-9
"""Loads of words that differ by no more than this in their squares can be moved no further."""
NEVER = -1e300
"""The price of a word that is not there: nothing moves to it."""
BEYOND = 1.3
"""How far a step of `raised` goes, in steps that would just reach the goal if the bound were linear."""


def at_cost(vectors: Vectors, cost: Cost) -> Vectors:
    """Return vectors (n, width) as `costs` takes them: with length 1 unless distances are `euclidean`."""
    return vectors if cost == "euclidean" else unit(vectors)


def costs(ours: Vectors, theirs: Vectors, cost: Cost) -> Vectors:
    """Return the cost (n, m) of moving each of n words to each of m.

    cosine: 1 − cos; euclidean, euclidean-unit: Euclid's distance, of vectors as given or with length 1.
    """
    products = ours @ theirs.T
    if cost == "cosine":
        return np.maximum(np.subtract(1, products, out=products), 0, out=products)
    lengths = (ours**2).sum(axis=1)[:, None] + (theirs**2).sum(axis=1)
    squares = lengths - 2 * products
    # Of nearly equal vectors the difference of large numbers keeps few digits.
    for one, other in np.argwhere(squares < NEAR * lengths):
        squares[one, other] = ((ours[one] - theirs[other]) ** 2).sum()
    return np.asarray(np.sqrt(squares))


def distance(ours: Weights, theirs: Weights, costs: Vectors) -> float:
    """Return the least cost of moving shares (n,) to shares (m,) at these costs (n, m), C-contiguous.

    Raises:
        ArithmeticError: POT found no optimum.
    """
    solve, explain = _solver()
    # What `ot.emd2` calls: on texts of twenty words its own checks take longer than the problem.
    _, found, _, _, code = solve(ours, theirs, costs, MOST_STEPS, 1, None, None)
    if code != OPTIMAL:
        raise ArithmeticError(f"POT found no optimal transport: {explain(code)}")
    return float(found)


class Relaxed:
    """Lower bounds of the distances of one text to many.

    A bound lets each word of one text move to the nearest of the other, whatever else goes there; the greater
    of both directions counts (RWMD; Kusner et al. 2015, section 4).

    Args:
        shares: (n_texts, n_words), CSR.
    """

    def __init__(self, shares: Matrix) -> None:
        self._shares = shares
        lengths = np.diff(shares.indptr)
        # By falling length: the texts that have a word at some place are then the first so many.
        self._order = np.argsort(-lengths, kind="stable")
        having = [int((lengths > place).sum()) for place in range(int(lengths.max(initial=0)))]
        starts = shares.indptr[self._order]
        self._places = [shares.indices[starts[:number] + place] for place, number in enumerate(having)]
        self._empty = lengths == 0

    def padded(self, texts: Positions) -> tuple[Positions, Vectors]:
        """Return the words of some texts and their shares (n, longest), 0 behind the last word of each."""
        starts, ends = self._shares.indptr[texts], self._shares.indptr[texts + 1]
        at = starts[:, None] + np.arange(int((ends - starts).max(initial=0)))
        there = at < ends[:, None]
        at[~there] = 0
        return self._shares.indices[at], np.where(there, self._shares.data[at], 0.0)

    def bounds(self, costs: Vectors, theirs: Weights) -> Weights:
        """Return the bounds (n_texts,) at costs (n_words, m) to the words of a text with shares (m,).

        A text without words has none: infinity.
        """
        found = np.maximum(self._shares @ costs.min(axis=1), self._moved_here(costs, theirs))
        found[self._empty] = np.inf
        return np.asarray(found)

    def _moved_here(self, costs: Vectors, theirs: Weights) -> Weights:
        """Return what moving each of `theirs` to the nearest word of a text costs (n_texts,)."""
        found = np.zeros(len(self._order))
        for start in range(0, len(self._places[0]) if self._places else 0, BLOCK):
            nearest = costs[self._places[0][start : start + BLOCK]]
            for words in self._places[1:]:
                more = words[start : start + BLOCK]
                if not more.size:
                    break
                np.minimum(nearest[: more.size], costs[more], out=nearest[: more.size])
            found[self._order[start : start + len(nearest)]] = nearest @ theirs
        return found


def raised(shares: Vectors, theirs: Weights, costs: Vectors, goal: float, steps: int) -> Weights:
    """Return greater lower bounds (n,) of the distances of n texts, each the first one found above `goal`.

    shares: (n, longest), of the words of each text; 0 behind its last word.
    theirs: (m,), of the words of the one text that all are compared with.
    costs: (n, m, longest), whatever behind the last word.

    Any prices p of a text's words give a bound: Σ_i share_i p_i + Σ_j theirs_j min_i (c_ji − p_i), by the
    duality of linear programs. Prices start where the relaxed bound has them, and words to which more moves
    than they hold become dearer: steps of the subgradient with Polyak's length toward the goal (Polyak 1969).
    """
    there = shares > 0
    prices = np.where((theirs.size > there.sum(axis=1))[:, None], 0.0, costs.min(axis=1))
    prices[~there] = NEVER
    best, going = np.full(len(shares), -np.inf), np.arange(len(shares))
    for _ in range(steps):
        reduced = costs - prices[:, None]
        nearest = reduced.argmin(axis=2)
        least = np.take_along_axis(reduced, nearest[:, :, None], axis=2)[:, :, 0]
        bounds = (shares * prices).sum(axis=1) + least @ theirs
        best[going] = np.maximum(best[going], bounds)
        uneven = shares - _loads(nearest, theirs, shares.shape)
        squares = (uneven**2).sum(axis=1)
        on = (bounds <= goal) & (squares >= LEVEL)
        going, shares, costs = going[on], shares[on], costs[on]
        lengths = BEYOND * (goal - bounds[on]) / squares[on]
        prices = prices[on] + lengths[:, None] * uneven[on]
        if not going.size:
            break
    return best


def _loads(nearest: Positions, theirs: Weights, shape: tuple[int, ...]) -> Vectors:
    """Return how much moves to each word (n, longest), where each of `theirs` goes to the nearest (n, m)."""
    flat = nearest + np.arange(len(nearest))[:, None] * shape[1]
    weights = np.broadcast_to(theirs, nearest.shape)
    loads = np.bincount(flat.ravel(), weights.ravel(), math.prod(shape))
    return loads.reshape(shape).astype(np.float64)


@lru_cache(maxsize=1)
def _solver() -> tuple[Any, Any]:
    """Return POT's solver and what explains its result codes, without the libraries that POT could use."""
    for library in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{library}", "1")
    from ot.lp.emd_wrap import check_result, emd_c

    return emd_c, check_result
