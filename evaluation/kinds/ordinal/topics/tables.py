"""Drift, overlap and what was declined as tables, and the slopes as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from annotation.models import Outcome
from common.pictures.marks import Dot, Dots, Scale, Tick
from common.tables.table import Cell, Row, Table, table
from evaluation.kinds.answers import OUTCOMES
from evaluation.kinds.ordinal.topics.topical import Topical
from evaluation.metrics.ordinal.drift import Drift
from evaluation.metrics.ordinal.overlap import Overlap
from evaluation.values.tables import column, named
from evaluation.values.wording import MINUS, NONE, digits, percent, probability

ALL = "All readers"
MOST_TOPICS, MOST_READERS = 40, 8
"""Rows and columns of the table of what was declined; JSON has every topic and reader."""
DECLINED = (Outcome.UNDECIDED, Outcome.BROKEN)


def drift(found: Topical, pseudonyms: Sequence[str]) -> Table:
    """All readers, then each of them; no rows without a slope."""
    each = [(ALL, found.drifts.together), *_of_readers(found, pseudonyms)]
    columns = [
        named("reader"),
        column("slope", "Slope, grades a document", "slope"),
        column("95 % interval"),
        column("p", "p"),
        column("lag-1", "Lag-1", "lag_1"),
        column("by chance", "By chance", "lag_1_expected"),
        column("p of lag-1", "p of lag-1", "lag_1_p"),
        column("grades"),
    ]
    caption = (
        "Slope: by how much a grade is higher, beside those of the other readers, for every document of the "
        "topic that was judged before it. Lag-1: how much two grades in a row are alike in that, from −1 to "
        f"1. p by {found.drifts.together.method}."
    )
    rows = [_drift(name, one) for name, one in each if one.slope is not None]
    return table(columns, rows, caption=caption)


def _of_readers(found: Topical, pseudonyms: Sequence[str]) -> Iterator[tuple[str, Drift]]:
    for who, one in found.drifts.annotators.items():
        yield pseudonyms[who], one


def _drift(name: str, one: Drift) -> Row:
    return Row(
        (
            Cell(name, name),
            Cell(_signed(one.slope, 4), one.slope),
            Cell(interval(one)),
            Cell(_p(one.slope_p), one.slope_p),
            Cell(_signed(one.lag_1, 3), one.lag_1),
            Cell(_signed(one.lag_1_expected, 3), one.lag_1_expected),
            Cell(_p(one.lag_1_p), one.lag_1_p),
            Cell(f"{one.n_judgments:,}", one.n_judgments),
        )
    )


def interval(one: Drift) -> str:
    """Of the slope, empty without one."""
    if one.low is None or one.high is None:
        return ""
    return f"[{_signed(one.low, 4)}, {_signed(one.high, 4)}]"


def _signed(value: float | None, places: int) -> str:
    return NONE if value is None else digits(value, places)


def _p(value: float | None) -> str:
    return NONE if value is None else probability(value)


def slopes(found: Topical, pseudonyms: Sequence[str]) -> Dots | None:
    """The slope of all readers and of each, with chance at 0; None without any."""
    each = [(ALL, found.drifts.together), *_of_readers(found, pseudonyms)]
    dots = tuple(
        Dot(name, f"{_signed(one.slope, 4)} {interval(one)}".rstrip(), one.slope, one.low, one.high, 0.0)
        for name, one in each
        if one.slope is not None
    )
    if not dots:
        return None
    ends = [abs(value) for one in dots for value in (one.value, one.low, one.high) if value is not None]
    most = max(*ends, 1e-4)
    ticks = tuple(
        Tick(at, f"{_signed(at, 4)}".replace("-", MINUS)) for at in (-most, -most / 2, 0.0, most / 2, most)
    )
    described = f"{'; '.join(f'{one.label} {one.words}' for one in dots)}. Without drift a slope is 0."
    return Dots("slopes", "Slope in grades a document", described, dots, Scale(-most, most, ticks))


def overlap(found: Topical, pseudonyms: Sequence[str]) -> Table:
    """Each two readers and all together; no rows without any two."""
    near = {one.annotators: one for one in found.overlaps_near}
    columns = [
        named("readers"),
        column("items"),
        column("relevant"),
        column("both"),
        column("either"),
        column("overlap"),
        column("mean of topics"),
        column("κ of relevant or not"),
        *([column(f"from grade {found.near}")] if near else []),
    ]
    rows = [_overlap(one, near.get(one.annotators), bool(near), pseudonyms) for one in found.overlaps]
    caption = (
        f"Relevant: grade {found.level} or more. Of the items that both graded: how many both call relevant, "
        "how many at least one does, and the first over the second; the mean of the same over topics; and "
        "Cohen κ of relevant or not, which takes chance off."
    )
    return table(columns, rows, caption=caption)


def _overlap(one: Overlap, near: Overlap | None, wide: bool, pseudonyms: Sequence[str]) -> Row:
    names = ", ".join(pseudonyms[who] for who in one.annotators)
    cells = [
        Cell(names, names),
        *(Cell(f"{n:,}", n) for n in (one.n_items,)),
        Cell(f"{percent(one.relevant)} %", one.relevant),
        *(Cell(f"{n:,}", n) for n in (one.n_common, one.n_any)),
        Cell(_digits(one.overlap), one.overlap),
        Cell(_digits(one.by_topic), one.by_topic),
        Cell(_digits(one.kappa), one.kappa),
    ]
    if wide:
        value = near.overlap if near else None
        cells.append(Cell(_digits(value), value))
    return Row(tuple(cells))


def _digits(value: float | None) -> str:
    return NONE if value is None else digits(value, 3)


def declined(found: Topical, pseudonyms: Sequence[str]) -> Table:
    """Topics with most judgments that are no grade first; no rows where every judgment is one."""
    none = found.outcomes[:, :, [OUTCOMES.index(each) for each in DECLINED]]
    by_topic = none.sum(axis=(0, 2))
    order = np.lexsort((np.arange(len(by_topic)), -by_topic))
    shown = order[by_topic[order] > 0]
    people = range(len(pseudonyms)) if len(pseudonyms) <= MOST_READERS else range(0)
    columns = [
        named("topic"),
        column("judgments"),
        column("can’t decide"),
        column("broken"),
        *(column(pseudonyms[who]) for who in people),
    ]
    rows = []
    for topic in shown[:MOST_TOPICS].tolist():
        judged = found.outcomes[:, topic].sum(axis=1)
        sums = (int(judged.sum()), *none[:, topic].sum(axis=0).tolist())
        rows.append(
            Row(
                (
                    Cell(found.names[topic], found.names[topic]),
                    *(Cell(f"{n:,}", n) for n in sums),
                    *(_rate(int(none[who, topic].sum()), int(judged[who])) for who in people),
                )
            )
        )
    caption = "Judgments that are no grade, by topic and reader: “2 of 31” are both kinds together."
    if len(shown) > MOST_TOPICS:
        caption += f" Of {len(shown):,} topics with any those with most; JSON has all."
    return table(columns, rows, caption=caption)


def _rate(none: int, judged: int) -> Cell:
    return Cell(f"{none:,} of {judged:,}" if judged else NONE, none / judged if judged else None)
