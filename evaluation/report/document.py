"""A report as people read it: tables and sentences in their order."""

from __future__ import annotations

from collections.abc import Iterator

from common.tables.latex import Paper
from common.tables.table import Block, Document, Paragraph, Points, Table
from evaluation.beside.sentences import HEADING
from evaluation.beside.sentences import summary as machines
from evaluation.beside.tables import blocks
from evaluation.report import tables
from evaluation.report.sentences import intervals, notes, settled_summary, summary, warning
from evaluation.stopping import tables as stopping
from evaluation.stopping.sentences import sentences as stopping_sentences
from evaluation.values.report import Report
from evaluation.values.sentences import added, machine_seen, withdrawn
from evaluation.values.wording import NONE, headed


def document(report: Report) -> Document:
    """For a terminal or a note: everything but definitions and formulae."""
    return Document(f"{report.title} ({report.slug})", tuple(_blocks(report)))


def _blocks(report: Report) -> Iterator[Block]:
    if warning(report):
        yield Paragraph(warning(report), loud=True)
    yield from map(Paragraph, filter(None, (" ".join(summary(report)), machine_seen(report.machine_seen))))
    if report.rows:
        yield tables.measures(report, report.rows)
    if report.readers:
        yield tables.readers(report)._replace(caption="")
    if report.histogram:
        spread = ", ".join(f"{size} on {items:,}" for size, items in sorted(report.histogram.items()))
        yield Paragraph(f"Answers per item: {spread}; {report.n_items:,} items in all.")
    if report.own.chance_differs:
        chances = (f"{line.measure.label}: {line.measure.chance}" for line in report.lines)
        yield Points(tuple(chances), "What chance means:")
    for part in report.own.text:
        yield Paragraph(part) if isinstance(part, str) else part
    if report.settled:
        yield Paragraph(settled_summary(report.settled))
        if report.settled_rows:
            yield tables.measures(report, report.settled_rows)
    yield from _beside_and_looks(report)
    computed = f"Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}."
    yield Points((*notes(report), computed))


def _beside_and_looks(report: Report) -> Iterator[Block]:
    if report.beside:
        yield from blocks(report.beside)
    if report.looked:
        yield from stopping.blocks(report.looked)


def paper(report: Report) -> Paper:
    """For a paper: one table with a caption that says what is printed; none where there are no numbers."""
    if report.problem:
        return Paper(Table((), ()), report.slug, problem=f"{report.title}: {report.problem}")
    found = tables.paper(report, _caption(report))
    chance = " ".join(f"{headed(line.measure.label)}: {line.measure.chance}" for line in report.lines)
    once = {line.measure.slug: line.measure for line in report.lines}
    defined = " ".join(f"{headed(each.label)}: {each.definition}" for each in once.values())
    read_in = [each for each in report.beside.machines if each.read_in] if report.beside else []
    after = (
        f"What each measure is. {defined}" if defined else "",
        settled_summary(report.settled) if report.settled else "",
        f"What chance means. {chance}" if report.own.chance_differs else "",
        " ".join(withdrawn(report.withdrawn)),
        " ".join(added(report.added)),
        " ".join(stopping_sentences(report.looked)),
        f"{HEADING}. {' '.join(machines(report.beside))}" if report.beside else "",
        " ".join(f"Answers of {each.name} were read in: {each.read_in}." for each in read_in),
        f"Computed from “{report.slug}” with seed {report.seed} by Variorum {report.version}.",
    )
    return Paper(found, report.slug, warning(report), after)


def _caption(report: Report) -> str:
    options = f" with {report.own.offered}" if report.own.offered else ""
    topics = f" of {report.n_topics} topics" if report.n_topics else ""
    text = (
        f"{report.title}: {report.n_answers} answers of {len(report.active)} readers to {report.n_judged} "
        f"items{topics}{options}. {intervals(report)}"
    )
    if report.without_spread:
        text += f" Wilson, as items do not differ: {', '.join(report.without_spread)}."
    text += f" {report.own.random} {machine_seen(report.machine_seen)}".rstrip()
    if any(line.estimate.value is None for line in report.lines):
        text += f" {NONE}: undefined."
    return text
