"""A table that a paper can paste: booktabs, a caption that says what is printed, as wide as the page allows.

It fits an article of 10 to 12 points in one column (360 points of 11-point type) and in two (a column of 219,
both with 450). What does not fit is set smaller, its words wrapped, its columns or its rows put in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from common.tables.table import Cell, Footnote, MarkedRow, Table, marked
from common.tables.tex.layout import Fitted, Layout, Part, fitting, split
from common.tables.tex.letters import COMMAND, escaped
from common.tables.tex.pages import CAPTION, HEIGHT, NOTE, Piece, pages
from common.tables.tex.widths import lines

PAGE = 360.0
"""Width of the text in points: LaTeX's article, one column, 11 points."""
COLUMN, BOTH = 219.0, 450.0
"""Width of one column and of both: the narrower of LaTeX's article on A4 and of the ACL's style."""


class Paper(NamedTuple):
    """A table as a paper prints it.

    table: the rows and columns; its caption stands above it.
    label: what ``\\ref`` calls it by, without ``tab:``.
    warning: said in bold before the caption and in a comment; empty without.
    after: paragraphs in small letters below it, after its footnotes.
    wide: in two columns across both, though it may fit into one.
    problem: why there is no table; then only a comment is written. Empty with one.
    """

    table: Table
    label: str
    warning: str = ""
    after: tuple[str, ...] = ()
    wide: bool = False
    problem: str = ""


def latex(paper: Paper, columns: int = 1) -> str:
    """Return ``table`` environments for an article in one or two columns; a comment where there is a problem.

    In two columns it is a ``table*`` across both where it does not fit into one. Rows that a page does not
    hold go on in a further float under the same number.
    """
    if paper.problem:
        return f"% {escaped(paper.problem)}\n"
    across, points, layout = _laid_out(paper, columns)
    name = "table*" if across else "table"
    floats = pages(paper.table, layout, *_around(paper, points))
    written: list[str] = []
    for number, page in enumerate(floats):
        written += [f"\\begin{{{name}}}", f"\\centering\\sloppy{layout.type.command}"]
        written += _caption(paper) if not number else ["\\addtocounter{table}{-1}", "\\caption{Continued.}"]
        for place, part in enumerate(layout.parts if page else ()):
            written += [*(["\\par\\medskip"] if place else []), *_tabular(paper.table, layout, part, page)]
        written += _after(paper) if number == len(floats) - 1 else []
        written += [f"\\end{{{name}}}"]
    return "\n".join([*_comments(paper, written), *written]) + "\n"


def _laid_out(paper: Paper, columns: int) -> tuple[bool, float, Layout]:
    """Return whether it stands across two columns, the room it has in points, and its layout."""
    if columns == 1:
        return False, PAGE, fitting(paper.table, PAGE) or split(paper.table, PAGE)
    much = sum(_around(paper, COLUMN)) > HEIGHT / 2
    in_one = None if paper.wide or much else fitting(paper.table, COLUMN)
    if in_one:
        return False, COLUMN, in_one
    return True, BOTH, fitting(paper.table, BOTH) or split(paper.table, BOTH)


def _around(paper: Paper, points: float) -> tuple[float, float]:
    """Return how high the caption is, and what stands below, at this width, in points."""
    text = " ".join(filter(None, (paper.warning, paper.table.caption)))
    notes = " ".join(each.text for each in marked(paper.table)[1])
    below = (1 + lines(each, points / 9.25) for each in (notes, *paper.after) if each)
    return CAPTION * lines(text, points / 10.95), NOTE * sum(below)


def _comments(paper: Paper, written: Iterable[str]) -> Iterator[str]:
    """What the preamble needs, the warning, and the command for letters that pdfLaTeX does not have."""
    text = "\n".join(written)
    yield f"% \\usepackage{{{'array,' if 'arraybackslash' in text else ''}booktabs}}"
    if not text.isascii():
        yield "% \\usepackage[T1]{fontenc}"
    if paper.warning:
        yield f"% {escaped(paper.warning).upper()}"
    if "\\otherletters" in text:
        yield COMMAND


def _caption(paper: Paper) -> list[str]:
    bold = f"\\textbf{{{escaped(paper.warning)}}} " if paper.warning else ""
    return [f"\\caption{{{bold}{escaped(paper.table.caption)}}}", f"\\label{{tab:{paper.label}}}"]


def _tabular(found: Table, layout: Layout, part: Part, page: Iterable[Piece]) -> list[str]:
    gap = f"\\setlength{{\\tabcolsep}}{{{layout.type.gap:g}pt}}"
    made = [gap] if layout.type.command else []
    made += [f"\\begin{{tabular}}{{@{{}}{''.join(_kind(found, each) for each in part)}@{{}}}}", "\\toprule"]
    made.append(_line(_head(found, each) for each in part))
    wide = sum(each.width for each in part) + 2 * layout.type.gap * (len(part) - 1) / layout.type.em
    for piece in page:
        made.append("\\midrule")
        if piece.heading:
            kind = "l" if lines(piece.heading, wide) == 1 else f"p{{{wide:.2f}em}}"
            words = f"\\emph{{{escaped(piece.heading)}}}"
            made.append(f"\\multicolumn{{{len(part)}}}{{@{{}}{kind}@{{}}}}{{{words}}} \\\\")
        for row in piece.rows:
            made += _row(row, part)
    return [*made, "\\bottomrule", "\\end{tabular}"]


def _kind(found: Table, each: Fitted) -> str:
    """The column's letter, or a paragraph of its width, ragged on the side where it is read."""
    numeric = found.columns[each.place].numeric
    if not each.room:
        return "r" if numeric else "l"
    ragged = "\\raggedleft" if numeric else "\\raggedright"
    return f">{{{ragged}\\arraybackslash}}p{{{each.room:.2f}em}}"


def _head(found: Table, each: Fitted) -> str:
    column = found.columns[each.place]
    if column.latex or each.room or len(each.head) == 1:
        return column.latex or escaped(column.heading)
    side = "r" if column.numeric else "l"
    words = r"\\".join(map(escaped, each.head))
    return f"\\shortstack[{side}]{{{words}}}"


def _row(each: MarkedRow, part: Part) -> list[str]:
    cells = [each.row.cells[column.place] for column in part]
    made = [_line(_words(each.row.cells[one.place], each.letters[one.place]) for one in part)]
    if any(cell.below for cell in cells):
        below = (escaped(cell.below) for cell in cells)
        made.append(_line(f"{{\\scriptsize {words}}}" if words else "" for words in below))
    return made


def _words(cell: Cell, letter: str) -> str:
    """Whole numbers without commas: a paper sets its own."""
    whole = isinstance(cell.value, int) and cell.words == f"{cell.value:,}"
    words = str(cell.value) if whole else escaped(cell.words)
    return (
        words + (f" ({escaped(cell.badge)})" if cell.badge else "") + (f"$^{{{letter}}}$" if letter else "")
    )


def _line(cells: Iterable[str]) -> str:
    """A row; what begins with [ or * is kept from being read as an option of the row above."""
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.startswith(("[", "*")) else line


def _after(paper: Paper) -> list[str]:
    notes = [_notes(marked(paper.table)[1]), *map(escaped, paper.after)]
    return [f"\\par\\smallskip{{\\footnotesize {each}}}" for each in notes if each]


def _notes(notes: list[Footnote]) -> str:
    return " ".join(f"$^{{{each.letter}}}$~{escaped(each.text)}" for each in notes)
