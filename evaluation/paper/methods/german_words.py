"""German words that the methods paragraph is made of: numbers, lists, days, tasks, ways of an interval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from evaluation.metrics.common.jackknife import LOGIT, PLAIN, ROOT, WILSON

YEAR = re.compile(r"\d{4}")
NUMBERS = ("", "", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
)  # fmt: skip
TASKS = {
    "choice": "die Stelle zu wählen, die in einem Stück Kritik fehlt",
    "grade": "einer Stelle eine Stufe einer Skala zuzuordnen",
    "relevance": "anzugeben, wie relevant ein Dokument für ein Thema ist",
    "rubric": "die Fragen eines Bogens zu einem Text zu beantworten",
    "span": "die Wörter einer Stelle zu markieren, die eine Anspielung ausmachen",
    "spans": "die Wörter einer Stelle zu markieren, die eine Anspielung ausmachen, an einem Ort oder an "
    "mehreren",
}
ASKED = {
    "confidence": "wie sicher sie sind",
    "basis": "ob sie die Antwort wiedererkannt, erschlossen oder geraten haben",
}
OPENED = {
    "neighbours": "aufschlagen, was in der Quelle vor und hinter einem Dokument steht",
    "earlier": "ihre eigenen früheren Antworten derselben Gruppe aufschlagen",
    "source": "die Stellen eines Items in ihrem Buch nachlesen, sobald ihre Antwort dazu endgültig war",
}
WAYS = {
    LOGIT: "logit-t: Student-t mit dem Jackknife-Fehler über {}, auf der Logit-Skala",
    ROOT: "root-t: Student-t mit dem Jackknife-Fehler über {}, auf der Wurzel von 1 − Wert",
    PLAIN: "t: Wert ± Student-t mal Jackknife-Fehler über {}",
    WILSON: "Wilson: das Score-Intervall eines Anteils von {}",
}
# Accusative and dative plural of what is resampled.
OVER = {"items": ("die Items", "Items"), "topics": ("die Themen", "Themen")}


def number(n: int) -> str:
    """Return a number beyond one as German writes it: in words up to twelve, then with points."""
    return NUMBERS[n] if 1 < n < len(NUMBERS) else f"{n:,}".replace(",", ".")


def counted(n: int, one: str, many: str) -> str:
    """Return so many of something. `one`: the noun with its article, as ``ein Item`` or ``eine Antwort``."""
    return one if n == 1 else f"{number(n) if n else 'keine'} {many}"


def opening(text: str) -> str:
    """Return the text with a capital, as a sentence begins."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """``A, B und C``."""
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} und {names[-1]}"


def quoted(text: str) -> str:
    """Return the text in German quotation marks."""
    return f"„{text}“"


def items(n: int) -> str:
    return counted(n, "ein Item", "Items")


def day(at: datetime) -> str:
    """``3. Mai 2024``."""
    at = at.astimezone(UTC)
    return f"{at.day}. {MONTHS[at.month - 1]} {at.year}"


def source(text: str) -> str:
    """The first publication; chapter and equation stand in the English paragraph."""
    if text.startswith(("own", "standard")):
        return "eigenes Maß" if text.startswith("own") else "üblich"
    year = YEAR.search(text)
    return (text[: year.end()] if year else text).replace(" and ", " und ")


def answers_were(n: int) -> str:
    """``zwei Antworten wurden``."""
    if n < 2:
        return "eine Antwort wurde" if n else "keine Antwort wurde"
    return f"{number(n)} Antworten wurden"


def times(n: int) -> str:
    """``einmal``, ``zweimal``, ``13-mal``."""
    return ("nie", "einmal")[n] if n < 2 else f"{number(n)}{'-' if n > 12 else ''}mal"
