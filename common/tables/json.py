"""Plain values as strict JSON: full precision, no NaN and no infinity."""

from __future__ import annotations

import json
import math
from typing import Any

# Characters that `str.splitlines` and some readers of JSON Lines take for the end of a line.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def written(data: Any, indent: int = 2) -> str:
    """Return the value as JSON over several lines. Raises ValueError for NaN and infinite numbers."""
    return json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def line(row: Any) -> str:
    """Return the value on one line, for JSON Lines. Raises ValueError for NaN and infinite numbers."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS) + "\n"


def compact(data: Any) -> str:
    """Return the value for a cell of another format. Raises ValueError for NaN and infinite numbers."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


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
