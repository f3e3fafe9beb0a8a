"""The tables of the live page: agreement, readers, items and flags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.urls import reverse
from django.utils.text import Truncator

from annotation.models import Judgment, Outcome, Study
from annotation.studies.overview import abouts
from common.tables.table import NONE, About, Cell, Column, Row, Table, table
from common.wording import counted, day_and_time
from evaluation.metrics.common.planning import FEW_ITEMS, WANTED
from evaluation.values.sentences import few_topics
from evaluation.values.wording import digits
from evaluation.watch.headlines import Headline
from evaluation.watch.readers import ReaderRow
from evaluation.watch.snapshot import Questioned, Watch

LONGEST_ABOUT = 60
"""Characters of what tells an item from the others, below its number."""


def agreement(found: Sequence[Headline]) -> Table:
    """A measure a row, with how many more items, or topics, its interval takes."""
    columns = [
        Column("measure", "Measure", numeric=False),
        Column("value", "Value", main=True),
        Column("interval", "95 % interval"),
        Column("n_items", "Items"),
        Column("more", f"More {over(found)} to ± {WANTED}"),
    ]
    rows = [
        Row(
            (
                Cell(each.label),
                Cell(each.value),
                Cell(each.interval),
                Cell(str(each.n_items), each.n_items),
                Cell(_more(each.more), each.more),
            ),
            about=About(each.definition, each.formula, each.source, reason=each.reason),
        )
        for each in found
    ]
    n_topics = _n_topics(found)
    caption = f"So far, with 95 % intervals over {counted(n_topics, 'topic') if n_topics else 'items'}"
    return table(columns, rows, caption=caption)


def over(found: Sequence[Headline]) -> str:
    """What intervals are over: topics where items have them."""
    return "topics" if _n_topics(found) else "items"


def _n_topics(found: Sequence[Headline]) -> int:
    return max((each.n_topics for each in found), default=0)


def caution(found: Sequence[Headline]) -> str:
    """What to say where a plan stands on few items or topics, else nothing."""
    if _n_topics(found):
        return few_topics(_n_topics(found))
    if not any(each.more and each.n_items < FEW_ITEMS for each in found):
        return ""
    return (
        f"From fewer than {FEW_ITEMS} items this is a guess: the width of the interval is itself hardly "
        "known yet. Look again when more has been judged."
    )


def _more(items: int | None) -> str:
    if items is None:
        return NONE
    return f"about {items}" if items else "none: it is there"


def readers(study: Study, seen: Watch) -> Table:
    """A reader a row, in the order in which they joined."""
    habits = seen.kind.habits if seen.kind else ()
    first = ("Given", "Begun", "With the others", "Like gold", "Checks right")
    headings = (*first, study.task_type.undecided_label, "Broken", "Median seconds", *habits)
    columns = [Column("reader", "Reader", numeric=False), *(Column(each, each) for each in headings)]
    caption = "Pseudonyms only"
    if any(each.simulated for each in seen.readers):
        caption += "; simulated readers are programs"
    if seen.kind:
        caption += f". “With the others”: {seen.kind.with_others} on the same item"
    return table(columns, map(_reader, seen.readers), caption=caption)


def _reader(each: ReaderRow) -> Row:
    held = each.held
    return Row(
        (
            Cell(each.pseudonym, badge="Simulated" if each.simulated else "", badge_kind="note"),
            Cell(str(held.done)),
            Cell(str(held.held), below=f"{held.lapsed} lapsed" if held.lapsed else ""),
            Cell(each.with_others, below=counted(each.n_pairs, "pair") if each.n_pairs else ""),
            Cell(each.accuracy, below=each.interval),
            Cell(each.checks),
            Cell(each.undecided),
            Cell(str(each.n_broken)),
            Cell(each.seconds),
            *each.habits,
        )
    )


def items(study: Study, found: Iterable[Questioned]) -> Table:
    """An item a row, as many as these, each with what tells it from the others."""
    found = list(found)
    about = abouts(study, [each.number for each in found])
    headings = ("Apart", "Answers", study.task_type.undecided_label, "Broken")
    columns = [Column("item", "Item", numeric=False), *(Column(each, each) for each in headings)]
    rows = [
        Row(
            (
                _item(study, each.number, about.get(each.number, "")),
                Cell(NONE if each.apart is None else digits(each.apart, 2), each.apart),
                *(Cell(str(n), n) for n in (each.answers, each.undecided, each.broken)),
            )
        )
        for each in found
    ]
    return table(columns, rows)


def flags(study: Study, found: Iterable[Judgment]) -> Table:
    """A judgment without an answer a row; those of `flagged`, which name item and reader."""
    columns = [
        Column("item", "Item", numeric=False),
        Column("reader", "Reader", numeric=False),
        Column("said", "Said", numeric=False),
        Column("why", "Why", numeric=False, prose=True),
        Column("when", "When"),
    ]
    said = {
        Outcome.BROKEN: Cell("", badge="Broken"),
        Outcome.UNDECIDED: Cell("", badge=study.task_type.undecided_label, badge_kind="wait"),
    }
    rows = [
        Row(
            (
                _item(study, each.number),  # type: ignore[attr-defined]  # annotated
                Cell(each.pseudonym),  # type: ignore[attr-defined]  # annotated
                said[Outcome(each.outcome)],
                Cell(each.reason),
                Cell(day_and_time(each.created), moment=each.created),
            )
        )
        for each in found
    ]
    return table(columns, rows)


def _item(study: Study, number: int, about: str = "") -> Cell:
    words, link = f"Item\u00a0{number}", reverse("annotation:item", args=[study.slug, number])
    return Cell(words, number, link=link, below=Truncator(about).chars(LONGEST_ABOUT))
