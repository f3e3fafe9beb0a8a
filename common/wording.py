"""Numbers as messages name them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 quote`, `2 quotes`, `7,500 quotes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
