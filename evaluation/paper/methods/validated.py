"""What people validated of a machine, for the methods paragraph: how it was drawn and met, what it gave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from annotation.models import Sample, StrataRule, Study
from evaluation.metrics.validation.estimands import Estimated
from evaluation.paper.methods.german_words import counted as german_counted
from evaluation.paper.methods.german_words import number as german_number
from evaluation.paper.methods.german_words import opening
from evaluation.validation.compute import validation
from evaluation.validation.sentences import value
from evaluation.values.wording import counted

WHOLE = "whole"
DRAWN = {
    WHOLE: "as whole topics",
    StrataRule.GRADE_IN_TOP: "in strata of the machine’s answer and of whether a compared run has the item "
    "among its first {k}",
    StrataRule.TOPIC_GRADE: "in strata of topic and the machine’s answer",
    StrataRule.GRADE: "in strata of the machine’s answer",
    StrataRule.NONE: "as one simple random sample",
}
GERMAN_DRAWN = {
    WHOLE: "in ganzen Themen",
    StrataRule.GRADE_IN_TOP: "geschichtet nach der Antwort der Maschine und danach, ob ein verglichener Lauf "
    "das Item unter seinen ersten {k} hat",
    StrataRule.TOPIC_GRADE: "geschichtet nach Thema und Antwort der Maschine",
    StrataRule.GRADE: "geschichtet nach der Antwort der Maschine",
    StrataRule.NONE: "als eine einfache Zufallsstichprobe",
}
GERMAN_LABELS = (
    (re.compile("mean grade"), "die mittlere Stufe"),
    (re.compile(r"share of grade (\d+) or higher"), r"der Anteil der Stufe \1 oder höher"),
    (re.compile(r"share of grade (\d+)"), r"der Anteil der Stufe \1"),
    (re.compile("agreement of people with the machine"), "die Übereinstimmung der Menschen mit der Maschine"),
    (re.compile(r"(n?DCG@\d+|P@\d+) of (.+)"), r"\1 von \2"),
)
METHOD = "prediction-powered inference, Angelopoulos et al. 2023"


class Validated(NamedTuple):
    """A validation sample.

    ``source``: whose answers were validated; ``rule``: of ``DRAWN``; ``k``: of the first ranks.
    ``n_items``, ``n_drawn``, ``n_judged``: that the machine judged, drawn for people, and judged by them
    before they saw its answer.
    ``seed``: of the draw; ``parts``: of a block of readings blind, revealed afterwards and pre-filled.
    ``merged``: strata that were too small and went into others.
    ``first``: the first estimate; None before anybody answered.
    """

    source: str
    rule: str
    k: int
    n_items: int
    n_drawn: int
    n_judged: int
    seed: int
    parts: tuple[int, int, int]
    merged: int
    first: Estimated | None


def validated(study: Study) -> Validated | None:
    """Return the study's sample and its first estimate; None where it is none."""
    sample = Sample.objects.filter(study=study).first()
    if sample is None:
        return None
    found = validation(study)
    return Validated(
        " ".join(sample.source.split()),
        WHOLE if found.n_topics else sample.rule,
        sample.top_k or found.k,
        sample.items.count(),
        sample.items.filter(drawn=True).count(),
        found.n_judged,
        sample.seed,
        (sample.blind, sample.reveal, sample.prefilled),
        len(sample.merged),
        found.estimates[0] if found.estimates else None,
    )


def english(found: Validated) -> Iterator[str]:
    """Yield the sentences."""
    how = DRAWN[found.rule].format(k=found.k)
    yield (
        f"Readers validate a machine ({found.source}): of {counted(found.n_items, 'item', 'items')} that it "
        f"judged, {found.n_drawn:,} were drawn {how} (seed {found.seed})."
    )
    if found.merged:
        yield f"{counted(found.merged, 'stratum was', 'strata were').capitalize()} too small and merged."
    blind, reveal, prefilled = found.parts
    if reveal or prefilled:
        yield (
            f"Of each {sum(found.parts)} readings of a reader in a stratum {blind} were planned without the "
            f"machine’s answer, {reveal} with it after the reader’s own, and {prefilled} with it chosen "
            "beforehand, in an order drawn by lot."
        )
    one = found.first
    if one is None:
        return
    judged = counted(found.n_judged, "item has", "items have").capitalize()
    yield f"{judged} an answer that was given before the machine’s was seen."
    if one.powered is None or one.reason:
        yield f"Of the {one.estimand.label} on all items no interval is given: too few answers count."
        return
    claims = "at least 95 %" if one.conservative else "95 %"
    yield (
        f"On all items the {one.estimand.label} is {value(one, one.powered.value)} "
        f"[{value(one, one.powered.low)}, {value(one, one.powered.high)}], an interval of {claims} "
        f"({METHOD}); the machine alone says {value(one, one.machine_alone)}."
    )


def german(found: Validated) -> Iterator[str]:
    """Yield the same in German."""
    how = GERMAN_DRAWN[found.rule].format(k=found.k)
    items = german_counted(found.n_items, "einem Item", "Items")
    drawn = "wurde eines" if found.n_drawn == 1 else f"wurden {german_number(found.n_drawn)}"
    yield (
        f"Die Lesenden überprüfen eine Maschine ({found.source}): Von {items}, über die sie geurteilt hat, "
        f"{drawn} gezogen, {how} (Startwert {found.seed})."
    )
    if found.merged:
        were = "eine Schicht war" if found.merged == 1 else f"{german_number(found.merged)} Schichten waren"
        yield f"{opening(were)} zu klein und {'wurde' if found.merged == 1 else 'wurden'} zusammengelegt."
    blind, reveal, prefilled = found.parts
    if reveal or prefilled:
        yield (
            f"Von je {sum(found.parts)} Lesungen einer Person in einer Schicht waren {blind} ohne die "
            f"Antwort der Maschine vorgesehen, {reveal} mit ihr nach der eigenen und {prefilled} mit ihr als "
            "vorgewählter Antwort, in ausgeloster Folge."
        )
    one = found.first
    if one is None:
        return
    judged = german_counted(found.n_judged, "ein Item hat", "Items haben")
    yield f"{opening(judged)} eine Antwort, die vor der der Maschine gegeben wurde."
    label = german_label(one.estimand.label)
    if one.powered is None or one.reason:
        yield f"Für {label} über alle Items wird kein Intervall angegeben: Zu wenige Antworten zählen."
        return
    claims = "mindestens 95 %" if one.conservative else "95 %"
    mean, low, high, alone = (
        value(one, each).replace(".", ",")
        for each in (one.powered.value, one.powered.low, one.powered.high, one.machine_alone)
    )
    yield (
        f"Über alle Items beträgt {label} {mean} [{low}; {high}], ein Intervall von {claims} "
        f"({METHOD}); die Maschine allein ergibt {alone}."
    )


def german_label(label: str) -> str:
    """Return the German name of an estimand; its own where it has none."""
    for pattern, words in GERMAN_LABELS:
        if pattern.fullmatch(label):
            return pattern.sub(words, label)
    return label
