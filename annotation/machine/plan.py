"""Which readings a machine reader makes: of every work item one, of some several, in one order or more.

All of it follows from the reader's seed and the digests of the items, so that a job that is resumed asks what
the first attempt would have asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import NamedTuple

from annotation.models import Item, MachineReader
from annotation.models.work import ItemQuerySet

Cell = tuple[int, int]
"""Replicate and order of one reading of an item."""


class Wanted(NamedTuple):
    """A reading that is to be made.

    item: key of the item.
    replicate, order: as in `MachineReading`.
    """

    item: int
    replicate: int
    order: int


def items(reader: MachineReader) -> ItemQuerySet:
    """Return the items that it reads: work items that readers may be given, those of a group together."""
    found: ItemQuerySet = reader.study.items.all()
    return found.work().given().order_by("group", "number")


def repeated(reader: MachineReader) -> set[int]:
    """Return the keys of the items that are asked more than once, drawn from the seed."""
    if reader.replicates == 1:
        return set()
    rows = items(reader).values_list("pk", "digest")
    drawn = sorted((sha256(f"{reader.seed} again {digest}".encode()).digest(), pk) for pk, digest in rows)
    return {pk for _, pk in drawn[: reader.repeated]}


def wanted(reader: MachineReader) -> Iterator[Wanted]:
    """Yield all readings that it makes, the first of each item before any other."""
    again = repeated(reader)
    keys = list(items(reader).values_list("pk", "categories"))
    for replicate, order in cells(reader):
        for pk, options in keys:
            if (not replicate or pk in again) and (not order or order < (options or 1)):
                yield Wanted(pk, replicate, order)


def cells(reader: MachineReader) -> list[Cell]:
    """Return replicates and orders in the order in which they are read; no replicate has another order."""
    return [*((0, order) for order in range(reader.orders)), *((n, 0) for n in range(1, reader.replicates))]


def missing(reader: MachineReader) -> list[Wanted]:
    """Return the readings that are not made yet."""
    made = set(reader.readings.values_list("item", "replicate", "order"))
    return [each for each in wanted(reader) if each not in made]


def order_of(reader: MachineReader, item: Item, order: int) -> Sequence[int]:
    """Return the canonical numbers of the item's options as they are shown; empty where order has no meaning.

    The orders of an item are rotations of one that is drawn.
    """
    n = reader.study.task_type.n_options(item.payload)
    drawn = list(range(n))
    Random(f"{reader.seed} order {item.digest}").shuffle(drawn)  # noqa: S311 - not a secret
    turn = order % n if n else 0
    return drawn[turn:] + drawn[:turn]
