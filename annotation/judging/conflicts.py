"""Conflicts between two windows of one reader at one item: neither replaces what the other has, unseen.

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

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Basis, Judgment, Outcome
from annotation.tasktypes.base import Answer

VERSION, KNOWN = "draft_version", "draft_known"
TEXTS = {
    "other": gettext_noop("Reason"),
    "fault": gettext_noop("What is wrong"),
    "note": gettext_noop("Note"),
}
REASONS = {Outcome.UNDECIDED: "other", Outcome.BROKEN: "fault"}


class WindowConflict(Exception):
    """Raised where another window holds something that this form does not know and would replace."""


class WindowState(NamedTuple):
    """What one window holds.

    outcome, answer: the act and the answer.
    texts: reason, fault and note.
    confidence, basis: as the form sends them.
    at: when it was stored; None if it is on this page only.
    submitted: whether it is a judgment.
    """

    outcome: str
    answer: Answer | None
    texts: dict[str, str]
    confidence: str = ""
    basis: str = ""
    at: datetime | None = None
    submitted: bool = False

    @property
    def said(self) -> list[tuple[str, str]]:
        """Return what was typed and picked beside the answer, each with its name."""
        sure = _("{sure} of 5").format(sure=self.confidence) if self.confidence else ""
        basis = _(Basis(self.basis).label) if self.basis in Basis.values else ""
        typed = [(_(TEXTS[name]), text) for name, text in self.texts.items()]
        return [each for each in [*typed, (_("Sure"), sure), (_("Basis"), basis)] if each[1]]


class BothWindows(NamedTuple):
    """What two windows hold.

    other, here: the two states.
    field, value: the button by which `here` was submitted, if it was.
    """

    other: WindowState
    here: WindowState
    field: str = ""
    value: str = ""


def new_version() -> str:
    """Return the first version of a new window."""
    return f"{uuid4().hex[:12]}.1"


def split_version(version: str) -> tuple[str, int]:
    """Return the window of a version, and which of its drafts it is."""
    window, _, number = version.rpartition(".")
    return window, int(number[:9]) if number.isdecimal() else 0


def is_known(version: str, known: str) -> bool:
    """Return whether a form that knows these versions knows that one, or a later one of the same window."""
    window, number = split_version(version)
    return not version or any(
        split_version(each)[0] == window and number <= split_version(each)[1] for each in known.split()
    )


def is_overtaken(stored: Mapping[str, str], version: str) -> bool:
    """Return whether a later draft of the same window is stored already."""
    window, number = split_version(stored.get(VERSION, ""))
    return bool(window) and window == split_version(version)[0] and number >= split_version(version)[1]


def would_lose(held: Mapping[str, str], sent: Mapping[str, Any]) -> bool:
    """Return whether something in `held` is not in `sent`."""
    return any(text and plain_text(sent.get(name)) != plain_text(text) for name, text in held.items())


def plain_text(text: Any) -> str:
    """Return the value as text with plain line ends, without blanks around it."""
    return str(text or "").replace("\r\n", "\n").strip()


def typed_texts(said: Mapping[str, Any]) -> dict[str, str]:
    """Return the reason, fault and note of a form or draft, those that are not empty."""
    return {name: plain_text(said.get(name)) for name in TEXTS if plain_text(said.get(name))}


def merged_notes(other: Mapping[str, str], here: Mapping[str, str]) -> dict[str, str]:
    """Return the notes and reasons of both windows."""
    found = {name: merged_lines(other.get(name, ""), here.get(name, "")) for name in TEXTS}
    return {name: text for name, text in found.items() if text}


def merged_lines(one: str, two: str) -> str:
    """Return the lines of both texts, those of `one` first, each once; a line that goes on replaces its
    beginning.

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
            whole = longest_line(line, known)
            if not line.strip():
                gap = added
            elif whole not in found:
                found[whole] = f"\n{whole}" if gap else whole
                added, gap = True, False
    return "\n".join(found.values())


def longest_line(line: str, known: Sequence[str]) -> str:
    """Return the first of these sorted lines that begins with this one and is no other line's beginning."""
    place = bisect_right(known, line)
    while place < len(known) and known[place].startswith(line):
        line = known[place]
        place += 1
    return line


def state_of_judgment(judgment: Judgment) -> WindowState:
    """Return what was submitted, as the state of a window."""
    offered = judgment.assignment.study.task_type.undecided_reasons
    # A form holds a reason that was offered in the words of its reader's language.
    reason = _(judgment.reason) if judgment.reason in offered else judgment.reason
    said = {"note": judgment.note, REASONS.get(Outcome(judgment.outcome), "note"): reason}
    if judgment.outcome == Outcome.ANSWER:
        said = {"note": judgment.note}
    return WindowState(
        outcome=judgment.outcome,
        answer=judgment.answer,
        texts=typed_texts(said),
        confidence=str(judgment.confidence or ""),
        basis=judgment.basis,
        at=judgment.created,
        submitted=True,
    )


def state_of_form(
    words: Mapping[str, Any], answer: Answer | None, *, at: datetime | None = None
) -> WindowState:
    """Return what a draft or a form holds; `answer` as it was read from it, if one can be."""
    sure, basis = plain_text(words.get("confidence")), plain_text(words.get("basis"))
    outcome = next((each for each in (Outcome.UNDECIDED, Outcome.BROKEN) if each in words), Outcome.ANSWER)
    said = typed_texts(words)
    if outcome == Outcome.UNDECIDED and plain_text(words["undecided"]):
        # A button sends a reason in English, whatever stands on it.
        said["other"] = _(plain_text(words["undecided"]))
    return WindowState(outcome, answer if outcome == Outcome.ANSWER else None, said, sure, basis, at)
