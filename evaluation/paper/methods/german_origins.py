"""How items came about and machine readers were asked, for the methods paragraph in German."""

from __future__ import annotations

from annotation.models import Origin
from evaluation.paper.methods.facts import Machine, OfJob, OfPool
from evaluation.paper.methods.german_words import counted, items, listed, number, quoted, times


def of_job(job: OfJob) -> str:
    """Return how a candidate job made items."""
    text = (
        f"Die Items stammen aus dem Kandidatenjob {job.number}: {job.ranker} ordnete die Stellen von "
        f"{quoted(job.book)} nach den Sätzen der Kritik um jedes verdeckte Zitat ({job.left} davor, "
        f"{job.right} "
        "danach)"
    )
    one = job.negatives == 1
    wrong = counted(job.negatives, "eine falsche Stelle", "falsche Stellen")
    if job.pool:
        return f"{text}; daraus wurde für jedes Zitat ein Pool von {job.pool} Stellen gebildet."
    beside = f"neben der richtigen {'steht' if one else 'stehen'} {wrong}"
    if job.matched:
        return f"{text}; {beside}, die ihr ähnlich {'sieht' if one else 'sehen'} (Startwert {job.seed})."
    best = "die bestplatzierte" if one else "die bestplatzierten"
    return f"{text}; {beside}: {best}, die keine Ausschlussregel trifft."


def of_pool(pool: OfPool) -> str:
    """Return of which pool items were made."""
    runs = f" von {listed(pool.runs)}" if pool.runs else ""
    first = (
        "wird das erste Dokument" if pool.depth == 1 else f"werden die ersten {number(pool.depth)} Dokumente"
    )
    return (
        f"Die Dokumente stammen aus einem Pool von {quoted(pool.corpus)}: Aufgenommen {first}{runs} zu "
        "jedem Thema "
        f"von {quoted(pool.topics)}."
    )


def machine(each: Machine) -> str:
    """Return what a machine reader is and how it was asked."""
    if each.origin == Origin.RANKER:
        return f"{each.name} ({each.title}, ein Ranker: die Stelle mit dem höchsten Wert)"
    if each.origin == Origin.FILE:
        return f"{each.name} ({each.title}, eingelesen aus {each.file})"
    model = f", Modell {each.model}" if each.model else ""
    kind = "ein Skript anstelle eines Modells" if each.scripted else "ein Sprachmodell"
    return f"{each.name} ({each.title}, {kind}{model}, Prompt-Version {each.prompt}{_asked(each)})"


def _asked(each: Machine) -> str:
    heat = "" if each.temperature is None else f", Temperatur {each.temperature:g}".replace(".", ",")
    orders = f", Möglichkeiten in {number(each.orders)} Reihenfolgen" if each.orders > 1 else ""
    again = ""
    if each.replicates > 1 and each.repeated:
        again = f", {items(each.repeated)} je {times(each.replicates)} gefragt"
    return f"{heat}{orders}{again}, Startwert {each.seed}"
