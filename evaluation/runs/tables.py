"""The numbers of runs as tables: runs by measures, differences, topics, and what a pool of them misses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from common.tables.table import NONE, Cell, Column, Row, Table, table
from evaluation.metrics.common.means import MeanEstimate
from evaluation.metrics.ranking.measures import RunMeasure
from evaluation.metrics.ranking.pools import LeftOut
from evaluation.runs.report import RunNumbers, RunsReport
from evaluation.runs.sentences import interval, value
from evaluation.values.wording import percent, probability

INTERVALS = "95 % intervals"


def measured(report: RunsReport, block: Sequence[RunMeasure], facet: str = "", title: str = "") -> Table:
    """A run a row, a measure a column, its interval below the value."""
    columns = (
        Column("run", "Run", numeric=False),
        *(Column(one.slug, one.label) for one in block),
        Column("n_topics", "Topics"),
    )
    rows = [_measured(run, block, facet) for run in report.runs]
    return table(columns, rows, title=title, beneath=INTERVALS)


def _measured(run: RunNumbers, block: Sequence[RunMeasure], facet: str) -> Row:
    found = {each.measure.slug: each.mean for each in run.means if each.facet == facet}
    means = [found[one.slug] for one in block]
    n_topics = means[0].n_queries if means else 0
    cells = [Cell(run.name, run.name), *map(_mean, means), Cell(f"{n_topics:,}", n_topics)]
    return Row(tuple(cells), name=run.name)


def _mean(mean: MeanEstimate) -> Cell:
    if mean.value is None:
        return Cell(NONE, note=mean.reason)
    return Cell(value(mean.value), mean.value, below=interval(mean.low, mean.high))


def elsewhere(report: RunsReport) -> Table:
    """The measures that ask for a level of relevance, at the level beside it."""
    asked = [one for one, _ in report.runs[0].elsewhere]
    columns = (Column("run", "Run", numeric=False), *(Column(one.slug, one.label) for one in asked))
    rows = [
        Row((Cell(run.name, run.name), *(Cell(value(mean), mean) for _, mean in run.elsewhere)))
        for run in report.runs
    ]
    return table(columns, rows, title=f"Were grade {report.neighbour} the least that is relevant")


def differences(report: RunsReport) -> Table:
    """Every run minus the base, a measure and run a row."""
    names = ("Measure", "Run", "Difference", "95 % interval", "Raised", "Lowered", "Topics", "p", "p (Holm)")
    text = {"Measure", "Run"}
    columns = tuple(Column(name.lower(), name, numeric=name not in text) for name in names)
    rows = [
        Row(
            (
                Cell(each.measure.label, each.measure.slug),
                Cell(each.paired.name, each.paired.name),
                Cell(value(each.paired.difference), each.paired.difference),
                Cell(interval(each.paired.low, each.paired.high) or NONE),
                Cell(f"{each.n_raised:,}", each.n_raised),
                Cell(f"{each.n_lowered:,}", each.n_lowered),
                Cell(f"{each.n_topics:,}", each.n_topics),
                Cell(probability(each.paired.p), each.paired.p),
                Cell(probability(each.paired.p_holm), each.paired.p_holm),
            )
        )
        for each in report.compared
    ]
    tests = sorted({each.paired.test for each in report.compared})
    return table(columns, rows, title=f"Difference from {report.base}, tested by {'; '.join(tests)}")


def topics(report: RunsReport) -> Iterable[Table]:
    """A table a measure: topics by runs, and the number of relevant documents."""
    return (by_topic(report, one, {}) for one in report.measures)


def by_topic(report: RunsReport, one: RunMeasure, named: Mapping[str, Cell]) -> Table:
    """Topics by runs on one measure.

    ``named``: cells that say more of a topic than its id, in the order in which the topics stand.
    """
    judged = report.judged
    columns = (
        Column("topic", "Topic", numeric=False),
        Column("n_relevant", "Relevant"),
        *(Column(run.name, run.name) for run in report.runs),
    )
    values = [run.evaluated.of(one).tolist() for run in report.runs]
    places = {topic: place for place, topic in enumerate(named)}
    rows = [
        Row(
            (
                named.get(topic) or Cell(topic, topic),
                Cell(str(int(judged.n_relevant[at])), int(judged.n_relevant[at])),
                *(Cell(value(row[at]), row[at]) for row in values),
            )
        )
        for at, topic in sorted(enumerate(judged.topics), key=lambda each: places.get(each[1], 0))
    ]
    return table(columns, rows, title=f"{one.label} by topic")


def alone(report: RunsReport) -> Table:
    """What each run found that no other has among its first documents."""
    columns = (
        Column("run", "Run", numeric=False),
        *(Column(name.lower(), name) for name in ("Documents", "Relevant", "Share of relevant")),
    )
    rows = [
        Row(
            (
                Cell(each.name, each.name),
                Cell(f"{each.n_documents:,}", each.n_documents),
                Cell(f"{each.n_relevant:,}", each.n_relevant),
                Cell(NONE if each.share is None else f"{percent(each.share)} %", each.share),
            )
        )
        for each in report.alone
    ]
    return table(columns, rows, title=f"Found by one run alone among the first {report.depth}")


def left_out(report: RunsReport) -> Table:
    """Each run judged by the others' eyes: without the judgments that only it brought."""
    said = ("In the pool", "Left out", "Topics lost")
    values = [(each, each.value, each.without) for each in report.left_out]
    return _moved(said, values, "Each run as if it had not been in the pool")


def earlier(report: RunsReport) -> Table:
    """Each run on the judgments there were before a further pool, and on all."""
    title = f"Before and after the further pool: {report.n_earlier:,} judgments and {report.n_judgments:,}"
    values = [(each, each.without, each.value) for each in report.earlier]
    return _moved(("Before", "After", "Topics only after"), values, title)


def _moved(
    said: tuple[str, str, str], values: Sequence[tuple[LeftOut, float | None, float | None]], title: str
) -> Table:
    """Each run on two sets of judgments: its mean on the one, on the other, and the change.

    `said`: the headings of both means, and of the topics that only one set has.
    """
    one, other, lost = said
    names = ("Run", "Measure", one, other, "Change", "Topics", lost)
    text = {"Run", "Measure"}
    columns = tuple(Column(name.lower(), name, numeric=name not in text) for name in names)
    rows = [
        Row(
            (
                Cell(each.name, each.name),
                Cell(each.measure.label, each.measure.slug),
                *map(_number, (before, after, _change(before, after))),
                Cell(f"{each.n_topics:,}", each.n_topics),
                Cell(f"{each.n_lost:,}", each.n_lost),
            )
        )
        for each, before, after in values
    ]
    return table(columns, rows, title=title)


def _change(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _number(number: float | None) -> Cell:
    return Cell(NONE) if number is None else Cell(value(number), number)
