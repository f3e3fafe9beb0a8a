"""BIRCO's sets (Wang et al. 2024): queries, passages and graded pools in one pickled dictionary.

    {"query": {id: text}, "corpus": {id: text}, "qrel": {query id: {passage id: grade}}}

A pickle may run any program when it is read. This reader refuses whatever is more than dictionaries, lists,
texts and numbers, before anything of it is made. The same as JSON (`.json`) is read, too.
"""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from common.errors import BadInput
from common.strict_json import loads

PARTS = ("query", "corpus", "qrel")
NAMING = ("GLOBAL", "STACK_GLOBAL", "INST")
"""Codes of a pickle that name a class or a function."""
LONGEST_NUMBER = 63
"""Bits of the greatest number that is read."""


class Pools(NamedTuple):
    """A set: texts of queries and passages by id, and of each query the grade of each passage of its pool."""

    queries: dict[str, str]
    passages: dict[str, str]
    grades: dict[str, dict[str, int]]


class _Plain(pickle.Unpickler):
    """Reads plain values only: any name of a class or a function ends it."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError("it points to something outside")


def read(stream: IO[bytes], name: str) -> Pools:
    """Read a set. Raises `BadInput` with what is wrong: a name it may not use, a part, a grade."""
    try:
        found = _json(stream) if Path(name).suffix == ".json" else _pickled(stream.read())
    except RecursionError:
        raise BadInput(f"{name}: is nested without end.") from None
    except Exception as error:  # noqa: BLE001 - a damaged pickle raises anything
        raise BadInput(
            f"{name}: cannot be read as plain values ({error}): a dictionary of {', '.join(PARTS)} with "
            "texts and whole numbers was expected. Write it as JSON where it holds more."
        ) from None
    query, corpus, qrel = (_part(found, part, name) for part in PARTS)
    return Pools(
        {key: _text(value, name, "query", key) for key, value in query.items()},
        {key: _text(value, name, "corpus", key) for key, value in corpus.items()},
        {key: _pool(pool, query, corpus, name, key) for key, pool in qrel.items()},
    )


def _pickled(data: bytes) -> Any:
    """Read plain values. A few bytes may ask for any memory by the place where they keep a value, and for any
    time by a key that is a tuple of tuples: neither stands in a set, so the codes are looked at first.
    """
    for place, (code, argument, _) in enumerate(pickletools.genops(data)):
        if code.name in NAMING:
            break  # Reading ends there with what it names, and all before it was looked at.
        if "TUPLE" in code.name or code.name in ("EMPTY_SET", "FROZENSET"):
            raise pickle.UnpicklingError("it holds a tuple or a set")
        if code.name.endswith("PUT") and isinstance(argument, int) and argument > place:
            raise pickle.UnpicklingError("it keeps a value where none can be")
    return _Plain(BytesIO(data)).load()


def _json(stream: IO[bytes]) -> Any:
    return loads(stream.read().decode("utf-8-sig"), _twice, _no_number)


def _twice(key: str) -> NoReturn:
    raise ValueError(f"{key!r:.60} stands there twice")


def _no_number(said: str) -> NoReturn:
    raise ValueError(f"{said} is no number")


def _part(found: Any, part: str, name: str) -> dict[str, Any]:
    own = found.get(part) if isinstance(found, Mapping) else None
    if not isinstance(own, Mapping) or not own:
        raise BadInput(f"{name}, {part}: must be a dictionary with something in it.")
    return _by_id(own, f"{name}, {part}")


def _by_id(own: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """The same by ids that are texts. Raises `BadInput` for an id that is none, or that two of them have."""
    found: dict[str, Any] = {}
    for key, value in own.items():
        if not isinstance(key, str) and type(key) is not int:
            raise BadInput(f"{where}: an id is of the type {type(key).__name__}; use texts or whole numbers.")
        if isinstance(key, int) and key.bit_length() > LONGEST_NUMBER:
            raise BadInput(f"{where}: an id is a number of {key.bit_length():,} bits; use texts.")
        text = str(key)
        if not text.isascii() and text.encode("utf-8", "replace").decode() != text:
            raise BadInput(f"{where} {text!r:.60}: the id holds half of a character (a lone surrogate).")
        if text in found:
            raise BadInput(f"{where} {text!r:.60}: stands there twice, as a text and as a number.")
        found[text] = value
    return found


def _text(value: Any, name: str, part: str, key: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{name}, {part} {key!r:.60}: must be a text with words in it.")
    return value


def _pool(
    pool: Any, query: Mapping[str, Any], corpus: Mapping[str, Any], name: str, key: str
) -> dict[str, int]:
    if key not in query:
        raise BadInput(f"{name}, qrel {key!r:.60}: there is no such query.")
    if not isinstance(pool, Mapping):
        raise BadInput(f"{name}, qrel {key!r:.60}: must be a dictionary of grades.")
    found = {}
    for passage, grade in _by_id(pool, f"{name}, qrel {key!r:.60}, passage").items():
        where = f"{name}, qrel {key!r:.60}, passage {passage!r:.60}"
        if passage not in corpus:
            raise BadInput(f"{where}: there is no such passage.")
        whole = isinstance(grade, int) or (isinstance(grade, float) and grade.is_integer())
        if isinstance(grade, bool) or not whole or int(grade).bit_length() > LONGEST_NUMBER:
            raise BadInput(f"{where}: the grade must be a whole number, not {_shown(grade)}.")
        found[passage] = int(grade)
    return found


def _shown(grade: Any) -> str:
    """A value for an error: what is written out may be longer than any memory where lists share lists."""
    if isinstance(grade, int) and grade.bit_length() > LONGEST_NUMBER:
        return f"one of {grade.bit_length():,} bits"
    if isinstance(grade, bool | int | float | str):
        return f"{grade!r:.30}"
    return f"of the type {type(grade).__name__}"
