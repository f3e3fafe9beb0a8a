"""Every definition of agreement on the same answers, side by side.

Beside the measures of the report stand variants that nobody should report, because they show what the choice
of labels or of weights does: roles or places on the screen as categories, items instead of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from evaluation.figures.marks import Panel, Value, panel
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.nominal import choices as nominal
from evaluation.kinds.spans import marked as spans
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, cautioned, estimate, resample
from evaluation.metrics.common.measure import Measure, MeasureOf
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.gwet import AC1
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import NominalTable, Patterns, patterns_from_counts, tabulate
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.intervals import estimates
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import IDENTICAL_PAIRS, LCS_OVERLAP_KAPPA, OBSERVED_OVERLAP
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.table import pairs_of
from evaluation.metrics.spans.token_alpha import TOKEN_ALPHA
from evaluation.microscope.explanations import DIFFERS
from evaluation.microscope.published import PUBLISHED, Published
from evaluation.report.compute import kind_of, nothing, seed_of
from evaluation.report.rows import NONE, headed, interval, is_share, worded

NOMINAL = (OBSERVED, FLEISS, GENERALISED_FLEISS, RANDOLPH, ALPHA, AC1)
SPANS = (OBSERVED_OVERLAP, IDENTICAL_PAIRS, LCS_OVERLAP_KAPPA, SPAN_ALPHA, PLACEMENT_KAPPA, TOKEN_ALPHA)
BY_ROLE = replace(
    FLEISS,
    slug="fleiss_kappa_by_role",
    label="Fleiss κ with roles as categories",
    definition="Fleiss κ on gold, first and second wrong option instead of shuffled option numbers.",
    labelled=False,
    chance="Readers who draw roles from the margins that all of them produced: gold most of the time.",
)
BY_PLACE = replace(
    FLEISS,
    slug="fleiss_kappa_by_place",
    label="Fleiss κ with places on the screen as categories",
    definition="Fleiss κ on where the chosen option stood on each reader's screen.",
    labelled=False,
    chance="Readers who draw places from the margins that all of them produced.",
)
BY_ITEM = replace(
    LCS_OVERLAP_KAPPA,
    slug="lcs_overlap_kappa_by_item",
    label="LCS-overlap κ by item",
    definition="The paper's statistic with the pairs of an item averaged first.",
)
# Of these the value is (a - c) / (1 - c) with a printed above them, so c follows from the two.
FROM_OBSERVED = {each.slug for each in (FLEISS, GENERALISED_FLEISS, RANDOLPH, AC1)}
FROM_OVERLAP = {each.slug for each in (LCS_OVERLAP_KAPPA, PLACEMENT_KAPPA)}


class Definition(NamedTuple):
    """One way to number agreement. ``zero``: the plain agreement at which it would be 0, empty where it does
    not start from the plain agreement printed; ``differs``: why it is not the others."""

    measure: MeasureOf[Any]
    heading: str
    value: str
    interval: str
    reason: str
    zero: str
    n_items: int
    n_judgments: int
    published: tuple[Published, ...]
    differs: str
    share: bool


class Microscope(NamedTuple):
    """``problem`` says why there are no definitions; else it is empty."""

    definitions: tuple[Definition, ...]
    picture: Panel | None
    data: str
    problem: str


Found = list[tuple[MeasureOf[Any], Estimate]]
Zeros = dict[str, float]


def microscope(study: Study, *, resamples: int = RESAMPLES) -> Microscope:
    """All definitions on the study's current judgments; deterministic in them and the study's seed."""
    try:
        kind, data = kind_of(study), study.task_type.measure
        judged = kind.read(study)
        problem = nothing(kind, judged)
        if problem:
            return Microscope((), None, data, problem)
        compute = of_spans if data == "spans" else of_choices
        found, zeros = compute(study, judged, seed_of(study), resamples)
    except (Unreadable, Invalid) as error:
        return Microscope((), None, "", str(error))
    return Microscope(tuple(_definitions(found, zeros)), _picture(found), data, "")


def of_choices(study: Study, choices: nominal.Choices, seed: int, resamples: int) -> tuple[Found, Zeros]:
    table = nominal.table_of(choices)
    roles = nominal.suspected(study, choices)
    found: Found = list(estimated(table.patterns, NOMINAL, seed, resamples, roles))
    found += estimated(_by_role(table.patterns), (BY_ROLE,), seed, resamples)
    places = _by_place(choices, table)
    if places is not None:
        found += estimated(places.patterns, (BY_PLACE,), seed, resamples)
    return found, {}


def of_spans(study: Study, marked: spans.Marked, seed: int, resamples: int) -> tuple[Found, Zeros]:
    table = spans.table_of(marked)
    pairs = pairs_of(table)
    by_pair, by_item = item_sums(table, "pair", pairs), item_sums(table, "item", pairs)
    found: Found = list(zip(SPANS, estimates(by_pair, SPANS, seed, resamples), strict=True))
    item = estimates(by_item, (BY_ITEM,), seed, resamples)[0]
    found.insert(3, (BY_ITEM, item))
    n = len(by_pair.row)
    return found, {SPAN_ALPHA.slug: 1 - by_pair.chance_apart / (n * (n - 1))} if n else {}


def estimated(
    patterns: Patterns, measures: tuple[Measure, ...], seed: int, resamples: int, caution: str = ""
) -> Iterator[tuple[Measure, Estimate]]:
    draws = resample(patterns, [one.statistic for one in measures], seed, resamples)
    for one, drawn in zip(measures, draws, strict=True):
        yield one, cautioned(one, estimate(one, patterns, drawn, seed, LEVEL), caution)


def _by_role(patterns: Patterns) -> Patterns:
    """Gold as category 0, the other options behind it in their canonical order; items with gold only."""
    known = patterns.keep(patterns.gold >= 0)
    if not len(known.gold):
        return patterns_from_counts(np.zeros((1, patterns.options), dtype=np.int64))
    place = np.arange(patterns.options)[None, :]
    moved = np.where(place == known.gold[:, None], -1, place)
    order = np.argsort(moved, axis=1)
    counts = np.take_along_axis(known.counts, order, axis=1)
    return patterns_from_counts(counts, np.zeros(len(counts), dtype=np.int64), known.items)


def _by_place(choices: nominal.Choices, table: NominalTable) -> NominalTable | None:
    """Choices by their place in the order shown; None where an order is not stored."""
    places = choices.position[choices.rows.answered]
    if (places < 0).any():
        return None
    return tabulate(table.item, table.annotator, places, np.full(len(choices.keys), -1), choices.options)


def _definitions(found: Found, zeros: Zeros) -> Iterator[Definition]:
    plain = {one.slug: each.value for one, each in found}
    for one, each in found:
        slug = "lcs_overlap_kappa" if one is BY_ITEM else one.slug
        yield Definition(
            one,
            headed(one.label),
            worded(one, each.value),
            interval(one, each.low, each.high),
            each.reason,
            _zero(one, each.value, plain, zeros),
            each.n_items,
            each.n_judgments,
            PUBLISHED.get(slug, ()) if one is not BY_ITEM else (),
            DIFFERS[one.slug],
            is_share(one),
        )


def _zero(one: MeasureOf[Any], value: float | None, plain: dict[str, float | None], zeros: Zeros) -> str:
    """What a must be for (a - c) / (1 - c) to be 0, which is c; ``zeros`` where it is known otherwise."""
    if one.slug in zeros:
        return worded(OBSERVED, zeros[one.slug])
    if is_share(one):
        return ""
    start = "observed_agreement" if one.slug in FROM_OBSERVED else ""
    start = "observed_overlap" if one.slug in FROM_OVERLAP else start
    observed = plain.get(start)
    if value is None or observed is None or value == 1:
        return NONE
    return worded(OBSERVED, (observed - value) / (1 - value))


def _picture(found: Found) -> Panel | None:
    values = [
        Value(
            one.label,
            f"{worded(one, each.value)} {interval(one, each.low, each.high)}".rstrip(),
            each.value,
            each.low,
            each.high,
            None,
        )
        for one, each in found
        if each.value is not None
    ]
    return panel("definitions", "The same answers by every definition", values, False) if values else None
