"""Definitions of agreement beside each other, and what others have printed of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.values.tables import PageSection
from evaluation.values.wording import percent


class Published(NamedTuple):
    """A number that others have printed: a fact to compare with, not to reach.

    ``value``: as printed.
    ``source``: the publication.
    ``where``: in the source.
    ``what``: what it was measured on.
    ``recomputed``: the paper does not print it itself, it follows from figures that it does print.
    """

    value: str
    source: str
    where: str
    what: str
    recomputed: bool = False


class Defined(NamedTuple):
    """One definition of agreement on a study's answers.

    ``measure``: the definition.
    ``estimate``: its value and interval.
    ``differs``: why it is not the others, in a sentence or two.
    ``zero``: the plain agreement at which it would be 0, worded; empty where it does not start from that.
    ``published``: by others.
    """

    measure: MeasureOf[Any]
    estimate: Estimate
    differs: str
    zero: str = ""
    published: tuple[Published, ...] = ()


class Definitions(NamedTuple):
    """Every definition of agreement on a study's answers.

    ``defined``: in the order in which they are printed.
    ``sections``: what stands below them.
    """

    defined: tuple[Defined, ...]
    sections: tuple[PageSection, ...] = ()


def zero_of(value: float | None, observed: float | None) -> str:
    """What the plain agreement a must be for (a − c) / (1 − c) to be 0, which is c; else empty."""
    if value is None or observed is None or value == 1:
        return ""
    return f"{percent((observed - value) / (1 - value))} %"
