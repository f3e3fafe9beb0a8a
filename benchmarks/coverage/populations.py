"""Populations of simulated items. Studies are drawn from them, so that the true value is known exactly.

Items are equally difficult, or differ (an item's chance of a right answer is drawn from a beta distribution,
so that answers are beta-binomial), and readers differ in skill besides.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, Patterns, tabulate
from evaluation.metrics.ordinal.table import GradeTable, tabulate_grades
from evaluation.metrics.spans.table import SpanTable, tabulate_spans

ITEMS = 100_000
SPAN_ITEMS = 3_000
ALIKE = 0.3
"""Correlation of two readers' right answers on one item where items differ."""
DESIGNS = ("equal", "items differ", "items and readers differ")


def choices(
    design: str,
    accuracy: float = 0.8,
    *,
    n_items: int = ITEMS,
    readers: int = 3,
    options: int = 3,
    unequal: bool = False,
    alike: float = ALIKE,
    seed: int = 1,
) -> Patterns:
    """Right with probability ``accuracy``; seven wrong answers of ten fall on one option of the item.

    ``unequal``: each answer is missing with probability .2. ``alike``: correlation of two readers' right
    answers where items differ.
    """
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, options, n_items)
    right = generator.random((n_items, readers)) < chances(
        design, accuracy, n_items, readers, generator, alike
    )
    drawn = 1 + generator.integers(0, options - 1, right.shape)
    away = np.where(generator.random(right.shape) < 0.7, 1, drawn)
    choice = np.where(right, gold[:, None], (gold[:, None] + away) % options)
    item, reader = np.divmod(np.arange(choice.size), readers)
    kept = generator.random(choice.size) >= 0.2 if unequal else np.ones(choice.size, dtype=bool)
    return tabulate(item[kept], reader[kept], choice.ravel()[kept], gold, options).patterns


def chances(
    design: str,
    accuracy: float,
    n_items: int,
    readers: int,
    generator: np.random.Generator,
    alike: float = ALIKE,
) -> FloatArray:
    """(N, m) each reader's chance of being right on each item."""
    if design == "equal":
        return np.full((n_items, readers), accuracy)
    size = (1 - alike) / alike
    each = generator.beta(accuracy * size, (1 - accuracy) * size, n_items)[:, None]
    if design == "items differ":
        return np.repeat(each, readers, axis=1)
    odds = np.clip(each, 1e-9, 1 - 1e-9) / np.clip(1 - each, 1e-9, 1)
    skilled = odds * np.exp(np.linspace(0.8, -0.8, readers))
    return np.asarray(skilled / (1 + skilled))


def grades(design: str, *, n_items: int = ITEMS, readers: int = 3, q: int = 5, seed: int = 1) -> GradeTable:
    """Gold and a normal error, rounded; its spread differs by item, and readers' strictness and care."""
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, q, n_items)
    spread = np.full((n_items, 1), 0.7) if design == "equal" else generator.gamma(1.5, 0.5, (n_items, 1))
    several = design == "items and readers differ"
    care, strict = (np.array([0.6, 1.0, 1.5]), np.array([-0.3, 0.0, 0.3])) if several else (1.0, 0.0)
    wanted = gold[:, None] + strict + spread * care * generator.normal(size=(n_items, readers))
    grade = np.clip(np.rint(wanted), 0, q - 1).astype(np.int64)
    item, reader = np.divmod(np.arange(grade.size), readers)
    return tabulate_grades(item, reader, grade.ravel(), gold, q)


def spans(design: str, *, n_items: int = SPAN_ITEMS, readers: int = 3, seed: int = 1) -> SpanTable:
    """Spans round an anchor, reaching about three tokens to each side, their borders off by about one.

    Where items differ the spread of borders does, and where readers differ each has an own part of it.
    """
    generator = np.random.default_rng(seed)
    item, reader = np.divmod(np.arange(n_items * readers), readers)
    length = generator.integers(60, 200, n_items)
    anchor = length // 2
    equal = design == "equal"
    spread = np.full(len(item), 1.2) if equal else generator.gamma(1.0, 1.2, n_items)[item]
    if design == "items and readers differ":
        spread = spread * np.linspace(0.5, 1.8, readers)[reader]
    reach = generator.geometric(0.25, (2, n_items))[:, item] - 1
    off = np.rint(generator.normal(size=reach.shape) * spread).astype(np.int64)
    reach = np.clip(reach + off, 0, 29)
    start, end = anchor[item] - reach[0], anchor[item] + 1 + reach[1]
    return tabulate_spans(item, reader, start, end, anchor, anchor + 1, length)
