"""What only grades have, as plain values for JSON and as rows for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.kinds.ordinal import rationales
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.topics import data as of_topics
from evaluation.metrics.ordinal.annotators import AnnotatorGrades
from evaluation.values.pairs import ReaderPairs, cells, short
from evaluation.values.report import Report

OF_READER = ("exact", "within_one", "difference", "absolute_difference")


def grades(found: Found, pairs: ReaderPairs, pseudonyms: Sequence[str]) -> dict[str, Any]:
    """The scale, both tables of confusion, every pair of readers, how often each gave each grade, and what
    only studies of topics have."""
    return {
        "labels": list(found.labels),
        "coincidences": found.report.coincidences.tolist(),
        "gold_confusion": found.report.gold_confusion.tolist(),
        **pairs.data(),
        "margins": dict(zip(pseudonyms, found.margins.tolist(), strict=True)),
        "rationales": rationales.data(found.rationales) if found.rationales else None,
        **(of_topics.values(found.topical, pseudonyms) if found.topical else {}),
    }


def reader(each: AnnotatorGrades | None) -> dict[str, Any] | None:
    """A reader against gold, null for whoever gave no grade."""
    return None if each is None else {name: short(getattr(each, name)) for name in OF_READER}


def rows(report: Report, found: Found, pairs: ReaderPairs) -> Iterator[dict[str, Any]]:
    """The same for CSV: ``annotator`` names two readers where a number is theirs together."""
    for each in found.report.annotators:
        who = report.readers[each.annotator].pseudonym
        for name in OF_READER:
            yield {"annotator": who, "number": f"{name}_with_gold", **cells(getattr(each, name))}
    yield from pairs.rows(report.level)
    for gold, row in enumerate(found.report.gold_confusion.tolist()):
        for grade, n in enumerate(row):
            yield {"number": f"gold_{gold}_graded_{grade}", "value": n}
    for one, shares in enumerate(found.report.coincidences.tolist()):
        for other, n in enumerate(shares):
            yield {"number": f"graded_{one}_and_{other}", "value": n}
    for reader_line, counts in zip(report.readers, found.margins.tolist(), strict=True):
        for grade, n in enumerate(counts):
            yield {"annotator": reader_line.pseudonym, "number": f"graded_{grade}", "value": n}
    if found.topical:
        yield from of_topics.rows(found.topical, [each.pseudonym for each in report.readers])
