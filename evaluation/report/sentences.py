"""What the numbers say, in plain words: the summary, the warning about programs, and the notes."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.common.clusters import over_items
from evaluation.metrics.common.jackknife import LOGIT, PLAIN, ROOT, WILSON
from evaluation.report.adjudicated import NOTE
from evaluation.values.report import Report, Settled
from evaluation.values.sentences import added, few_topics, programs, withdrawn
from evaluation.values.wording import counted, listed, worded


def warning(report: Report) -> str:
    """The sentence that readers were programs; empty when all were people."""
    simulated = report.simulated
    people = any(each.pseudonym not in simulated for each in report.active)
    return programs(simulated, mixed=people) if simulated else ""


def summary(report: Report) -> tuple[str, ...]:
    """The report in two or three sentences; the problem when there is one."""
    if report.problem:
        return (report.problem,)
    readers = counted(len(report.active), "reader", "readers").capitalize()
    answers = counted(report.n_answers, "answer", "answers")
    first = f"{readers} judged {items_judged(report)} and gave {answers}."
    return (first, *report.own.summary)


def items_judged(report: Report) -> str:
    """``thirty items of two topics``; without topics the items alone."""
    items = counted(report.n_judged, "item", "items")
    return f"{items} of {counted(report.n_topics, 'topic', 'topics')}" if report.n_topics else items


def settled_summary(found: Settled) -> str:
    """What the section on decisions begins with."""
    items = counted(found.n_settled, "item", "items")
    text = f"Against what was settled, on {items}, of which {found.n_adopted:,} by adopting a reading"
    if found.n_open:
        text += f"; of {found.n_open:,} more was decided that no answer can be given"
    return f"{text}. {NOTE}"


def notes(report: Report) -> tuple[str, ...]:
    """What a reader of the numbers must know, one point a sentence or two."""
    return tuple(_notes(report))


def _notes(report: Report) -> Iterator[str]:
    if report.is_open:
        yield "The study is open: the numbers change with every answer."
    yield from withdrawn(report.withdrawn)
    yield from added(report.added)
    if report.own.notes_on_answers is not None:
        yield from report.own.notes_on_answers
    elif report.n_undecided or report.n_broken:
        yield (
            f"{report.n_undecided:,} × “can’t decide” and {report.n_broken:,} × “this item is broken” "
            "are no answers: they are counted for each reader and enter no other number."
        )
    if report.n_retired:
        were = counted(report.n_retired, "item was", "items were").capitalize()
        yield (
            f"{were} replaced by another version: what was said of the first stays in the record and "
            "enters no number."
        )
    if not report.lines:
        return
    unjudged = report.histogram.get(0, 0)
    if unjudged:
        without = counted(unjudged, "item has", "items have").capitalize()
        yield f"{without} no answer yet and {'enters' if unjudged == 1 else 'enter'} no number."
    yield from _intervals(report)
    if report.without_spread:
        yield (
            f"Items do not differ in {listed(report.without_spread)}: leaving them out would show no spread, "
            "so the interval there is Wilson’s over items."
        )
    yield from _left_out(report)
    yield from report.own.last_notes


def _intervals(report: Report) -> Iterator[str]:
    what = report.resampled
    if report.methods:
        yield (
            f"{intervals(report)} {what.capitalize()} are left out in turn and readers held fixed: intervals "
            f"say what other such {what} would give, not what other readers would."
        )
    if few_topics(report.topics_of_intervals):
        yield few_topics(report.topics_of_intervals)
    if any(line.estimate.bootstrap for line in report.lines):
        yield (
            f"JSON and CSV have the percentile bootstrap beside them, {report.resamples:,} resamples of the "
            f"{what} (seed {report.seed}): a little too short below about 100 {what}."
        )


def intervals(report: Report) -> str:
    """How the intervals of this report were made, in a sentence."""
    used = {over_items(method) for method in report.methods}
    ways = [words.format(report.resampled) for method, words in _WAYS if method in used]
    return f"Intervals are {100 * report.level:.0f} %: {'; '.join(ways)}." if ways else ""


_WAYS = (
    (LOGIT, "logit-t is Student’s t with the jackknife error over {}, on the logit scale"),
    (ROOT, "root-t is Student’s t with the jackknife error over {}, on the root of 1 − value"),
    (PLAIN, "t is the value ± Student’s t times the jackknife error over {}"),
    (WILSON, "Wilson is the score interval of a share of {}"),
)


def _left_out(report: Report) -> Iterator[str]:
    if report.left_out:
        ranges = "; ".join(
            f"{each.measure.label} {worded(each.measure, each.low)} (without {each.without_low}) to "
            f"{worded(each.measure, each.high)} (without {each.without_high})"
            for each in report.left_out
        )
        yield f"With each reader left out in turn: {ranges}."
