"""The looks of a stopping rule, computed from the record: the same ones whenever they are computed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from annotation.models import Kind, State, Study
from annotation.studies.running.stopping import (
    DIFFERENCE,
    Full,
    Rule,
    events_of_looks,
    full_items,
    rule_of,
    runs_of,
)
from annotation.tasktypes.base import Invalid
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import DataKind, seed_of
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.machines.differences import DISTANCE
from evaluation.metrics.planning.pilot import Sampled
from evaluation.metrics.planning.spending import levels
from evaluation.stopping.run import from_run
from evaluation.values.looks import Look, Looked

_ROUNDING = 1e-9


def offered(study: Study) -> tuple[MeasureOf[Any], ...]:
    """What a rule of this study may look at; nothing before it has items."""
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        if not judged.n_items or kind.nothing(judged):
            return ()
        runs = (DISTANCE,) if runs_of(study) and study.items.exclude(gold=None).exists() else ()
        return (*(one.measure for one in kind.primary(judged)), *runs)
    except (Unreadable, Invalid):
        return ()


def looked(study: Study, *, again: bool = False) -> Looked | None:
    """The looks so far; None without a rule. ``again``: whether those that the record has are computed once
    more, which takes as long as so many reports and is asked where a proof is wanted; otherwise they are
    taken as they stand there. Where they come out otherwise they stand as they were seen, since reading went
    on, or stopped, by that."""
    rule = rule_of(study)
    if rule is None:
        return None
    stored = recorded(study)
    full = full_items(study) if study.state != State.DRAFT else []
    found, changed = list[Look](), 0
    for n_items in rule.schedule:
        seen, there = stored.get(n_items), n_items <= len(full)
        if (found and found[-1].met) or not (seen or there):
            break
        if seen and again:
            changed += not (there and _same(seen, look(study, rule, full[:n_items])))
        found.append(seen or look(study, rule, full[:n_items]))
    measure = next((one for one in offered(study) if one.slug == rule.measure), None)
    taken = {each.data["items"]: each.created for each in events_of_looks(study)}
    closed = study.state == State.CLOSED
    items = study.items.filter(kind=Kind.WORK, retired=None).count()
    return Looked(rule, measure, tuple(found), len(full), changed, closed, taken, again, items)


def look(study: Study, rule: Rule, full: list[Full]) -> Look:
    """One look at these fully read items, with the answers that were current when the last became full."""
    at, level = full[-1].at, level_of(rule, len(full))
    nothing = Look(rule.measure, len(full), at, None, None, None, None, "", False, level)
    try:
        sampled = _sampled(study, rule, AsOf(np.array([each.item for each in full]), at))
    except (Unreadable, Invalid) as error:
        return nothing._replace(reason=str(error))
    if sampled is None:
        return nothing._replace(reason="The answers do not have this measure.")
    if level == 1:
        value = sampled.measure.value(sampled.sample)
        return nothing._replace(value=value, reason="So early nothing is decided.")
    found = sampled.estimate(seed_of(study), level)
    if found.low is None or found.high is None:
        return nothing._replace(value=found.value, reason=found.reason)
    low, high = found.low, found.high
    return Look(
        rule.measure,
        len(full),
        at,
        found.value,
        low,
        high,
        (high - low) / 2,
        found.reason,
        _met(rule, low, high),
        level,
    )


def level_of(rule: Rule, n_items: int) -> float:
    """The level of the interval at a look: 0.95, or what all looks together leave to this one."""
    if not rule.spending:
        return LEVEL
    return 1 - levels(rule.schedule, rule.spending)[rule.schedule.index(n_items)]


def _met(rule: Rule, low: float, high: float) -> bool:
    if rule.threshold is not None:
        return low > rule.threshold or high < rule.threshold
    return rule.width is not None and (high - low) / 2 <= rule.width


def _sampled(study: Study, rule: Rule, as_of: AsOf) -> Sampled | None:
    """What a rule looks at, as of a moment; None where the answers do not have it."""
    kind: DataKind[Any] = kind_of(study)
    judged = kind.read(study, as_of)
    if rule.measure == DIFFERENCE:
        return from_run(study, kind, judged, rule.run, as_of)
    return next((one for one in kind.primary(judged) if one.measure.slug == rule.measure), None)


def recorded(study: Study) -> dict[int, Look]:
    """The looks that the record has, by their items."""
    rows = (each.data for each in events_of_looks(study))
    # Looks that were recorded before there were comparisons say no level.
    return {
        row["items"]: Look(
            **{name: row.get(name) for name in Look._fields}
            | {"at": _moment(row["at"]), "level": row.get("level") or LEVEL}
        )
        for row in rows
    }


def _same(one: Look, other: Look) -> bool:
    """Whether both saw the same, but for what another machine rounds otherwise."""
    pairs = ((one.value, other.value), (one.half_width, other.half_width), (one.met, other.met))
    return all(a == b or (a is not None and b is not None and abs(a - b) < _ROUNDING) for a, b in pairs)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
