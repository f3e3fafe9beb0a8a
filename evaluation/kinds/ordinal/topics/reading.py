"""The topic of each item, and the order in which each reader judged those of a topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotation.models import Judgment, Kind, Study
from evaluation.kinds.answers import Reader, Rows, places
from evaluation.kinds.columns import Grouped
from evaluation.metrics.nominal.table import IntArray


class Topics(NamedTuple):
    """Which item belongs to which topic, and when it was judged.

    ``names``: of the topics, sorted.
    ``of_item`` (N,): the place of each item's topic among them.
    ``position`` (M,): which of its topic a judgment was for its reader, from 0, in the order in which they
        first judged them, those that could not be decided or were broken counted with the others.
    """

    names: tuple[str, ...]
    of_item: IntArray
    position: IntArray


def topics_of(study: Study, keys: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """The names of the topics of the items ``keys`` (N,) (primary keys), sorted, and the topic of each."""
    # Work items that were replaced are read with the others: the index knows nothing of that.
    found = Grouped(study.items.filter(kind=Kind.WORK), ("group",), ("id",))
    item, known = places(found.column("id"), keys)
    group = np.repeat(np.arange(len(found.groups)), found.sizes)
    of_item = np.zeros(len(keys), dtype=np.int64)
    of_item[item[known]] = group[known]
    names = np.array([each["group"] for each in found.groups], dtype=object)
    used, at = np.unique(of_item, return_inverse=True)
    order = np.argsort(names[used].astype(str), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return tuple(names[used][order].tolist()), rank[at.ravel()]


def positions(rows: Rows, first: IntArray, topic: IntArray) -> IntArray:
    """(M,) the place of each judgment among those of its reader on its topic, by ``first`` (M,), the key of
    the first judgment at its assignment; ``topic`` (N,): of each item."""
    about = topic[rows.item]
    order = np.lexsort((first, about, rows.reader))
    new = np.diff(rows.reader[order], prepend=-1).astype(bool) | np.diff(about[order], prepend=-1).astype(
        bool
    )
    begin = np.flatnonzero(new)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(begin, np.diff(begin, append=len(order)))
    return place


def first_keys(readers: list[Reader], items: IntArray, rows: Rows, key: IntArray) -> IntArray:
    """(M,) the key of the first judgment at each assignment, ``key`` (M,) where it was not revised."""
    found = Judgment.objects.first_of_revised(each.key for each in readers)
    columns = list(found.values_list("annotator", "item", "pk"))
    if not columns:
        return key
    at = {each.key: number for number, each in enumerate(readers)}
    item, known = places(np.array([each[1] for each in columns], dtype=np.int64), items)
    reader = np.array([at[each[0]] for each in columns], dtype=np.int64)
    width = len(items)
    revised, pk = reader * width + item, np.array([each[2] for each in columns], dtype=np.int64)
    order = np.argsort(revised[known])
    revised, pk = revised[known][order], pk[known][order]
    mine = rows.reader * width + rows.item
    where = np.minimum(np.searchsorted(revised, mine), max(len(revised) - 1, 0))
    return np.where(revised[where] == mine, pk[where], key) if len(revised) else key
