"""A table that a paper can paste: booktabs, a caption that says what is printed, as wide as the page allows.

It fits LaTeX's article of 11 points on A4, which the tests compile, in one column (360 points) and in two (a
column of 219, both with 450). What does not fit is set smaller, its words wrapped, its columns or its rows
put in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from common.tables.table import Cell, MarkedRow, Table, marked
from common.tables.tex.layout import Fitted, Layout, Part, fitting, split
from common.tables.tex.letters import COMMAND, escaped
from common.tables.tex.pages import CAPTION, HEIGHT, Note, Piece, note_height, pages, paragraphs
from common.tables.tex.widths import lines

PAGE = 360.0
"""Width of the text in points: LaTeX's article, one column, 11 points."""
COLUMN, BOTH = 219.0, 450.0
"""Width of one column and of both: the narrower of LaTeX's article on A4 and of the ACL's style."""

TEXT, BOLD = 10.95, 12.8
"""Of a caption, in points: an em, and as wide as one of bold type runs."""
FLOATS = 10
"""So many floats are set before a page is cleared: LaTeX holds no more than 18 that wait for their place."""


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
    written: list[str] = []
    floats = pages(paper.table, layout, _above(paper, points), _notes(paper, points), points)
    for number, page in enumerate(floats):
        written += ["\\clearpage"] if number and not number % FLOATS else []
        written += [f"\\begin{{{name}}}", f"\\centering\\sloppy{layout.type.command}"]
        written += ["\\addtocounter{table}{-1}", "\\caption{Continued.}"] if number else _caption(paper)
        for place, part in enumerate(layout.parts if page.pieces else ()):
            written += [
                *(["\\par\\medskip"] if place else []),
                *_tabular(paper.table, layout, part, page.pieces),
            ]
        written += map(_note, page.notes)
        written += [f"\\end{{{name}}}"]
    return "\n".join([*_comments(paper, written), *written]) + "\n"


def _laid_out(paper: Paper, columns: int) -> tuple[bool, float, Layout]:
    """Return whether it stands across two columns, the room it has in points, and its layout."""
    if columns == 1:
        return False, PAGE, fitting(paper.table, PAGE) or split(paper.table, PAGE)
    notes = sum(note_height(each, COLUMN) for each in _notes(paper, COLUMN))
    much = _above(paper, COLUMN) + notes > HEIGHT / 2
    in_one = None if paper.wide or much else fitting(paper.table, COLUMN)
    if in_one:
        return False, COLUMN, in_one
    return True, BOTH, fitting(paper.table, BOTH) or split(paper.table, BOTH)


def _above(paper: Paper, points: float) -> float:
    """Return how high the caption is at this width, in points: a bold warning runs wider."""
    text = " ".join(filter(None, (paper.warning, paper.table.caption)))
    return CAPTION * lines(text, points / (BOLD if paper.warning else TEXT))


def _notes(paper: Paper, points: float) -> list[Note]:
    """Return what stands below: the footnotes, then what comes after, in paragraphs that a page can hold."""
    feet = [Note(each.letter, each.text) for each in marked(paper.table)[1]]
    return [*feet, *(Note("", each) for text in paper.after if text for each in paragraphs(text, points))]


def _note(note: Note) -> str:
    letter = f"$^{{{note.letter}}}$~" if note.letter else ""
    return f"\\par\\smallskip{{\\footnotesize {letter}{escaped(note.text)}}}"


def _comments(paper: Paper, written: Iterable[str]) -> Iterator[str]:
    """What the preamble needs, the warning, and the command for letters that pdfLaTeX does not have."""
    text = "\n".join(written)
    yield f"% \\usepackage{{{'array,' if 'arraybackslash' in text else ''}booktabs}}"
    if not text.isascii():
        yield "% \\usepackage[T1]{fontenc}"
    if paper.warning:
        yield f"% {escaped(paper.warning.upper())}"
    if "\\otherletters" in text:
        yield COMMAND


def _caption(paper: Paper) -> list[str]:
    bold = f"\\textbf{{{escaped(paper.warning)}}} " if paper.warning else ""
    return [f"\\caption{{{bold}{escaped(paper.table.caption)}}}", f"\\label{{tab:{paper.label}}}"]


def _tabular(found: Table, layout: Layout, part: Part, page: Iterable[Piece]) -> list[str]:
    gap = f"\\setlength{{\\tabcolsep}}{{{layout.type.gap:g}pt}}"
    made = [gap] if layout.type.command else []
    made += [f"\\begin{{tabular}}{{@{{}}{''.join(_kind(found, each) for each in part)}@{{}}}}", "\\toprule"]
    made += [*_groups(found, part), _line(_head(found, each) for each in part)]
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


def _groups(found: Table, part: Part) -> list[str]:
    """A line of groups with a rule under each; none without groups."""
    cells, rules, at = [], [], 1
    for name, members in groupby(found.columns[each.place].group for each in part):
        size = len(list(members))
        cells.append(f"\\multicolumn{{{size}}}{{c}}{{{escaped(name)}}}" if name else " & ".join([""] * size))
        rules += [f"\\cmidrule(lr){{{at}-{at + size - 1}}}"] if name else []
        at += size
    return [_line(cells), " ".join(rules)] if rules else []


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
    words = r"\\".join(map(_kept, map(escaped, each.head)))
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
    words = f"\\textbf{{{words}}}" if cell.loud and words else words
    return (
        words + (f" ({escaped(cell.badge)})" if cell.badge else "") + (f"$^{{{letter}}}$" if letter else "")
    )


def _line(cells: Iterable[str]) -> str:
    """A row; what begins with [ or * is kept from being read as an option of the row above."""
    return _kept(" & ".join(cells) + r" \\")


def _kept(line: str) -> str:
    """A line behind ``\\\\``, which would read what is in brackets as room to leave."""
    return "{}" + line if line.startswith(("[", "*")) else line
