"""Plain values as strict JSON: full precision, no NaN and no infinity."""

from __future__ import annotations

import json
import math
from typing import Any

# Characters that `str.splitlines` and some readers of JSON Lines take for the end of a line.
_LINE_ENDS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))
_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def written(data: Any, indent: int = 2) -> str:
    """Return the value as JSON over several lines. Raises ValueError for NaN and infinite numbers."""
    return json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def line(row: Any) -> str:
    """Return the value on one line, for JSON Lines. Raises ValueError for NaN and infinite numbers."""
    return in_one_line(_ON_ONE_LINE(row)) + "\n"


def in_one_line(text: str) -> str:
    """Return JSON with the characters escaped that some readers take for the end of a line."""
    for sign, escaped in _LINE_ENDS:
        if sign in text:
            text = text.replace(sign, escaped)
    return text


def compact(data: Any) -> str:
    """Return the value for a cell of another format. Raises ValueError for NaN and infinite numbers."""
    return _ON_ONE_LINE(data)


def finite(number: float) -> float:
    """Return the number. Raises ValueError where it is NaN or infinite."""
    if not math.isfinite(number):
        raise ValueError(f"Out of range float values are not JSON compliant: {number!r}")
    return number


def plain(value: Any) -> Any:
    """Return named tuples, however deep, as objects with their fields."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
