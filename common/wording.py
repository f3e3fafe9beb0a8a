"""Numbers and moments as pages and messages write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from common.translation import gettext as _
from common.translation import gettext_noop
from common.translation import language as language_of_reader

MONTHS = (
    gettext_noop("January"),
    gettext_noop("February"),
    gettext_noop("March"),
    gettext_noop("April"),
    gettext_noop("May"),
    gettext_noop("June"),
    gettext_noop("July"),
    gettext_noop("August"),
    gettext_noop("September"),
    gettext_noop("October"),
    gettext_noop("November"),
    gettext_noop("December"),
)
SIGNS = {"de": str.maketrans(",.", ".,")}
"""By language, what stands for the comma between thousands and the point before decimals."""
NUMBERS = re.compile("([0-9]+)")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 quote`, `2 quotes`, `7,500 quotes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def number(value: float | Decimal, places: int = 0) -> str:
    """Return a number as the reader's language writes it: 7,500 and 1.4, in German 7.500 and 1,4."""
    return f"{value:,.{places}f}".translate(SIGNS.get(language_of_reader(), {}))


def percent(share: float) -> str:
    """Return a share (0 to 1) in percent, such as 1.4 %."""
    return f"{number(100 * share, 1)} %"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `a`, `a and b`, `a, b and c`; empty without any."""
    if len(words) < 2:
        return "".join(words)
    return _("{words} and {last}").format(words=", ".join(words[:-1]), last=words[-1])


def were(number: int) -> str:
    """Return `was` for one of something, else `were`."""
    return "was" if number == 1 else "were"


def day(moment: datetime) -> str:
    """Return a day, such as 3 May 2024, in German 3. Mai 2024."""
    moment = moment.astimezone(UTC)
    month = _(MONTHS[moment.month - 1])
    return _("{day} {month} {year}").format(day=moment.day, month=month, year=moment.year)


def time(moment: datetime) -> str:
    """Return a time of day, such as 14:02 UTC."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"


def day_and_time(moment: datetime) -> str:
    """Return day and time, such as 3 May 2024, 14:02 UTC."""
    return f"{day(moment)}, {time(moment)}"


def natural(name: str) -> list[str | int]:
    """Return the key that sorts names as people do: `grade 2` before `grade 10`."""
    return [int(part) if at % 2 else part for at, part in enumerate(NUMBERS.split(name))]
