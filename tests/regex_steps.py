"""Counts the steps that a regular expression takes over a text.

`re` counts nothing, and its time depends on the machine. So the tree that `re` itself parses a pattern into
is made into a small program, which tries, fails and goes back in the order in which `re` does. What one
character may be, and what an anchor means, is still asked of `re`. A test compares what the two find.
"""

from __future__ import annotations

import re
from re import _compiler, _constants, _parser
from typing import Any

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}
UNSET = -1
Registers = tuple[int, ...]
"""Where groups begin and end, and where the last round of each loop began."""
State = tuple[int, int, Registers]
"""The next instruction, the place in the text, the registers."""
Way = tuple[int, int, Registers, int]
"""A state to go back to, and the place down to which a run of characters may still be given back."""
Program = list[tuple[Any, Any]]
"""Instructions: what is done, and with what; addresses are relative to the instruction. One without a deed
takes one of its letters."""


class TooManySteps(Exception):
    """The count went over the limit and was given up."""


class _Letters(dict[str, bool]):
    """Which characters a node takes that takes one; asked of `re` once for each."""

    def __init__(self, one: re.Pattern[str]) -> None:
        self.one = one

    def __missing__(self, letter: str) -> bool:
        self[letter] = self.one.match(letter) is not None
        return self[letter]


