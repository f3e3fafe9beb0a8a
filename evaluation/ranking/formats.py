"""A rank report as text, JSON, CSV or LaTeX. All of them print the same numbers."""

from __future__ import annotations

import csv
import io
import json as jsons
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from common.tables.text import WIDTH, aligned
from evaluation.metrics.common.paired import Comparison
from evaluation.ranking.report import PROXY, Compared, Group, RankLine, RankReport
from evaluation.ranking.sentences import notes, summary
from evaluation.report.latex import escaped
from evaluation.values.wording import NONE, digits, percent

VERSION = 1
HEADS = {"length": "By length of the quotation", "context": "By context, left/right"}
FIRST = {"length": "length", "context": "L/R"}
GRID = (*(f"recall_at_{k}" for k in (1, 3, 5, 10, 50, 100)), "mean_rank", PROXY)
COLUMNS = ("R@1", "R@3", "R@5", "R@10", "R@50", "R@100", "mean rank", "proxy")


def value(line: RankLine | Compared, number: float | None) -> str:
    """A share in percent, a rank with one digit, an em dash for nothing."""
    if number is None:
        return NONE
    return percent(number) if line.share else digits(number, 1)


def interval(line: RankLine | Compared, low: float | None, high: float | None) -> str:
    """``[1.2, 3.4]`` in the unit of the value; empty where there is none."""
    return "" if low is None or high is None else f"[{value(line, low)}, {value(line, high)}]"


def table(report: RankReport) -> str:
    """Aligned plain text: the numbers one a line, then the groups as RELiC prints them."""
    lines = [f"Job {report.job}: {report.ranker} on {report.book}", ""]
    lines += wrap(" ".join(summary(report)), WIDTH)
    for group in report.of_kind("all"):
        lines += ["", *aligned(_listed(group))]
    for kind, head in HEADS.items():
        groups = report.of_kind(kind)
        if groups:
            lines += ["", f"{head} (95 % intervals below the values)", *aligned(grid(groups, FIRST[kind]))]
    for each in report.compared:
        lines += ["", f"Difference in {each.label} from {each.rows[0].against}" if each.rows else ""]
        lines += aligned(compared_rows(each))
    lines.append("")
    for note in notes(report):
        lines += wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    lines += wrap(f"- Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}.", WIDTH)
    return "\n".join(lines) + "\n"


def _listed(group: Group) -> list[list[str]]:
    rows = [["", "value", "95 % interval", "random", "excerpts"]]
    for line in group.lines:
        unit = " %" if line.share and line.estimate.value is not None else ""
        found = line.estimate
        rows.append(
            [
                line.label,
                value(line, found.value) + unit,
                interval(line, found.low, found.high),
                value(line, line.random) + (unit if line.random is not None else ""),
                f"{found.n_queries:,}",
            ]
        )
    return rows


def grid(groups: Sequence[Group], first: str) -> list[list[str]]:
    """The cells of RELiC's Table 3: a group a row with its intervals below, the random row last."""
    rows = [[first, "n", *COLUMNS, "passages"]]
    for group in groups:
        lines = [group.line(slug) for slug in GRID]
        rows.append(
            [
                group.label,
                f"{group.n_queries:,}",
                *(value(line, line.estimate.value) if line else NONE for line in lines),
                f"{group.mean_candidates:,.1f}",
            ]
        )
        below = [interval(line, line.estimate.low, line.estimate.high) if line else "" for line in lines]
        rows.append(["", "", *below, ""])
    lines = [groups[0].line(slug) for slug in GRID]
    if len({group.n_queries for group in groups}) == 1:
        rows.append(["random", "", *(value(line, line.random) if line else NONE for line in lines), ""])
    else:
        for group in groups:
            lines = [group.line(slug) for slug in GRID]
            shown = [value(line, line.random) if line else NONE for line in lines]
            rows.append([f"random, {group.label}", "", *shown, ""])
    return rows


def compared_rows(each: Compared) -> list[list[str]]:
    """The cells of paired comparisons on one number."""
    rows = [["", "difference", "95 % interval", "p", "p (Holm)", "n", "test"]]
    for row in each.rows:
        rows.append(
            [
                row.name,
                value(each, row.difference),
                interval(each, row.low, row.high),
                probability(row.p),
                probability(row.p_holm),
                f"{row.n_queries:,}",
                row.test,
            ]
        )
    return rows


