"""A report as a table that a paper can paste: booktabs, one tabular, a caption that says what is printed."""

from __future__ import annotations

from evaluation.metrics.common.intervals import FEW_ITEMS
from evaluation.report.sentences import settled_summary, warning
from evaluation.values.lines import Row, rows_of
from evaluation.values.report import Report
from evaluation.values.sentences import withdrawn
from evaluation.values.wording import MINUS, NONE, headed

# Letters that pdfLaTeX sets only in mathematics, and the characters TeX keeps for itself.
SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "π": r"$\pi$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "—": "---",
    "–": "--",
    "…": r"\ldots{}",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
    MINUS: "$-$",
}


def escaped(text: str) -> str:
    """The text as LaTeX sets it: nothing in it is a command, and no line break ends a comment."""
    worded = "".join(SIGNS.get(letter, letter) for letter in " ".join(text.split()))
    return worded.replace(r" \%", r"\,\%")


def latex(report: Report) -> str:
    """One ``table`` environment; only comments where the report has no numbers."""
    if report.problem:
        return f"% {escaped(report.title)}: {escaped(report.problem)}\n"
    decided = report.settled.lines if report.settled else ()
    # One list, so that no two footnotes have one letter.
    every = rows_of((*report.lines, *decided))
    found, settled = every[: len(report.lines)], every[len(report.lines) :]
    few = any(row.jackknife for row in every)
    tested = any(row.p for row in every)
    head = [
        "Measure",
        "Value",
        "95 % interval",
        *(["Jackknife-$t$"] if few else []),
        "Random",
        *([f"$p$ of ${report.own.tested}$"] if tested else []),
        "Items",
        "Answers",
    ]
    head = [each if "$" in each else escaped(each) for each in head]
    lines = [
        "% \\usepackage{booktabs}",
        *([f"% {escaped(warning(report)).upper()}"] if warning(report) else []),
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_caption(report, few)}}}",
        f"\\label{{tab:{report.slug}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        "\\toprule",
        " & ".join(head) + r" \\",
        "\\midrule",
        *(_line(row, few, tested) for row in found),
        *_settled(settled, few, tested, len(head)),
        "\\bottomrule",
        "\\end{tabular}",
        *_footnotes(every),
        *_decided(report),
        *_chance(report),
        *_withdrawn(report),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(row: Row, few: bool, tested: bool) -> str:
    value = escaped(row.value) + (f"$^{{{row.mark}}}$" if row.mark else "")
    cells = [
        escaped(row.heading),
        value,
        escaped(row.interval),
        *([escaped(row.jackknife)] if few else []),
        escaped(row.chance),
        *([escaped(row.p)] if tested else []),
        str(row.n_items),
        str(row.n_judgments),
    ]
    return " & ".join(cells) + r" \\"


def _settled(settled: tuple[Row, ...], few: bool, tested: bool, columns: int) -> list[str]:
    """Accuracy against decisions, under a heading of its own: a layer beside the numbers above."""
    if not settled:
        return []
    heading = f"\\multicolumn{{{columns}}}{{l}}{{\\emph{{Against what was settled}}}} \\\\"
    return ["\\midrule", heading, *(_line(row, few, tested) for row in settled)]


def _decided(report: Report) -> list[str]:
    if report.settled is None:
        return []
    return [f"\\par\\smallskip{{\\footnotesize {escaped(settled_summary(report.settled))}}}"]


def _footnotes(found: tuple[Row, ...]) -> list[str]:
    marked = [row for row in found if row.mark]
    if not marked:
        return []
    text = " ".join(f"$^{{{row.mark}}}$~{escaped(row.reason)}" for row in marked)
    return [f"\\par\\smallskip{{\\footnotesize {text}}}"]


def _chance(report: Report) -> list[str]:
    """What chance means, where it means something else in every line."""
    if not report.own.chance_differs:
        return []
    text = " ".join(f"{headed(line.measure.label)}: {line.measure.chance}" for line in report.lines)
    return [f"\\par\\smallskip{{\\footnotesize What chance means. {escaped(text)}}}"]


def _withdrawn(report: Report) -> list[str]:
    text = " ".join(withdrawn(report.withdrawn))
    return [f"\\par\\smallskip{{\\footnotesize {escaped(text)}}}"] if text else []


def _caption(report: Report, few: bool) -> str:
    simulated = f"\\textbf{{{escaped(warning(report))}}} " if warning(report) else ""
    bootstrap = any("bootstrap" in row.line.estimate.method for row in report.rows)
    how = f"percentile bootstrap over items, {report.resamples} resamples, seed {report.seed}"
    if not bootstrap:
        how = "jackknife over items (normal)"
    options = f" with {report.own.offered}" if report.own.offered else ""
    text = (
        f"{report.title}: {report.n_answers} answers of {len(report.active)} readers to {report.n_judged} "
        f"items{options}. Intervals: {100 * report.level:.0f} % {how}"
    )
    if report.without_spread:
        text += f" (Wilson, as items do not differ: {', '.join(report.without_spread)})"
    if few:
        text += f"; jackknife-t beside it, as there are fewer than {FEW_ITEMS} items"
    text += f". {report.own.random}"
    if any(row.value == NONE for row in report.rows):
        text += f" {NONE}: undefined."
    return simulated + escaped(text)
