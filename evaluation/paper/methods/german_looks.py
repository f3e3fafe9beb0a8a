"""The stopping rule in the German methods paragraph: the same facts as in English."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.planning.spending import ALPHA
from evaluation.paper.methods.german_measures import MEASURES
from evaluation.paper.methods.german_words import number, times
from evaluation.stopping.sentences import level_in_words, threshold_in_words, wanted_in_words
from evaluation.values.looks import Looked
from evaluation.values.wording import digits, interval, is_share, percent, worded

SPENT = {"pocock": "Pocock", "obrien_fleming": "O’Brien und Fleming"}


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
        f"{number(rule.every)}, höchstens {times(rule.most)}"
    )
    closes = " Die Studie schließt sich dann von selbst." if rule.closes else ""
    if rule.spending:
        run = f" (Lauf {rule.run})" if rule.run else ""
        return (
            "Nach einer Regel, die vor der ersten Antwort feststand, darf das Lesen enden, sobald das "
            f"Intervall des Maßes „{name}“{run} ganz über oder ganz unter "
            f"{_threshold(looked)} liegt; {looks}. Fälschlich geschieht das, über alle Male zusammen, in "
            f"{_comma(percent(ALPHA))} % der Studien; verteilt ist dieser Fehler nach der Funktion "
            f"von {SPENT[rule.spending]} (Lan und DeMets 1983).{closes}"
        )
    return (
        "Nach einer Regel, die vor der ersten Antwort feststand, darf das Lesen enden, sobald das halbe "
        f"95-%-Intervall des Maßes „{name}“ {_wanted(looked)} oder weniger beträgt; {looks}."
        f"{closes}"
    )


def _state(looked: Looked) -> str:
    n = len(looked.looks)
    if looked.rule.spending and (looked.met or looked.over):
        return _decided(looked, n)
    if looked.met:
        return (
            f"Erfüllt war die Regel beim {n}. Mal, mit {number(looked.met.items)} vollständig gelesenen "
            f"Items: {_width(looked, looked.met.half_width)}."
        )
    seen = times(n) if n else "noch nicht"
    full = f"{number(looked.full)} {'Item ist' if looked.full == 1 else 'Items sind'} vollständig gelesen"
    if looked.over or looked.closed:
        return f"Hingesehen wurde {seen.removeprefix('noch ')}, und die Regel war nicht erfüllt; {full}."
    following = number(looked.next or 0)
    return f"Hingesehen wurde bisher {seen}; das nächste Mal folgt nach {following} Items, {full}."


def _decided(looked: Looked, n: int) -> str:
    last = looked.looks[-1]
    if last.value is None or looked.measure is None:
        seen = "ohne Wert"
    else:
        ends = interval(looked.measure, last.low, last.high).replace(", ", "; ") or "ohne Intervall"
        value, level = worded(looked.measure, last.value), level_in_words(last.level)
        seen = f"{_comma(value)}, {_comma(ends)} zum Niveau {_comma(level)}"
    if not looked.met:
        return f"Hingesehen wurde {times(n)}, entschieden wurde nichts: zuletzt {seen}."
    side = "über" if last.above(looked.rule) else "unter"
    return (
        f"Entschieden war es beim {n}. Mal, mit {number(last.items)} vollständig gelesenen Items: "
        f"{seen}, liegt {side} {_threshold(looked)}. Solche Intervalle enthalten den wahren Wert in "
        f"{_comma(percent(1 - ALPHA))} % der Studien bei allen Malen zugleich (Jennison und Turnbull 1989)."
    )


def _threshold(looked: Looked) -> str:
    return _comma(threshold_in_words(looked))


def _comma(text: str) -> str:
    return text.replace(".", ",")


def _wanted(looked: Looked) -> str:
    return wanted_in_words(looked).replace(".", ",").replace("points", "Prozentpunkte")


def _width(looked: Looked, width: float | None) -> str:
    if width is None:
        return "(kein Intervall)"
    if looked.measure and is_share(looked.measure):
        return f"± {digits(100 * width, 2).replace('.', ',')} Prozentpunkte"
    return f"± {digits(width, 4).replace('.', ',')}"
