"""What only answers of several spans have in a report: sentences, columns, tables, pictures, data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.table import Table
from evaluation.kinds.spans import data
from evaluation.kinds.spans.describe import (
    by_reader,
    dataset_text,
    described,
    last_columns,
    number,
    sections,
    spread,
)
from evaluation.kinds.spans.sentences import borders, counted_apart, shared, without_gold
from evaluation.kinds.spans.several.numbers import Found
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import AnnotatorUnits
from evaluation.values.lines import said
from evaluation.values.readers import share
from evaluation.values.report import KindReport, Panels, ReaderColumn, Report
from evaluation.values.tables import PageSection
from evaluation.values.wording import counted, digits

RANDOM = (
    "Random: coefficients corrected for chance are 0 there by definition; a dash where no chance is defined."
)


def describe(report: Report) -> KindReport:
    return described(report, columns, _own)


def _own(report: Report, found: Found) -> KindReport:
    each = by_reader(report, found.annotators)
    return KindReport(
        summary=tuple(summary(report, found)),
        notes_on_answers=tuple(notes(report, found)),
        random=RANDOM,
        reader_numbers=tuple(map(_numbers, each)),
        reader_data=tuple({"several_spans": _numbers(one) or None} for one in each),
        panels=Panels("Plain agreement", "Coefficients", "Answers like gold"),
        sections=tuple(sections(found.report.overlap, found.dataset, "answers")),
        last_sections=tuple(_last_sections(found)),
        text=tuple(_text(found)),
        data={"several_spans": _data(found)},
        rows=tuple(_rows(found)),
        beside_settled=(OBSERVED_OVERLAP.slug, UNITISING_ALPHA.slug),
    )


def summary(report: Report, found: Found) -> Iterator[str]:
    """Overlap, then agreement above chance."""
    counts_of, n = found.report.counts, found.report.n_units
    if counts_of.n_spans:
        yield (
            f"{counted(counts_of.n_spans, 'answer marks', 'answers mark').capitalize()} "
            f"{counted(n, 'span', 'spans')}, {digits(n / counts_of.n_spans, 1)} on average."
        )
    if found.n_none:
        yield f"{found.n_none:,} say “no allusion”."
    yield from borders(report)
    shares = shared(report, counts_of.n_pairs, "answers", "mark the same tokens")
    yield shares or "No item has two answers with spans yet, so there is nothing to compare."
    alpha = report.line(UNITISING_ALPHA.slug)
    if shares and alpha:
        yield f"Agreement above chance: {alpha.measure.label} {said(alpha)}."


def notes(report: Report, found: Found) -> Iterator[str]:
    """What a reader of these numbers must know."""
    counts_of = found.report.counts
    yield "An answer is the set of its tokens: O_o, identical pairs and token_alpha compare sets, not spans."
    if report.n_undecided or found.n_none:
        yield (
            "“No allusion” and “can’t set the borders” are no empty sets: they enter no measure of spans; "
            "whether there is anything to mark has its own lines, “span or none”."
        )
    yield from counted_apart(report)
    if counts_of.n_alone:
        yield (
            f"{counted(counts_of.n_alone, 'item has', 'items have').capitalize()} only one answer with "
            "spans: there is nothing to compare, so no measure of agreement counts them."
        )
    if counts_of.mean_length is not None:
        yield (
            f"Passages have {digits(counts_of.mean_length, 1)} tokens on average, on which unitising α and "
            "token_alpha depend: tokens that nobody marked agree."
        )
    yield from without_gold(found.n_gold_none, "answers")


def columns(report: Report, found: Found | None) -> Iterator[ReaderColumn]:
    """Of the table of readers; against gold only where an item has gold spans."""
    each = by_reader(report, found.annotators if found else {})
    spans = [one.n_spans if one else 0 for one in each]
    with_spans = [one.n_answers if one else 0 for one in each]
    answers = [reader.n_answers for reader in report.readers]
    yield ReaderColumn("answers", "With spans", tuple(f"{n:,}" for n in with_spans), f"{sum(with_spans):,}")
    yield ReaderColumn("spans", "Spans", tuple(f"{n:,}" for n in spans), f"{sum(spans):,}")
    yield ReaderColumn("each", "Spans an answer", tuple(number(one and one.mean_spans) for one in each))
    none = tuple(f"{n - own:,}" for n, own in zip(answers, with_spans, strict=True))
    yield ReaderColumn("none", "No allusion", none, f"{found.n_none if found else 0:,}")
    yield ReaderColumn("tokens", "Median tokens", tuple(number(one and one.median_tokens) for one in each))
    yield ReaderColumn("overlap", "Overlap with others", tuple(share(one and one.overlap) for one in each))
    yield from last_columns(report)


def _last_sections(found: Found) -> Iterator[PageSection]:
    per_answer, per_item = found.report.units_per_answer, found.report.counts.spans_per_item
    if per_answer:
        caption = f"{counted(found.report.counts.n_spans, 'answer', 'answers')} with spans."
        yield spread("unit-spread", "Spans", "answer", per_answer, caption)
    if per_item:
        caption = "An item with one answer has nothing to be compared with."
        yield spread("span-spread", "Answers with spans", "item", per_item, caption)


def _text(found: Found) -> Iterator[str | Table]:
    sizes = ", ".join(f"{size} in {n:,}" for size, n in found.report.units_per_answer.items())
    if sizes:
        yield f"Spans per answer: {sizes}."
    yield from dataset_text(found.dataset)


def _numbers(each: AnnotatorUnits | None) -> dict[str, Any]:
    if each is None:
        return {}
    return {
        "n_answers_with_spans": each.n_answers,
        "n_spans": each.n_spans,
        "spans_per_answer": each.mean_spans,
        "median_tokens": each.median_tokens,
        "overlap_with_others": each.overlap,
        "identical_to_others": each.identical,
        "n_pairs": each.n_pairs,
    }


def _data(found: Found) -> dict[str, Any]:
    counts_of = found.report.counts._asdict()
    counts_of["answers_per_item"] = {str(size): n for size, n in counts_of.pop("spans_per_item").items()}
    for name in ("spans", "compared_spans"):
        counts_of[f"n_{name.replace('spans', 'answers')}"] = counts_of.pop(f"n_{name}")
    del counts_of["n_anchored"]
    return {
        "counts": {**counts_of, "n_spans": found.report.n_units},
        "spans_per_answer": {str(size): n for size, n in found.report.units_per_answer.items()},
        "n_no_allusion": found.n_none,
        "n_gold_no_allusion": found.n_gold_none,
        "overlap": data.overlap(found.report.overlap),
        **data.dataset(found.dataset),
    }


def _rows(found: Found) -> Iterator[dict[str, Any]]:
    for size, n in found.report.units_per_answer.items():
        yield {"number": f"answers_with_{size}_spans", "value": n}
    for size, n in found.report.counts.spans_per_item.items():
        yield {"number": f"items_with_{size}_answers", "value": n}
    yield {"number": "n_spans_of_study", "value": found.report.n_units}
    for name in ("n_compared", "n_alone", "n_pairs", "mean_length"):
        yield {"number": f"{name}_of_study", "value": getattr(found.report.counts, name)}
    yield from data.overlap_rows(found.report.overlap)
    yield from data.dataset_rows(found.dataset)
