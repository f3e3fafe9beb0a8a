"""A report on runs in every format. All of them print the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from common.tables.formats import Format, formats
from common.tables.latex import Paper
from common.tables.table import Block, Document, Paragraph, Points, Records, Table
from common.wording import counted
from evaluation.runs import tables
from evaluation.runs.report import RunsReport
from evaluation.runs.sentences import lowered, notes, warnings

VERSION = 1
FIELDS = (
    "run", "against", "kind", "facet", "topic", "measure", "label", "value", "low", "high", "standard_error",
    "level", "method", "resamples", "seed", "p", "p_holm", "n_topics", "n_raised", "n_lowered",
    "relevance_level", "reason",
)  # fmt: skip
NAMES = ("table", "markdown", "csv", "json", "latex", "latex-twocolumn")


def written(*, per_topic: bool) -> dict[str, Format[RunsReport]]:
    """Return every format, with the values of single topics or without."""

    def document(report: RunsReport) -> Document:
        return _document(report, per_topic=per_topic)

    def plain(report: RunsReport) -> dict[str, Any]:
        return data(report, per_topic=per_topic)

    def records(report: RunsReport) -> Records:
        return Records(FIELDS, list(_records(report, per_topic=per_topic)))

    return formats(document, plain, records, paper)


def _document(report: RunsReport, *, per_topic: bool) -> Document:
    blocks: list[Block] = [Paragraph(each, loud=True) for each in warnings(report)]
    blocks += [tables.measured(report, block, title=title) for block, title in titled(report)]
    if report.neighbour and report.runs[0].elsewhere:
        blocks.append(tables.elsewhere(report))
    for facet in report.facets:
        blocks.append(tables.measured(report, report.blocks[0], facet, f"Topics of facet {facet}"))
    if report.compared:
        blocks.append(tables.differences(report))
        blocks.append(Points(tuple(lowered(report))))
    if report.depth:
        blocks += [tables.alone(report), tables.left_out(report)]
    if report.earlier:
        blocks.append(tables.earlier(report))
    if per_topic:
        blocks += tables.topics(report)
    blocks.append(Points(tuple(notes(report))))
    return Document(_title(report), tuple(each for each in blocks if each != Points(())))


def _title(report: RunsReport) -> str:
    n_topics = counted(len(report.judged.topics), "topic")
    return f"{counted(len(report.runs), 'run')} on {n_topics}, relevance level {report.judged.level}"


def titled(report: RunsReport) -> Iterator[tuple[Any, str]]:
    """Yield each block of measures with the title of its table."""
    for place, block in enumerate(report.blocks):
        yield block, "Runs by measures" if not place else "Further measures"


def data(report: RunsReport, *, per_topic: bool) -> dict[str, Any]:
    """Plain values with full precision, the same keys for every report."""
    judged = report.judged
    return {
        "report_version": VERSION,
        "relevance_level": judged.level,
        "highest_grade": judged.most,
        "topics": list(judged.topics),
        "topics_without_relevant": list(judged.without_relevant),
        "ties": report.ties,
        "judgments_used_for_feedback": report.residual,
        "seed": report.seed,
        "resamples": report.resamples,
        "runs": [
            {
                "run": run.name,
                "topics_missing": list(run.evaluated.missing),
                "topics_unjudged": list(run.evaluated.unjudged),
                "topics_tied": list(run.evaluated.tied),
                "topics_with_contradicting_ranks": run.contradicted,
                "topics_reworded": run.reworded,
                "judged_at_10": run.holes.judged if run.holes else None,
            }
            for run in report.runs
        ],
        "measures": [
            {"measure": one.slug, "label": one.label, "definition": one.definition} for one in report.measures
        ],
        "numbers": [
            {name: row.get(name) for name in FIELDS} for row in _records(report, per_topic=per_topic)
        ],
        "warnings": list(warnings(report)),
        "lowered": list(lowered(report)),
        "notes": list(notes(report)),
    }


Rows = Iterator[dict[str, Any]]


def _records(report: RunsReport, *, per_topic: bool) -> Rows:
    """One row a number; ``against`` is filled where the value is a difference."""
    parts: list[Callable[[RunsReport], Rows]] = [_means, _elsewhere, _differences, _pool]
    if per_topic:
        parts.append(_topics)
    for part in parts:
        yield from part(report)


def _means(report: RunsReport) -> Rows:
    for run in report.runs:
        for each in run.means:
            mean = each.mean._asdict()
            yield {
                "run": run.name,
                "kind": "mean",
                "facet": each.facet,
                "measure": each.measure.slug,
                "label": each.measure.label,
                "n_topics": mean.pop("n_queries"),
                "relevance_level": report.judged.level,
                **mean,
            }


def _elsewhere(report: RunsReport) -> Rows:
    for run in report.runs:
        for one, mean in run.elsewhere:
            yield {
                "run": run.name,
                "kind": "neighbouring level",
                "measure": one.slug,
                "label": one.label,
                "value": mean,
                "relevance_level": report.neighbour,
            }


def _differences(report: RunsReport) -> Rows:
    for each in report.compared:
        paired = each.paired
        yield {
            "run": paired.name,
            "against": paired.against,
            "kind": "difference",
            "measure": each.measure.slug,
            "label": each.measure.label,
            "value": paired.difference,
            "low": paired.low,
            "high": paired.high,
            "level": report.level,
            "method": paired.test,
            "resamples": report.resamples,
            "seed": report.seed,
            "p": paired.p,
            "p_holm": paired.p_holm,
            "n_topics": each.n_topics,
            "n_raised": each.n_raised,
            "n_lowered": each.n_lowered,
            "relevance_level": report.judged.level,
        }


def _pool(report: RunsReport) -> Rows:
    for found in report.alone:
        label = f"share of the relevant documents that it found alone, first {report.depth}"
        row = {"run": found.name, "kind": "pool", "measure": "found_alone", "label": label}
        yield {**row, "value": found.share}
    pairs = [("left out of the pool", each) for each in report.left_out]
    pairs += [("before the further pool", each) for each in report.earlier]
    for kind, each in pairs:
        yield {
            "run": each.name,
            "kind": kind,
            "measure": each.measure.slug,
            "label": each.measure.label,
            "value": each.without,
            "n_topics": each.n_topics,
            "relevance_level": report.judged.level,
        }


def _topics(report: RunsReport) -> Rows:
    for run in report.runs:
        for one in report.measures:
            for topic, number in zip(report.judged.topics, run.evaluated.of(one).tolist(), strict=True):
                yield {
                    "run": run.name,
                    "kind": "topic",
                    "topic": topic,
                    "measure": one.slug,
                    "label": one.label,
                    "value": number,
                    "relevance_level": report.judged.level,
                }


def paper(report: RunsReport) -> Paper:
    """Runs by measures as one table; the caption says what was counted."""
    found: Table = tables.measured(report, report.blocks[0])
    # The comparisons are not in this table, so neither is the note on them.
    caption = " ".join((f"{_title(report)}, with 95 % intervals.", *notes(report._replace(compared=()))))
    return Paper(found._replace(caption=caption), "runs", warning=" ".join(warnings(report)), wide=True)
