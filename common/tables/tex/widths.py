"""How wide words are in Computer Modern, TeX's own face, in em: as its metrics (cmr10) say.

At 9 points the face runs wider than at 10; `layout` counts an em there as 9.25 points.
"""

from __future__ import annotations

from collections.abc import Iterable

from common.tables.tex import letters

_GROUPS = {
    0.278: "il.,:;!|[]'’‘ \u00a0",
    0.306: "fj",
    0.333: "-‐‑",
    0.361: "I",
    0.389: "()t",
    0.394: "rs",
    0.444: "cez²",
    0.472: "?",
    0.5: 'ago0123456789/*$\\{}^~_`"–“”↑↓',
    0.528: "kqvxyJ",
    0.556: "bdhnpuS",
    0.611: "ZκαβγδεηπτχL",
    0.681: "EPF",
    0.722: "wCT",
    0.764: "ABDHNUVXYR",
    0.785: "&@+=<>×±−≤≥≈≠KOQG",
    0.833: "m#%",
    0.917: "M",
    1.028: "W—→←∞",
    1.167: "…",
}
WIDTHS = {letter: width for width, group in _GROUPS.items() for letter in group}
OTHER = 0.8
"""Of a Latin letter with an accent or a sign that stands in no group: more than most need."""


def width(text: str) -> float:
    """Return how wide the text is on one line, in em."""
    total = 0.0
    for run in letters.others(text):
        text = text.replace(run, "", 1)
        total += max(width(f"[{letters.name(run)}]"), float(len(run)))
    return total + sum(0.0 if letters.SIGNS.get(each) == "" else WIDTHS.get(each, OTHER) for each in text)


def longest(text: str) -> float:
    """Return how wide its widest piece is that no line can break, in em."""
    return max((width(piece) for word in _words(text) for piece in letters.pieces(word)), default=0.0)


def _words(text: str) -> Iterable[str]:
    """A percent sign stays with its number."""
    return text.replace(" %", "\u2009%").split()


def lines(text: str, room: float) -> int:
    """Return on how many lines of ``room`` em the text stands, ragged on the right."""
    count, filled = 1, 0.0
    for word in (piece for each in _words(text) for piece in letters.pieces(each)):
        wide = width(word)
        if filled and filled + 0.333 + wide > room:
            count, filled = count + 1, 0.0
        filled += wide + (0.333 if filled else 0.0)
    return count
