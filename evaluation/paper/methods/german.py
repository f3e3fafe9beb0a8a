"""The methods paragraph in German, sentence by sentence: the same facts as in English, nothing else.

Measures have German names and definitions; one that has none keeps its name and its formula.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import State
from annotation.studies.running.adding import Addition
from evaluation.metrics.common.clusters import over_items
from evaluation.metrics.common.jackknife import WILSON, WILSON_OF_EQUAL
from evaluation.paper.methods import rubric, validated
from evaluation.paper.methods.facts import Facts, Machine
from evaluation.paper.methods.german_looks import stopping
from evaluation.paper.methods.german_measures import MEASURES
from evaluation.paper.methods.german_origins import machine, of_job, of_pool
from evaluation.paper.methods.german_words import (
    ASKED,
    OPENED,
    OVER,
    TASKS,
    WAYS,
    answers_were,
    counted,
    day,
    items,
    listed,
    number,
    opening,
    quoted,
    source,
    times,
)
from evaluation.paper.methods.rubric import Reported


def paragraph(found: Facts) -> str:
    """Return the paragraph."""
    return " ".join(_sentences(found))


def _sentences(found: Facts) -> Iterator[str]:
    done = found.report.n_answers + found.report.n_undecided + found.report.n_broken
    yield from _task(found)
    yield from _made(found)
    if not done:
        yield "Bisher wurde keine Lesung abgegeben."
    yield from _assigned(found)
    if done:
        yield from _readers(found)
        yield from _excluded(found)
        yield from _settled(found)
    yield from stopping(found.report.looked)
    if found.validated:
        yield from validated.german(found.validated)
    yield from _machines(found.machines)
    if found.measures:
        yield from _measures(found)
    yield f"Durchgeführt und ausgewertet wurde alles mit Variorum {found.report.version}."


def _task(found: Facts) -> Iterator[str]:
    task = TASKS.get(found.task, quoted(found.task))
    among = ""
    if found.own_order is not None:
        among = f"; zur Wahl stehen je {number(found.report.n_options)} Möglichkeiten"
    yield f"In der Studie {quoted(found.report.title)} ist die Aufgabe, {task}{among}."
    known = ""
    if found.n_gold == found.report.n_items and found.n_gold:
        known = (
            ", dessen richtige Antwort bekannt ist"
            if found.n_gold == 1
            else ", alle mit bekannter richtiger Antwort"
        )
    elif found.n_gold:
        some = "eines davon hat" if found.n_gold == 1 else f"{number(found.n_gold)} davon haben"
        known = f"; {some} eine bekannte richtige Antwort"
    topics = ""
    if found.report.n_topics:
        topics = " zu " + (
            "einem Thema" if found.report.n_topics == 1 else f"{number(found.report.n_topics)} Themen"
        )
    yield f"Sie hat {items(found.report.n_items)}{topics}{known}."
    if found.questions:
        yield rubric.german(found.questions)


def _made(found: Facts) -> Iterator[str]:
    if found.job:
        yield of_job(found.job)
    if found.beyond:
        yield f"Genommen wurden nur Zitate, deren richtige Stelle hinter Rang {number(found.beyond)} stand."
    yield from map(of_pool, found.pools)
    if found.n_excerpts:
        drawn = counted(found.n_excerpts, "ist ein Zitat", "Zitate")
        verb = "" if found.n_excerpts == 1 else "sind "
        yield f"Darunter {verb}{drawn}, ausgelost (Startwert {found.report.seed})."
    elif not found.job and not found.pools:
        yield (
            "Die Items wurden fertig geladen; wie sie entstanden sind, ist in der Studie nicht festgehalten."
        )


def _assigned(found: Facts) -> Iterator[str]:
    if found.opened:
        first, last = day(found.opened), day(found.closed) if found.closed else ""
        span = f"vom {first} bis zum {last}" if first != last else f"am {first}"
        yield f"Die Studie {f'war {span}' if last else f'ist seit dem {first}'} offen."
    yield from map(_added, found.report.added)
    was = "soll" if found.is_open else "sollte"
    by = "einer Person" if found.overlap == 1 else f"{number(found.overlap)} verschiedenen Personen"
    yield f"Jedes Item {was} von {by} gelesen werden (k = {found.overlap})."
    if not found.n_given:
        return
    if found.overlap > 1:
        yield (
            "Vergeben wurde so, dass jedes Item einmal gelesen war, bevor eines zum zweiten Mal gelesen "
            "wurde."
            if found.breadth
            else "Vergeben wurde Item für Item."
        )
    if found.own_order is not None:
        yield (
            "Die Möglichkeiten standen bei jeder Person in einer eigenen, ausgelosten Reihenfolge (Startwert "
            f"{found.report.seed})."
            if found.own_order
            else "Die Möglichkeiten standen bei allen in derselben Reihenfolge."
        )
    if found.groups:
        yield "Items einer Gruppe wurden nacheinander gelesen."
    if found.overlap > 1:
        kept = counted(found.lease_minutes, "eine Minute", "Minuten")
        yield f"Ein Item, das {kept} lang unberührt blieb, wurde für andere frei."
    yield "Beim Lesen sah niemand die Antworten anderer."


def _added(each: Addition) -> str:
    one = each.first == each.last
    which = f"Item {each.first} kam" if one else f"Die Items {each.first} bis {each.last} kamen"
    before = counted(each.given, "einem Urteil", "Urteilen")
    return f"{which} am {day(each.at)} hinzu, während die Studie offen war, nach {before} über die früheren."


def _readers(found: Facts) -> Iterator[str]:
    told = found.report
    n = len(told.active)
    programs = len([each for each in told.active if each.pseudonym in told.simulated])
    to = "einem Item" if told.n_judged == 1 else f"{number(told.n_judged)} Items"
    who = counted(n, "eine lesende Person", "Lesende")
    answers = counted(told.n_answers, "eine Antwort", "Antworten")
    yield f"{opening(who)} {'gab' if n == 1 else 'gaben'} {answers} zu {to}."
    if programs == n and n:
        yield (
            "Es war ein Programm und kein Mensch." if n == 1 else "Alle waren Programme und keine Menschen."
        )
    elif programs:
        yield (
            f"Davon {'ist' if programs == 1 else 'sind'} "
            f"{counted(programs, 'eine', 'Lesende').removesuffix(' Lesende')} "
            f"{'ein Programm und kein Mensch' if programs == 1 else 'Programme und keine Menschen'}."
        )
    if found.n_given < found.n_readings:
        given = "wurde eine abgegeben" if found.n_given == 1 else f"wurden {number(found.n_given)} abgegeben"
        yield f"Von {number(found.n_readings)} Lesungen {given}."
    if found.quota:
        yield f"Eine Person bekam höchstens {items(found.quota)}."
    if found.own_quotas:
        limits = counted(found.own_quotas, "eine Person", "Personen")
        yield f"Für {limits} galt eine eigene Grenze."
    yield from _practice(found)
    yield from _told(found)


def _practice(found: Facts) -> Iterator[str]:
    if found.pass_mark and found.n_practice:
        of = "einem Übungsitem" if found.n_practice == 1 else f"{number(found.n_practice)} Übungsitems"
        yield f"Vor der Arbeit mussten von {of} {found.pass_mark} richtig beantwortet werden."
    elif found.n_practice:
        offered = counted(found.n_practice, "ein Übungsitem", "Übungsitems")
        yield f"Vor der Arbeit {'wurde' if found.n_practice == 1 else 'wurden'} {offered} angeboten."
    if found.n_check and found.check_every:
        every = "jedem Item" if found.check_every == 1 else f"je {number(found.check_every)} Items"
        yield f"Nach {every} kam ein Kontrollitem; Kontrollitems gehen in keine Zahl ein."


def _told(found: Facts) -> Iterator[str]:
    if found.guidelines:
        yield f"Die Antworten folgten schriftlichen Richtlinien ({_versions(found.guidelines)})."
    if found.consents:
        yield f"Die Lesenden hatten eine Einwilligung gegeben ({_versions(found.consents)})."
    if asked := [ASKED[each] for each in found.asks if each in ASKED]:
        yield f"Mit der Antwort wurden sie gefragt, {listed(asked)}."
    if opened := [OPENED[each] for each in found.asks if each in OPENED]:
        yield f"Sie konnten {listed(opened)}."
    if found.rate:
        yield f"Ein Item wurde mit {found.rate.replace('.', ',')} bezahlt."
    seen = found.report.machine_seen
    if seen is not None:
        yield (
            f"Die Antwort einer Maschine gehörte dazu: {answers_were(seen.blind)} ohne sie gegeben, "
            f"{answers_were(seen.prefilled)} von ihr aus begonnen, und nach "
            f"{'einer' if seen.revealed == 1 else number(seen.revealed)} wurde sie aufgedeckt; welche "
            "das sind, entschied das Los."
        )


def _versions(versions: tuple[int, ...]) -> str:
    if len(versions) == 1:
        return f"Version {versions[0]}"
    return f"Versionen {listed([str(each) for each in versions])}"


def _excluded(found: Facts) -> Iterator[str]:
    told = found.report
    if told.n_undecided or told.n_broken:
        yield (
            f"„Kann ich nicht entscheiden“ wurde {times(told.n_undecided)} gesagt, „mit diesem Item stimmt "
            "etwas "
            f"nicht“ {times(told.n_broken)}; beides ist keine Antwort und geht in kein Maß ein."
        )
    if told.n_retired:
        were, enter = ("wurde", "geht") if told.n_retired == 1 else ("wurden", "gehen")
        yield (
            f"{opening(items(told.n_retired))} {were} durch eine andere Fassung ersetzt und {enter} in "
            "keine Zahl ein."
        )
    without = told.histogram.get(0, 0)
    if without:
        have, enter = ("hat", "geht") if without == 1 else ("haben", "gehen")
        yield f"{opening(items(without))} {have} noch keine Antwort und {enter} in keine Zahl ein."
    for each in told.withdrawn:
        judged = counted(each.judgments, "ein Urteil", "Urteile")
        one = each.judgments == 1
        became = (
            f"{'zählt' if one else 'zählen'} weiter unter dem Pseudonym"
            if each.kept
            else f"{'wurde' if one else 'wurden'} gelöscht"
        )
        yield f"{each.pseudonym} zog am {day(each.at)} zurück: {opening(judged)} {became}."


def _settled(found: Facts) -> Iterator[str]:
    settled = found.report.settled
    if settled is None:
        return
    n = settled.n_settled + settled.n_open
    on = "ein Item" if n == 1 else f"{number(n)} Items"
    yield (
        f"Über {on} entschied eine Adjudikation, der die Lesungen ohne Namen vorlagen; kein Maß der "
        "Übereinstimmung berücksichtigt diese Entscheidungen."
    )


def _machines(machines: tuple[Machine, ...]) -> Iterator[str]:
    if not machines:
        return
    one = len(machines) == 1
    readers = counted(len(machines), "ein maschineller Leser", "maschinelle Leser")
    yield (
        f"{opening(readers)} {'beantwortete' if one else 'beantworteten'} dieselben Items und "
        f"{'geht' if one else 'gehen'} in keine Zahl über Menschen ein: "
        f"{listed([machine(each) for each in machines])}."
    )


def _measures(found: Facts) -> Iterator[str]:
    told = found.report
    defined = "; ".join(map(_defined, found.measures))
    yield f"Berichtet werden: {defined}."
    used = {WILSON if over_items(each) == WILSON_OF_EQUAL else over_items(each) for each in told.methods}
    plural, bare = OVER[told.resampled]
    ways = [words.format(bare) for method, words in WAYS.items() if method in used]
    if ways:
        level = f"{100 * told.level:.0f}"
        yield f"Die Intervalle sind {level}-%-Intervalle ({'; '.join(ways)}). Die Lesenden gelten als fest."
    if any(line.estimate.bootstrap for line in told.lines):
        resamples = number(told.resamples)
        yield (
            f"Daneben steht ein Perzentil-Bootstrap mit {resamples} Ziehungen über {plural} (Startwert "
            f"{told.seed})."
        )
    if found.state == State.OPEN:
        yield "Als dies berechnet wurde, lief die Studie noch."


def _defined(found: Reported) -> str:
    """Name, questions, definition, publication; without German words a measure keeps name and formula."""
    one = found.measure
    name, definition = MEASURES.get(one.slug, (one.label, one.formula))
    return f"{name}{rubric.german_of(found)}: {definition} ({source(one.source)})"
