"""The looks of a stopping rule as values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from annotation.studies.running.stopping import Rule
from evaluation.metrics.common.measure import MeasureOf


class Look(NamedTuple):
    """One look.

    ``measure``: its slug; ``items``: fully read items that it counts; ``at``: when the last became full;
    ``value``, ``low``, ``high``, ``half_width``: None where there is none; ``reason``: why; ``met``: whether
    the rule says that the study may stop.
    """

    measure: str
    items: int
    at: datetime
    value: float | None
    low: float | None
    high: float | None
    half_width: float | None
    reason: str
    met: bool

    @property
    def data(self) -> dict[str, Any]:
        """As an event of the record keeps it."""
        return {**self._asdict(), "at": self.at.isoformat()}


class Looked(NamedTuple):
    """The rule of a study and its looks so far.

    ``measure``: what it looks at, None where the items do not have it; ``full``: fully read items;
    ``changed``: looks that would come out otherwise now, because readers have withdrawn since;
    ``closed``: whether no more readings come in.
    """

    rule: Rule
    measure: MeasureOf[Any] | None
    looks: tuple[Look, ...]
    full: int
    changed: int = 0
    closed: bool = False

    @property
    def met(self) -> Look | None:
        """The look that met the rule."""
        return self.looks[-1] if self.looks and self.looks[-1].met else None

    @property
    def over(self) -> bool:
        """Whether all looks were taken and none met the rule."""
        return len(self.looks) == self.rule.most and self.met is None

    @property
    def next(self) -> int | None:
        """Fully read items at the next look; None where there is none."""
        done = self.met is not None or self.over or self.closed
        return None if done else self.rule.schedule[len(self.looks)]
