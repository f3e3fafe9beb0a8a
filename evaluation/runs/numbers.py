"""The numbers of runs as a page shows them: tables, sentences, and one measure topic by topic."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator

from common.pictures import page
from common.tables.table import Cell, Table
from evaluation.runs import pictures, sentences, tables
from evaluation.runs.formats import titled, written
from evaluation.runs.report import RunsReport
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import TopicSet

FORMATS = written(per_topic=True)
TITLE = 80
"""Characters of a topic's title in a table."""


class Section(NamedTuple):
    """A table with its heading.

    name: its anchor.
    table: the numbers; its title is the heading.
    """

    name: str
    table: Table


def numbers(request: HttpRequest, report: RunsReport, topics: TopicSet) -> dict[str, Any]:
    """Return all that a page shows of a report; the address chooses the measure of single topics."""
    return {"report": report, **_numbers(report), **_topics(request, report, topics)}


def _numbers(report: RunsReport) -> dict[str, Any]:
    facets = [
        tables.measured(report, report.blocks[0], facet, f"Topics of facet {facet}")
        for facet in report.facets
    ]
    return {
        "warnings": list(sentences.warnings(report)),
        "measured": [
            Section(f"block-{place}", tables.measured(report, block, title=title))
            for place, (block, title) in enumerate(titled(report))
        ],
        "measures": report.measures,
        "facets": [Section(f"facet-{place}", each) for place, each in enumerate(facets)],
        "neighbour": tables.elsewhere(report) if report.neighbour and report.runs[0].elsewhere else None,
        "differences": tables.differences(report) if report.compared else None,
        "lowered": list(sentences.lowered(report)),
        "pool": [Section("alone", tables.alone(report)), Section("left-out", tables.left_out(report))]
        if report.depth
        else [],
        "notes": list(sentences.notes(report)),
    }


def _topics(request: HttpRequest, report: RunsReport, topics: TopicSet) -> dict[str, Any]:
    """Return what is shown topic by topic, on one measure: the pictures and the table behind them."""
    given = request.GET.copy()
    given.pop("format", None)
    wanted = given.get("by", "")
    measure = next((one for one in report.measures if one.slug == wanted), report.measures[0])
    rest = [(name, value) for name, values in given.lists() for value in values if name != "by"]
    return {
        "asked": given.urlencode(),
        "rest": rest,
        "by": measure,
        "charts": [page.chart(each, page.DIFFERENCES) for each in pictures.charts(report, measure)],
        "by_topic": tables.by_topic(report, measure, _named(topics)),
    }


def _named(topics: TopicSet) -> dict[str, Cell]:
    return {
        each.topic.external_id: Cell(
            f"{each.topic.external_id}: {Truncator(each.title).chars(TITLE)}",
            each.topic.external_id,
            link=reverse("corpora:topic", args=[topics.slug, each.topic.number + 1]),
        )
        for each in current(topics)
    }
