"""Matched negatives: wrong passages that look like the right one, so that only reading tells them apart.

A ranker's best wrong passages do not look like the gold. BM25 prefers long passages where the context is
long, so the shortest option is right far more often than chance; critics quote from the beginning of a
sentence, so an option that begins in lower case is wrong. Who never reads a word is right with either.

What looks alike must look alike *whichever option were the right one*; a rule that treats the gold as the
centre of something gives it away:

- A band around the gold's length does. The ranker still prefers the longer within it, and where the band is
  2/3 to 3/2 the longest may have 9/4 of the shortest only if the gold stands between them.
- The gold's place in the order of length, dealt out, is not enough. With it the ranker's taste shows in the
  distances: where the gold is the shortest the others are as long as they may be, where it is the longest
  they are close below it; options that lie close together mean the longest.
- So the lengths of an item's options stand in bands that adjoin, each `band` times as long as the one before,
  and each option has a band to itself. Which of them is the gold's is dealt out over the excerpts of a job
  (`places`); so is where in its band the gold stands, at one third or five sixths (on a logarithmic scale),
  as the negatives stand in theirs: the middle half of them between 0.3 and 0.8. Seen from outside, any of the
  options may be the one around which the bands were laid.
- First letter, opening mark, speech or narration: negatives have the gold's.

In each band the best-ranked passage is taken that keeps the rules. Where a band is empty within the first
`DEPTH` of the ranking, rules are dropped in the order of `DROPPED`, and what was kept is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy.typing as npt

from retrieval.engine.ranking import order
from retrieval.engine.ranking.negatives import Candidate, Judge, Rules, judge_of
from retrieval.engine.ranking.surface import Surface, length, surface
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import normalised

DEPTH = 1000
"""How many passages of a ranking are looked at."""
BAND = 1.2
DROPPED = ("dialogue", "mark", "band", "case", "place")
"""What is given up where no passages keep all of it: the first, then the first two, …"""
WIDER = 2
"""Where the rule `band` is given up, bands are as wide as so many."""
STANDS = (1 / 3, 5 / 6)
"""Where golds stand in their bands. On 600 passages of five novels a reader who learned golds' places from
the distances of lengths was right on 42 to 45 % with 0.2, 0.5 and 0.8, and on 31 to 36 % with these."""


@dataclass(frozen=True)
class Matching:
    """In what negatives look like the gold. With all of it switched off they are the ranker's best."""

    length: bool = True
    """Each option has a band of length to itself, and which is the gold's is dealt out."""
    case: bool = True
    """All options begin with a capital, or all with a small letter."""
    mark: bool = True
    """All options open with a quotation mark, or none."""
    dialogue: bool = True
    """At least half of the letters stand within quotation marks in all options, or in none."""
    band: float = BAND
    """How wide a band is: its greatest length by its least."""

    def __bool__(self) -> bool:
        return self.length or self.case or self.mark or self.dialogue

    def rules(self) -> tuple[str, ...]:
        """Return what is kept where it can be, by the names in `DROPPED`."""
        on = {
            "dialogue": self.dialogue,
            "mark": self.mark,
            "band": self.length,
            "case": self.case,
            "place": self.length,
        }
        return tuple(name for name in DROPPED if on[name])

    def alone(self) -> dict[str, Matching]:
        """Return each rule that is on, as the only one."""
        off = {"length": False, "case": False, "mark": False, "dialogue": False}
        return {name: Matching(**{**off, name: True}, band=self.band) for name in off if getattr(self, name)}


OFF = Matching(length=False, case=False, mark=False, dialogue=False)


class Cell(NamedTuple):
    """How the gold stands among the lengths of its options."""

    place: int
    """How many negatives are shorter."""
    stand: float
    """Where in its band the gold stands, from 0 to 1, on a logarithmic scale."""


def cells(matching: Matching, number: int) -> list[Cell | None]:
    """Return every cell that `number` negatives can be chosen for; [None] where length is not matched."""
    if not matching.length:
        return [None]
    return [Cell(place, stand) for stand in STANDS for place in range(number + 1)]


class Choice(NamedTuple):
    """The best negatives for a cell, by rank, and what they keep of the rules."""

    chosen: tuple[Candidate, ...]
    kept: tuple[str, ...]


