"""A table that a paper can paste: booktabs, one tabular, a caption that says what is printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from common.tables.table import Cell, Footnote, MarkedRow, Table, marked, one_line

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
    "−": "$-$",
}


class Paper(NamedTuple):
    """A table as a paper prints it.

    table: the rows and columns; its caption stands above it.
    label: what ``\\ref`` calls it by, without ``tab:``.
    warning: said in bold before the caption and in a comment; empty without.
    after: paragraphs in small letters below it, after its footnotes.
    wide: across both columns of a page, in small letters.
    tight: many numbers beside each other: narrow gaps, intervals in the smallest letters.
    problem: why there is no table; then only a comment is written. Empty with one.
    """

    table: Table
    label: str
    warning: str = ""
    after: tuple[str, ...] = ()
    wide: bool = False
    tight: bool = False
    problem: str = ""


def escaped(text: str) -> str:
    """Return the text as LaTeX sets it: nothing in it is a command, and no line break ends a comment."""
    worded = "".join(SIGNS.get(letter, letter) for letter in " ".join(one_line(text).split()))
    return worded.replace(r" \%", r"\,\%")


def latex(paper: Paper) -> str:
    """Return one ``table`` environment; only a comment where there is a problem."""
    if paper.problem:
        return f"% {escaped(paper.problem)}\n"
    found, name = paper.table, "table*" if paper.wide else "table"
    warning = escaped(paper.warning)
    bold = f"\\textbf{{{warning}}} " if warning else ""
    sections, notes = marked(found)
    lines = [
        "% \\usepackage{booktabs}",
        *([f"% {warning.upper()}"] if warning else []),
        f"\\begin{{{name}}}",
        _size(paper),
        f"\\caption{{{bold}{escaped(found.caption)}}}",
        f"\\label{{tab:{paper.label}}}",
        f"\\begin{{tabular}}{{{''.join('r' if each.numeric else 'l' for each in found.columns)}}}",
        "\\toprule",
        *_groups(found),
        _line(each.latex or escaped(each.heading) for each in found.columns),
    ]
    for section, rows in zip(found.sections, sections, strict=True):
        lines.append("\\midrule")
        if section.heading:
            width = len(found.columns)
            lines.append(f"\\multicolumn{{{width}}}{{l}}{{\\emph{{{escaped(section.heading)}}}}} \\\\")
        for each in rows:
            lines += _row(each, "tiny" if paper.tight else "scriptsize")
    lines += ["\\bottomrule", "\\end{tabular}"]
    after = [_notes(notes), *map(escaped, paper.after)]
    lines += [f"\\par\\smallskip{{\\footnotesize {each}}}" for each in after if each]
    return "\n".join([*lines, f"\\end{{{name}}}"]) + "\n"


def _size(paper: Paper) -> str:
    if paper.tight:
        return "\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}"
    return "\\centering\\small" if paper.wide else "\\centering"


def _groups(found: Table) -> list[str]:
    """A line of groups with a rule under each; none without groups."""
    cells, rules, at = [], [], 1
    for name, size in found.groups:
        cells.append(f"\\multicolumn{{{size}}}{{c}}{{{escaped(name)}}}" if name else " & ".join([""] * size))
        rules += [f"\\cmidrule(lr){{{at}-{at + size - 1}}}"] if name else []
        at += size
    return [_line(cells), " ".join(rules)] if cells else []


def _row(each: MarkedRow, small: str) -> list[str]:
    lines = [_line(map(_words, each.row.cells, each.letters))]
    if any(cell.below for cell in each.row.cells):
        below = (escaped(cell.below) for cell in each.row.cells)
        lines.append(_line(f"{{\\{small} {words}}}" if words else "" for words in below))
    return lines


def _words(cell: Cell, letter: str) -> str:
    """Whole numbers without commas: a paper sets its own."""
    whole = isinstance(cell.value, int) and cell.words == f"{cell.value:,}"
    words = str(cell.value) if whole else escaped(cell.words)
    return (
        words + (f" ({escaped(cell.badge)})" if cell.badge else "") + (f"$^{{{letter}}}$" if letter else "")
    )


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _notes(notes: list[Footnote]) -> str:
    return " ".join(f"$^{{{each.letter}}}$~{escaped(each.text)}" for each in notes)
