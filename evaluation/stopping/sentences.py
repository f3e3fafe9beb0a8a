"""What a stopping rule says, how far it is, and what looking often costs, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10
from typing import Any

from annotation.studies.running.stopping import Rule
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.common.planning import FEW_ITEMS
from evaluation.metrics.planning.looks import corrected_level, false_alarms
from evaluation.metrics.planning.spending import ALPHA, levels
from evaluation.values.looks import Look, Looked
from evaluation.values.wording import MINUS, NONE, counted, digits, interval, is_share, percent, worded

HEADING = "Stopping rule"
SPENT = {"pocock": "Pocock’s", "obrien_fleming": "O’Brien and Fleming’s"}


def width_in_words(one: MeasureOf[Any] | None, width: float | None) -> str:
    """``± 5.03 points`` of a share, ``± 0.0503`` of a coefficient: a digit more than elsewhere, because the
    rule is about it."""
    if width is None:
        return "no interval"
    return f"± {digits(100 * width, 2)} points" if one and is_share(one) else f"± {digits(width, 4)}"


def wanted_in_words(looked: Looked) -> str:
    """``± 5 points``, as it was typed in, of a rule of width."""
    share, width = looked.measure is not None and is_share(looked.measure), looked.rule.width or 0.0
    return f"± {100 * width:.6g} points" if share else f"± {width:.6g}"


def threshold_in_words(looked: Looked) -> str:
    """``85 %`` of a share, ``0.6`` of anything else, as it was typed in."""
    share, threshold = looked.measure is not None and is_share(looked.measure), looked.rule.threshold or 0.0
    return f"{100 * threshold:.6g} %" if share else f"{threshold:.6g}".replace("-", MINUS)


def level_in_words(level: float) -> str:
    """``98.4 %``, with as many digits as tell it from certainty."""
    if level >= 1:
        return NONE
    return f"{100 * level:.{max(1, 1 - floor(log10(100 * (1 - level))))}f} %"


def rule_in_words(looked: Looked) -> str:
    """The rule, as it was chosen."""
    rule, name = looked.rule, looked.measure.label if looked.measure else looked.rule.measure
    closes = " The study is then closed by itself." if rule.closes else ""
    looks = (
        f"one look, at {rule.items:,} fully read items"
        if rule.most == 1
        else f"looks at {rule.items:,} fully read items and then every {rule.every:,}, {rule.most} at most"
    )
    if rule.spending:
        what = f"{name} of {rule.run}" if rule.run else name
        return (
            f"By a rule chosen before the first answer, reading may stop at the first look at which the "
            f"interval of {what} lies wholly above or wholly below {threshold_in_words(looked)}; {looks}. "
            f"All looks together say so wrongly in about {percent(ALPHA)} % of studies, spent over the looks "
            f"by {SPENT[rule.spending]} function (Lan and DeMets 1983).{closes}"
        )
    return (
        f"By a rule chosen before the first answer, reading may stop at the first look at which half of the "
        f"95 % interval of {name} is {wanted_in_words(looked)} or less; {looks}.{closes}"
    )


def state_in_words(looked: Looked) -> str:
    """How far it is."""
    n = len(looked.looks)
    if looked.met:
        return _met_in_words(looked, looked.met)
    if looked.over and looked.rule.spending:
        return (
            f"All {counted(n, 'look', 'looks')} were taken and nothing was decided: at the last "
            f"{_seen(looked, looked.looks[-1])}, which does not say that there is no difference."
        )
    if looked.over:
        return (
            f"All {counted(n, 'look', 'looks')} were taken and the rule was not met; the last saw "
            f"{width_in_words(looked.measure, looked.looks[-1].half_width)}."
        )
    taken = f"{counted(n, 'look was', 'looks were').capitalize()} taken" if n else "No look was taken yet"
    are = "item is" if looked.full == 1 else "items are"
    if looked.closed:
        return f"{taken.replace(' yet', '')} and the rule was not met; {looked.full:,} {are} fully read."
    return f"{taken}; the next is at {looked.next:,} fully read items, and {looked.full:,} {are} fully read."


def _met_in_words(looked: Looked, met: Look) -> str:
    n = len(looked.looks)
    if looked.rule.spending:
        side = "above" if met.above(looked.rule) else "below"
        return (
            f"It was decided at look {n}, with {met.items:,} fully read items: {_seen(looked, met)}, lies "
            f"{side} {threshold_in_words(looked)}. Such intervals hold the true value at all looks at once "
            f"in {percent(1 - ALPHA)} % of studies (Jennison and Turnbull 1989); the 95 % interval of the "
            "report makes no allowance for the looks."
        )
    return (
        f"The rule was met at look {n}, with {met.items:,} fully read items: "
        f"{width_in_words(looked.measure, met.half_width)}."
    )


def _seen(looked: Looked, look: Look) -> str:
    """``91.4 %, [86.1, 94.8] at the level 98.4 % of this look``."""
    one = looked.measure
    if one is None or look.value is None:
        return f"no value ({look.reason})"
    ends = interval(one, look.low, look.high) or "no interval"
    return f"{worded(one, look.value)}, {ends} at this look’s level of {level_in_words(look.level)}"


def changed_in_words(looked: Looked) -> str:
    """That looks were recorded with other numbers; empty where none was."""
    if not looked.changed:
        return ""
    looks = counted(looked.changed, "look was recorded", "looks were recorded").capitalize()
    return (
        f"{looks} with other numbers than are computed now: answers were withdrawn or items replaced since. "
        "Here stands what was seen."
    )


def beyond_in_words(looked: Looked) -> str:
    """That looks lie beyond the items that the study has; empty where none does, and where no look is to
    come."""
    last = looked.rule.schedule[-1]
    if looked.items >= last or looked.met or looked.over or looked.closed:
        return ""
    has = f"the study has {counted(looked.items, 'work item', 'work items')}"
    if looked.items < looked.rule.items:
        return f"No look can be taken: the first is at {looked.rule.items:,} fully read items, and {has}."
    reached = sum(at <= looked.items for at in looked.rule.schedule)
    less = " Until then a comparison may spend less than its whole error." if looked.rule.spending else ""
    return (
        f"Only {reached} of {looked.rule.most} looks can be taken: the last is at {last:,} fully read items, "
        f"and {has}. Fewer looks fit, or more items can be added, also to an open study.{less}"
    )


def costs(rule: Rule) -> Iterator[str]:
    """What looking so often costs."""
    if rule.spending:
        yield from _costs_of_deciding(rule)
        return
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


def _costs_of_deciding(rule: Rule) -> Iterator[str]:
    sizes, once = rule.schedule, percent(false_alarms(rule.schedule))
    now, last = levels(sizes, rule.spending), sizes[-1]
    first = next((n for n, level in enumerate(now) if level), 0)
    if rule.most > 1:
        yield (
            f"A test at p < .05 at each of {rule.most} looks finds what is not there in {once} % "
            f"of studies (Armitage, McPherson and Rowe 1969). Here the first look that can decide, at "
            f"{sizes[first]:,} items, asks for p < {_small(now[first])}, the last for p < {_small(now[-1])}."
        )
    yield (
        f"What is spent goes by the share of {last:,} items, those of the last look. A study that ends "
        "before has spent less, and says no more wrongly."
    )
    if sizes[first] < FEW_ITEMS:
        yield (
            f"With fewer than {FEW_ITEMS} items so wide an interval is hardly known. Of simulated studies "
            "with nothing to decide up to 6.1 % decided something where the first look was at 20 items, up "
            f"to 5.8 % where it was at {FEW_ITEMS} or more."
        )


def _small(p: float) -> str:
    return f"{p:.2g}" if p >= 0.0001 else "0.0001"


def sentences(looked: Looked | None) -> Iterator[str]:
    """The rule, how far it is, whether all looks can be taken, and what became of recorded looks."""
    if looked is not None:
        yield rule_in_words(looked)
        yield state_in_words(looked)
        if beyond := beyond_in_words(looked):
            yield beyond
        if changed := changed_in_words(looked):
            yield changed


def verdict(look: Look) -> str:
    """What the rule said at a look."""
    return "stop" if look.met else "go on"