def probability(p: float) -> str:
    """Three digits, or that it is smaller."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def json(report: RankReport) -> str:
    """Strict JSON with full precision, the same keys for every job."""
    return jsons.dumps(as_data(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_data(report: RankReport) -> dict[str, Any]:
    """The report as plain values."""
    plain = ("groups", "compared", "computed")
    return {
        "report_version": VERSION,
        **{name: item for name, item in report._asdict().items() if name not in plain},
        "computed": report.computed.isoformat(),
        "summary": list(summary(report)),
        "groups": [
            {
                **{name: item for name, item in group._asdict().items() if name != "lines"},
                "numbers": [_line_data(line) for line in group.lines],
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


def _line_data(line: RankLine) -> dict[str, Any]:
    return {
        "number": line.slug,
        "label": line.label,
        **line.estimate._asdict(),
        "random": line.random,
        "definition": line.definition,
        "formula": line.formula,
        "source": line.source,
    }


FIELDS = (
    "job", "book", "ranker", "kind", "group", "against", "number", "label", "value", "low", "high",
    "standard_error", "level", "method", "resamples", "seed", "random", "p", "p_holm", "n_queries",
    "mean_candidates", "reason",
)  # fmt: skip


def as_csv(report: RankReport) -> str:
    """One row a number; ``against`` is filled where the value is a difference."""
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in _csv_rows(report):
        writer.writerow({"job": report.job, "book": report.book, "ranker": report.ranker, **row})
    return out.getvalue()


def _csv_rows(report: RankReport) -> Iterator[dict[str, Any]]:
    if report.problem:
        yield {"number": "n_excerpts", "value": 0, "reason": report.problem}
        return
    for group in report.groups:
        for line in group.lines:
            data = {name: item for name, item in _line_data(line).items() if name in FIELDS}
            yield {
                "kind": group.kind,
                "group": group.label,
                "mean_candidates": group.mean_candidates,
                **data,
            }
    for each in report.compared:
        for row in each.rows:
            yield _difference(each, row, report)
    yield {"number": f"n_beyond_{report.cutoff}", "value": report.n_beyond, "n_queries": report.n_excerpts}


def _difference(each: Compared, row: Comparison, report: RankReport) -> dict[str, Any]:
    return {
        "kind": "difference",
        "group": row.name,
        "against": row.against,
        "number": each.slug,
        "label": each.label,
        "value": row.difference,
        "low": row.low,
        "high": row.high,
        "level": report.level,
        "method": row.test,
        "resamples": report.resamples,
        "seed": report.seed,
        "p": row.p,
        "p_holm": row.p_holm,
        "n_queries": row.n_queries,
    }


def latex(report: RankReport) -> str:
    """One booktabs table in the columns of RELiC's Table 3; only a comment where there are no numbers."""
    if report.problem:
        return f"% {escaped(report.problem)}\n"
    whole = report.of_kind("all")[0]
    body = [_random_row(whole), "\\midrule", *_rows(report.of_kind("all"))]
    for kind in HEADS:
        if report.of_kind(kind):
            body += ["\\midrule", *_rows(report.of_kind(kind))]
    # The comparisons are not in this table, so neither is the note on them.
    caption = " ".join((*summary(report), *notes(report._replace(compared=()))))
    heads = " & ".join(("", "$n$", *(escaped(head) for head in COLUMNS), "passages"))
    return "\n".join(
        [
            "% \\usepackage{booktabs}",
            "\\begin{table*}",
            "\\centering\\small",
            f"\\caption{{{escaped(caption)}}}",
            f"\\label{{tab:job{report.job}}}",
            "\\begin{tabular}{l" + "r" * (len(COLUMNS) + 2) + "}",
            "\\toprule",
            heads + r" \\",
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table*}",
            "",
        ]
    )


def _random_row(group: Group) -> str:
    lines = [group.line(slug) for slug in GRID]
    shown = [escaped(value(line, line.random)) if line else NONE for line in lines]
    return " & ".join(["random", str(group.n_queries), *shown, f"{group.mean_candidates:.1f}"]) + r" \\"


def _rows(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        for cells in grid([group], "")[1:3]:
            small = not cells[0]
            shown = [
                escaped(cell.replace(",", "") if place == 1 else cell) for place, cell in enumerate(cells)
            ]
            yield (
                " & ".join(f"{{\\scriptsize {cell}}}" if small and cell else cell for cell in shown) + r" \\"
            )


class Format(NamedTuple):
    render: Callable[[RankReport], str]
    content_type: str
    extension: str


FORMATS = {
    "table": Format(table, "text/plain; charset=utf-8", "txt"),
    "json": Format(json, "application/json", "json"),
    "csv": Format(as_csv, "text/csv; charset=utf-8", "csv"),
    "latex": Format(latex, "application/x-tex; charset=utf-8", "tex"),
}
