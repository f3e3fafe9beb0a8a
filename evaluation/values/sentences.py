"""Sentences that several pages say of a study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotation.people.withdrawal import Withdrawal
from common.wording import day
from evaluation.metrics.common.dominance import MUCH
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


def heavy(what: str, found: tuple[int, float] | None, instead: str = "") -> tuple[str, ...]:
    """That one item has much of all ``what``: its number and its share. ``instead``: what can be done."""
    if found is None:
        return ()
    number, share = found
    return (
        f"Item {number} alone has {percent(share)} % of all {what} (items are named from more than "
        f"{100 * MUCH:.0f} % on): what counts {what} hangs on it.{f' {instead}' if instead else ''}",
    )
