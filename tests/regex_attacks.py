"""Texts that a regular expression is slow on where it can be slow, made from the pattern's own tree.

A pattern that reads a text again and again does so in a loop: it gives back what an unbounded repeat took, or
begins once more at every place of it. So for every such repeat there are texts of what leads to it, many of
what it takes, and an end at which it fails. Nothing is drawn by chance: the generators have fixed seeds.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from random import Random
from re import _compiler, _constants, _parser
from typing import Any, NamedTuple

REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
LOOKS = {_constants.ASSERT, _constants.ASSERT_NOT}
SETS = {_constants.IN, _constants.ANY, _constants.NOT_LITERAL}
LETTERS = " \t\n" + string.ascii_letters + string.digits + string.punctuation + "\xa0é’‘“”«»—–…†"
GENERIC = (
    " ",
    "\n",
    " \n",
    "1",
    "1 ",
    "a",
    "A",
    "I ",
    "_",
    "_A_ ",
    "-",
    '"',
    "'",
    "[",
    "(",
    ".",
    "!",
    ". ",
    "*",
)
FAILS = "\x01"
VARIANTS = 6


class Attack(NamedTuple):
    """A text that can be made as long as one likes: ``unit`` is said many times."""

    before: str
    unit: str
    behind: str

    def text(self, length: int) -> str:
        return self.before + self.unit * max(16, length // len(self.unit)) + self.behind


def attacks(pattern: re.Pattern[str]) -> list[Attack]:
    """Each once."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    write = _Writer(tree, pattern.flags)
    found = [Attack("", unit, FAILS) for unit in GENERIC]
    for variant in range(VARIANTS):
        whole = write.words(tree, variant)
        found += [Attack("", whole, ""), Attack("", whole[:-1], "")]
    for before, body, behind in _first_and_last(_loops(list(tree))):
        for number, unit in enumerate(write.units(body)):
            lead, rest = write.words(before, number), write.words(behind, number)
            found += [
                Attack(lead, unit, ""),
                Attack(lead, unit, rest[:-1] + FAILS),
                Attack("", lead + unit, ""),
            ]
    return [attack for attack in dict.fromkeys(found) if attack.unit]


def longest_bound(pattern: re.Pattern[str]) -> int:
    """The largest bound of a repeat: how steps grow shows on longer texts only."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    repeats = (what for kind, what in _all(tree) if kind in REPEATS)
    return max(
        (bound for what in repeats for bound in what[:2] if bound is not _constants.MAXREPEAT), default=0
    )


Loop = tuple[list[Any], Any, list[Any]]


def _loops(nodes: list[Any]) -> Iterator[Loop]:
    """Every repeat without an upper bound: the nodes before it, what it repeats, and the nodes behind it."""
    for number, (kind, what) in enumerate(nodes):
        before, behind = nodes[:number], nodes[number + 1 :]
        if kind in REPEATS and what[1] is _constants.MAXREPEAT:
            yield before, what[2], behind
        for inner in _inside(kind, what):
            for first, body, last in _loops(list(inner)):
                yield [*before, *first], body, [*last, *behind]


def _first_and_last(loops: Iterator[Loop]) -> list[Loop]:
    """Of loops over the same, which a pattern composed of parts has many of, the first and the last."""
    alike: dict[str, list[Loop]] = {}
    for loop in loops:
        alike.setdefault(repr(loop[1]), []).append(loop)
    return [loop for each in alike.values() for loop in (each[:1] if len(each) == 1 else [each[0], each[-1]])]


def _inside(kind: Any, what: Any) -> list[Any]:
    """The sequences of nodes in a node."""
    if kind in REPEATS:
        return [what[2]]
    if kind is _constants.BRANCH:
        return list(what[1])
    if kind is _constants.SUBPATTERN:
        return [what[3]]
    if kind is _constants.ATOMIC_GROUP:
        return [what]
    return [what[1]] if kind in LOOKS else []


def _all(nodes: Any) -> Iterator[Any]:
    for kind, what in nodes:
        yield kind, what
        for inner in _inside(kind, what):
            yield from _all(inner)


class _Writer:
    """Writes what a part of the tree takes, in variants; what only looks ahead or back is passed over."""

    def __init__(self, tree: Any, flags: int) -> None:
        self.tree, self.flags = tree, flags
        self.members: dict[str, str] = {}
        # Letters that most sets of the pattern hold come first: where sets overlap, a text has two readings.
        self.letters = LETTERS
        sets = [self._members(node) for node in _all(tree) if node[0] in SETS]
        self.members.clear()
        self.letters = "".join(sorted(LETTERS, key=lambda letter: -sum(letter in each for each in sets)))

    def units(self, body: Any) -> list[str]:
        """What one round of a loop takes, in variants."""
        if len(body) == 1 and body[0][0] in SETS:
            members = self._members(body[0])
            return list(dict.fromkeys((*members[:VARIANTS], *members[-1:])))
        words = list(dict.fromkeys(self.words(body, variant) for variant in range(VARIANTS)))
        return [*words, "".join(words)] if len(words) > 1 else words

    def words(self, nodes: Any, variant: int) -> str:
        return "".join(self._word(*node, Random(variant)) for node in nodes)

    def _word(self, kind: Any, what: Any, random: Random) -> str:
        if kind is _constants.LITERAL:
            return chr(what)
        if kind in SETS:
            members = self._members((kind, what))
            return random.choice(members[:VARIANTS]) if members else ""
        if kind in LOOKS:
            return ""
        if kind is _constants.BRANCH:
            nodes, times = random.choice(what[1]), 1
        elif kind in REPEATS:
            nodes, times = what[2], max(what[0], random.choice((1, 1, 0)))
        else:
            return "".join(self._word(*node, random) for inner in _inside(kind, what) for node in inner)
        return "".join(self._word(*node, random) for node in nodes) * times

    def _members(self, node: Any) -> str:
        key = repr(node)
        if key not in self.members:
            one = _compiler.compile(_parser.SubPattern(self.tree.state, [node]), self.flags)
            self.members[key] = "".join(letter for letter in self.letters if one.match(letter))
        return self.members[key]
