"""BIRCO's sets (Wang et al. 2024): queries, passages and graded pools in one pickled dictionary.

    {"query": {id: text}, "corpus": {id: text}, "qrel": {query id: {passage id: grade}}}

A pickle may run any program when it is read. This reader refuses whatever is more than dictionaries, lists,
texts and numbers, before anything of it is made. The same as JSON (`.json`) is read, too.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from common.errors import BadInput

PARTS = ("query", "corpus", "qrel")


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
        found = json.load(stream) if Path(name).suffix == ".json" else _Plain(stream).load()
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


def _part(found: Any, part: str, name: str) -> dict[str, Any]:
    own = found.get(part) if isinstance(found, Mapping) else None
    if not isinstance(own, Mapping) or not own:
        raise BadInput(f"{name}, {part}: must be a dictionary with something in it.")
    return {str(key): value for key, value in own.items()}


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
    for passage, grade in pool.items():
        where = f"{name}, qrel {key!r:.60}, passage {str(passage)!r:.60}"
        if str(passage) not in corpus:
            raise BadInput(f"{where}: there is no such passage.")
        whole = isinstance(grade, int) or (isinstance(grade, float) and grade.is_integer())
        if isinstance(grade, bool) or not whole:
            raise BadInput(f"{where}: the grade must be a whole number, not {grade!r:.30}.")
        found[str(passage)] = int(grade)
    return found
