"""Readers who choose among q options, as a plan imagines them.

Item i is answered rightly with probability p_i, each reader independently of the others *on this item*; p_i
is drawn from a Beta distribution of mean a and intra-item correlation ρ (Griffiths 1973, the beta-binomial).
A wrong answer falls on each of the q - 1 wrong options equally often. Options stand in a shuffled order, so
every option number is used equally often and chance agreement is 1 / q: Fleiss κ and Randolph κ are then the
same, to the first order in 1 / n.

    E p² = a² + ρ a (1 - a)
    P_o  = E p² + E (1 - p)² / (q - 1),     κ = (P_o - 1/q) / (1 - 1/q)

Accuracy typed in together with κ gives ρ, by solving the second line for E p².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray

_EDGE = 1e-9


class ChoiceModel(NamedTuple):
    """The assumptions.

    ``accuracy``: a, of a single answer, strictly between 0 and 1.
    ``rho``: ρ, 0 where all items are equally hard, 1 where all readers agree in being right.
    ``options``: q >= 2.
    ``readers``: k >= 1 answers an item.
    """

    accuracy: float
    rho: float
    options: int
    readers: int

    @property
    def agreement(self) -> float:
        """P_o, the probability that two readers of an item give the same answer."""
        a = self.accuracy
        square = a**2 + self.rho * a * (1 - a)
        return square + (1 - 2 * a + square) / (self.options - 1)

    @property
    def kappa(self) -> float:
        """Fleiss κ with even margins."""
        return (self.agreement - 1 / self.options) / (1 - 1 / self.options)

    def rights(self) -> FloatArray:
        """(k + 1,) the probability of 0 to k right answers on an item."""
        from scipy.stats import betabinom, binom

        a, rho, k = self.accuracy, self.rho, self.readers
        right = np.arange(k + 1)
        if rho < _EDGE:
            return np.asarray(binom.pmf(right, k, a))
        if rho > 1 - _EDGE:
            return np.asarray(np.where(right == k, a, np.where(right == 0, 1 - a, 0.0)))
        return np.asarray(betabinom.pmf(right, k, a * (1 - rho) / rho, (1 - a) * (1 - rho) / rho))

    @property
    def majority(self) -> float:
        """The probability that more than half of the k answers are right; a tie is wrong."""
        right = np.arange(self.readers + 1)
        return float(self.rights()[2 * right > self.readers].sum())

    @property
    def accuracy_variance(self) -> float:
        """Of the share of right answers on an item: a (1 - a) (1 + (k - 1) ρ) / k."""
        a, k = self.accuracy, self.readers
        return a * (1 - a) * (1 + (k - 1) * self.rho) / k

    @property
    def majority_variance(self) -> float:
        """Of whether an item's majority is right."""
        return self.majority * (1 - self.majority)

    @property
    def kappa_variance(self) -> float:
        """Of an item's share of agreeing pairs, divided by (1 - 1/q)²; k >= 2.

        Given r right answers the r (r - 1) / 2 right pairs agree. Each of the w (w - 1) / 2 pairs of wrong
        answers agrees with probability c = 1 / (q - 1), and any two of these pairs independently, because
        wrong answers are uniform. Mixed pairs never agree.
        """
        k, c = self.readers, 1 / (self.options - 1)
        if k < 2:
            raise ValueError("Agreement needs at least 2 readers an item.")
        right = np.arange(k + 1)
        wrong = k - right
        wrong_pairs, pairs = wrong * (wrong - 1) / 2, k * (k - 1) / 2
        mean = (right * (right - 1) / 2 + c * wrong_pairs) / pairs
        within = wrong_pairs * c * (1 - c) / pairs**2
        weights = self.rights()
        spread = weights @ (within + mean**2) - (weights @ mean) ** 2
        return max(0.0, float(spread)) / (1 - 1 / self.options) ** 2


def choice_model(accuracy: float, kappa: float, options: int, readers: int) -> ChoiceModel:
    """The model of readers who are right so often and agree so well.

    ``accuracy``: of a single answer; ``kappa``: Fleiss κ. Raises ValueError for numbers out of range, and for
    a κ that this accuracy does not allow, with the least and the greatest that it does.
    """
    if not 0 < accuracy < 1 or options < 2 or readers < 1:
        raise ValueError("Accuracy must lie between 0 and 1, with 2 options or more and a reader.")
    q = options
    observed = kappa * (1 - 1 / q) + 1 / q
    square = (observed * (q - 1) - 1 + 2 * accuracy) / q
    rho = (square - accuracy**2) / (accuracy * (1 - accuracy))
    if not -_EDGE <= rho <= 1 + _EDGE:
        least, most = (ChoiceModel(accuracy, end, q, readers).kappa for end in (0.0, 1.0))
        raise ValueError(
            f"Readers who are right {100 * accuracy:.1f} % of the time among {q} options have a κ from "
            f"{least:.2f} (all items equally hard) to {most:.2f} (all right, or all wrong at random)."
        )
    return ChoiceModel(accuracy, min(1.0, max(0.0, rho)), q, readers)
