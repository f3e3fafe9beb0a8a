"""What only spans have in a report: sentences, columns of readers, tables, pictures and further data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from common.tables.table import Column, Table, counts
from common.wording import counted
from evaluation.kinds.spans import data, sentences
from evaluation.kinds.spans.dataset import MARKED, DatasetStatistics
from evaluation.kinds.spans.marked import Found
from evaluation.kinds.spans.pictures import overlap_figure
from evaluation.kinds.spans.tables import dataset_table, offset_table, shared_table
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP, OverlapDistribution
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.values.readers import accuracy, broken, seconds, share, undecided, wilson
from evaluation.values.report import KindReport, Panels, ReaderColumn, Report
from evaluation.values.tables import PageSection
from evaluation.values.wording import NONE, digits

Marks = TypeVar("Marks")
RANDOM = (
    "Random: the mean overlap by the chance that the p-value tests; coefficients corrected for chance "
    "are 0 there by definition, and a dash stands where no chance is defined. p: one-sided, of O_o."
)


def describe(report: Report) -> KindReport:
    return described(report, columns, _own)


def described(
    report: Report,
    columns: Callable[[Report, Any], Iterable[ReaderColumn]],
    own: Callable[[Report, Any], KindReport],
) -> KindReport:
    """Of a report without numbers only the columns of its readers; of others what the kind has of its own."""
    shown, found = tuple(columns(report, report.found)), report.found
    if found is None:
        return KindReport(columns=shown, spread_note="")
    return own(report, found)._replace(columns=shown, chance_differs=True, spread_note="")


def _own(report: Report, found: Found) -> KindReport:
    each = by_reader(report, found.annotators)
    return KindReport(
        summary=tuple(sentences.summary(report, found)),
        notes_on_answers=tuple(sentences.notes(report, found)),
        random=RANDOM,
        tested="O_o",
        reader_numbers=tuple(map(data.reader_numbers, each)),
        reader_data=tuple({"spans": data.reader(one)} for one in each),
        panels=Panels("Plain agreement", "Coefficients", "Spans like gold"),
        sections=tuple(sections(found.report.overlap, found.dataset, "spans")),
        last_sections=tuple(_last_sections(report, found)),
        text=tuple(_text(report, found)),
        data={"spans": data.spans(report, found)},
        rows=tuple(data.rows(report, found)),
        beside_settled=(OBSERVED_OVERLAP.slug, SPAN_ALPHA.slug, PLACEMENT_KAPPA.slug),
    )


def columns(report: Report, found: Found | None) -> Iterator[ReaderColumn]:
    """Of the table of readers; against gold only where an item has a gold span."""
    marked = by_reader(report, found.annotators if found else {})
    n_spans = [each.n_spans if each else 0 for each in marked]
    answers = [reader.n_answers for reader in report.readers]
    yield ReaderColumn("spans", "Spans", tuple(f"{n:,}" for n in n_spans), f"{sum(n_spans):,}")
    none = tuple(f"{n - spans:,}" for n, spans in zip(answers, n_spans, strict=True))
    yield ReaderColumn("none", "No allusion", none, f"{found.n_none if found else 0:,}")
    yield ReaderColumn(
        "tokens", "Median tokens", tuple(number(each and each.median_length) for each in marked)
    )
    yield ReaderColumn(
        "overlap", "Overlap with others", tuple(share(each and each.overlap) for each in marked)
    )
    yield ReaderColumn("alike", "Same as another’s", tuple(share(each and each.identical) for each in marked))
    yield from last_columns(report)


def by_reader(report: Report, annotators: Mapping[int, Marks]) -> list[Marks | None]:
    """What each reader of the report marked, None for whoever marked nothing."""
    return [annotators.get(who) for who in range(len(report.readers))]


def last_columns(report: Report) -> Iterator[ReaderColumn]:
    """Those that every study of spans has; against gold only where an item has gold spans."""
    if any(each.n_with_gold for each in report.readers):
        yield accuracy(report, "= gold", "Same as gold")
        yield wilson(report)
    yield undecided(report, "no borders", "Can’t set the borders")
    yield broken(report)
    yield seconds(report)


def number(value: float | None) -> str:
    """A mean or median in a cell."""
    return NONE if value is None else digits(value, 1)


def sections(overlap: OverlapDistribution, dataset: DatasetStatistics, what: str) -> Iterator[PageSection]:
    """Figure 3, Table 1 and Figure 2 of the paper, or why there are none. ``what``: spans or answers."""
    picture = overlap_figure(overlap)
    if picture:
        heading = f"Overlap of two {what} on one item"
        yield PageSection(
            "overlap", heading, picture=("evaluation/spans/overlap.html", picture), drawing="overlap"
        )
    of_spans, shared = dataset_table(dataset), shared_table(dataset)
    heading = "What spans share with their references"
    if not of_spans.rows:
        yield PageSection("dataset", heading, dataset.reason)
        return
    yield PageSection("dataset", heading, table=of_spans)
    if shared.rows:
        has = "shared-words" if any(row.name == MARKED for row in dataset.rows) else ""
        yield PageSection("shared", "Words in common", table=shared, style="few", below=True, drawing=has)


def _last_sections(report: Report, found: Found) -> Iterator[PageSection]:
    offsets, per_item = offset_table(report, found), found.report.counts.spans_per_item
    if offsets.rows:
        yield PageSection("offsets", "Where readers part", table=offsets)
    if per_item:
        note = "An item with one span has nothing to be compared with."
        caption = f"{counted(report.n_items, 'item')}. {note}"
        yield spread("span-spread", "Spans", "item", per_item, caption)


def spread(slug: str, what: str, one: str, sizes: Mapping[int, int], caption: str) -> PageSection:
    """How many items, or answers, have one of what is counted, two, and so on."""
    column = Column(what.split()[0].lower(), what)
    table = counts(column, f"{one.capitalize()}s", sizes, caption)
    return PageSection(slug, f"{what} per {one}", table=table, style="spread")


def _text(report: Report, found: Found) -> Iterator[str | Table]:
    sizes = ", ".join(f"{size} on {items:,}" for size, items in found.report.counts.spans_per_item.items())
    yield f"Spans per item: {sizes}."
    offsets = offset_table(report, found)
    if offsets.rows:
        yield offsets
    yield from dataset_text(found.dataset)


def dataset_text(dataset: DatasetStatistics) -> Iterator[str | Table]:
    """Table 1 of the paper, or why there is none."""
    of_spans = dataset_table(dataset)
    if of_spans.rows:
        yield of_spans
    elif dataset.reason:
        yield f"Statistics of the data set. {dataset.reason}"
