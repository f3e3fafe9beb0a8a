"""The longest run of words that two texts share."""

from collections.abc import Sequence
from typing import NamedTuple

from retrieval.engine.quotations.alignment import Words


class Run(NamedTuple):
    """How many words in a row a passage and one of some texts share, and these words as the text has them."""

    length: int
    words: str


def longest_run(passage: str, texts: Sequence[str]) -> Run:
    """Return the longest run that the passage shares with one of the texts; of several the first."""
    sought, best = Words(passage), Run(0, "")
    for text in texts:
        page = Words(text)
        found = longest(sought.words, page.words)
        if found.length > best.length:
            start, end = page.span(found.other, found.other + found.length)
            best = Run(found.length, text[start:end])
    return best


class Shared(NamedTuple):
    """Words in a row that both texts have: how many, and from which word on in each; 0 words: none."""

    length: int
    one: int
    other: int


class Names(NamedTuple):
    """For each place in either text a number: places with one number begin with the same words."""

    one: list[int]
    other: list[int]

    @property
    def shared(self) -> bool:
        """Whether a place of the one text has the number of a place of the other."""
        return not set(self.one).isdisjoint(self.other)

    def followed(self, by: "Names", step: int) -> "Names":
        """Return names of the runs that these begin and ``by`` ends, ``step`` words further on."""
        known: dict[tuple[int, int], int] = {}
        return Names(
            *(
                [known.setdefault(pair, len(known)) for pair in zip(mine, theirs[step:], strict=False)]
                for mine, theirs in zip(self, by, strict=True)
            )
        )


def longest(one: Sequence[str], other: Sequence[str]) -> Shared:
    """Return the longest run that both have; of several the first in ``one``, then in ``other``.

    Runs of 1, 2, 4, … words are named by pairs of names (Karp, Miller, Rosenberg 1972), so it takes time in
    proportion to the words and the logarithm of the run, whatever they are.
    """
    known: dict[str, int] = {}
    powers = [Names(*([known.setdefault(word, len(known)) for word in text] for text in (one, other)))]
    if not powers[0].shared:
        return Shared(0, 0, 0)
    while (longer := powers[-1].followed(powers[-1], 2 ** (len(powers) - 1))).shared:
        powers.append(longer)
    length = 2 ** (len(powers) - 1)
    best = powers[-1]
    for power in range(len(powers) - 2, -1, -1):
        longer = best.followed(powers[power], length)
        if longer.shared:
            best, length = longer, length + 2**power
    there = set(best.other)
    name, place = next((name, at) for at, name in enumerate(best.one) if name in there)
    return Shared(length, place, best.other.index(name))
