"""Hard negatives: the best-ranked passages that are wrong.

A passage that repeats the gold, or that the critic quotes elsewhere in the same
context, is no wrong answer, and two negatives that read the same are one option
shown twice. Each rule that leaves such a passage out is a switch, and each
passage left out is counted by the first rule it breaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.ranking import order
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import normalised


@dataclass(frozen=True)
class Rules:
    """What is left out, all of it unless switched off; tested in this order."""

    gold: bool = True
    """The gold itself."""
    overlap: bool = True
    """Passages that share a sentence with the gold."""
    no_words: bool = True
    """Passages without a letter or digit, such as a line of asterisks."""
    gold_words: bool = True
    """Passages with the gold's words: books repeat sentences."""
    context_words: bool = True
    """Passages whose words all stand in the context in a row, or `run` of them do."""
    near_duplicate: bool = True
    """Passages with the words, or a sentence, of a negative already chosen."""
    run: int = 8
    """Consecutive words in common with the context that count as quoting it."""


class Candidate(NamedTuple):
    """A passage in a ranking.

    first, size: its first sentence, from 0, and how many.
    rank: among all candidates, from 1.
    score: by the ranker.
    """

    first: int
    size: int
    rank: int
    score: float


@dataclass(frozen=True)
class Negatives:
    """The negatives chosen, and how the ranking came to them.

    chosen: best first.
    gold_rank: rank of the right passage among all candidates, from 1.
    gold_score: its score; −∞ where the ranker does not rank it.
    excluded: how many candidates were passed over on the way, by the name of the rule in `Rules`.
    reason: why there are fewer than asked for; empty when there are not.
    """

    chosen: tuple[Candidate, ...]
    gold_rank: int
    gold_score: float
    excluded: Mapping[str, int] = field(default_factory=Counter)
    reason: str = ""


def hard_negatives(
    scores: npt.ArrayLike,
    gold: Passage,
    texts: Sequence[str],
    k: int,
    rules: Rules | None = None,
    *,
    context: Sequence[str] = (),
) -> Negatives:
    """Return the best `k` wrong candidates under the tie rule: score descending, position ascending.

    A candidate that is not ranked (−∞) is never chosen.

    Args:
        scores: (n,), one for each candidate of the gold's size.
        gold: The right passage; it must be among the candidates.
        texts: The n candidates' texts; only those looked at are read.
        k: How many to choose, 1 or more. Fewer come back when the rules leave fewer.
        rules: What to leave out; all of `Rules` by default.
        context: The query's runs of text (left, right); no run of words crosses two of them.

    Raises:
        BadInput: lengths differ, the gold is no candidate, k is below 1, a score is NaN.
    """
    rules = rules or Rules()
    row = order.checked(scores)
    _check(row.size, gold, texts, k, rules)
    breaks = judge_of(rules, gold, texts[gold.first], context)
    chosen: list[Candidate] = []
    excluded: Counter[str] = Counter()
    for rank, position in enumerate(order.walk(row), start=1):
        passage = Passage(int(position), gold.size)
        rule = breaks(passage, texts[position])
        if rule:
            excluded[rule] += 1
            continue
        chosen.append(Candidate(passage.first, passage.size, rank, float(row[position])))
        if len(chosen) == k:
            break
    reason = "" if len(chosen) == k else _shortfall(len(chosen), k, excluded, row)
    return Negatives(tuple(chosen), order.rank(row, gold.first), float(row[gold.first]), excluded, reason)


def _check(n_scores: int, gold: Passage, texts: Sequence[str], k: int, rules: Rules) -> None:
    if k < 1:
        raise BadInput(f"The number of negatives asked for is {k}; it must be 1 or more.")
    if rules.run < 1:
        raise BadInput(f"The rule run is {rules.run} words; it must be 1 or more.")
    if n_scores != len(texts):
        raise BadInput(f"There are {n_scores:,} scores and {len(texts):,} texts; each candidate needs both.")
    if not 0 <= gold.first < n_scores:
        raise BadInput(
            f"The gold passage begins at sentence {gold.first:,}, where none of the {n_scores:,} "
            "candidates begins; sentences count from 0."
        )


Judge = Callable[[Passage, str], str]


def judge_of(rules: Rules, gold: Passage, gold_text: str, context: Sequence[str]) -> Judge:
    """Return a function that names the rule a candidate breaks, if any; it remembers what it let pass."""
    gold_words = normalised(gold_text)
    pieces = [normalised(piece) for piece in context]
    flat = [f" {' '.join(piece)} " for piece in pieces]
    runs = {run for piece in pieces for run in _runs(piece, rules.run)}
    passed: list[tuple[Passage, tuple[str, ...]]] = []

    def in_context(words: tuple[str, ...]) -> bool:
        whole = f" {' '.join(words)} "
        return any(whole in piece for piece in flat) or any(run in runs for run in _runs(words, rules.run))

    def repeats_chosen(passage: Passage, words: tuple[str, ...]) -> bool:
        return any(passage.overlaps(other) or words == theirs for other, theirs in passed)

    def judge(passage: Passage, text: str) -> str:
        words = normalised(text)
        is_gold = passage == gold
        broken = (
            ("gold", rules.gold and is_gold),
            ("overlap", rules.overlap and not is_gold and passage.overlaps(gold)),
            ("no_words", rules.no_words and not words),
            ("gold_words", rules.gold_words and not is_gold and words == gold_words),
            ("context_words", rules.context_words and bool(words) and in_context(words)),
            ("near_duplicate", rules.near_duplicate and repeats_chosen(passage, words)),
        )
        rule = next((name for name, holds in broken if holds), "")
        if not rule:
            passed.append((passage, words))
        return rule

    return judge


def _runs(words: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
    return (words[start : start + length] for start in range(len(words) - length + 1))


def _shortfall(found: int, k: int, excluded: Counter[str], row: order.Scores) -> str:
    unranked = int(np.count_nonzero(row == order.UNRANKED))
    by_rule = ", ".join(f"{name} {number:,}" for name, number in sorted(excluded.items()))
    return (
        f"Only {found} of {k} negatives: of {found + excluded.total():,} candidates the rules leave out "
        f"{excluded.total():,}{f' ({by_rule})' if by_rule else ''}."
        + (f" {unranked:,} more are not ranked at all." if unranked else "")
    )