def shelf(
    scores: npt.ArrayLike, gold: Passage, texts: Sequence[str], rules: Rules, *, context: Sequence[str] = ()
) -> Shelf:
    """Return the first `DEPTH` of a ranking; the arguments are those of `hard_negatives`.

    Raises:
        BadInput: a score is NaN.
    """
    row = order.checked(scores)
    ranked = [
        Candidate(position, gold.size, rank, float(row[position]))
        for rank, position in enumerate(order.top(row, DEPTH).tolist(), start=1)
    ]
    # Which negatives repeat each other is known only when they are chosen.
    judge = judge_of(replace(rules, near_duplicate=False), gold, texts[gold.first], context)
    return Shelf(texts[gold.first], ranked, texts, judge, apart=rules.near_duplicate)


class Shelf:
    """The first passages of a ranking, of which wrong ones that look like the gold can be asked for.

    Args:
        gold: The right passage's text.
        ranked: The passages by rank, right and wrong.
        texts: Of all passages of that length, by position.
        judge: Names the rule by which a passage is no negative, or nothing.
        apart: Whether negatives with the same words or a common sentence are refused.
    """

    def __init__(
        self,
        gold: str,
        ranked: Sequence[Candidate],
        texts: Sequence[str],
        judge: Judge,
        *,
        apart: bool = True,
    ) -> None:
        self.gold = surface(gold)
        self._ranked, self._texts, self._judge, self._apart = ranked, texts, judge, apart
        self._lengths: dict[int, int] = {}
        self._seen: dict[int, Surface] = {}
        self._wrong: dict[int, bool] = {}

    def choose(self, matching: Matching, number: int, cell: Cell | None) -> Choice:
        """Return the best `number` negatives for a cell; fewer where the ranking has fewer."""
        rules = matching.rules()
        for dropped in range(len(rules)):
            kept = rules[dropped:]
            chosen = self._first(matching, number, cell if "place" in kept else None, kept)
            if len(chosen) == number:
                return Choice(chosen, kept)
        return Choice(self._first(matching, number, None, ()), ())

    def others(self, matching: Matching, chosen: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return, by rank, all wrong ones that look like the gold in whatever these negatives do.

        Of the place only that they are no longer and no shorter than any of the bands can be.
        """
        reach = matching.band ** (len(chosen) + 1)

        def keeps(each: Candidate, rule: str) -> bool:
            if rule in ("place", "band"):
                return self.gold.length / reach <= self._length(each) <= self.gold.length * reach
            return self._is_alike(each, (rule,))

        kept = [rule for rule in matching.rules() if all(keeps(each, rule) for each in chosen)]
        return tuple(
            each for each in self._ranked if all(keeps(each, rule) for rule in kept) and self._is_wrong(each)
        )

    def _first(
        self, matching: Matching, number: int, cell: Cell | None, kept: Sequence[str]
    ) -> tuple[Candidate, ...]:
        """Return the best-ranked, one in each band where the gold's cell is given."""
        band = matching.band if "band" in kept else matching.band**WIDER
        chosen: list[Candidate] = []
        filled = set()
        for each in self._ranked:
            if cell:
                step = math.log(max(1, self._length(each)) / self.gold.length) / math.log(band)
                at = math.floor(cell.place + cell.stand + step)
                if at == cell.place or at in filled or not 0 <= at <= number:
                    continue
            if not (self._is_alike(each, kept) and self._is_wrong(each) and self._is_apart(each, chosen)):
                continue
            chosen.append(each)
            if cell:
                filled.add(at)
            if len(chosen) == number:
                break
        return tuple(chosen)

    def _length(self, each: Candidate) -> int:
        if each.first not in self._lengths:
            self._lengths[each.first] = length(self._texts[each.first])
        return self._lengths[each.first]

    def _is_alike(self, each: Candidate, kept: Sequence[str]) -> bool:
        if each.first not in self._seen:
            self._seen[each.first] = surface(self._texts[each.first])
        seen, gold = self._seen[each.first], self.gold
        return (
            ("case" not in kept or seen.lower == gold.lower)
            and ("mark" not in kept or seen.mark == gold.mark)
            and ("dialogue" not in kept or seen.spoken == gold.spoken)
        )

    def _is_wrong(self, each: Candidate) -> bool:
        if each.first not in self._wrong:
            passage = Passage(each.first, each.size)
            self._wrong[each.first] = not self._judge(passage, self._texts[each.first])
        return self._wrong[each.first]

    def _is_apart(self, each: Candidate, chosen: Sequence[Candidate]) -> bool:
        if not self._apart or not chosen:
            return True
        words = normalised(self._texts[each.first])
        return not any(
            Passage(each.first, each.size).overlaps(Passage(other.first, other.size))
            or words == normalised(self._texts[other.first])
            for other in chosen
        )
