"""What only spans have, as plain values for JSON and as rows for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.kinds.spans.dataset import DatasetRow, DatasetStatistics, InCommon
from evaluation.kinds.spans.marked import Found
from evaluation.metrics.spans.annotators import AnnotatorSpans
from evaluation.metrics.spans.chance.permutation import OverlapTest
from evaluation.metrics.spans.offsets import BoundaryOffsets, Differences
from evaluation.metrics.spans.overlap import OverlapDistribution
from evaluation.values.report import Report


def reader(each: AnnotatorSpans | None) -> dict[str, Any] | None:
    """What a reader marked, null for whoever marked nothing and declined nothing."""
    if each is None:
        return None
    found = each._asdict()
    del found["annotator"]
    return found


def reader_numbers(each: AnnotatorSpans | None) -> dict[str, Any]:
    """The same for CSV, by name."""
    if each is None:
        return {}
    return {
        "n_spans": each.n_spans,
        "median_length": each.median_length,
        "overlap_with_others": each.overlap,
        "identical_to_others": each.identical,
        "n_pairs": each.n_pairs,
    }


def spans(report: Report, found: Found) -> dict[str, Any]:
    """Counts, tests, boundary offsets, the distribution of overlap and the statistics of the data set."""
    counts = found.report.counts._asdict()
    counts["spans_per_item"] = {
        str(size): items for size, items in found.report.counts.spans_per_item.items()
    }
    return {
        "counts": counts,
        "n_no_allusion": found.n_none,
        "n_gold_no_allusion": found.n_gold_none,
        "weighting": found.report.weighting,
        "expected_overlap_of_the_paper": found.report.expected_overlap,
        "permuted": _test(found.report.permuted),
        "placed": _test(found.report.placed),
        "boundary_offsets": [_pair(report, each) for each in found.report.offsets],
        "overlap": overlap(found.report.overlap),
        **dataset(found.dataset),
    }


def dataset(found: DatasetStatistics) -> dict[str, Any]:
    """Statistics of the data set, or why there are none."""
    return {"dataset": [_row(each) for each in found.rows], "dataset_reason": found.reason}


def rows(report: Report, found: Found) -> Iterator[dict[str, Any]]:
    """The same for CSV: ``annotator`` names two readers where a number is theirs together."""
    for size, items in found.report.counts.spans_per_item.items():
        yield {"number": f"items_with_{size}_spans", "value": items}
    for name in ("n_spans", "n_compared", "n_anchored", "n_alone", "n_pairs", "mean_length"):
        yield {"number": f"{name}_of_study", "value": getattr(found.report.counts, name)}
    for each in found.report.offsets:
        for side in ("left", "right"):
            differences: Differences = getattr(each, side)
            for name in ("median", "median_absolute", "equal"):
                yield {
                    "annotator": _names(report, each),
                    "number": f"{side}_{name}",
                    "value": getattr(differences, name),
                    "n_items": each.n_items,
                }
    yield from overlap_rows(found.report.overlap)
    yield from dataset_rows(found.dataset)


def overlap_rows(shown: OverlapDistribution) -> Iterator[dict[str, Any]]:
    """Pairs in each bin of the histogram."""
    for low, count in zip(shown.edges[:-1].tolist(), shown.counts.tolist(), strict=True):
        yield {"number": f"pairs_with_overlap_from_{low:.2f}", "value": count}


def dataset_rows(found: DatasetStatistics) -> Iterator[dict[str, Any]]:
    """Statistics of the data set."""
    for row in found.rows:
        yield from _dataset_rows(row)


def _names(report: Report, each: BoundaryOffsets) -> str:
    return f"{report.readers[each.first].pseudonym} {report.readers[each.second].pseudonym}"


def _pair(report: Report, each: BoundaryOffsets) -> dict[str, Any]:
    return {
        "first": report.readers[each.first].pseudonym,
        "second": report.readers[each.second].pseudonym,
        "n_items": each.n_items,
        "left": _differences(each.left),
        "right": _differences(each.right),
    }


def _differences(each: Differences) -> dict[str, Any]:
    histogram = zip(each.values.tolist(), each.counts.tolist(), strict=True)
    return {
        "median": each.median,
        "median_absolute": each.median_absolute,
        "equal": each.equal,
        "histogram": {str(value): count for value, count in histogram},
    }


def _test(test: OverlapTest) -> dict[str, Any]:
    return test._asdict()


def overlap(shown: OverlapDistribution) -> dict[str, Any]:
    return {
        "edges": [round(edge, 10) for edge in shown.edges.tolist()],
        "counts": shown.counts.tolist(),
        "values": shown.values.tolist(),
        "cumulative": shown.cumulative.tolist(),
        "n_pairs": shown.n_pairs,
        "mean": shown.mean,
        "identical": shown.identical,
    }


def _row(row: DatasetRow) -> dict[str, Any]:
    return {
        "spans": row.name,
        "n": row.n,
        "tokens": _in_common(row.tokens),
        "lemmata": None if row.lemmata is None else _in_common(row.lemmata),
        "n_lemmata": row.n_lemmata,
        "source_length": row.source_length._asdict(),
        "reference_length": row.reference_length._asdict(),
    }


def _in_common(found: InCommon) -> dict[str, Any]:
    return {
        "jaccard": found.jaccard._asdict(),
        "shared": {str(shared): n for shared, n in enumerate(found.histogram)},
    }


def _dataset_rows(row: DatasetRow) -> Iterator[dict[str, Any]]:
    name = row.name.replace(" ", "_")
    yield {"number": f"{name}_instances", "value": row.n}
    for what, found in (
        ("jaccard_of_tokens", row.tokens.jaccard),
        ("jaccard_of_lemmata", row.lemmata.jaccard if row.lemmata else None),
        ("source_length", row.source_length),
        ("reference_length", row.reference_length),
    ):
        if found is not None:
            yield {"number": f"{name}_{what}", "value": found.mean}
            yield {"number": f"{name}_{what}_deviation", "value": found.deviation}
    for what, several in (("tokens", row.tokens), ("lemmata", row.lemmata)):
        for shared, n in enumerate(several.histogram if several else ()):
            yield {"number": f"{name}_sharing_{shared}_{what}", "value": n}
