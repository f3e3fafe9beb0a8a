"""Two windows of one reader at one item, on one machine or two: neither replaces unseen what the other has.

A draft carries its version, `<window>.<number>`, and a form the versions it knows: the one it was made
from and those it wrote itself. What a form does not know and does not hold itself it must not replace:
both are shown, and the reader chooses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from annotation.models import Basis, Judgment, Outcome
from annotation.tasktypes.base import Answer

VERSION, KNOWN = "draft_version", "draft_known"
TEXTS = {"other": "Reason", "fault": "What is wrong", "note": "Note"}
REASONS = {Outcome.UNDECIDED: "other", Outcome.BROKEN: "fault"}


class Elsewhere(Exception):
    """Another window holds what this one does not know, and it would be lost."""


class Side(NamedTuple):
    """What one window holds. `at` None: it is on this page only; `submitted`: it is a judgment."""

    outcome: str
    answer: Answer | None
    texts: dict[str, str]
    confidence: str = ""
    basis: str = ""
    at: datetime | None = None
    submitted: bool = False

    @property
    def said(self) -> list[tuple[str, str]]:
        """What was typed and picked beside the answer, each with its name."""
        sure = f"{self.confidence} of 5" if self.confidence else ""
        basis = dict(Basis.choices).get(self.basis, "")
        typed = [(TEXTS[name], text) for name, text in self.texts.items()]
        return [each for each in [*typed, ("Sure", sure), ("Basis", basis)] if each[1]]


class Both(NamedTuple):
    """The two sides, and the button by which what is here is submitted, where it was."""

    other: Side
    here: Side
    field: str = ""
    value: str = ""


def new_version() -> str:
    return f"{uuid4().hex[:12]}.1"


def parted(version: str) -> tuple[str, int]:
    """The window, and the how-manieth of its drafts."""
    window, _, number = version.rpartition(".")
    return window, int(number[:9]) if number.isdecimal() else 0


def is_known(version: str, known: str) -> bool:
    """Whether a form that knows these versions knows that one, or a later one of the same window."""
    window, number = parted(version)
    return not version or any(
        parted(each)[0] == window and number <= parted(each)[1] for each in known.split()
    )


def is_overtaken(stored: Mapping[str, str], version: str) -> bool:
    """Whether a later draft of the same window came before this one."""
    window, number = parted(stored.get(VERSION, ""))
    return bool(window) and window == parted(version)[0] and number >= parted(version)[1]


def would_lose(held: Mapping[str, str], sent: Mapping[str, Any]) -> bool:
    """Whether something that is held is not in what was sent."""
    return any(text and plain(sent.get(name)) != plain(text) for name, text in held.items())


def plain(text: Any) -> str:
    return str(text or "").replace("\r\n", "\n").strip()


def texts(said: Mapping[str, Any]) -> dict[str, str]:
    return {name: plain(said.get(name)) for name in TEXTS if plain(said.get(name))}


def joined(other: Mapping[str, str], here: Mapping[str, str]) -> dict[str, str]:
    """The notes and reasons of both."""
    found = {name: of_both(other.get(name, ""), here.get(name, "")) for name in TEXTS}
    return {name: text for name, text in found.items() if text}


def of_both(one: str, two: str) -> str:
    """The lines of both, those of `one` first, each once; in place of a line's beginning the whole line.

    To join the result with either again changes nothing.
    """
    if not (one and two) or one == two:
        return one or two
    sides = one.split("\n"), two.split("\n")
    known = sorted({*sides[0], *sides[1]})
    found: dict[str, str] = {}
    for side in sides:
        # Paragraphs stay apart, but a gap alone is no line.
        added = gap = False
        for line in side:
            whole = longest(line, known)
            if not line.strip():
                gap = added
            elif whole not in found:
                found[whole] = f"\n{whole}" if gap else whole
                added, gap = True, False
    return "\n".join(found.values())


def longest(line: str, known: Sequence[str]) -> str:
    """The first of these sorted lines that begins with this one and that no other goes on from."""
    place = bisect_right(known, line)
    while place < len(known) and known[place].startswith(line):
        line = known[place]
        place += 1
    return line


def of_judgment(judgment: Judgment) -> Side:
    said = {"note": judgment.note, REASONS.get(Outcome(judgment.outcome), "note"): judgment.reason}
    if judgment.outcome == Outcome.ANSWER:
        said = {"note": judgment.note}
    return Side(
        outcome=judgment.outcome,
        answer=judgment.answer,
        texts=texts(said),
        confidence=str(judgment.confidence or ""),
        basis=judgment.basis,
        at=judgment.created,
        submitted=True,
    )


def of_words(words: Mapping[str, Any], answer: Answer | None, *, at: datetime | None = None) -> Side:
    """What a draft or a form holds; the answer as it was read from it, if one can be."""
    sure, basis = plain(words.get("confidence")), plain(words.get("basis"))
    outcome = next((each for each in (Outcome.UNDECIDED, Outcome.BROKEN) if each in words), Outcome.ANSWER)
    said = texts(words)
    if outcome == Outcome.UNDECIDED and plain(words["undecided"]):
        said["other"] = plain(words["undecided"])
    return Side(outcome, answer if outcome == Outcome.ANSWER else None, said, sure, basis, at)
