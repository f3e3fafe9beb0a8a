"""What only studies of topics have, as plain values for JSON and as rows for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.kinds.answers import OUTCOMES
from evaluation.kinds.ordinal.topics.topical import Topical
from evaluation.metrics.common.jackknife import LEVEL
from evaluation.metrics.ordinal.drift import Drift
from evaluation.metrics.ordinal.overlap import Overlap


def values(found: Topical, pseudonyms: Sequence[str]) -> dict[str, Any]:
    """Keys for JSON beside the tables of confusion."""
    return {
        "drift": {
            "together": found.drifts.together._asdict(),
            "readers": {pseudonyms[who]: one._asdict() for who, one in found.drifts.annotators.items()},
        },
        "relevant_from": found.level,
        "overlaps": [_overlap(one, pseudonyms) for one in found.overlaps],
        "relevant_from_beside": found.near,
        "overlaps_beside": [_overlap(one, pseudonyms) for one in found.overlaps_near],
        "topics": [
            {
                "topic": name,
                "n_items": n_items,
                "readers": {
                    pseudonym: dict(zip(OUTCOMES, by_reader[topic], strict=True))
                    for pseudonym, by_reader in zip(pseudonyms, outcomes, strict=True)
                },
            }
            for outcomes in (found.outcomes.tolist(),)
            for topic, (name, n_items) in enumerate(zip(found.names, found.n_items.tolist(), strict=True))
        ],
    }


def _overlap(one: Overlap, pseudonyms: Sequence[str]) -> dict[str, Any]:
    return one._asdict() | {"annotators": [pseudonyms[who] for who in one.annotators]}


def rows(found: Topical, pseudonyms: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The same for CSV, without the topics: ``annotator`` names those a number is of."""
    yield from _drift("", found.drifts.together)
    for who, one in found.drifts.annotators.items():
        yield from _drift(pseudonyms[who], one)
    for level, overlaps in ((found.level, found.overlaps), (found.near, found.overlaps_near)):
        for each in overlaps:
            yield {
                "annotator": " ".join(pseudonyms[who] for who in each.annotators),
                "number": f"overlap_from_{level}",
                "value": each.overlap,
                "n_items": each.n_items,
            }


def _drift(pseudonym: str, one: Drift) -> Iterator[dict[str, Any]]:
    common = {"annotator": pseudonym, "n_judgments": one.n_judgments, "reason": one.reason}
    yield {
        **common,
        "number": "drift_slope",
        "value": one.slope,
        "low": one.low,
        "high": one.high,
        "level": None if one.low is None else LEVEL,
        "method": "" if one.low is None else "jackknife-t over topics",
        "p": one.slope_p,
        "p_method": one.method,
    }
    yield {
        **common,
        "number": "drift_lag_1",
        "value": one.lag_1,
        "random": one.lag_1_expected,
        "p": one.lag_1_p,
        "p_method": one.method,
    }
