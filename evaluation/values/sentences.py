"""Sentences that several pages say of a study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotation.people.withdrawal import Withdrawal
from annotation.studies.running.adding import Addition
from annotation.validation.first_grades import Seen
from common.wording import day
from evaluation.metrics.common.dominance import MUCH, Dominant
from evaluation.metrics.common.planning import FEW_TOPICS
from evaluation.values.wording import counted, listed, percent


def programs(names: tuple[str, ...], *, mixed: bool) -> str:
    """That readers of these names, one or more, were programs; ``mixed``: people read, too."""
    are = "is a program, not a person" if len(names) == 1 else "are programs, not people"
    if mixed:
        return f"Simulated readers took part: {listed(names)} {are}. The numbers mix both."
    return f"Simulated readers: {listed(names)} {are}. These numbers say nothing about human readers."


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


def added(found: Iterable[Addition]) -> Iterator[str]:
    """Which items came while the study was open, when, and after how many judgments of the others."""
    for each in found:
        one = each.first == each.last
        which = f"Item {each.first} was" if one else f"Items {each.first} to {each.last} were"
        n_checks = each.items.get("check", 0)
        checks = f", {n_checks:,} of them for checks" if n_checks else ""
        yield (
            f"{which} added on {day(each.at)} while the study was open{checks}, after "
            f"{counted(each.given, 'judgment', 'judgments')} of the items before."
        )


def machine_seen(found: Seen | None) -> str:
    """How many answers were given with a machine's in sight, and that agreement is higher for it: to stand
    where agreement stands. Empty where there are none.
    """
    if found is None or not found.prefilled + found.revealed:
        return ""
    changed = f" ({found.changed:,} of them changed afterwards)" if found.changed else ""
    return (
        f"A machine’s answer was shown to readers: {found.prefilled:,} current judgments began with it "
        f"(pre-filled), after {found.revealed:,} it was revealed{changed}, {found.blind:,} are blind. All of "
        "them are in the numbers here, so agreement may be the machine’s pull: estimates use first answers "
        "alone."
    )


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


def few_topics(n_topics: int) -> str:
    """That intervals over so few topics are too short; empty where there are enough, or none."""
    if not 0 < n_topics < FEW_TOPICS:
        return ""
    return (
        f"Intervals over {counted(n_topics, 'topic', 'topics')} are themselves uncertain, and a little too "
        f"short (said below {FEW_TOPICS} topics): where readers shift their threshold from topic to topic, "
        "those over 5 to 12 topics held the true value in 89 to 95 of 100 simulated studies."
    )
