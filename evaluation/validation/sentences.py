"""What a validation sample says, in words for whoever reads the study and not its statistics."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.validation.anchoring import NO_VERDICT, Arm, Shift
from evaluation.metrics.validation.estimands import Estimated
from evaluation.metrics.validation.rankings import Tau
from evaluation.validation.compute import Validation
from evaluation.values.sentences import programs
from evaluation.values.wording import NONE, counted, digits, headed, p_is, percent

FEW_RUNS = 5
"""With fewer, Kendall’s τ takes so few values that an order is hardly told from another."""
ARMS = {Arm.BLIND: "blind", Arm.REVEAL: "shown afterwards", Arm.PREFILLED: "shown first"}


def summary(found: Validation) -> tuple[str, ...]:
    """The whole in a handful of sentences; the problem where there is one."""
    return (found.problem,) if found.problem else tuple(_summary(found))


def _summary(found: Validation) -> Iterator[str]:
    yield (
        f"A machine ({found.source}) judged {found.n_items:,} items; {found.n_drawn:,} of them were "
        "drawn for "
        f"people, and {found.n_judged:,} have an answer that was given before any machine’s was seen."
    )
    if found.simulated:
        yield programs(found.simulated, mixed=found.people)
    if found.estimates:
        yield from _first(found.estimates[0])
    yield from anchored(found)
    yield from revealed(found)
    yield from ranked(found)


def _first(one: Estimated) -> Iterator[str]:
    if one.powered is None or one.reason:
        return
    text = (
        f"On all items the {one.estimand.label} is {value(one, one.powered.value)} "
        f"[{value(one, one.powered.low)}, {value(one, one.powered.high)}], an interval of {claim(one)}; the "
        "machine alone says "
        f"{value(one, one.machine_alone)}."
    )
    if one.saved is not None and one.saved > 0:
        text += (
            f" A simple random sample without the machine would need {one.saved:,} more judged items for as "
            "narrow an interval."
        )
    yield text


def anchored(found: Validation) -> Iterator[str]:
    """What seeing the machine's answer first did."""
    if found.meter is None or found.meter.headline.difference is None:
        return
    one = found.meter.headline
    yield (
        f"Readers who saw the machine’s answer first agreed with it {points(one)} than readers who did not. "
        f"{_verdict(one)}"
    )
    pull = found.meter.pull
    if pull.value is not None and pull.low is not None and pull.high is not None and (one.low or 0) > 0:
        yield (
            f"Of the items on which they would have disagreed, they gave way on {percent(pull.value)} % "
            f"[{percent(pull.low)}, {percent(pull.high)}]."
        )
    if found.meter.blind_only:
        yield (
            "First answers of readers who were shown the machine’s afterwards already differ from "
            "blind ones: "
            "something carried over, so only blind answers are compared here."
        )


def _verdict(one: Shift) -> str:
    if one.low is None or one.high is None:
        return "There is no interval: too few readings, or none that differ."
    if one.low > 0:
        return "Its answer pulled them."
    if one.high < 0:
        return "Its answer pushed them away."
    return "That may be chance: the interval holds 0."


def points(one: Shift) -> str:
    """``9 points more often (3 to 15)``."""
    if one.difference is None:
        return NONE
    more = "more" if one.difference >= 0 else "less"
    text = f"{digits(100 * abs(one.difference), 1)} points {more} often"
    if one.low is None or one.high is None:
        return text
    ends = sorted((100 * one.low, 100 * one.high), key=abs if one.low * one.high > 0 else None)
    sign = -1 if one.difference < 0 else 1
    low, high = sorted(sign * end for end in ends)
    return f"{text} ({digits(low, 1)} to {digits(high, 1)})"


def revealed(found: Validation) -> Iterator[str]:
    """What readers changed when they saw it after their own."""
    one = found.reveal
    if one is None:
        return
    text = (
        f"Shown the machine’s answer after their own, readers changed {one.changed:,} of {one.n:,} answers: "
        f"{one.towards:,} towards it, {one.away:,} away from it, {one.lateral:,} to another as far from it "
        f"({p_is(one.p)} if both ways are alike)."
    )
    if one.share is not None and one.low is not None and one.high is not None:
        text += (
            f" They gave up {percent(one.share)} % [{percent(one.low)}, {percent(one.high)}] of "
            f"{counted(one.n_disagreeing, 'disagreement', 'disagreements')}."
        )
    if one.withdrawn:
        text += (
            f" In {counted(one.withdrawn, 'further reading', 'further readings')} they took their answer "
            "back, could not decide or called the item broken: that has no direction, and is in none of "
            "these numbers."
        )
    yield text


