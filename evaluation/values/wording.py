"""How numbers are worded, the same on every page and in every file.

Shares are printed in percent with one digit, coefficients with three digits and their leading zero, intervals
in square brackets in the unit of their value. A value that does not exist is an em dash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from common.tables.table import NONE as NONE
from evaluation.metrics.common.measure import MeasureOf

MINUS = "−"
WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip
LETTERS = {"alpha": "α", "kappa": "κ"}
IN_CODE = re.compile(r"\b(span|placement|token)_(alpha|kappa)\b")
"""Measures whose label is their name in code."""
INTERVAL = re.compile(r"\[[^][]*+\]")


def headed(label: str) -> str:
    """With a capital, unless the label is a name in code, as ``span_alpha``, has its capitals where they
    belong, as ``nDCG``, or begins with a sign, as ``κ`` or the ``p`` of a test: its capital is another
    letter."""
    if "_" in label.split(" ")[0] or not label[:1].isascii() or label.split(",")[0] == "p":
        return label
    if label[1:2].isupper():
        return label
    return label[:1].upper() + label[1:]


def in_prose(text: str) -> str:
    """The text with ``span α`` for ``span_alpha``: names in code stand in reports, and in no paper."""
    return IN_CODE.sub(lambda found: f"{found[1]} {LETTERS[found[2]]}", text)


def is_share(one: MeasureOf[Any]) -> bool:
    """Whether the measure is a part of a whole and therefore printed in percent."""
    return one.range == (0.0, 1.0)


def worded(one: MeasureOf[Any], value: float | None) -> str:
    """``87.5 %`` for a share, ``0.683`` for a coefficient, ``0.417 grades``, an em dash for nothing."""
    if value is None:
        return NONE
    return percent(value) + " %" if is_share(one) else f"{digits(value, 3)} {one.unit}".rstrip()


def interval(one: MeasureOf[Any], low: float | None, high: float | None) -> str:
    """``[0.615, 0.750]``, in percent for a share; empty where there is none."""
    if low is None or high is None:
        return ""
    if is_share(one):
        return f"[{percent(low)}, {percent(high)}]"
    return f"[{digits(low, 3)}, {digits(high, 3)}]"


def probability(p: float) -> str:
    """Three digits, or what it is smaller than."""
    return "< 0.001" if p < 0.001 else digits(p, 3)


def p_is(p: float) -> str:
    """``p = 0.021``, ``p < 0.001``."""
    return f"p {'' if p < 0.001 else '= '}{probability(p)}"


def percent(value: float) -> str:
    """A share as a number of percent with one digit."""
    return digits(100 * value, 1)


def digits(value: float, places: int) -> str:
    """The number rounded half up as people do by hand, so that .6825 is 0.683 whatever its binary form."""
    exact = Decimal(repr(round(value, 10)))
    text = str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
    if not text.strip("-0."):
        return text.lstrip("-")
    return text.replace("-", MINUS)


def counted(number: int, one: str, many: str) -> str:
    """``three readers``: in words up to twelve, in figures beyond."""
    named = WORDS[number] if number < len(WORDS) else f"{number:,}"
    return f"{named} {one if number == 1 else many}"


def listed(names: Sequence[str]) -> str:
    """``A, B and C``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def unbroken(text: str) -> str:
    """The sentence with spaces that no line breaks at: before %, behind ±, and within an interval."""
    kept = text.replace(" %", "\u00a0%").replace("± ", "±\u00a0")
    return INTERVAL.sub(lambda found: found.group().replace(" ", "\u00a0"), kept)
