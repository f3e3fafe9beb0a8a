"""What a machine had to do with a judgment, as columns: only studies have them that show its answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from annotation.tasktypes.base import TaskType


class MachineShown(NamedTuple):
    """What a machine had to do with one judgment. `OF_MACHINE` has the same order.

    arm: blind, reveal or prefilled; empty where the study shows no machine.
    revealed_at, kept_at: when its answer was shown after the annotator's own, and when theirs was kept.
    seen: its answer, if it had been shown by then.
    stratum, stratum_size, stratum_drawn: of the item in the sample; None where it is in none.
    """

    arm: str
    revealed_at: datetime | None
    kept_at: datetime | None
    seen: dict[str, Any] | None
    stratum: str | None
    stratum_size: int | None
    stratum_drawn: int | None


OF_MACHINE = (
    "assignment__arm",
    "assignment__revealed_at",
    "assignment__kept_at",
    "seen",
    "assignment__item__sampled__stratum",
    "assignment__item__sampled__stratum_size",
    "assignment__item__sampled__stratum_drawn",
)


def machine_columns(answer: Iterable[str]) -> list[str]:
    """Return the columns that only studies have which show what a machine answered."""
    seen = [f"seen_{name}" for name in answer]
    return [
        "arm",
        "revealed_at",
        "kept_at",
        *seen,
        "differs",
        "stratum",
        "stratum_items",
        "stratum_drawn",
        "weight",
    ]


def of_machine(
    task: TaskType,
    names: list[str],
    payload: dict[str, Any],
    answer: dict[str, Any] | None,
    shown: MachineShown,
) -> dict[str, Any]:
    """Return what a machine had to do with one judgment, as a dict of `machine_columns`."""
    seen = task.rows(payload, shown.seen) if shown.seen is not None else {}
    differs = None
    if shown.seen is not None and answer is not None:
        differs = not task.says_the_same(answer, shown.seen)
    weight = shown.stratum_size / shown.stratum_drawn if shown.stratum_size and shown.stratum_drawn else None
    return {
        "arm": shown.arm,
        "revealed_at": moment(shown.revealed_at),
        "kept_at": moment(shown.kept_at),
        **{f"seen_{name}": seen.get(name) for name in names},
        "differs": differs,
        "stratum": shown.stratum,
        "stratum_items": shown.stratum_size,
        "stratum_drawn": shown.stratum_drawn,
        "weight": weight,
    }


def moment(at: datetime | None) -> str | None:
    """Return a moment as files have it, in UTC; None for none."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at is not None else None
