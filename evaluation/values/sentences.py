"""Sentences that several pages say of a study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotation.people.withdrawal import Withdrawal
from common.wording import day
from evaluation.metrics.common.dominance import MUCH, Dominant
from evaluation.values.wording import counted, percent


def withdrawn(people: Iterable[Withdrawal]) -> Iterator[str]:
    """Who withdrew, when, and whether their judgments are in these numbers."""
    for each in people:
        given, one = counted(each.judgments, "judgment", "judgments"), each.judgments == 1
        if each.kept:
            became = (
                f"{'stands' if one else 'stand'} under the pseudonym and {'is' if one else 'are'} counted"
            )
        else:
            became = f"{'was' if one else 'were'} dropped and {'is' if one else 'are'} counted no more"
        yield f"Reader {each.pseudonym} withdrew on {day(each.at)}: {given} {became}."


def heavy(what: str, found: Dominant | None, instead: str = "") -> tuple[str, ...]:
    """That one item has much of all ``what``: its number and its share. ``instead``: what can be done."""
    if found is None:
        return ()
    said = (
        f"Item {found.item} has {percent(found.share)} % of all {what}, where an equal part would be "
        f"{percent(found.equal)} %: numbers that count {what} hang on it that much (said from more than "
        f"{100 * MUCH:.0f} % on)."
    )
    return (f"{said} {instead}".rstrip(),)
