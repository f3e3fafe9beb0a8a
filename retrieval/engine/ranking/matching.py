"""Matched negatives: wrong passages that look like the right one, so that only reading tells them apart.

A ranker's best wrong passages do not look like the gold. BM25 prefers long passages where the context is
long, so the shortest option is right far more often than chance; it prefers those that share words with the
context, so the one that shares the fewest is; critics quote from the beginning of a sentence to an end. Who
never reads a word is right with any of it.

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
- How many negatives share fewer of their words with the context than the gold does is dealt out together
  with that, every place in the one order equally often beside every place in the other: else "the longest, if
  it shares the fewest" would tell.
- First letter, opening mark, ending, speech or narration: negatives have the gold's.
- A place in an order says nothing of distances, and the ranker's taste shows in them: where the gold shares
  the fewest words the others share far more, where it shares the most they share a little less. Who weighs
  such distances was right on 52 of 100 of 65 real items. Golds also hold more punctuation than the passages
  of a book. So over the job the golds lie as far above as below the mean of their options, in the logarithm of
  length, marks a word and words shared with the context (`reuse`): then no weighing of them helps.
- A wrong passage that many items offer is known to be wrong, and one that another item asks for to be right
  somewhere: each is offered once where that can be (`reuse`).

In each band the best-ranked passage is taken that keeps the rules (`shelf`). Where a band is empty within the
first `DEPTH` of the ranking, rules are dropped in the order of `DROPPED`, and what was kept is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

DEPTH = 1000
"""How many passages of a ranking are looked at."""
BAND = 1.2
DROPPED = ("dialogue", "mark", "band", "context", "ending", "case", "place", "reuse")
"""What is given up where no passages keep all of it: the first, then the first two, …"""
WIDER = 2
"""Where the rule `band` is given up, bands are as wide as so many."""
STANDS = (1 / 3, 5 / 6)
"""Where golds stand in their bands. On 600 passages of five novels a reader who learned golds' places from
the distances of lengths was right on 42 to 45 % with 0.2, 0.5 and 0.8, and on 31 to 36 % with these."""
ALTERNATIVES = 12
"""Choices kept of a cell: excerpts with contexts that are alike rank alike, and golds are to be balanced."""
SHIFTS = 3
"""With how many places in the order of shared words each place in the order of length is dealt out: with all
of them where an item has three options."""


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
    ending: bool = True
    """All options end as a sentence does, or none."""
    context: bool = True
    """How many options share fewer of their words with the context than the gold does is dealt out."""
    reuse: bool = True
    """No wrong option is one of another item, nor has a sentence of another item's gold."""
    balance: bool = True
    """Over the job golds lie as far above as below the mean of their options, in length, marks and words."""
    band: float = BAND
    """How wide a band is: its greatest length by its least."""

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in SWITCHES)

    def rules(self) -> tuple[str, ...]:
        """Return what is kept where it can be, by the names in `DROPPED`."""
        of = {"band": "length", "place": "length"}
        return tuple(name for name in DROPPED if getattr(self, of.get(name, name)))

    def alone(self) -> dict[str, Matching]:
        """Return each rule that is on, as the only one; not `balance`, which chooses among what others leave."""
        return {
            name: replace(OFF, band=self.band, **{name: True})
            for name in SWITCHES
            if getattr(self, name) and name != "balance"
        }


SWITCHES = tuple(each.name for each in fields(Matching) if each.name != "band")
OFF = Matching(**dict.fromkeys(SWITCHES, False))


def recorded(given: Mapping[str, Any]) -> Matching:
    """Return what a job matched; a rule that it does not name is younger than the job, and off."""
    return Matching(**{**asdict(OFF), **given})


class Cell(NamedTuple):
    """How the gold stands among its options."""

    place: int | None
    """How many negatives are shorter; None where length is not matched."""
    stand: float
    """Where in its band the gold stands, from 0 to 1, on a logarithmic scale."""
    sharing: int | None = None
    """How many negatives share fewer of their words with the context; None where that is not matched."""


def cells(matching: Matching, number: int) -> list[Cell | None]:
    """Return every cell that `number` negatives can be chosen for; [None] where nothing is dealt out."""
    order = range(number + 1)
    if not matching.length:
        return [Cell(None, 0.0, sharing) for sharing in order] if matching.context else [None]
    shifts = range(min(SHIFTS, number + 1)) if matching.context else [None]
    return [
        Cell(place, stand, None if shift is None else (place + shift) % (number + 1))
        for stand in STANDS
        for shift in shifts
        for place in order
    ]
