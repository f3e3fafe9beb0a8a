"""A report for scripts: plain values with full precision, the same names for every study."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from common.tables.table import Records
from evaluation.beside import data as beside
from evaluation.report.adjudicated import NOTE
from evaluation.report.sentences import notes, summary, warning
from evaluation.stopping import tables as stopping
from evaluation.values.lines import Line
from evaluation.values.readers import numbers_of
from evaluation.values.report import Report, Settled
from evaluation.values.sentences import machine_seen

VERSION = 4
# Version 4 promises these keys whatever the kind of data; a kind that came later has its keys in its own
# reports only.
PROMISED: dict[str, Any] = {
    "position_of_errors": None,
    "majority": None,
    "spans": None,
    "readers_in_pairs": None,
    "cues": None,
}
PROMISED_OF_READER: dict[str, Any] = {"spans": None}


def data(report: Report) -> dict[str, Any]:
    """The report as plain values with full precision, the same keys for every study of a kind."""
    return {
        "report_version": VERSION,
        "study": report.slug,
        "title": report.title,
        "task": report.task,
        "data": report.data,
        "open": report.is_open,
        "option_order": report.option_order,
        "simulated_readers": list(report.simulated),
        "warning": warning(report),
        "machine_seen": machine_seen(report.machine_seen),
        "problem": report.problem,
        "summary": list(summary(report)),
        "computed": report.computed.isoformat(),
        "code_version": report.version,
        "seed": report.seed,
        "resamples": report.resamples,
        "level": report.level,
        "n_items": report.n_items,
        "n_items_judged": report.n_judged,
        "n_topics": report.n_topics or None,
        "n_options": report.n_options,
        "n_answers": report.n_answers,
        "n_undecided": report.n_undecided,
        "n_broken": report.n_broken,
        "answers_per_item": {str(size): items for size, items in sorted(report.histogram.items())},
        "measures": [_measure_data(line) for line in report.lines],
        "annotators": [
            {**each._asdict(), **PROMISED_OF_READER, **own}
            for each, own in zip(report.readers, report.own.reader_data or repeat({}), strict=False)
        ],
        "one_annotator_left_out": [
            {**each._asdict(), "measure": each.measure.slug} for each in report.left_out
        ],
        **PROMISED,
        **report.own.data,
        "settled": _settled(report.settled),
        "n_items_replaced": report.n_retired,
        "weighting": report.weighting,
        "notes": list(notes(report)),
        "machine_readers": beside.data(report.beside),
        "stopping": stopping.data(report.looked),
    }


def _settled(found: Settled | None) -> dict[str, Any] | None:
    """Readers against what adjudicators settled: a layer of its own, null where nothing was."""
    if found is None:
        return None
    return {
        "n_settled": found.n_settled,
        "n_without_answer": found.n_open,
        "n_adopted": found.n_adopted,
        "measures": [_measure_data(line) for line in found.lines],
        "note": NOTE,
    }


def _measure_data(line: Line) -> dict[str, Any]:
    one, estimate = line.measure, line.estimate
    return {
        "measure": one.slug,
        "label": one.label,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level,
        "method": estimate.method,
        "resamples": estimate.resamples,
        "seed": estimate.seed,
        "bootstrap_low": estimate.bootstrap.low if estimate.bootstrap else None,
        "bootstrap_high": estimate.bootstrap.high if estimate.bootstrap else None,
        "random": line.chance,
        "random_is": "enumerated" if line.exact else "0 by definition" if line.chance == 0 else None,
        "chance": one.chance,
        "p": line.test.p if line.test else None,
        "p_method": line.test.method if line.test else "",
        "n_items": estimate.n_items,
        "n_judgments": estimate.n_judgments,
        "reason": estimate.reason,
        "definition": one.definition,
        "formula": one.formula,
        "source": one.source,
    }


COLUMNS = (
    "study",
    "annotator",
    "number",
    "label",
    "value",
    "low",
    "high",
    "level",
    "method",
    "resamples",
    "seed",
    "bootstrap_low",
    "bootstrap_high",
    "random",
    "p",
    "p_method",
    "n_items",
    "n_judgments",
    "reason",
    "simulated_readers",
    "saw_machine",
    "read_in",
)


def records(report: Report) -> Records:
    """One row a number; ``annotator`` is empty where the number is the study's, else the pseudonym;
    ``saw_machine``: how many of the study's answers were given with a machine's in sight;
    ``read_in``: of a machine reader's rows, the file, source and licence of answers that were read in.
    """
    every: dict[str, Any] = {"study": report.slug, "simulated_readers": " ".join(report.simulated)}
    if report.machine_seen is not None:
        every["saw_machine"] = report.machine_seen.prefilled + report.machine_seen.revealed
    return Records(COLUMNS, [{**every, **row} for row in _records(report)])


def _records(report: Report) -> Iterator[dict[str, Any]]:
    for line in report.lines:
        yield {"number": line.measure.slug, **_measure_data(line)}
    for name in ("n_items", "n_judged", "n_options", "n_answers", "n_undecided", "n_broken"):
        reason = report.problem if name == "n_answers" else ""
        yield {"number": name, "value": getattr(report, name), "reason": reason}
    if report.n_topics:
        yield {"number": "n_topics", "value": report.n_topics}
    for size, items in sorted(report.histogram.items()):
        yield {"number": f"items_with_{size}_answers", "value": items}
    for each, own in zip(report.readers, report.own.reader_numbers or repeat({}), strict=False):
        yield {
            "annotator": each.pseudonym,
            "number": "accuracy",
            "value": each.accuracy,
            "low": each.low,
            "high": each.high,
            "level": report.level,
            "method": "Wilson score" if each.accuracy is not None else "",
            "n_items": each.n_with_gold,
            "n_judgments": each.n_with_gold,
        }
        for name, value in (numbers_of(each) | own).items():
            yield {"annotator": each.pseudonym, "number": name, "value": value}
    for line in report.settled.lines if report.settled else ():
        yield {
            **_measure_data(line),
            "number": f"{line.measure.slug}_against_settled",
            "label": f"{line.measure.label} against what was settled",
        }
    yield from report.own.rows
    yield from beside.rows(report.beside)
    yield from stopping.rows(report.looked)