def ranked(found: Validation) -> Iterator[str]:
    """What it does to the order of systems."""
    one = found.ranks
    if one is None or one.tau.value is None:
        return
    yield (
        f"Ordered by P@{found.k}, {counted(len(found.runs), 'run', 'runs')} stand in orders that agree by "
        f"τ = {tau(one.tau)} when judged blind and when the machine’s answer was there first; with as many "
        f"readings as half of an arm by {tau(one.same_size)}, where two random halves of the blind readings "
        f"agree by {tau(one.halves)}. Only the last two may be laid beside each other."
    )
    if len(found.runs) < FEW_RUNS:
        pairs = len(found.runs) * (len(found.runs) - 1) // 2
        yield (
            f"{headed(counted(len(found.runs), 'run', 'runs'))} make {counted(pairs, 'pair', 'pairs')}: one "
            f"that changes places moves τ by {digits(2 / pairs, 2)}. Say nothing about orders with so few."
        )


def tau(one: Tau) -> str:
    if one.value is None:
        return NONE
    if one.low is None or one.high is None:
        return digits(one.value, 2)
    return f"{digits(one.value, 2)} [{digits(one.low, 2)}, {digits(one.high, 2)}]"


def of_all(found: Validation) -> str:
    """The note that every estimate has alike, to be said once; empty where they differ."""
    said = {one.reason or one.note for one in found.estimates}
    return said.pop() if len(said) == 1 else ""


def claim(one: Estimated) -> str:
    """How often the interval holds the true value; empty where there is none."""
    if one.conservative is None:
        return ""
    return "at least 95 % (few errors: conservative)" if one.conservative else "95 %"


def value(one: Estimated, number: float) -> str:
    """``62.5 %`` for a share, ``1.23`` for grades and gain."""
    return f"{percent(number)} %" if one.estimand.unit == "share" else digits(number, 3)


def notes(found: Validation) -> tuple[str, ...]:
    """How the numbers are made and what they do not say."""
    return () if found.problem else tuple(_notes(found))


def _notes(found: Validation) -> Iterator[str]:
    yield from _on_estimates(found)
    if found.n_without:
        yield (
            f"{headed(counted(found.n_without, 'item has', 'items have'))} no answer of the machine: in "
            "what it alone says they count with grade 0, in agreement as unlike, in κ not at all; intervals "
            "allow for that."
        )
    if not found.one_number:
        yield (
            "Answers have several parts or places: agreement is how alike two of them are, from 0 to 1, as "
            "the study’s results count it, and a pull is a rise of that."
        )
    if found.labels:
        yield f"Relevant is a grade of {found.level} or higher."
    if found.meter:
        yield (
            f"A reader or a grade with fewer than {NO_VERDICT} readings in an arm gets no verdict; "
            "p is adjusted "
            "by Holm’s method over those that do."
        )


def _on_estimates(found: Validation) -> Iterator[str]:
    if found.n_topics:
        yield (
            f"Whole topics were drawn, and {found.n_whole:,} of {found.n_topics:,} are judged to their end. "
            f"Estimates are of these {found.n_topics:,} topics, and intervals over those judged; a topic of "
            "which an item is undecided or waits is not among them. κ is not computed of whole topics."
        )
    else:
        yield (
            f"Strata: {found.rule}. {percent(found.share)} % of the items were drawn. Estimates are of these "
            f"{found.n_items:,} items; what other topics would give is not in their intervals."
        )
    yield (
        "Estimates rest on answers that were given blind, or before the machine’s was shown. What "
        "readers saw the machine’s answer before never enters: it cannot measure the machine’s error."
    )
    if found.n_topics:
        if said := of_all(found):
            yield f"Of all estimates: {said}"
        yield "λ is 1: what the machine says of all topics is corrected by its errors on the judged ones."
    else:
        yield (
            "λ says how much the machine is trusted, from 0 (the sample alone) to 1; it is 0 where the "
            "strata have used what the machine knows already. Saved: against a simple random sample "
            "without the machine."
        )
    if any(one.conservative for one in found.estimates):
        yield (
            "An interval claims 95 %, or at least 95 % where more than a tenth of its variance was added for "
            "errors of the machine that a sample with so few may have missed: then it is wider than need be, "
            "and holds the true value more often."
        )
