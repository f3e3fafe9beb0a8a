"""What only grades have in a report: sentences, columns of readers, tables of confusion and further data."""

from __future__ import annotations

from collections.abc import Iterator

from common.tables.table import Table
from evaluation.kinds.ordinal import data, rationales
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.pictures import gold, of_two
from evaluation.kinds.ordinal.tables import (
    confusion_table,
    gold_table,
    margins_table,
    names_of,
    reader_pairs,
    reader_table,
)
from evaluation.kinds.ordinal.topics import sentences
from evaluation.kinds.ordinal.topics import tables as by_topic
from evaluation.kinds.ordinal.topics.topical import Topical
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT, WITHIN_ONE_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.ordinal.gold import ABSOLUTE_DIFFERENCE, EXACT_WITH_GOLD, WITHIN_ONE_OF_GOLD
from evaluation.metrics.ordinal.weighted_kappa import QUADRATIC_KAPPA
from evaluation.values.lines import said
from evaluation.values.readers import accuracy, answers, broken, seconds, undecided, wilson
from evaluation.values.report import KindReport, Panels, ReaderColumn, Report
from evaluation.values.sentences import heavy
from evaluation.values.tables import PageSection
from evaluation.values.wording import listed, unbroken, worded

FIGURE = "evaluation/figure.html"
TRIVIAL = 2
"""So many grades are always within ±1 of each other: no sentence says it."""


def describe(report: Report) -> KindReport:
    """Of a report without numbers only the columns of its readers."""
    found: Found | None = report.found
    if found is None:
        return KindReport(columns=tuple(_columns(report)))
    q, pairs = report.n_options, reader_pairs(report, found)
    each = {one.annotator: one for one in found.report.annotators}
    return KindReport(
        summary=tuple(_summary(report)),
        last_notes=(*_notes(found, q), *heavy("answers", found.heavy)),
        offered=f"{q} grades",
        guessing=f"guessing among {q} grades",
        guess="guessing",
        random=(
            "Random: what guessing evenly among the grades gives, enumerated exactly; coefficients are 0 at "
            "chance by definition."
        ),
        columns=tuple(_columns(report)),
        reader_data=tuple({"grades": data.reader(each.get(who))} for who in range(len(report.readers))),
        panels=Panels("Plain agreement", "Agreement above chance", "Same grade as gold", 1 / q),
        sections=tuple(_sections(report, found)),
        last_sections=tuple(_last_sections(report, found)),
        text=tuple(each for each in _tables(report, found) if isinstance(each, str) or each.rows),
        data={"grades": data.grades(found, pairs, _pseudonyms(report))},
        rows=(*data.rows(report, found, pairs), *rationales.rows(found.rationales)),
        beside_settled=(ORDINAL_ALPHA.slug, QUADRATIC_KAPPA.slug, EXACT_AGREEMENT.slug),
    )


def _columns(report: Report) -> Iterator[ReaderColumn]:
    yield answers(report)
    if any(each.n_with_gold for each in report.readers):
        yield accuracy(report, "= gold", "Same as gold")
        yield wilson(report)
    yield undecided(report)
    yield broken(report)
    yield seconds(report)


def _summary(report: Report) -> Iterator[str]:
    """Against gold, then agreement."""
    exact, near = report.line(EXACT_WITH_GOLD.slug), report.line(WITHIN_ONE_OF_GOLD.slug)
    distance = report.line(ABSOLUTE_DIFFERENCE.slug)
    if exact and near and distance and exact.estimate.value is not None:
        text = f"The gold grade was given {said(exact)} of the time"
        if exact.chance is not None:
            text += f", where guessing gives {worded(exact.measure, exact.chance)}"
        if report.n_options > TRIVIAL:
            text += f"; one at most one grade from it {said(near)}"
        yield f"{text}. Mean distance: {said(distance)}."
    same, within = report.line(EXACT_AGREEMENT.slug), report.line(WITHIN_ONE_AGREEMENT.slug)
    if not same or not within or same.estimate.value is None:
        yield "No item has two grades yet, so there is nothing to compare."
        return
    text = f"Two readers gave the same grade {said(same)} of the time"
    yield f"{text}, one within ±1 {said(within)}." if report.n_options > TRIVIAL else f"{text}."
    lines = [line for line in (report.line(ORDINAL_ALPHA.slug), report.line(QUADRATIC_KAPPA.slug)) if line]
    valued = [line for line in lines if line.estimate.value is not None]
    if valued:
        yield f"Agreement above chance: {', '.join(f'{one.measure.label} {said(one)}' for one in valued)}."
    elif lines:
        yield f"Agreement above chance is not defined here. {lines[0].estimate.reason}"


