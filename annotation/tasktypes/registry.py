"""All task types, found by looking into this folder: adding a file, or a folder with a file ``task``, adds a
type."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotation import tasktypes
from annotation.tasktypes.base import Invalid, TaskType


@cache
def all_types() -> dict[str, TaskType]:
    """Return every task type by slug, in alphabetical order."""
    for module in iter_modules(tasktypes.__path__):
        import_module(f"{tasktypes.__name__}.{module.name}{'.task' if module.ispkg else ''}")
    return {slug: cls() for slug, cls in sorted(TaskType.known.items())}


def get(slug: str) -> TaskType:
    """Return the task type of that name. Raises `Invalid` with the names there are."""
    types = all_types()
    if slug not in types:
        raise Invalid(f"There is no task “{slug}”. Choose one of: {', '.join(types)}.", "task")
    return types[slug]
