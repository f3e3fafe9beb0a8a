"""Boundary offsets and statistics of the data set as tables, worded: plain text and page print the same."""

from __future__ import annotations

from evaluation.kinds.spans.marked import Found
from evaluation.metrics.spans.reuse import Spread
from evaluation.values.report import Report
from evaluation.values.tables import Table
from evaluation.values.wording import NONE, digits, percent


def offset_table(report: Report, spans: Found) -> Table:
    """A row a pair of readers."""
    head = ["readers", "items", "left median", "|left|", "left equal"]
    head += ["right median", "|right|", "right equal"]
    body = []
    for each in spans.report.offsets:
        names = f"{report.readers[each.first].pseudonym}, {report.readers[each.second].pseudonym}"
        cells = [names, f"{each.n_items:,}"]
        for side in (each.left, each.right):
            cells += [digits(side.median, 1), digits(side.median_absolute, 1), f"{percent(side.equal)} %"]
        body.append(cells)
    caption = (
        "Where two readers part, in tokens, the second minus the first: a negative left median says that the "
        "second begins earlier, a positive right median that the second ends later. |left| and |right| are "
        "medians of absolute differences."
    )
    return Table(caption, head, body)


def dataset_table(spans: Found) -> Table:
    """Table 1 of the paper for this study: a row a kind of span."""
    head = ["", "Jaccard (tokens)", "Jaccard (lemmata)", "span length", "reference length", "instances"]
    body = [
        [
            row.name,
            spread(row.tokens.jaccard, 2),
            spread(row.lemmata.jaccard, 2) if row.lemmata else NONE,
            spread(row.source_length, 2),
            spread(row.reference_length, 2),
            f"{row.n:,}",
        ]
        for row in spans.dataset.rows
    ]
    caption = (
        "What spans share with the texts they allude to, as in Table 1 of Manjavacas et al. 2019: mean "
        "(± standard deviation), lengths in words. An instance is a span and one reference."
    )
    partly = [row for row in spans.dataset.rows if row.lemmata and row.n_lemmata < row.n]
    if partly:
        named = ", ".join(f"{row.n_lemmata:,} of the {row.name}" for row in partly)
        caption += f" Lemmata are given for {named}."
    return Table(caption, head, body)


def shared_table(spans: Found) -> Table:
    """Figure 2 of the paper: how many marked spans share 0, 1, 2 … words with their reference."""
    row = next((each for each in spans.dataset.rows if each.name == "marked spans"), None)
    caption = "Marked spans by the number of words they share with their reference, as in Figure 2."
    if row is None:
        return Table(caption, [], [])
    lemmata = row.lemmata.histogram if row.lemmata else ()
    body = [
        [
            str(shared),
            str(row.tokens.histogram[shared]) if shared < len(row.tokens.histogram) else "0",
            *([str(lemmata[shared]) if shared < len(lemmata) else "0"] if lemmata else []),
        ]
        for shared in range(max(len(row.tokens.histogram), len(lemmata)))
    ]
    return Table(caption, ["words in common", "by tokens", *(["by lemmata"] if lemmata else [])], body)


def spread(found: Spread, places: int) -> str:
    """``0.06 (± 0.07)``."""
    if found.mean is None:
        return NONE
    deviation = "" if found.deviation is None else f" (± {digits(found.deviation, places)})"
    return digits(found.mean, places) + deviation
