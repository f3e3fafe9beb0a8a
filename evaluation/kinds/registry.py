"""All kinds of data, found by looking into this folder: adding a file, or a folder with a file ``kind``, adds
a kind."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from annotation.models import Study
from evaluation import kinds
from evaluation.kinds.base import DataKind
from evaluation.kinds.columns import Unreadable
from evaluation.values.wording import listed

NOT_KINDS = {"answers", "apparatus", "base", "columns", "registry"}


@cache
def all_kinds() -> dict[str, DataKind[Any]]:
    """Every kind by name, in alphabetical order."""
    for module in iter_modules(kinds.__path__):
        if module.name not in NOT_KINDS:
            import_module(f"{kinds.__name__}.{module.name}{'.kind' if module.ispkg else ''}")
    return {name: cls() for name, cls in sorted(DataKind.known.items())}


def kind_of(study: Study) -> DataKind[Any]:
    """The kind of data that the study's task yields. Raises Unreadable where there are no measures for it."""
    data, known = study.task_type.measure, all_kinds()
    if data not in known:
        raise Unreadable(
            f"The task “{study.task}” yields {data} data: measures exist for {listed(list(known))} data."
        )
    return known[data]
