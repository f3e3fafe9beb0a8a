"""The looks of a stopping rule as values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from annotation.studies.running.stopping import Rule
from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.common.measure import MeasureOf


class Look(NamedTuple):
    """One look.

    ``measure``: its slug; ``items``: fully read items that it counts; ``at``: when the last became full;
    ``value``, ``low``, ``high``, ``half_width``: None where there is none; ``reason``: why; ``met``: whether
    the rule says that the study may stop; ``level``: of the interval, more than 0.95 where a comparison is
    looked at several times.
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
    level: float = LEVEL

    def above(self, rule: Rule) -> bool:
        """Whether the interval lies wholly above what the rule compares with."""
        return rule.threshold is not None and self.low is not None and self.low > rule.threshold

    @property
    def data(self) -> dict[str, Any]:
        """As an event of the record keeps it."""
        return {**self._asdict(), "at": self.at.isoformat()}


class Looked(NamedTuple):
    """The rule of a study and its looks so far.

    ``measure``: what it looks at, None where the items do not have it; ``full``: fully read items;
    ``changed``: looks that would come out otherwise now, because readers have withdrawn since;
    ``closed``: whether no more readings come in; ``taken``: when looks were recorded, by their items;
    ``again``: whether recorded looks were computed once more; ``items``: work items that the study has.
    """

    rule: Rule
    measure: MeasureOf[Any] | None
    looks: tuple[Look, ...]
    full: int
    changed: int = 0
    closed: bool = False
    taken: Mapping[int, datetime] = MappingProxyType({})
    again: bool = True
    items: int = 0

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
