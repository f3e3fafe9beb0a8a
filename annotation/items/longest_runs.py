"""The longest run of words that an item's right option and its context share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotation.models import Item, Kind
from common.texts.result_cache import digest_of, results
from retrieval.engine.leaks import longest as shared


class Run(NamedTuple):
    """The longest run of words that an item's right option and its context share: how many, and which."""

    item: Item
    length: int
    words: str


def runs_of(items: Sequence[Item]) -> list[Run]:
    """The longest run of every work item that has one, the longest first."""
    work = [each for each in items if each.kind == Kind.WORK]
    key = digest_of((each.pk, each.payload, each.gold) for each in work)
    runs = results.get(f"runs {key}", lambda: [shared_run(each) for each in work])
    those = [Run(item, *run) for item, run in zip(work, runs, strict=True) if run is not None]
    return sorted(those, key=lambda each: (-each.length, each.item.number))


def longest_run(item: Item) -> Run | None:
    """The longest run that an item's right option and its context share; None without either."""
    run = shared_run(item)
    return None if run is None else Run(item, *run)


def shared_run(item: Item) -> shared.Run | None:
    """How many words it has, and which."""
    task = item.study.task_type
    texts, right = task.context_texts(item.payload), task.option_of(item.payload, item.gold)
    if not texts or right is None:
        return None
    return shared.longest_run(str(task.options(item.payload)[right]), texts)
