"""BM25 by the name of its variant: what a term of a document weighs, from counts.

With N documents of mean length avg, df of them with the term, tf of it in a document of length |d|, and
n = 1 − b + b·|d| / avg:

    lucene      ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1·n)
    robertson   ln((N − df + ½) / (df + ½)), at least 0, · tf / (tf + k1·n)
    atire       ln(N / df) · tf·(k1 + 1) / (tf + k1·n)
    bm25l       ln((N + 1) / (df + ½)) · (k1 + 1)·(tf/n + δ) / (k1 + tf/n + δ)
    bm25+       ln((N + 1) / df) · (tf·(k1 + 1) / (tf + k1·n) + δ)

Names and formulas are those of Kamphuis et al. 2020, "Which BM25 do you mean?", as bm25s has them. Lucene
itself keeps the length in one byte; here it is exact. In bm25l and bm25+ a document without the term has a
weight too, that of tf = 0: what is added is the difference, and the sum over the query's terms is added to
every document found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput

Weights = npt.NDArray[np.float64]

_Idf = Callable[[float, float], float]

VARIANTS: Mapping[str, _Idf] = {
    "lucene": lambda df, n: math.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda df, n: math.log(max(1.0, (n - df + 0.5) / (df + 0.5))),
    "atire": lambda df, n: math.log(n / df),
    "bm25l": lambda df, n: math.log((n + 1) / (df + 0.5)),
    "bm25+": lambda df, n: math.log((n + 1) / df),
}
"""The idf of each variant, from df and N."""

WITH_ABSENT = ("bm25l", "bm25+")
"""Variants in which a document without the term has a weight."""


@dataclass(frozen=True)
class Bm25Settings:
    """A variant of BM25 and its parameters.

    variant: a name in `VARIANTS`.
    k1: how slowly a term that repeats itself gains, from 0.01 to 100.
    b: how much a long document loses, from 0 to 1.
    delta: what a term adds at least, from 0 to 10; only bm25l and bm25+ look at it.

    Raises:
        BadInput: the variant is unknown, or a number is out of its range.
    """

    variant: str = "lucene"
    k1: float = 0.9
    b: float = 0.4
    delta: float = 0.5

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            known = ", ".join(sorted(VARIANTS))
            raise BadInput(f"There is no variant {self.variant!r:.40} of BM25; choose one of: {known}.")
        for name, low, high in (("k1", 0.01, 100), ("b", 0, 1), ("delta", 0, 10)):
            value = getattr(self, name)
            # True is a number to Python, and nothing that a parameter may be.
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise BadInput(
                    f"The parameter {name} is {value!r:.40}; it must be a number from {low:g} to {high:g}."
                )

    def as_json(self) -> dict[str, Any]:
        """Return variant and parameters as they are written into a run; delta only where it counts."""
        found = asdict(self)
        return found if self.variant in WITH_ABSENT else {**found, "delta": None}

    def idf(self, frequency: int, documents: int) -> float:
        """Return the idf of a term that stands in `frequency` of `documents`; frequency is 1 or more."""
        return VARIANTS[self.variant](frequency, documents)

    def absent(self, idf: float) -> float:
        """Return the weight of a term with that idf in a document without it."""
        if self.variant == "bm25l":
            return idf * ((self.k1 + 1) * self.delta / (self.k1 + self.delta))
        return idf * self.delta if self.variant == "bm25+" else 0.0

    def norms(self, lengths: npt.ArrayLike, mean: float) -> Weights:
        """Return what `weigh` needs to know of documents of these lengths (n,): n, times k1 but for bm25l."""
        norms = 1 - self.b + self.b * np.asarray(lengths, dtype=np.float64) / mean
        return norms if self.variant == "bm25l" else self.k1 * norms

    def weigh(self, counts: npt.NDArray[Any], norms: Weights, factor: float) -> Weights:
        """Return factor · what counts (n,) are worth at norms (n,), above what an absent term is worth.

        An infinite norm gives 0. `norms` is written over.
        """
        if self.variant == "bm25l":
            norms = np.divide(counts, norms, out=norms)
            norms += self.delta
            nothing = (self.k1 + 1) * self.delta / (self.k1 + self.delta)
            found: Weights = ((self.k1 + 1) * norms / (self.k1 + norms) - nothing) * factor
            return found
        norms += counts
        if self.variant in ("atire", "bm25+"):
            norms = np.divide(counts * (self.k1 + 1), norms, out=norms)
        else:
            norms = np.divide(counts, norms, out=norms)
        norms *= factor
        return norms
