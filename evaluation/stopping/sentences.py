"""What a stopping rule says, how far it is, and what looking often costs, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.studies.running.stopping import Rule
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.common.planning import FEW_ITEMS
from evaluation.metrics.planning.looks import corrected_level, false_alarms
from evaluation.values.looks import Look, Looked
from evaluation.values.wording import counted, digits, is_share, percent

HEADING = "Stopping rule"


def width_in_words(one: MeasureOf[Any] | None, width: float | None) -> str:
    """``± 5.03 points`` of a share, ``± 0.0503`` of a coefficient: a digit more than elsewhere, because the
    rule is about it."""
    if width is None:
        return "no interval"
    return f"± {digits(100 * width, 2)} points" if one and is_share(one) else f"± {digits(width, 4)}"


def wanted_in_words(looked: Looked) -> str:
    """``± 5 points``, as it was typed in."""
    share = looked.measure is not None and is_share(looked.measure)
    return f"± {100 * looked.rule.width:.6g} points" if share else f"± {looked.rule.width:.6g}"


def rule_in_words(looked: Looked) -> str:
    """The rule, as it was chosen."""
    rule, name = looked.rule, looked.measure.label if looked.measure else looked.rule.measure
    closes = " The study is then closed by itself." if rule.closes else ""
    looks = (
        f"one look, at {rule.items:,} fully read items"
        if rule.most == 1
        else f"looks at {rule.items:,} fully read items and then every {rule.every:,}, {rule.most} at most"
    )
    return (
        f"By a rule chosen before the first answer, reading may stop at the first look at which half of the "
        f"95 % interval of {name} is {wanted_in_words(looked)} or less; {looks}.{closes}"
    )


def state_in_words(looked: Looked) -> str:
    """How far it is."""
    n, width = len(looked.looks), width_in_words
    if looked.met:
        return (
            f"The rule was met at look {n}, with {looked.met.items:,} fully read items: "
            f"{width(looked.measure, looked.met.half_width)}."
        )
    if looked.over:
        return (
            f"All {counted(n, 'look', 'looks')} were taken and the rule was not met; the last saw "
            f"{width(looked.measure, looked.looks[-1].half_width)}."
        )
    taken = f"{counted(n, 'look was', 'looks were').capitalize()} taken" if n else "No look was taken yet"
    are = "item is" if looked.full == 1 else "items are"
    if looked.closed:
        return f"{taken.replace(' yet', '')} and the rule was not met; {looked.full:,} {are} fully read."
    return f"{taken}; the next is at {looked.next:,} fully read items, and {looked.full:,} {are} fully read."


def changed_in_words(looked: Looked) -> str:
    """That looks were recorded with other numbers; empty where none was."""
    if not looked.changed:
        return ""
    looks = counted(looked.changed, "look was recorded", "looks were recorded").capitalize()
    return (
        f"{looks} with other numbers than are computed now: answers were withdrawn or items replaced since. "
        "Here stands what was seen."
    )


def costs(rule: Rule) -> Iterator[str]:
    """What looking so often costs."""
    yield (
        "A rule that looks at the width of an interval, and not at where it lies, costs little: of simulated "
        "studies that stopped by such rules 92 to 96 % of the 95 % intervals held the true value, fewest "
        "where the first look was at 20 items and looks were close."
    )
    if rule.items < FEW_ITEMS:
        yield (
            f"The first look is at fewer than {FEW_ITEMS} items, where the width of an interval is itself "
            "hardly known: studies stop early whose items happen to differ little."
        )
    if rule.most < 2:
        return
    sizes = rule.schedule
    yield (
        f"A test at each look is another matter: at p < .05 at each of {rule.most} looks, a difference that "
        f"is not there is found in {percent(false_alarms(sizes))} % of studies (Armitage, McPherson and Rowe "
        f"1969). Who tests at every look takes p < {digits(corrected_level(sizes), 4)} at each for .05 in "
        "all (Pocock 1977)."
    )


def sentences(looked: Looked | None) -> Iterator[str]:
    """The rule, how far it is, and what became of recorded looks."""
    if looked is not None:
        yield rule_in_words(looked)
        yield state_in_words(looked)
        if changed := changed_in_words(looked):
            yield changed


def verdict(look: Look) -> str:
    """What the rule said at a look."""
    return "stop" if look.met else "go on"
