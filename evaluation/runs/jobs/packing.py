"""Numbers as compressed JSON and back: named tuples, data classes and arrays, by the types they declare.

Floats are written so that they are read back bit by bit; a measure is written as its label.
"""

from __future__ import annotations

import json
import types
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from evaluation.metrics.ranking.measures import RunMeasure, measure

Value = TypeVar("Value")


def pack(value: Any) -> bytes:
    """Return a value as bytes. Raises TypeError for what no field of a report is."""
    return zlib.compress(json.dumps(_plain(value), separators=(",", ":")).encode(), 6)


def unpack(kind: Callable[..., Value], packed: bytes) -> Value:
    """Return the value of this type that `pack` wrote. Raises TypeError where it is of another."""
    found: Value = _read(kind, json.loads(zlib.decompress(packed)))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, RunMeasure):
        return value.label
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), value.ravel().tolist()]
    if is_dataclass(value) or hasattr(value, "_fields"):
        return [_plain(getattr(value, name)) for name in _names(type(value))]
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"A report holds no {type(value).__name__}.")


def _read(kind: Any, said: Any) -> Any:
    origin, of = get_origin(kind), get_args(kind)
    if kind is RunMeasure:
        return measure(said)
    if origin is np.ndarray:
        dtype, shape, values = said
        return np.array(values, dtype=np.dtype(dtype)).reshape(shape)
    if origin in (Union, types.UnionType):
        return None if said is None else _read(next(each for each in of if each is not types.NoneType), said)
    if origin is tuple:
        kinds = [of[0]] * len(said) if of[-1] is Ellipsis else of
        return tuple(_read(each, one) for each, one in zip(kinds, said, strict=True))
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        hints = _hints(kind)
        return kind(*(_read(hints[name], one) for name, one in zip(_names(kind), said, strict=True)))
    return float(said) if kind is float else said


def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else kind._fields


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
