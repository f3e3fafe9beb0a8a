"""The stopping rule in the German methods paragraph: the same facts as in English."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.paper.methods.german_measures import MEASURES
from evaluation.paper.methods.german_words import number
from evaluation.stopping.sentences import wanted_in_words
from evaluation.values.looks import Looked
from evaluation.values.wording import digits, is_share


def stopping(looked: Looked | None) -> Iterator[str]:
    """Yield the rule, how far it is, and whether the record has other numbers; nothing without a rule."""
    if looked is None:
        return
    yield _rule(looked)
    yield _state(looked)
    if looked.changed:
        yield (
            "Aufgezeichnet sind andere Zahlen, als sich jetzt ergeben: Seither wurden Antworten "
            "zurückgezogen oder Items ersetzt. Hier steht, was damals zu sehen war."
        )


def _rule(looked: Looked) -> str:
    rule, one = looked.rule, looked.measure
    name = MEASURES.get(rule.measure, (one.label if one else rule.measure, ""))[0]
    looks = (
        f"einmal wird hingesehen, nach {number(rule.items)} vollständig gelesenen Items"
        if rule.most == 1
        else f"hingesehen wird nach {number(rule.items)} vollständig gelesenen Items und dann alle "
        f"{number(rule.every)}, höchstens {rule.most}-mal"
    )
    closes = " Die Studie schließt sich dann von selbst." if rule.closes else ""
    return (
        "Nach einer Regel, die vor der ersten Antwort feststand, darf das Lesen enden, sobald das halbe "
        f"95-%-Intervall des Maßes „{name}“ {_wanted(looked)} oder weniger beträgt; {looks}."
        f"{closes}"
    )


def _state(looked: Looked) -> str:
    n = len(looked.looks)
    if looked.met:
        return (
            f"Erfüllt war die Regel beim {n}. Mal, mit {number(looked.met.items)} vollständig gelesenen "
            f"Items: {_width(looked, looked.met.half_width)}."
        )
    seen = "einmal" if n == 1 else f"{n}-mal" if n else "noch nicht"
    full = f"{number(looked.full)} {'Item ist' if looked.full == 1 else 'Items sind'} vollständig gelesen"
    if looked.over or looked.closed:
        return f"Hingesehen wurde {seen.removeprefix('noch ')}, und die Regel war nicht erfüllt; {full}."
    following = number(looked.next or 0)
    return f"Hingesehen wurde bisher {seen}; das nächste Mal folgt nach {following} Items, {full}."


def _wanted(looked: Looked) -> str:
    return wanted_in_words(looked).replace(".", ",").replace("points", "Prozentpunkte")


def _width(looked: Looked, width: float | None) -> str:
    if width is None:
        return "(kein Intervall)"
    if looked.measure and is_share(looked.measure):
        return f"± {digits(100 * width, 2).replace('.', ',')} Prozentpunkte"
    return f"± {digits(width, 4).replace('.', ',')}"