class Counter:
    """A pattern as a program; ``steps`` counts instructions, and the characters that runs look at."""

    def __init__(self, pattern: re.Pattern[str], limit: int) -> None:
        self.steps, self.limit = 0, limit
        self.tree = _parser.parse(pattern.pattern, pattern.flags)
        self.registers = 2 * (self.tree.state.groups - 1)
        self.program = self._sequence(self.tree, pattern.flags)
        self.whole = [*self.program, *self._sequence(_parser.parse(r"\Z"), pattern.flags)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """What `finditer` finds; behind an empty match the next one at the same place is not empty."""
        found: list[tuple[int, int]] = []
        at, barred = 0, UNSET
        while at <= len(text):
            if (first := self._after_failures(text, at)) > at:
                at, barred = first, UNSET
            end = self._run(self.program, text, at, barred)
            if end is None:
                at, barred = at + 1, UNSET
                continue
            found.append((at, end[0]))
            barred = end[0] if end[0] == at else UNSET
            at = end[0]
        return found

    def fullmatch(self, text: str) -> bool:
        """What `fullmatch` says."""
        return self._run(self.whole, text, 0) is not None

    def _run(
        self, program: Program, text: str, at: int, barred: int = UNSET, held: Registers | None = None
    ) -> tuple[int, Registers] | None:
        """Where the first way through the program ends, and the registers; None where there is no way."""
        ways: list[Way] = [(0, at, held or (UNSET,) * self.registers, at)]
        done, last = len(program), len(text)
        while ways:
            here, at, held, least = ways.pop()
            if at > least:
                ways.append((here, at - 1, held, least))
            while True:
                self.steps += 1
                if self.steps > self.limit:
                    raise TooManySteps
                if here == done:
                    if at != barred:
                        return at, held
                    break
                do, what = program[here]
                if do is None:  # most instructions take one character: no call for each
                    if at == last or not what[text[at]]:
                        break
                    here, at = here + 1, at + 1
                    continue
                state: State | None = do(what, text, here, at, held, ways)
                if state is None:
                    break
                here, at, held = state
        return None

    def _after_failures(self, text: str, at: int) -> int:
        """The next place at which the first instruction does not fail at once: a step for each before it."""
        do, what = self.program[0] if self.program else (self._anchor, None)
        if do == self._take and what[1]:
            letters = what[0]
        elif do is None:
            letters = what
        else:
            return at
        start, last = at, len(text)
        while at < last and not letters[text[at]]:
            at += 1
        self.steps += at - start
        return at

    # How each node of the tree becomes instructions.

    def _sequence(self, nodes: Any, flags: int) -> Program:
        return [step for node in nodes for step in self._node(node, flags)]

    def _node(self, node: Any, flags: int) -> Program:
        kind, what = node
        if kind in SINGLE:
            return [(None, self._letters(node, flags))]
        if kind is _constants.AT:
            return [(self._anchor, self._asked(node, flags))]
        return getattr(self, f"_of_{kind}".lower())(what, flags)

    def _asked(self, node: Any, flags: int) -> re.Pattern[str]:
        return _compiler.compile(_parser.SubPattern(self.tree.state, [node]), flags)

    def _letters(self, node: Any, flags: int) -> _Letters:
        return _Letters(self._asked(node, flags))

    def _of_subpattern(self, what: Any, flags: int) -> Program:
        group, added, removed, nodes = what
        inner = self._sequence(nodes, (flags | added) & ~removed)
        if group is None:
            return inner
        return [(self._set, (2 * group - 2, None)), *inner, (self._set, (2 * group - 1, None))]

    def _of_branch(self, what: Any, flags: int) -> Program:
        *before, steps = (self._sequence(nodes, flags) for nodes in what[1])
        for branch in reversed(before):
            fork = (self._split, (1, len(branch) + 2))
            steps = [fork, *branch, (self._jump, len(steps) + 1), *steps]
        return steps

    def _of_max_repeat(self, what: Any, flags: int, *, lazy: bool = False) -> Program:
        least, most, nodes = what
        if len(nodes) == 1 and nodes[0][0] in SINGLE and not lazy:
            return [(self._take, (self._letters(nodes[0], flags), least, most, False))]
        body = self._sequence(nodes, flags)
        if most is not _constants.MAXREPEAT:
            steps: Program = []
            for _ in range(most - least):
                ways = (1, len(body) + len(steps) + 1)
                steps = [(self._split, ways[::-1] if lazy else ways), *body, *steps]
            return [*body * least, *steps]
        round_ = self.registers
        self.registers += 1
        loop = (self._loop, (round_, (1, len(body) + 2), lazy))
        return [*body * least, (self._set, (round_, UNSET)), loop, *body, (self._jump, -len(body) - 1)]

    def _of_min_repeat(self, what: Any, flags: int) -> Program:
        return self._of_max_repeat(what, flags, lazy=True)

    def _of_possessive_repeat(self, what: Any, flags: int) -> Program:
        least, most, nodes = what
        if len(nodes) == 1 and nodes[0][0] in SINGLE:
            return [(self._take, (self._letters(nodes[0], flags), least, most, True))]
        return [(self._atomic, (self._sequence(nodes, flags), least, most))]

    def _of_atomic_group(self, what: Any, flags: int) -> Program:
        return [(self._atomic, (self._sequence(what, flags), 1, 1))]

    def _of_assert(self, what: Any, flags: int, *, wanted: bool = True) -> Program:
        direction, nodes = what
        back = nodes.getwidth()[0] if direction < 0 else 0
        return [(self._look, (self._sequence(nodes, flags), back, wanted))]

    def _of_assert_not(self, what: Any, flags: int) -> Program:
        return self._of_assert(what, flags, wanted=False)

    def _of_groupref(self, what: Any, flags: int) -> Program:
        return [(self._same, 2 * what - 2)]

    # What an instruction does: the next state, or None where it fails.

    def _take(self, what: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State | None:
        letters, least, most, possessive = what
        end, last = at, min(len(text), at + most)
        while end < last and letters[text[end]]:
            end += 1
        self.steps += end - at
        if end < at + least:
            return None
        if end > at + least and not possessive:
            ways.append((here + 1, end - 1, held, at + least))
        return here + 1, end, held

    def _split(self, to: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State:
        ways.append((here + to[1], at, held, at))
        return here + to[0], at, held

    def _jump(self, to: int, text: str, here: int, at: int, held: Registers, ways: Any) -> State:
        return here + to, at, held

    def _set(self, what: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State:
        place, value = what
        return here + 1, at, _with(held, place, at if value is None else value)

    def _loop(self, what: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State:
        place, (inside, outside), lazy = what
        if held[place] == at:  # a round that took nothing is the last one
            return here + outside, at, held
        once_more, on = (here + inside, at, _with(held, place, at)), (here + outside, at, held)
        first, then = (on, once_more) if lazy else (once_more, on)
        ways.append((*then, at))
        return first

    def _anchor(self, asked: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State | None:
        return (here + 1, at, held) if asked.match(text, at) else None

    def _look(self, what: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State | None:
        program, back, wanted = what
        found = self._run(program, text, at - back, held=held) if at >= back else None
        if (found is not None) is not wanted:
            return None
        return here + 1, at, found[1] if found else held

    def _same(self, group: int, text: str, here: int, at: int, held: Registers, ways: Any) -> State | None:
        start, end = held[group : group + 2]
        if UNSET in (start, end) or not text.startswith(text[start:end], at):
            return None
        self.steps += end - start
        return here + 1, at + end - start, held

    def _atomic(self, what: Any, text: str, here: int, at: int, held: Registers, ways: Any) -> State | None:
        program, least, most = what
        rounds = 0
        while rounds < most and (found := self._run(program, text, at, held=held)):
            rounds += 1
            empty = found[0] == at
            at, held = found
            if empty:
                return here + 1, at, held
        return (here + 1, at, held) if rounds >= least else None


def _with(held: Registers, place: int, value: int) -> Registers:
    return (*held[:place], value, *held[place + 1 :])
