"""What only choices have in a report: sentences on accuracy, agreement and screen positions, and guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.table import Table
from evaluation.kinds.nominal import pairs
from evaluation.kinds.nominal.choices import FEW_ERRORS, Found
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.position import PositionBias
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.values.cues import WHAT_IT_IS, CueAudit, cue_data, cue_table, sentences
from evaluation.values.lines import said
from evaluation.values.readers import usual
from evaluation.values.report import KindReport, Panels, Report
from evaluation.values.sentences import heavy
from evaluation.values.tables import PageSection
from evaluation.values.wording import counted, digits, listed, p_is, worded


def describe(report: Report) -> KindReport:
    """Of a report without numbers only the columns of its readers."""
    found: Found | None = report.found
    if found is None:
        return KindReport(columns=usual(report))
    q, names = report.n_options, [each.pseudonym for each in report.readers]
    compared = pairs.sections(found.in_pairs, names)
    return KindReport(
        summary=tuple(each for each in (_accuracy(report, found), _agreement(report, found)) if each),
        last_notes=(*heavy("answers", found.heavy), _bias(found.bias)),
        last_sections=(_section(found.cues),),
        text=(
            *(part for each in compared for part in (each.sentence, each.table) if part),
            *_text(found.cues),
        ),
        offered=f"{q} options",
        guessing=f"guessing among {q} options",
        guess="guessing",
        random=(
            "Random: what guessing among the options gives, enumerated exactly for shares; "
            "coefficients are 0 at chance by definition."
        ),
        columns=usual(report),
        panels=Panels(
            "Accuracy and plain agreement", "Agreement above chance", "Accuracy of each reader", 1 / q
        ),
        sections=compared,
        data={
            "position_of_errors": None if found.bias is None else found.bias._asdict(),
            "majority": {
                "wanted": found.wanted,
                "n_items": found.majority.n_items,
                "items_with_fewer_answers": {str(n): items for n, items in found.majority.fewer.items()},
                "n_without_majority": found.majority.n_without,
            },
            "readers_in_pairs": pairs.data(found.in_pairs, names),
            "cues": cue_data(found.cues),
        },
        rows=(*pairs.rows(found.in_pairs, names, report.level), *_rows(found.cues)),
        beside_settled=(FLEISS.slug, RANDOLPH.slug),
    )


def _accuracy(report: Report, found: Found) -> str:
    single, majority = report.line("individual_accuracy"), report.line("majority_accuracy")
    if not single or single.estimate.value is None:
        return ""
    who = "It was" if len(report.active) == 1 else "They were"
    text = f"{who} right {said(single)} of the time"
    if single.chance is not None:
        text += f", where guessing is right {worded(single.measure, single.chance)}"
    if majority and majority.estimate.value is not None and max(report.histogram) > 1:
        text += f"; the majority was right on {said(majority)} of the items"
        return f"{text}. {_majority(found)}".rstrip()
    return text + "."


def _majority(found: Found) -> str:
    """Where a majority is one of fewer readers than were wanted, and where there is none."""
    behind, said = found.majority, []
    if behind.fewer:
        n = sum(behind.fewer.values())
        spread = ", ".join(f"{size} on {items:,}" for size, items in behind.fewer.items())
        judged = "was" if n == 1 else "were"
        said.append(
            f"{n:,} of these {behind.n_items:,} items {judged} judged by fewer than {found.wanted} readers "
            f"(answers: {spread})"
        )
    if behind.n_without:
        on = counted(behind.n_without, "item", "items")
        said.append(f"on {on} no option has more than half of the answers, as in a tie: that counts as wrong")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _agreement(report: Report, found: Found) -> str:
    fleiss = report.line(GENERALISED_FLEISS.slug) or report.line(FLEISS.slug)
    lines = [line for line in (fleiss, report.line(RANDOLPH.slug)) if line]
    if not lines or all(line.estimate.value is None for line in lines):
        return f"Agreement is not defined here. {lines[0].estimate.reason}" if lines else ""
    values = ", ".join(f"{line.measure.label} {said(line)}" for line in lines)
    return f"Agreement: {values}. {found.roles}".rstrip()


def _bias(found: PositionBias | None) -> str:
    if found is None or found.chi_square is None or found.p is None:
        return f"Screen position: not tested, there are fewer than {FEW_ERRORS} wrong answers."
    places = listed([f"{count:,} at place {place}" for place, count in enumerate(found.errors, 1)])
    return (
        f"Screen position: of {sum(found.errors):,} wrong answers {places} (χ² = "
        f"{digits(found.chi_square, 2)}, randomisation {p_is(found.p)}, "
        f"{found.draws:,} redrawn orders)."
    )


def _section(audit: CueAudit) -> PageSection:
    """The cue audit on the page, behind the readers."""
    said = " ".join(sentences(audit))
    if audit.problem:
        return PageSection("cues", "Without reading", said)
    return PageSection("cues", "Without reading", f"{said} {WHAT_IT_IS}", cue_table(audit))


def _text(audit: CueAudit) -> tuple[str | Table, ...]:
    return (
        " ".join(("Without reading:", *sentences(audit))),
        *([] if audit.problem else [cue_table(audit)]),
    )


def _rows(audit: CueAudit) -> Iterator[dict[str, Any]]:
    """The audit as rows of the CSV report."""
    for each in audit.results:
        yield {
            "number": f"without_reading_{each.slug}",
            "label": f"{each.sees}: {each.takes}",
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "method": each.method,
            "random": audit.chance,
            "p": each.adjusted,
            "p_method": "" if each.adjusted is None else "gold redrawn, adjusted by Holm's method",
            "n_items": audit.n_items,
        }
