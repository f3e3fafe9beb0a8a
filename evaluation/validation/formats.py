"""A validation report in every format. All of them print the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Block, Document, Paragraph, Points, Records, Table
from evaluation.metrics.validation.anchoring import PartShift, Shift
from evaluation.metrics.validation.estimands import Estimated
from evaluation.validation import tables
from evaluation.validation.compute import Validation
from evaluation.validation.sentences import ARMS, claim, notes, summary

COLUMNS = (
    "study",
    "part",
    "number",
    "value",
    "low",
    "high",
    "claim",
    "p",
    "n_blind",
    "n_shown",
    "n_judged",
    "saved",
    "machine_alone",
    "tuning",
    "reason",
)
SHIFTS = ("agreement", "pooled", "carry_over", "grade", "distance")


def document(found: Validation) -> Document:
    """For a terminal or a note."""
    made: list[Block] = [Paragraph(" ".join(summary(found))), *tables.all_tables(found)]
    told = (*notes(found), f"Computed {found.computed:%Y-%m-%d %H:%M} UTC.")
    return Document(f"Validation of {found.title} ({found.slug})", (*made, Points(told)))


def data(found: Validation) -> dict[str, Any]:
    """Plain values with full precision."""
    plain = (
        "source",
        "rule",
        "share",
        "seed",
        "n_items",
        "n_drawn",
        "n_judged",
        "n_without",
        "n_topics",
        "n_whole",
        "level",
        "k",
    )
    return {
        "study": found.slug,
        "title": found.title,
        "problem": found.problem,
        "simulated_readers": list(found.simulated),
        "summary": list(summary(found)),
        "computed": found.computed.isoformat(),
        **{name: getattr(found, name) for name in plain},
        "labels": list(found.labels),
        "estimates": [_estimate(each) for each in found.estimates],
        "kappa": None
        if found.kappa is None
        else {**found.kappa._asdict(), "confusion": found.kappa.confusion.tolist()},
        "arms": {ARMS[arm]: n for arm, n in found.arms},
        "anchoring": _meter(found),
        "reveal": None if found.reveal is None else found.reveal._asdict(),
        "systems": _systems(found),
        "notes": list(notes(found)),
    }


def _estimate(one: Estimated) -> dict[str, Any]:
    made = one.powered._asdict() if one.powered else {}
    if one.reason:
        made |= {"low": None, "high": None, "half_width": None}
    about = {name: getattr(one.estimand, name) for name in ("slug", "label", "definition", "unit")}
    rest = ("machine_alone", "n_counting", "saved", "random_half_width", "reason", "note")
    return {**about, **made, "claim": claim(one), **{name: getattr(one, name) for name in rest}}


def _meter(found: Validation) -> dict[str, Any] | None:
    one = found.meter
    if one is None:
        return None
    shifts = {name: getattr(one, name) for name in SHIFTS}
    return {
        **{name: each._asdict() if each else None for name, each in shifts.items()},
        "pull": one.pull._asdict(),
        "blind_only": one.blind_only,
        "readers": [_part(each, found.readers) for each in one.readers],
        "grades": [_part(each, found.labels) for each in one.grades],
    }


def _part(each: PartShift, names: tuple[str, ...]) -> dict[str, Any]:
    name = names[each.part] if each.part < len(names) else str(each.part)
    return {"name": name, **each.shift._asdict(), "p_holm": each.p_holm, "verdict": each.verdict}


def _systems(found: Validation) -> dict[str, Any] | None:
    one = found.ranks
    if one is None:
        return None
    values = zip(found.runs, one.blind.tolist(), one.shown.tolist(), strict=True)
    return {
        "runs": [{"run": name, "blind": blind, "shown": shown} for name, blind, shown in values],
        **{name: getattr(one, name)._asdict() for name in ("tau", "same_size", "halves")},
        **{name: getattr(one, name) for name in ("n_topics", "splits", "resamples", "seed")},
    }


def records(found: Validation) -> Records:
    """One row a number; ``part``: the reader or grade it is of, empty for all."""
    return Records(COLUMNS, [{"study": found.slug, **row} for row in _records(found)])


def _records(found: Validation) -> Iterator[dict[str, Any]]:
    for name in ("n_items", "n_drawn", "n_judged"):
        yield {"number": name, "value": getattr(found, name), "reason": found.problem}
    for one in found.estimates:
        made = _estimate(one)
        names = ("value", "low", "high", "claim", "saved", "machine_alone", "tuning")
        kept = {name: made.get(name) for name in names}
        yield {
            "number": one.estimand.slug,
            **kept,
            "n_judged": one.n_counting,
            "reason": one.reason or one.note,
        }
    if found.kappa:
        one_kappa = found.kappa._asdict()
        yield {"number": "quadratic_kappa", **{name: one_kappa[name] for name in ("value", "low", "high")}}
    for arm, n in found.arms:
        yield {"number": "readings", "part": ARMS[arm], "value": n}
    yield from _anchoring(found)
    yield from _revealed(found)
    yield from _ranked(found)


def _revealed(found: Validation) -> Iterator[dict[str, Any]]:
    if found.reveal:
        for name in ("n", "n_disagreeing", "towards", "away", "lateral", "withdrawn"):
            yield {"number": f"reveal_{name}", "value": getattr(found.reveal, name), "p": found.reveal.p}
        ends = {"value": found.reveal.share, "low": found.reveal.low, "high": found.reveal.high}
        yield {"number": "reveal_share_given_up", **ends}


def _ranked(found: Validation) -> Iterator[dict[str, Any]]:
    if found.ranks:
        for name, blind, shown in zip(found.runs, found.ranks.blind, found.ranks.shown, strict=True):
            for arm, value in (("blind", blind), ("shown_first", shown)):
                yield {"number": f"p_{found.k}_{arm}", "part": name, "value": float(value)}
        for name in ("tau", "same_size", "halves"):
            yield {"number": f"kendall_{name}", **getattr(found.ranks, name)._asdict()}


def _anchoring(found: Validation) -> Iterator[dict[str, Any]]:
    if found.meter is None:
        return
    for name in SHIFTS:
        if each := getattr(found.meter, name):
            yield _row(f"shift_of_{name}", each)
    yield {"number": "pull", **found.meter.pull._asdict()}
    parts = [(each, found.readers) for each in found.meter.readers]
    parts += [(each, found.labels) for each in found.meter.grades]
    for one, names in parts:
        name = _part(one, names)["name"]
        yield {**_row("shift_of_agreement", one.shift), "part": name, "p": one.p_holm}


def _row(number: str, each: Shift) -> dict[str, Any]:
    kept = ("low", "high", "p", "n_blind", "n_shown")
    return {"number": number, "value": each.difference, **{name: getattr(each, name) for name in kept}}


def paper(found: Validation) -> Paper:
    """For a paper: the estimates, with what was measured in the caption."""
    if found.problem:
        return Paper(Table((), ()), found.slug, problem=f"{found.title}: {found.problem}")
    made = tables.estimates(found)
    return Paper(
        made._replace(caption=f"{found.title}. {' '.join(summary(found))}"), found.slug, "", notes(found)
    )


FORMATS = formats(document, data, records, paper)
