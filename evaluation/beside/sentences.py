"""What the block on machine readers says in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.machines.as_reader import AS_GOOD, OPEN, WORSE
from evaluation.metrics.machines.likeness import MeanLikeness
from evaluation.values.beside import Beside, MachineColumn
from evaluation.values.readers import share
from evaluation.values.wording import NONE, counted, digits, listed, p_is, percent

HEADING = "Machine readers"
APART = (
    "A machine reader fills no place of a person and enters no number above. It stands here beside people, "
    "on the items that both read."
)
FEW_CHANGED = 0.05


def mean(found: MeanLikeness) -> str:
    """``78.0 % [70.1, 84.2]``."""
    if found.value is None:
        return NONE
    if found.low is None or found.high is None:
        return share(found.value)
    return f"{percent(found.value)} % [{percent(found.low)}, {percent(found.high)}]"


def summary(found: Beside) -> tuple[str, ...]:
    """A sentence on who read, and two on each machine."""
    return (_who(found), APART, *(said for each in found.machines for said in _machine(found, each)))


def _who(found: Beside) -> str:
    names = listed([f"{each.name} ({each.title})" for each in found.machines])
    read = counted(len(found.machines), "machine", "machines").capitalize()
    scripted = [each.name for each in found.machines if each.scripted]
    said = f"{read} read beside people: {names}."
    if scripted:
        said += f" {listed(scripted)} {'is' if len(scripted) == 1 else 'are'} scripted: no model answered."
    return said


def _machine(found: Beside, each: MachineColumn) -> Iterator[str]:
    items = f"{each.n_read:,} of {each.n_items:,} items"
    read = f"{each.name} was asked about {items} and answered {each.n_answered:,}"
    if each.read_in:
        read = f"Of {each.name} the answers to {items} were read in; it answered {each.n_answered:,}"
    other = [f"{n:,} × {name.lower()}" for name, n in each.states if name != "Answered"]
    yield f"{read}{' (' + ', '.join(other) + ')' if other else ''}."
    if each.people.value is not None:
        text = (
            f"Where a person answered too, its answer was like the person’s {mean(each.people)} of the time"
        )
        if found.between_people.value is not None:
            text += (
                f"; two people are alike {mean(found.between_people)} of the time on the items machines read"
            )
        yield text + "."
    if each.gold.value is not None:
        people = mean(found.people_gold)
        yield f"Against the known right answers it reached {mean(each.gold)}, people {people}."
    yield from _as_reader(each)
    yield from _differences(each)
    if each.repeated is not None and each.repeated.every.value is not None:
        n = counted(each.repeated.every.n, "time", "times")
        yield f"Asked the same again {n}, it gave the same answer {mean(each.repeated.every)} of the time."
    yield from _places(each)
    yield from _words(each)
    if each.n_instructions:
        part = percent(each.n_instructions / max(1, each.n_read))
        items = counted(each.n_instructions, "item", "items").capitalize()
        hold = "holds" if each.n_instructions == 1 else "hold"
        yield f"{items} that it read ({part} %) {hold} words that look like an instruction to a model."


def points(difference: float) -> str:
    """``-3.2 points``."""
    return f"{digits(100 * difference, 1)} points"


def between(low: float | None, high: float | None) -> str:
    """``[-8.1, 1.7]`` in points; a dash without an interval."""
    return NONE if low is None or high is None else f"[{digits(100 * low, 1)}, {digits(100 * high, 1)}]"


def _as_reader(each: MachineColumn) -> Iterator[str]:
    """Whether it is as good as a reader, as far as the interval says so."""
    found = each.as_reader
    if found is None:
        return
    where = f"On the {found.n_items:,} items that it and two people or more answered it agrees with people"
    text = f"{where} {percent(found.with_people)} % of the time, people with each other "
    text += f"{percent(found.among_people)} %: a difference of {points(found.difference)}"
    interval = f" {between(found.low, found.high)}" if found.low is not None else ""
    ends = {
        AS_GOOD: "It is as good as a reader: the interval does not go below 0.",
        WORSE: "It is not as good as a reader: the whole interval lies below 0.",
        OPEN: "Whether it is as good as a reader is open: the interval goes below 0 and above it."
        if interval
        else "Whether it is as good as a reader is open: there is no interval.",
    }
    yield f"{text}{interval}. {ends[found.verdict]}"


def _differences(each: MachineColumn) -> Iterator[str]:
    on = (
        ("Against the right answers", each.on_gold),
        ("Beside the majority of the other readers", each.on_others),
        ("Against what an adjudicator settled", each.on_settled),
    )
    for what, found in on:
        told = [one for one in found if one.found.p_holm < FEW_CHANGED]
        if told:
            worded = [
                f"{one.reader} ({percent(abs(one.found.difference))} points "
                f"{'better' if one.found.difference > 0 else 'worse'}, {p_is(one.found.p_holm)})"
                for one in told
            ]
            yield f"{what} it differs from {listed(worded)}; p is adjusted over the table by Holm’s method."
        elif found:
            yield f"{what} it was not shown to differ from any reader (Holm’s method over the table)."


def _places(each: MachineColumn) -> Iterator[str]:
    if each.places is None or each.places.test.p is None:
        return
    counts = listed([f"{n:,} at place {place}" for place, n in enumerate(each.places.test.counts, 1)])
    yield (
        f"Options in several orders: it chose {counts} ({p_is(each.places.test.p)} if it prefers no place); "
        f"in another order it gave the same answer {mean(each.places.same)} of the time."
    )


def _words(each: MachineColumn) -> Iterator[str]:
    found = each.words
    if found is None or found.machine is None or found.people is None:
        return
    text = (
        f"Its grades go with the share of the query’s words in the text by ρ = {digits(found.machine, 2)}, "
        f"people’s by {digits(found.people, 2)}"
    )
    if found.difference is not None and found.low is not None and found.high is not None:
        text += (
            f" (difference {digits(found.difference, 2)} [{digits(found.low, 2)}, {digits(found.high, 2)}])"
        )
    yield f"{text}, on {counted(found.n_items, 'item', 'items')}."


def notes(found: Beside) -> tuple[str, ...]:
    """How the numbers of the block are to be read."""
    over = "topics" if found.over_topics else "items"
    return (
        f"Likeness of two answers: {found.likeness}.",
        f"Intervals are {100 * found.level:.0f} % over {over}: Wilson’s where every answer is like or not "
        "and items count once, else the jackknife’s on the logit scale.",
        "The majority is what more than half of at least two readers say. Each reader and the machine are "
        "laid beside the majority of the other readers, on the same items, so that neither is compared with "
        "itself.",
        "With people and among people: of each item the mean over its readers, and over pairs of them; "
        "then the mean over items. Who answers as one more of these readers would has a difference of 0. Its "
        f"interval is Student’s t over the jackknife, {over} left out in turn; p is of the sign-flip test.",
        "Paired tests: McNemar’s, exact, where each is right or wrong, else the sign-flip test.",
        *(f"Answers of {each.name} were read in: {each.read_in}." for each in found.machines if each.read_in),
    )
