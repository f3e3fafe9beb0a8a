"""Lower-cased English as words of the Penn Treebank: SIM splits texts so before it cuts them into pieces.

The rules are those of the Treebank's own script (R. MacIntyre 1995) as NLTK's `TreebankWordTokenizer` has
them, for text without capitals: signs stand alone, double quotation marks become `` and '', a full stop is
split off at the end of the text only, 's, n't, 'll and their like from the word before, and a few
contractions into their parts. `benchmarks.pieces` compares the two.
"""

from __future__ import annotations

import re

_RULES = (
    (re.compile(r'\A"'), "``"),
    (re.compile(r"``"), " `` "),
    (re.compile(r"(?<=[ (\[{<])(?:\"|'')"), " `` "),
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile(r"[:,]\Z"), r" \g<0> "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"(?<=[^.])\.([])}>\"']*)\Z"), r" .\1 "),
    (re.compile(r"[;@#$%&?!]"), r" \g<0> "),
    (re.compile(r"(?<=[^'])' "), " ' "),
    (re.compile(r"[][(){}<>]"), r" \g<0> "),
    (re.compile(r"--"), " -- "),
    (re.compile(r"\A|\Z"), " "),
    (re.compile(r"''|\""), " '' "),
    (re.compile(r"(?<=[^' ])(?:'[smd]|') "), r" \g<0>"),
    (re.compile(r"(?<=[^' ])(?:'ll|'re|'ve|n't) "), r" \g<0>"),
    (re.compile(r"\b(can)(not)\b"), r" \1 \2 "),
    (re.compile(r"\b(d)('ye)\b"), r" \1 \2 "),
    (re.compile(r"\b(gim)(me)\b"), r" \1 \2 "),
    (re.compile(r"\b(gon)(na)\b"), r" \1 \2 "),
    (re.compile(r"\b(got)(ta)\b"), r" \1 \2 "),
    (re.compile(r"\b(lem)(me)\b"), r" \1 \2 "),
    (re.compile(r"\b(more)('n)\b"), r" \1 \2 "),
    (re.compile(r"\b(wan)(na)(?= )"), r" \1 \2 "),
    (re.compile(r" ('t)(is)\b"), r" \1 \2 "),
    (re.compile(r" ('t)(was)\b"), r" \1 \2 "),
)
"""Applied one after the other: what a rule has set apart, a later one finds apart."""


def words(text: str) -> list[str]:
    """Return the words and signs of a text without capitals, in order."""
    text = " ".join(text.split())
    for pattern, written in _RULES:
        text = pattern.sub(written, text)
    return text.split()
