"""JSON read strictly: no key is dropped in silence, and no number is read that JSON does not have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

_Key = TypeVar("_Key", str, int)


def loads(text: str, twice: Callable[[str], Any], no_number: Callable[[str], Any]) -> Any:
    """Read a JSON text.

    ``twice`` is called with a key that an object holds more than once, and ``no_number`` with ``NaN``,
    ``Infinity`` or ``-Infinity``. What they return stands in that place; as a rule they raise.

    Raises:
        ValueError: it is not JSON, or has a number of thousands of digits.
        RecursionError: its nesting has no end.
    """

    # What json.loads says of a mark at the beginning is clearer than what its decoder does.
    return json.loads(text) if text.startswith("\ufeff") else _decoder(twice, no_number).decode(text)


@lru_cache(maxsize=8)
def _decoder(twice: Callable[[str], Any], no_number: Callable[[str], Any]) -> json.JSONDecoder:
    """Return what reads JSON so; one for all lines of a file, since it takes as long to make as to use."""

    def once(pairs: list[tuple[str, Any]]) -> Any:
        read = dict(pairs)
        return read if len(read) == len(pairs) else twice(first_repeated(name for name, _ in pairs))

    return json.JSONDecoder(object_pairs_hook=once, parse_constant=no_number)


def first_repeated(values: Iterable[_Key]) -> _Key:
    """Return the first value that comes again later; there is one."""
    return next(value for value, times in Counter(values).items() if times > 1)
