"""What must be right about task types and receivers before anything is served: found at the start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core import checks

from annotation.models.derived import OF_ANSWER, OF_PAYLOAD
from annotation.reading import keys
from annotation.tasktypes import registry
from annotation.tasktypes.base import Key, TaskType
from annotation.webhooks import receivers


@checks.register
def task_types(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Check that each key does one thing, each act has one name, and each declared number has a column."""
    types = registry.all_types().values()
    return [*clashes(types), *(error for task in types for error in too_many(task))]


@checks.register
def receivers_are_described(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse settings of receivers that are not right: who is told what must not be guessed."""
    hint = "docs/api.md describes them."
    return [
        checks.Error(f"VARIORUM_WEBHOOKS: {each}", hint=hint, id="annotation.E005")
        for each in receivers.known().problems
    ]


def clashes(types: Any) -> Iterator[checks.CheckMessage]:
    """Yield an error for each key that does two things on one page, and each name that two acts have.

    Two tasks may share an act, key and words: a reader chooses its key once.
    """
    acts = {each.act: (each, "every task") for each in keys.COMMON}
    for task in types:
        yield from moved_nowhere(task)
        taken: dict[str, Key] = {}
        for each in keys.every_key(task):
            other = taken.setdefault(each.usual, each)
            if other is not each:
                yield checks.Error(
                    f"The key {each.usual!r} of the task “{task.slug}” would do two things: "
                    f"“{other.in_words()}” and “{each.in_words()}”.",
                    hint="Give the act in its class another key.",
                    id="annotation.E001",
                )
        for each in keys.task_keys(task):
            known, owner = acts.setdefault(each.act, (each, f"the task “{task.slug}”"))
            if each != known:
                yield checks.Error(
                    f"The act “{each.act}” of the task “{task.slug}” is one of {owner} already.",
                    hint="Readers choose a key for each act by its name: call it otherwise.",
                    id="annotation.E002",
                )


def moved_nowhere(task: TaskType) -> Iterator[checks.CheckMessage]:
    """Yield an error for each act that the task gives another key and that no page has."""
    for act in sorted(set(task.other_keys) - {each.act for each in keys.COMMON}):
        yield checks.Error(
            f"The task “{task.slug}” moves the key of “{act}”, which is no act of every task.",
            hint=f"It can move those of {', '.join(each.act for each in keys.COMMON)}.",
            id="annotation.E004",
        )


def too_many(task: TaskType) -> Iterator[checks.CheckMessage]:
    """Yield an error where a task type declares more numbers than the tables have columns."""
    for name, declared, columns in (
        ("payload_numbers", task.payload_numbers, OF_PAYLOAD),
        ("answer_numbers", task.answer_numbers, OF_ANSWER),
    ):
        if len(declared) > len(columns):
            yield checks.Error(
                f"The task “{task.slug}” declares {len(declared)} {name}: {len(columns)} have a column.",
                id="annotation.E003",
            )