def _notes(found: Found, q: int) -> Iterator[str]:
    if found.labels:
        scale = listed([f"{grade} “{label}”" for grade, label in enumerate(found.labels)])
        yield f"The grades are numbered from the lowest: {scale}."
    else:
        yield f"Every item has {q} grades, numbered from 0, the lowest."
    yield (
        "Ordinal α takes nothing for granted but the order of the grades. Interval α, weighted κ and "
        "distances take them as equally far apart. A value of one cannot be compared with a value of another."
    )


def _sections(report: Report, found: Found) -> Iterator[PageSection]:
    confusion, pairs = confusion_table(found), reader_pairs(report, found).table()
    if confusion.rows:
        drawn = (FIGURE, of_two(found))
        yield PageSection(
            "confusion", "Grades of two readers", table=confusion, picture=drawn, drawing="grades-of-two"
        )
    yield PageSection("margins", "How often each grade was given", table=margins_table(report, found))
    if pairs.rows:
        yield PageSection("pairs", "Readers in pairs", table=pairs)
    if found.rationales:
        table = rationales.by_grade(found.rationales, list(names_of(found, report.n_options)))
        words = rationales.sentence(report, found.rationales)
        yield PageSection("rationales", "Words that decided", words, table)
    if found.topical:
        yield from _of_topics(found.topical, _pseudonyms(report))


def _of_topics(found: Topical, pseudonyms: list[str]) -> Iterator[PageSection]:
    overlap, declined = by_topic.overlap(found, pseudonyms), by_topic.declined(found, pseudonyms)
    if overlap.rows:
        heading = "Overlap of relevant sets"
        yield PageSection("overlap", heading, sentences.OVERLAP, overlap)
    drift, slopes = by_topic.drift(found, pseudonyms), by_topic.slopes(found, pseudonyms)
    yield PageSection(
        "drift",
        "Drift while a topic is judged",
        unbroken(sentences.drift(found)),
        drift if drift.rows else None,
        picture=(FIGURE, slopes) if slopes else None,
    )
    if declined.rows:
        yield PageSection("declined", "Can’t decide and broken by topic", table=declined)


def _last_sections(report: Report, found: Found) -> Iterator[PageSection]:
    grades, readers = gold_table(found), reader_table(report, found)
    if grades.rows:
        drawn = (FIGURE, gold(found))
        yield PageSection(
            "gold-grades", "Grades against gold", table=grades, picture=drawn, drawing="grades-against-gold"
        )
        yield PageSection("gold-readers", "Readers against gold", table=readers, below=True)


def _tables(report: Report, found: Found) -> Iterator[str | Table]:
    yield reader_table(report, found)
    yield reader_pairs(report, found).table()
    yield confusion_table(found)
    yield margins_table(report, found)
    yield gold_table(found)
    if found.rationales:
        yield rationales.sentence(report, found.rationales)
        yield rationales.by_grade(found.rationales, list(names_of(found, report.n_options)))
    if found.topical:
        pseudonyms = _pseudonyms(report)
        yield by_topic.overlap(found.topical, pseudonyms)
        yield sentences.drift(found.topical)
        yield by_topic.drift(found.topical, pseudonyms)
        yield by_topic.declined(found.topical, pseudonyms)


def _pseudonyms(report: Report) -> list[str]:
    return [each.pseudonym for each in report.readers]
