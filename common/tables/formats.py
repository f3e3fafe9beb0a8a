"""The formats that a report comes in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from django.http import HttpResponse, HttpResponseBadRequest

from common.tables import csv, json
from common.tables.latex import Paper, latex
from common.tables.markdown import markdown
from common.tables.table import Document, Records
from common.tables.text import Style, text

Found = TypeVar("Found")


class Format(NamedTuple, Generic[Found]):
    """One format.

    render: the report in it.
    label: its name on a page.
    content_type: of a reply.
    extension: of a file's name.
    """

    render: Callable[[Found], str]
    label: str
    content_type: str
    extension: str


def formats(
    document: Callable[[Found], Document],
    data: Callable[[Found], Any],
    records: Callable[[Found], Records],
    paper: Callable[[Found], Paper],
    *,
    style: Style = Style(),  # noqa: B008 - a value
    indent: int = 2,
) -> dict[str, Format[Found]]:
    """Return every format of one kind of report, by name.

    document: what people read, as text and Markdown; ``style``: of the text.
    data: plain values for JSON; ``indent``: of its lines.
    records: a row a number, for CSV.
    paper: the table for LaTeX, for a paper in one column and in two.
    """
    return {
        "table": Format(
            lambda found: text(document(found), style), "Plain text", "text/plain; charset=utf-8", "txt"
        ),
        "json": Format(lambda found: json.written(data(found), indent), "JSON", "application/json", "json"),
        "csv": Format(lambda found: csv.written(records(found)), "CSV", "text/csv; charset=utf-8", "csv"),
        "latex": Format(
            lambda found: latex(paper(found)), "LaTeX, one column", "application/x-tex; charset=utf-8", "tex"
        ),
        "latex-twocolumn": Format(
            lambda found: latex(paper(found), columns=2),
            "LaTeX, two columns",
            "application/x-tex; charset=utf-8",
            "twocolumn.tex",
        ),
        "markdown": Format(
            lambda found: markdown(document(found)), "Markdown", "text/markdown; charset=utf-8", "md"
        ),
    }


def download(known: Mapping[str, Format[Found]], wanted: str, found: Found, name: str) -> HttpResponse:
    """Return the report as a file called ``name``; 400 with the names of the formats for an unknown one."""
    if wanted not in known:
        sentence = f"A report comes as {', '.join(known)}, and not in the format asked for.\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    form = known[wanted]
    response = HttpResponse(form.render(found), content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}.{form.extension}"'
    return response
