"""What was left out of a file while it was read, and why: counted, with the first line of each reason."""

from __future__ import annotations

from common.wording import counted


class Remarks:
    """Lines that were left out, by reason."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, int]] = {}

    def add(self, reason: str, number: int) -> None:
        """Count a line that was left out."""
        count, first = self._found.get(reason, (0, number))
        self._found[reason] = count + 1, first

    def sentences(self) -> list[str]:
        """Return what was left out, a sentence a reason."""
        return [
            f"{counted(count, 'line')} left out: {reason}; the first is line {first:,}."
            for reason, (count, first) in self._found.items()
        ]
