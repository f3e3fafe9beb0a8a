"""The looks of a stopping rule, computed from the record: the same ones whenever they are computed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from annotation.models import State, Study
from annotation.studies.running.stopping import Full, Rule, events_of_looks, full_items, rule_of
from annotation.tasktypes.base import Invalid
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import DataKind, seed_of
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.measure import MeasureOf
from evaluation.values.looks import Look, Looked

_ROUNDING = 1e-9


def offered(study: Study) -> tuple[MeasureOf[Any], ...]:
    """What a rule of this study may look at; nothing before it has items."""
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        if not judged.n_items or kind.nothing(judged):
            return ()
        return tuple(one.measure for one in kind.primary(judged))
    except (Unreadable, Invalid):
        return ()


def looked(study: Study, *, again: bool = True) -> Looked | None:
    """The looks so far; None without a rule. ``again``: whether those that the record has are computed, too;
    otherwise they are taken as they stand there. Where they come out otherwise they stand as they were seen,
    since reading went on, or stopped, by that."""
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
    return Looked(rule, measure, tuple(found), len(full), changed, study.state == State.CLOSED)


def look(study: Study, rule: Rule, full: list[Full]) -> Look:
    """One look at these fully read items, with the answers that were current when the last became full."""
    at = full[-1].at
    nothing = Look(rule.measure, len(full), at, None, None, None, None, "", False)
    try:
        kind: DataKind[Any] = kind_of(study)
        judged = kind.read(study, AsOf(np.array([each.item for each in full]), at))
        sampled = [one for one in kind.primary(judged) if one.measure.slug == rule.measure]
    except (Unreadable, Invalid) as error:
        return nothing._replace(reason=str(error))
    if not sampled:
        return nothing._replace(reason="The answers do not have this measure.")
    found = sampled[0].estimate(seed_of(study))
    if found.low is None or found.high is None:
        return nothing._replace(value=found.value, reason=found.reason)
    half = (found.high - found.low) / 2
    return Look(
        rule.measure,
        len(full),
        at,
        found.value,
        found.low,
        found.high,
        half,
        found.reason,
        half <= rule.width,
    )


def recorded(study: Study) -> dict[int, Look]:
    """The looks that the record has, by their items."""
    rows = (each.data for each in events_of_looks(study))
    return {
        row["items"]: Look(**{**{name: row.get(name) for name in Look._fields}, "at": _moment(row["at"])})
        for row in rows
    }


def _same(one: Look, other: Look) -> bool:
    """Whether both saw the same, but for what another machine rounds otherwise."""
    pairs = ((one.value, other.value), (one.half_width, other.half_width), (one.met, other.met))
    return all(a == b or (a is not None and b is not None and abs(a - b) < _ROUNDING) for a, b in pairs)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
