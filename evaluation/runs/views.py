"""Runs of a corpus measured on judgments, for scholars."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.text import Truncator
from django.views.decorators.http import require_safe

from annotation.access import studies_for
from common.pictures import page
from common.roles import me, scholar_required
from common.tables.formats import download
from common.tables.table import Cell, Table
from evaluation.runs import pictures, sentences, tables
from evaluation.runs.formats import titled, written
from evaluation.runs.forms import AskForm, Judged
from evaluation.runs.judgments import judging
from evaluation.runs.measuring import TooMuch, command
from evaluation.runs.report import RunsReport
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet

FORMATS = written(per_topic=True)
PAGE = "evaluation/runs.html"
SELDOM = ("measures", "highest", "depth")
"""Fields that are folded away unless they say something."""
TITLE = 80
"""Characters of a topic's title in a table."""


class Section(NamedTuple):
    """A table with its heading.

    name: its anchor.
    table: the numbers; its title is the heading.
    """

    name: str
    table: Table


@scholar_required
@require_safe
def runs(request: HttpRequest, slug: str, topics: str) -> HttpResponse:
    """Show the form and the numbers; with ``?format=`` and one of `FORMATS` the same numbers as a file."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    found = get_object_or_404(TopicSet, slug=topics)
    loaded = list(Qrels.objects.filter(corpus=corpus, topics=found))
    there = list(Run.objects.filter(corpus=corpus, topics=found))
    judged = Judged(loaded, judging(studies_for(me(request)), corpus, found))
    context: dict[str, Any] = {"corpus": corpus, "topics": found, "judged": any(judged), "runs": there}
    if not any(judged) or not there:
        return render(request, PAGE, context)
    form = AskForm(request.GET, corpus, found, judged, there)
    more = any(form[name].errors or form[name].value() for name in SELDOM)
    context |= {"form": form, "studies": judged.studies, "more": more}
    try:
        report = form.report()
    except TooMuch as error:
        return render(request, PAGE, {**context, "too_much": str(error), "command": error.command})
    if report is None:
        return render(request, PAGE, context, status=422)
    wanted = request.GET.get("format")
    if wanted:
        return download(FORMATS, wanted, report, f"{corpus.slug}-{found.slug}-runs")
    context |= {"report": report, "formats": FORMATS, "command": command(form.asked())}
    context |= _numbers(report) | _topics(request, report, found)
    return render(request, PAGE, context)


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
