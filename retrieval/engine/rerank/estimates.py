"""How many calls and tokens a re-ranking takes, before anything is asked.

    Rank      calls · (I + O + 2q) + read · (p + 12)     out 5 · read
    Score     n (I + O + q + p)                          out 8n
    Reason    the same                                   out 300n
    Subtask   nc (I + q + p + r) + I + O + q             out 8nc + 150

n passages a query, read: passages in all windows; tokens of the instruction I, the objective O, a query q, a
passage p, a criterion r; c criteria a query.
"""

from __future__ import annotations

from typing import NamedTuple

from retrieval.engine.rerank.windows import SIZE, STEP, windows

INSTRUCTION = 120
CRITERIA = 4
CRITERION = 40
A_WORD = 1.35
"""Tokens of an English word, about."""


class Lengths(NamedTuple):
    """How long things are, in tokens; and how many criteria a query has.

    instruction, objective, query, passage, criterion: tokens.
    criteria: a query's, for Subtask.
    """

    instruction: int = INSTRUCTION
    objective: int = 150
    query: int = 250
    passage: int = 120
    criteria: int = CRITERIA
    criterion: int = CRITERION


class Needed(NamedTuple):
    """What is asked for.

    calls: requests.
    tokens_in: tokens of all prompts.
    tokens_out: tokens of all replies, about.
    """

    calls: int
    tokens_in: int
    tokens_out: int

    def plus(self, other: Needed) -> Needed:
        """Return both together."""
        return Needed(*(one + two for one, two in zip(self, other, strict=True)))


def rank(n: int, of: Lengths, size: int = SIZE, step: int = STEP) -> Needed:
    """Return what the windows over `n` passages need. Raises `BadField` as `windows`."""
    shown = [end - start for start, end in windows(n, size, step)]
    prompt = of.instruction + of.objective + 2 * of.query
    return Needed(len(shown), len(shown) * prompt + sum(shown) * (of.passage + 12), 5 * sum(shown))


def score(n: int, of: Lengths) -> Needed:
    """Return what scoring `n` passages one by one needs."""
    return Needed(n, n * (of.instruction + of.objective + of.query + of.passage), 8 * n)


def reason(n: int, of: Lengths) -> Needed:
    """Return the same with criteria written and followed each time."""
    return score(n, of)._replace(tokens_out=300 * n)


def subtask(n: int, of: Lengths) -> Needed:
    """Return what criteria once, and each passage by each of them, need."""
    calls = n * of.criteria
    each = of.instruction + of.query + of.passage + of.criterion
    once = of.instruction + of.objective + of.query
    return Needed(calls + 1, calls * each + once, 8 * calls + 150)


def tokens(words: float) -> int:
    """Return about how many tokens so many words of English are."""
    return round(words * A_WORD)
