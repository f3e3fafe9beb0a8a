"""Numbers and moments as pages and messages write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

NUMBERS = re.compile("([0-9]+)")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 quote`, `2 quotes`, `7,500 quotes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def were(number: int) -> str:
    """Return `was` for one of something, else `were`."""
    return "was" if number == 1 else "were"


def day(moment: datetime) -> str:
    """Return a day, such as 3 May 2024."""
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%B %Y}"


def time(moment: datetime) -> str:
    """Return a time of day, such as 14:02 UTC."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"


def day_and_time(moment: datetime) -> str:
    """Return day and time, such as 3 May 2024, 14:02 UTC."""
    return f"{day(moment)}, {time(moment)}"


def natural(name: str) -> list[str | int]:
    """Return the key that sorts names as people do: `grade 2` before `grade 10`."""
    return [int(part) if at % 2 else part for at, part in enumerate(NUMBERS.split(name))]
