"""Draw a stratified sample: pure, the same for the same seed.

Within a stratum the units are sorted by topic, in an order of their own drawn from the seed, and drawn
systematically, so that each topic has its share. Every stratum has two drawn units or more, or all of them:
smaller ones are merged first. Cochran 1977, chapters 5A and 8.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import NamedTuple

from common.wording import natural

Name = tuple[str, str]
LONGEST_NAME, PART_OF_NAME = 300, 240
"""Characters of the name of a stratum that are stored, and that are told of a longer one."""
FEWEST = 2
"""Drawn units that a stratum needs for a variance, unless it is drawn whole."""


class Unit(NamedTuple):
    """What may be drawn.

    key: its primary key.
    stratum: two names, such as topic and grade; small strata are merged with one that has the same first.
    topic: what units are sorted by within a stratum.
    """

    key: int
    stratum: Name
    topic: str


class Stratum(NamedTuple):
    """A stratum after merging.

    name: of the strata it was made of, joined by “or”.
    size: N_h, its units.
    drawn: n_h, how many are drawn.
    """

    name: str
    size: int
    drawn: int


class Drawing(NamedTuple):
    """A drawn sample.

    strata: in the order of their names, 2 before 10.
    stratum_of: by key, the place in `strata`.
    drawn: keys of what was drawn.
    merged: pairs (name of a stratum that was too small, what it went into).
    """

    strata: list[Stratum]
    stratum_of: dict[int, int]
    drawn: set[int]
    merged: list[tuple[str, str]]


def draw(units: Sequence[Unit], share: float, seed: int) -> Drawing:
    """Draw about ``share`` (above 0, at most 1) of the units, at least two of each stratum.

    Raises ValueError without units, or for another share.
    """
    if not units or not 0 < share <= 1:
        raise ValueError("A sample needs units, and a share above 0 and at most 1.")
    cells: dict[Name, list[Unit]] = defaultdict(list)
    for unit in units:
        cells[unit.stratum].append(unit)
    in_order = sorted(cells, key=lambda name: [*map(natural, name)])
    groups, merged = merge({name: len(cells[name]) for name in in_order}, share)
    sizes = [sum(len(cells[name]) for name in group) for group in groups]
    numbers = allocate(sizes, share)
    strata, stratum_of, drawn = [], {}, set()
    for place, (group, size, number) in enumerate(zip(groups, sizes, numbers, strict=True)):
        name = joined(group)
        members = [unit for cell in group for unit in cells[cell]]
        strata.append(Stratum(name, size, number))
        stratum_of.update(dict.fromkeys((unit.key for unit in members), place))
        drawn.update(systematic(members, number, Random(f"{seed}:sample:{name}")))  # noqa: S311 - not a secret
    return Drawing(strata, stratum_of, drawn, merged)


def merge(sizes: dict[Name, int], share: float) -> tuple[list[list[Name]], list[tuple[str, str]]]:
    """Merge strata of which fewer than two would be drawn; return the groups and what went into what.

    The smallest goes first, into the smaller of its neighbours with the same first name; where it has none,
    into the smaller of the others beside it. ``sizes``: by name, in order.
    """
    groups, merged = [[name] for name in sizes], []
    while len(groups) > 1:
        counts = [sum(sizes[name] for name in group) for group in groups]
        small = min(range(len(groups)), key=counts.__getitem__)
        if counts[small] * share >= FEWEST or share == 1:
            break
        beside = [place for place in (small - 1, small + 1) if 0 <= place < len(groups)]
        alike = [place for place in beside if groups[place][0][0] == groups[small][0][0]]
        into = min(alike or beside, key=counts.__getitem__)
        merged.append((joined(groups[small]), joined(groups[into])))
        first, second = sorted((small, into))
        groups[first : second + 1] = [groups[first] + groups[second]]
    return groups, merged


def allocate(sizes: Sequence[int], share: float) -> list[int]:
    """Return n_h for strata of these sizes: in proportion, rounded so that their sum is that of all."""
    exact = [size * share for size in sizes]
    numbers = [min(size, max(int(number), FEWEST)) for size, number in zip(sizes, exact, strict=True)]
    left = round(sum(exact)) - sum(numbers)
    by_rest = sorted(range(len(sizes)), key=lambda place: numbers[place] - exact[place])
    for place in by_rest[: max(left, 0)]:
        numbers[place] = min(sizes[place], numbers[place] + 1)
    return numbers


def systematic(members: Sequence[Unit], number: int, random: Random) -> list[int]:
    """Draw so many at equal steps from a random start, after sorting by topic and, within it, at random."""
    order = sorted((unit.topic, random.random(), unit.key) for unit in sorted(members))
    step = len(order) / number
    start = random.random() * step
    return [order[min(int(start + step * turn), len(order) - 1)][2] for turn in range(number)]


def joined(group: Sequence[Name]) -> str:
    """Return the name of a stratum: `in the top 10, 3`; of several that were merged joined by “or”.

    A name that is too long to be stored is told in part: how many more were merged, and a digest of all, so
    that no two strata have one name.
    """
    names = [", ".join(filter(None, name)) for name in group]
    whole = " or ".join(names) or "all"
    if len(whole) <= LONGEST_NAME:
        return whole
    digest = sha256(whole.encode()).hexdigest()[:8]
    said = [names[0][:PART_OF_NAME]]
    for name in names[1:]:
        if len(" or ".join([*said, name])) > PART_OF_NAME:
            break
        said.append(name)
    left = len(names) - len(said)
    more = f" or {left:,} more" if left else "…"
    return f"{' or '.join(said)}{more} ({digest})"
