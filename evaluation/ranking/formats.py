"""A rank report in every format. All of them print the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Block, Cell, Document, Paragraph, Points, Records, Section, Table
from evaluation.ranking import tables
from evaluation.ranking.sentences import notes, summary
from evaluation.ranking.values import Compared, Group, RankLine, RankReport

VERSION = 1
HEADS = {"length": ("length", "By length of the quotation"), "context": ("L/R", "By context, left/right")}
"""{kind of group: (heading of the column, title of the table)}."""
FIELDS = (
    "job", "book", "ranker", "kind", "group", "against", "number", "label", "value", "low", "high",
    "standard_error", "level", "method", "resamples", "seed", "random", "p", "p_holm", "n_queries",
    "mean_candidates", "reason",
)  # fmt: skip


def document(report: RankReport) -> Document:
    """The numbers one a line, then the groups as RELiC prints them, then comparisons and notes."""
    blocks: list[Block] = [Paragraph(" ".join(summary(report)))]
    blocks += [tables.numbers(group) for group in report.of_kind("all")]
    for kind, (first, title) in HEADS.items():
        if report.of_kind(kind):
            blocks.append(tables.grid(report.of_kind(kind), first, title))
    blocks += [tables.differences(each) for each in report.compared if each.rows]
    computed = f"Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}."
    blocks.append(Points((*notes(report), computed)))
    return Document(f"Job {report.job}: {report.ranker} on {report.book}", tuple(blocks))


def data(report: RankReport) -> dict[str, Any]:
    """The report as plain values with full precision, the same keys for every job."""
    plain = ("groups", "compared", "computed")
    return {
        "report_version": VERSION,
        **{name: item for name, item in report._asdict().items() if name not in plain},
        "computed": report.computed.isoformat(),
        "summary": list(summary(report)),
        "groups": [
            {
                **{name: item for name, item in group._asdict().items() if name != "lines"},
                "numbers": [_number(line) for line in group.lines],
            }
            for group in report.groups
        ],
        "comparisons": [
            {"number": each.slug, "label": each.label, **row._asdict()}
            for each in report.compared
            for row in each.rows
        ],
        "notes": list(notes(report)),
    }


def _number(line: RankLine) -> dict[str, Any]:
    return {
        "number": line.slug,
        "label": line.label,
        **line.estimate._asdict(),
        "random": line.random,
        "definition": line.definition,
        "formula": line.formula,
        "source": line.source,
    }


def records(report: RankReport) -> Records:
    """One row a number; ``against`` is filled where the value is a difference."""
    every = {"job": report.job, "book": report.book, "ranker": report.ranker}
    return Records(FIELDS, [{**every, **row} for row in _records(report)])


def _records(report: RankReport) -> Iterator[dict[str, Any]]:
    if report.problem:
        yield {"number": "n_excerpts", "value": 0, "reason": report.problem}
        return
    yield from of_groups(report.groups)
    drawn = {"level": report.level, "resamples": report.resamples, "seed": report.seed}
    for row in of_differences(report.compared):
        yield {**row, **drawn}
    yield {"number": f"n_beyond_{report.cutoff}", "value": report.n_beyond, "n_queries": report.n_excerpts}


def of_groups(groups: Iterable[Group]) -> Iterator[dict[str, Any]]:
    """A row for each number of each group."""
    for group in groups:
        of = {"kind": group.kind, "group": group.label, "mean_candidates": group.mean_candidates}
        yield from ({**of, **_number(line)} for line in group.lines)


def of_differences(compared: Iterable[Compared]) -> Iterator[dict[str, Any]]:
    """A row for each paired comparison."""
    for each in compared:
        for row in each.rows:
            yield {
                **row._asdict(),
                "kind": "difference",
                "group": row.name,
                "number": each.slug,
                "label": each.label,
                "value": row.difference,
                "method": row.test,
            }


def paper(report: RankReport) -> Paper:
    """One table in the columns of RELiC's Table 3; none where there are no numbers."""
    label = f"job{report.job}"
    if report.problem:
        return Paper(Table((), ()), label, problem=report.problem)
    whole = report.of_kind("all")
    aside = tables.random_row(whole[0])
    n = Cell(f"{whole[0].n_queries:,}", whole[0].n_queries)
    passages = Cell(f"{whole[0].mean_candidates:.1f}")
    sections = [Section((aside._replace(cells=(aside.cells[0], n, *aside.cells[2:-1], passages)),))]
    sections += [
        Section(tables.paper_rows(report.of_kind(kind))) for kind in ("all", *HEADS) if report.of_kind(kind)
    ]
    # The comparisons are not in this table, so neither is the note on them.
    caption = " ".join((*summary(report), *notes(report._replace(compared=()))))
    return Paper(Table(tables.paper_columns(), tuple(sections), caption=caption), label, wide=True)


FORMATS = formats(document, data, records, paper)
