"""What several task types ask of a payload or of a form: whole numbers, and texts that can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.tasktypes.base import Invalid, Payload


def is_whole(value: Any, first: int, last: int) -> bool:
    """Return whether it is a whole number from ``first`` to ``last``; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool) and first <= value <= last


def whole_number(
    data: Mapping[str, Any], name: str, first: int, last: int, *, missing: str, wrong: str
) -> int:
    """Read a whole number from ``first`` to ``last``, which a form sends as text and a script as a number.

    Raises `Invalid` in the words of ``missing`` where there is none, and of ``wrong`` where it is another.
    """
    value = data.get(name)
    if value is None or value == "":
        raise Invalid(missing, name)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(last)):
        value = int(value)
    if not is_whole(value, first, last):
        raise Invalid(wrong, name)
    return int(value)


def check_names(payload: Payload, needed: set[str], optional: set[str], what: str) -> None:
    """Raise `Invalid` for a field that such an item has not, or that is missing."""
    unknown, missing = set(payload) - needed - optional, needed - set(payload)
    if unknown or missing:
        field, fault = min(unknown or missing), "Unknown" if unknown else "Missing"
        raise Invalid(f"{fault} field “{field}”: {what} has {', '.join(sorted(needed | optional))}.", field)
