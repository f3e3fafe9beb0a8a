"""What is wrong with the lines of a file, gathered and said together: whoever mends one mends all."""

from __future__ import annotations

from common.errors import BadInput

MOST, LONGEST = 20, 1000
"""How many wrong lines are named, and letters of what is said of one."""


class BadLines(BadInput):
    """Several lines of one file are wrong.

    sentences: one for each, in the order of the file; a last one where the rest of it was not read.
    """

    def __init__(self, sentences: list[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = sentences


class Complaints:
    """Gathers what is wrong with lines, up to `MOST`: what it takes in memory does not grow with the file."""

    def __init__(self) -> None:
        self._found: list[BadInput] = []

    def __bool__(self) -> bool:
        """Return whether there is one."""
        return bool(self._found)

    def note(self, error: BadInput) -> None:
        """Keep a complaint. Raises `BadLines` with all of them at the last there is room for."""
        self._found.append(error)
        if len(self._found) == MOST:
            behind = f"These are the first {MOST} wrong lines; what stands behind them was not read."
            raise BadLines([*map(said, self._found), behind])

    def end(self) -> None:
        """Raise what was gathered: one complaint as it is, several as `BadLines`."""
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            raise BadLines([said(each) for each in self._found])


def said(error: BadInput) -> str:
    """Return a complaint without an end that nobody would read."""
    sentence = str(error)
    return sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}…"


def sentences_of(error: Exception) -> list[str]:
    """Return what an error says, a sentence for each wrong line."""
    return list(error.sentences) if isinstance(error, BadLines) else [str(error)]
