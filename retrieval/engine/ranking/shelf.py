"""The first passages of one ranking, from which wrong ones that look like the gold are taken.

What they must share with it, and why, stands in `matching`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from common.texts.surface import marks, shared, words
from retrieval.engine.ranking import order
from retrieval.engine.ranking.matching import DEPTH, WIDER, Cell, Matching
from retrieval.engine.ranking.negatives import Candidate, Judge, Rules, judge_of
from retrieval.engine.ranking.surface import Surface, length, surface
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import normalised

LOOKS = {"case": "lower", "mark": "mark", "dialogue": "spoken", "ending": "whole"}
"""What all options of an item have or none has, by rule: a field of `Surface`."""

TRIES = 3
"""How many times the choices that are wanted are looked for: some come twice, some are too few."""

Flags = npt.NDArray[np.bool_]


class Choice(NamedTuple):
    """The best negatives for a cell, by rank, and what they keep of the rules."""

    chosen: tuple[Candidate, ...]
    kept: tuple[str, ...]


def shelf(
    scores: npt.ArrayLike,
    gold: Passage,
    texts: Sequence[str],
    rules: Rules,
    *,
    context: Sequence[str] = (),
    golds: Collection[int] = (),
) -> Shelf:
    """Return the first `DEPTH` of a ranking; the arguments are those of `hard_negatives`.

    `golds`: the sentences that the job's excerpts ask for, their own among them or not.

    Raises:
        BadInput: a score is NaN.
    """
    row = order.checked(scores)
    ranked = [
        Candidate(position, gold.size, rank, float(row[position]))
        for rank, position in enumerate(order.ranked(row, DEPTH).tolist(), start=1)
    ]
    # Which negatives repeat each other is known only when they are chosen.
    judge = judge_of(replace(rules, near_duplicate=False), gold, texts[gold.first], context)
    around = frozenset(words(" ".join(context)))
    return Shelf(
        texts[gold.first], ranked, texts, judge, apart=rules.near_duplicate, around=around, golds=golds
    )


class Shelf:
    """The first passages of a ranking, of which wrong ones that look like the gold can be asked for.

    Args:
        gold: The right passage's text.
        ranked: The passages by rank, right and wrong.
        texts: Of all passages of that length, by position.
        judge: Names the rule by which a passage is no negative, or nothing.
        apart: Whether negatives with the same words or a common sentence are refused.
        around: The words of the context.
        golds: Sentences that some excerpt asks for.
    """

    def __init__(
        self,
        gold: str,
        ranked: Sequence[Candidate],
        texts: Sequence[str],
        judge: Judge,
        *,
        apart: bool = True,
        around: frozenset[str] = frozenset(),
        golds: Collection[int] = (),
    ) -> None:
        self.gold = surface(gold)
        self._ranked, self._texts, self._judge, self._apart = ranked, texts, judge, apart
        self._around, self._golds = around, golds
        self._of_gold = self._measures(gold)
        self._measures_of: dict[int, tuple[float, ...]] = {}
        self._able_for: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
        self._wrong: dict[int, bool] = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._alike: dict[tuple[str, ...], Flags] = {}

    def choose(
        self, matching: Matching, number: int, cell: Cell | None, passed: Collection[int] = ()
    ) -> Choice:
        """Return the best `number` negatives for a cell, none of them in `passed`; fewer where the ranking
        has fewer.
        """
        rules = matching.rules()
        for dropped in range(len(rules)):
            kept = rules[dropped:]
            chosen = self._first(matching, number, cell, kept, passed)
            if len(chosen) == number:
                return Choice(chosen, kept)
        return Choice(self._first(matching, number, None, (), passed), ())

    def alternatives(self, matching: Matching, number: int, cell: Cell | None, most: int) -> list[Choice]:
        """Return the best negatives for a cell, then the best without all or one of those, and so on, at most
        so many choices.
        """
        found: list[Choice] = []
        waiting: deque[frozenset[int]] = deque([frozenset()])
        seen = set(waiting)
        for _ in range(TRIES * most):
            if not waiting or len(found) == most:
                break
            passed = waiting.popleft()
            choice = self.choose(matching, number, cell, passed)
            if found and len(choice.chosen) < number:
                continue
            if choice not in found:
                found.append(choice)
            firsts = [each.first for each in choice.chosen]
            for without in (passed.union(firsts), *(passed | {first} for first in firsts)):
                if without not in seen:
                    seen.add(without)
                    waiting.append(without)
        return found

    def leans(self, chosen: Sequence[Candidate]) -> tuple[float, ...]:
        """Return how far above the mean of its options the gold lies in the logarithm of its length, marks a
        word and the share of its words that are the context's.
        """
        rows = np.array([self._of_gold, *(self._measured(each) for each in chosen)])
        return tuple((rows[0] - rows.mean(axis=0)).tolist())

    def keeps(self, cell: Cell | None, chosen: Sequence[Candidate]) -> bool:
        """Whether as many of these share fewer of their words with the context as the cell says."""
        if cell is None or cell.sharing is None:
            return True
        sides = [self._side(each) for each in chosen]
        return 0 not in sides and sides.count(-1) == cell.sharing

    def is_wrong(self, each: Candidate) -> bool:
        """Whether a passage may be a negative at all."""
        if each.first not in self._wrong:
            passage = Passage(each.first, each.size)
            self._wrong[each.first] = not self._judge(passage, self._texts[each.first])
        return self._wrong[each.first]

    def others(self, matching: Matching, chosen: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return, by rank, all wrong ones that look like the gold in whatever these negatives do.

        Of the places only that they are no longer and no shorter than any of the bands can be.
        """
        reach = math.log(matching.band) * (len(chosen) + 1)
        mine = {each.first for each in chosen}
        at = [n for n, each in enumerate(self._ranked) if each.first in mine]

        def flags(rule: str) -> Flags:
            if rule in ("place", "band"):
                return np.abs(self._steps) <= reach
            return self._flags((rule,))

        able = np.ones(len(self._ranked), dtype=bool)
        for rule in matching.rules():
            if flags(rule)[at].all():
                able &= flags(rule)
        return tuple(self._ranked[n] for n in np.flatnonzero(able).tolist() if self.is_wrong(self._ranked[n]))

    def _first(
        self,
        matching: Matching,
        number: int,
        cell: Cell | None,
        kept: tuple[str, ...],
        passed: Collection[int],
    ) -> tuple[Candidate, ...]:
        """Return the best-ranked, one in each band and so many on each side where the cell says so.

        Where fewer bands have a passage, return none.
        """
        free = {}
        if cell and cell.sharing is not None and "context" in kept:
            free = {-1: cell.sharing, 0: 0, 1: number - cell.sharing}
        chosen: list[Candidate] = []
        filled: set[int] = set()
        for n, band in self._able(matching, number, cell, kept):
            each = self._ranked[n]
            if each.first in passed or band in filled:
                continue
            if free and not free[self._side(each)]:
                continue
            if not (self.is_wrong(each) and self._is_apart(each, chosen)):
                continue
            chosen.append(each)
            filled.add(band)
            if free:
                free[self._side(each)] -= 1
            if len(chosen) == number:
                break
        return tuple(chosen)

    def _able(
        self, matching: Matching, number: int, cell: Cell | None, kept: tuple[str, ...]
    ) -> list[tuple[int, int]]:
        """Return the place in the ranking and the band of each passage that keeps these rules by itself; none
        where fewer bands have a passage. The same is asked for with one passage after the other left out.
        """
        asked = matching, number, cell, kept
        if asked not in self._able_for:
            able, bands = self._flags(kept), self._bands(matching, number, cell, kept)
            if bands is not None:
                able = able & (bands >= 0)
            places = np.flatnonzero(able)
            band_of = places if bands is None else bands[places]
            enough = bands is None or len(np.unique(band_of)) >= number
            self._able_for[asked] = (
                list(zip(places.tolist(), band_of.tolist(), strict=True)) if enough else []
            )
        return self._able_for[asked]

    def _bands(
        self, matching: Matching, number: int, cell: Cell | None, kept: tuple[str, ...]
    ) -> npt.NDArray[np.int64] | None:
        """(n,) the band of each passage, -1 for none that is asked for; None where any band will do."""
        if cell is None or cell.place is None or "place" not in kept:
            return None
        band = matching.band if "band" in kept else matching.band**WIDER
        found = np.floor(cell.place + cell.stand + self._steps / math.log(band)).astype(np.int64)
        return np.where((found > number) | (found == cell.place), -1, found)

    @cached_property
    def _looks(self) -> list[Surface]:
        return [surface(self._texts[each.first]) for each in self._ranked]

    @cached_property
    def _steps(self) -> npt.NDArray[np.float64]:
        """(n,) the logarithm of each passage's length by the gold's."""
        lengths = np.array([max(1, each.length) for each in self._looks], dtype=np.float64)
        return np.asarray(np.log(lengths / max(1, self.gold.length)))

    def _flags(self, rules: tuple[str, ...]) -> Flags:
        """(n,) whether a passage keeps these rules, as far as each can by itself."""
        if rules not in self._alike:
            able = np.ones(len(self._ranked), dtype=bool)
            for rule in rules:
                if rule in LOOKS:
                    asked = getattr(self.gold, LOOKS[rule])
                    able &= [getattr(each, LOOKS[rule]) == asked for each in self._looks]
                elif rule == "reuse" and self._golds:
                    able &= [
                        not any(each.first + n in self._golds for n in range(each.size))
                        for each in self._ranked
                    ]
            self._alike[rules] = able
        return self._alike[rules]

    def _side(self, each: Candidate) -> int:
        """-1 where a passage shares fewer of its words with the context than the gold, 0 as many, 1 more."""
        share, of_gold = self._measured(each)[-1], self._of_gold[-1]
        return (share > of_gold) - (share < of_gold)

    def _measured(self, each: Candidate) -> tuple[float, ...]:
        """Return the measures of a passage, which many choices of it ask for."""
        if each.first not in self._measures_of:
            self._measures_of[each.first] = self._measures(self._texts[each.first])
        return self._measures_of[each.first]

    def _measures(self, text: str) -> tuple[float, ...]:
        """Return the logarithm of a text's length, its marks a word, and its share of words that are the
        context's.
        """
        return math.log(max(1, length(text))), marks(text), shared(text, self._around)

    def _is_apart(self, each: Candidate, chosen: Sequence[Candidate]) -> bool:
        if not self._apart or not chosen:
            return True
        passage, own = Passage(each.first, each.size), self._normalised(each)
        return not any(
            passage.overlaps(Passage(other.first, other.size)) or own == self._normalised(other)
            for other in chosen
        )

    def _normalised(self, each: Candidate) -> tuple[str, ...]:
        if each.first not in self._words:
            self._words[each.first] = normalised(self._texts[each.first])
        return self._words[each.first]
