"""What the numbers of spans say, in plain words: the summary, what chance means, and the notes."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.kinds.spans.marked import Found
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.overlap import LCS_OVERLAP_KAPPA
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.values.lines import p_value, said
from evaluation.values.report import Report
from evaluation.values.sentences import heavy
from evaluation.values.wording import counted, digits


def summary(report: Report, spans: Found) -> Iterator[str]:
    """Overlap, then agreement above chance."""
    counts = spans.report.counts
    if spans.n_none:
        yield f"{counts.n_spans:,} of these are spans, {spans.n_none:,} say “no allusion”."
    yield from borders(report)
    shares = shared(report, counts.n_pairs, "spans", "are identical")
    yield shares or "No item has two spans yet, so there is nothing to compare."
    corrected = report.line((SPAN_ALPHA if counts.n_anchored else PLACEMENT_KAPPA).slug)
    paper = report.line(LCS_OVERLAP_KAPPA.slug)
    if shares and corrected and paper:
        p = f", p {_equal(p_value(corrected.test))}" if corrected.test else ""
        yield (
            f"Agreement above chance: {corrected.measure.label} {said(corrected)}{p}; "
            f"the paper’s {paper.measure.label} {said(paper)} is not one."
        )


def borders(report: Report) -> Iterator[str]:
    """How often borders could not be set, if ever."""
    if report.n_undecided:
        yield f"Borders could not be set {counted(report.n_undecided, 'time', 'times')}."


def shared(report: Report, n_pairs: int, what: str, alike: str) -> str:
    """What two of them on one item share; empty where no item has two."""
    observed, identical = report.line("observed_overlap"), report.line("identical_pairs")
    if not observed or observed.estimate.value is None or not identical:
        return ""
    return (
        f"Two {what} on one item share {said(observed)} of their tokens; "
        f"{said(identical)} of the {n_pairs:,} pairs {alike}."
    )


def counted_apart(report: Report) -> Iterator[str]:
    """That broken items enter no number of answers."""
    if report.n_broken:
        yield f"{report.n_broken:,} × “this item is broken” is counted for each reader and nowhere else."


def without_gold(n: int, what: str) -> Iterator[str]:
    """That gold of so many items is no span."""
    if n:
        yield (
            f"Gold says “no allusion” on {counted(n, 'item', 'items')}: "
            f"{what} there are compared with no gold span."
        )


def notes(report: Report, spans: Found) -> Iterator[str]:
    """What a reader of these numbers must know."""
    counts = spans.report.counts
    if report.n_undecided or spans.n_none:
        yield (
            "“No allusion” and “can’t set the borders” are no spans of length zero: they enter no measure of "
            "spans, and whether there is anything to mark has its own lines, “span or none”."
        )
    yield from counted_apart(report)
    if counts.n_alone:
        yield (
            f"{counted(counts.n_alone, 'item has', 'items have').capitalize()} one span only: there is "
            "nothing to compare, so no measure of agreement counts them."
        )
    if counts.mean_length is not None:
        yield (
            f"{counts.n_pairs:,} pairs of spans on {counted(counts.n_compared, 'item', 'items')} "
            f"({counts.n_anchored:,} with an anchor), whose passages have "
            f"{digits(counts.mean_length, 1)} tokens on average, on which token_alpha depends."
        )
    if spans.report.weighting == "item":
        yield (
            "Every item counts the same in O_o, identical pairs, LCS-overlap κ and placement_kappa: the "
            "pairs of an item are averaged first. span_alpha and token_alpha weigh them by their spans."
        )
    else:
        yield from heavy(
            "pairs of spans",
            spans.heavy,
            "The same report with --weighting item lets every item count the same.",
        )
    if not counts.n_anchored and counts.n_compared:
        yield "No item has an anchor: placement_kappa is the value above chance."
    elif counts.n_anchored:
        yield "Items have an anchor: span_alpha is the value above chance; placement_kappa is too friendly."
    yield from _tests(spans)
    if report.line("identical_to_gold"):
        yield (
            "There is no random row for agreement with gold: nobody knows how a span is guessed. A short "
            "gold span round an anchor is overlapped by chance alone."
        )
    yield from without_gold(spans.n_gold_none, "spans")


def _tests(spans: Found) -> Iterator[str]:
    for test, how in (
        (
            spans.report.permuted,
            "each reader’s spans are shuffled over the items with an anchor that they marked",
        ),
        (spans.report.placed, "each span on an item without anchor is put anywhere in its passage"),
    ):
        if test.p is not None and test.expected is not None:
            yield (
                f"p is one-sided, of O_o: {how} ({test.method}, seed {test.seed}). By such chance O_o would "
                f"be {digits(100 * test.expected, 1)} %."
            )


def _equal(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"
