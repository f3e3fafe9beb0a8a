"""JSON lines: one object a line, each of its values of the kind that was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from common.errors import BadInput
from common.strict_json import loads
from retrieval.engine.interchange.lines import Line, Wrong

LONGEST_ID = 200
"""Bytes of an id."""
DEEPEST = 50
"""Lists and objects within each other, in a value that is kept."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what stands behind them."""
_LARGEST = 10**9
"""Whole numbers from here on are not meant as such when they are written with a point."""


class Object:
    """One JSON object of a file, asked for its values by name.

    Raises:
        BadInput: from every method, for a value that is not what was expected.
    """

    def __init__(self, line: Line, values: dict[str, Any], wrong: Wrong) -> None:
        self.line = line
        self._values, self._wrong = values, wrong
        self._asked: set[str] = set()

    def id(self, *names: str) -> str:
        """Return the id that stands under the first of these names; a whole number is one, too."""
        found = self._first(names)
        if isinstance(found, int) and not isinstance(found, bool):
            found = str(found)
        if not isinstance(found, str):
            raise self.wrong(f'no "{names[0]}"; each object needs one, a string or a whole number.')
        return checked_id(found, self.line.number, self._wrong)

    def text(self, *names: str, needed: bool = False, empty: bool = False) -> str:
        """Return the string that stands under the first of these names; empty where there is none.

        Args:
            names: The names, in the order in which they are looked for.
            needed: Whether it is wrong that there is none.
            empty: Whether one that is needed may be empty.
        """
        found = self._first(names)
        if found is None and not needed:
            return ""
        if not isinstance(found, str):
            raise self.wrong(f'"{names[0]}" is {_kind(found)}; a string was expected.')
        if _SURROGATE.search(found):
            raise self.wrong(f'"{names[0]}" holds half of a character (a lone surrogate).')
        if "\0" in found:
            raise self.wrong(f'"{names[0]}" holds a null character.')
        if needed and not empty and not found.strip():
            raise self.wrong(f'"{names[0]}" is empty.')
        return found

    def number(self, name: str) -> int | None:
        """Return a whole number, which may be written as 1.0, or None where there is none."""
        found = self._first((name,))
        if found is None or found == "":
            return None
        if isinstance(found, str) and found.removeprefix("-").isdecimal() and len(found) < 8:
            return int(found)
        if isinstance(found, float) and found.is_integer() and abs(found) < _LARGEST:
            return int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            raise self.wrong(f'"{name}" is {_kind(found)}; a whole number was expected.')
        return found

    def mapping(self, name: str) -> dict[str, Any]:
        """Return an object; an empty one where there is none."""
        found = self._first((name,))
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.wrong(f'"{name}" is {_kind(found)}; an object was expected.')
        return found

    def values(self, name: str) -> list[Any]:
        """Return a list; an empty one where there is none."""
        found = self._first((name,))
        if found is not None and not isinstance(found, list):
            raise self.wrong(f'"{name}" is {_kind(found)}; a list was expected.')
        return found or []

    def has(self, *names: str) -> bool:
        """Whether one of these names is there, whatever stands under it."""
        return any(name in self._values for name in names)

    def pass_over(self, *names: str) -> None:
        """Count these names among those that were asked for."""
        self._asked.update(names)

    def rest(self) -> dict[str, Any]:
        """Return what nobody asked for, if a database can keep it."""
        found = {name: value for name, value in self._values.items() if name not in self._asked}
        self.check_kept(found)
        return found

    def check_kept(self, values: Mapping[str, Any]) -> None:
        """Raise `BadInput` where a value, or a name in it, is one that a database or a page cannot hold."""
        for name, value in values.items():
            waiting: list[tuple[Any, int]] = [(name, 0), (value, 0)]
            while waiting:
                each, depth = waiting.pop()
                if why := _not_kept(each, depth):
                    raise self.wrong(f"{name[:60]!r} {why}.")
                inner = [*each, *each.values()] if isinstance(each, dict) else each
                if isinstance(inner, list):
                    waiting.extend((one, depth + 1) for one in inner)

    def wrong(self, sentence: str) -> BadInput:
        """Make the error that names this line."""
        return self._wrong(self.line.number, sentence)

    def _first(self, names: Iterable[str]) -> Any:
        for name in names:
            if name in self._values:
                self._asked.add(name)
                return self._values[name]
        return None


def objects(lines: Iterable[Line], wrong: Wrong) -> Iterator[Object]:
    """Yield the object of each line that is not blank.

    Raises:
        BadInput: a line is no JSON object, or holds a key twice.
    """
    for line in lines:
        if line.text.strip():
            yield Object(line, _loads(line, wrong), wrong)


def checked_id(text: str, number: int, wrong: Wrong) -> str:
    """Return an id of a document or topic that files of runs can hold.

    Raises:
        BadInput: it is empty, too long, or holds white space, by which such files divide their columns.
    """
    if not text or _SPACE.search(text):
        raise wrong(number, f"the id {text[:60]!r} is empty or holds white space; runs could not name it.")
    if _SURROGATE.search(text) or "\0" in text:
        raise wrong(number, f"the id {text[:60]!r} holds what is no character.")
    check_seen(text, number, wrong)
    if len(text.encode()) > LONGEST_ID:
        raise wrong(number, f"the id {text[:60]!r} … is longer than {LONGEST_ID} bytes.")
    return text


def check_seen(text: str, number: int, wrong: Wrong) -> None:
    """Refuse an id with a control character: two ids that look alike would be two, or one would be read
    backwards. Raises `BadInput`.
    """
    if found := _UNSEEN.search(text):
        raise wrong(
            number, f"the id {text[:60]!a} holds U+{ord(found[0]):04X}, a character that nobody sees."
        )


def _not_kept(value: Any, depth: int) -> str:
    if depth > DEEPEST:
        return f"nests deeper than {DEEPEST} lists and objects"
    if isinstance(value, float) and math.isinf(value):
        return "holds a number that is too large"
    if isinstance(value, str) and "\0" in value:
        return "holds a null character"
    if isinstance(value, str) and _SURROGATE.search(value):
        return "holds half of a character (a lone surrogate)"
    return ""


def _loads(line: Line, wrong: Wrong) -> dict[str, Any]:
    def twice(name: str) -> NoReturn:
        raise wrong(line.number, f"the key {name[:60]!r} stands twice in one object.")

    def no_number(name: str) -> NoReturn:
        raise wrong(line.number, f"{name} is no number that JSON has.")

    try:
        found = loads(line.text, twice, no_number)
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise wrong(line.number, f"no JSON: {str(error)[:120]}.") from None
    if not isinstance(found, dict):
        raise wrong(line.number, f"{_kind(found)}; one JSON object a line was expected.")
    return found


def _kind(value: Any) -> str:
    kinds: Mapping[type, str] = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "missing")
