"""How an item's readings are shown and written as TEI, for every kind of data.

The **lemma** is the gold answer where there is one, else what most annotators read; of equally many readings
the one that stands first in the passage, of those the shorter, or of options the one with the lowest number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from annotation.models import Outcome
from annotation.tasktypes.base import TaskType
from evaluation.values.readings import ACTS, GOLD, Act, Entry, Piece, Place, Rationale, Reading, Said, Shown
from evaluation.values.xml import text

Payload = Mapping[str, Any]


class Read(NamedTuple):
    """What one answer reads.

    ``act``: how it was answered.
    ``place``: where in the passage or among what was offered; None where nothing is read.
    ``words``: what is read, empty without.
    """

    act: Act
    place: Place | None
    words: str


class Apparatus:
    """The readings of items of one kind of data.

    ``variants``: TEI's method and location of ``<variantEncoding>``; ``legend``: what else the page's marks
    mean.
    """

    variants: tuple[str, str] = ("location-referenced", "external")
    legend: str = ""

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        """An answer, or a gold answer, as a reading. Answers with equal numbers are the same reading."""
        first = next((each for each in task.numbers_of_answer(answer) if each is not None), 0)
        return Read("reading", (first, first + 1), task.in_words(payload, answer))

    def read(self, task: TaskType, payload: Payload, outcome: str, answer: Any) -> Read:
        """A judgment as a reading, whatever its outcome."""
        if outcome == Outcome.UNDECIDED:
            return Read("undecided", None, "")
        if outcome == Outcome.BROKEN:
            return Read("broken", None, "")
        return self.answer(task, payload, answer)

    def marked(self, task: TaskType, payload: Payload, answer: Any) -> tuple[tuple[int, int], ...]:
        """What was marked as what decided, [first, end) in code points of the passage."""
        words = task.markable(payload) if answer else ()
        spans = task.marked(payload, answer) if words else ()
        return tuple((words[first][0], words[end - 1][1]) for first, end in spans)

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        """The item's passage. ``places``: what the annotators read."""
        said = [each for each in payload.values() if isinstance(each, str)]
        return Shown((Piece(max(said, key=len, default="")),))

    def agreement(self, places: list[Place]) -> str:
        """``3 of 3 pairs agree``; empty for fewer than two readings."""
        return pairs_alike(places, "agree")

    # TEI. The pieces of text that are returned are XML already.

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        """The lines of an item's ``<div>``: its passage and, inside or behind it, the apparatus ``app``."""
        yield f'        <ab type="passage">{text("".join(each.text for each in entry.pieces))}</ab>\n'
        if app:
            yield f'        <ab type="apparatus">{app}</ab>\n'

    def ends(self, entry: Entry, key: str) -> str:
        """Attributes of ``<app>`` that say what of the passage its readings are about."""
        return f' loc="{key}"'

    def words(self, reading: Reading, key: str) -> str:
        """What a reading says."""
        return text(reading.words)


def entry_of(
    apparatus: Apparatus, number: int, payload: Payload, readings: list[Reading], said: list[Said]
) -> Entry:
    """An item's readings, the lemma apart from the others."""
    lemma = lemma_of(readings, said)
    places = [each.place for each in said if each.counts and each.place]
    shown = apparatus.shown(payload, lemma, places)
    passage = "".join(each.text for each in shown.pieces)
    marked = [each for each in said if each.marks]
    return Entry(
        number,
        payload.get("citation", "") or "",
        payload.get("language", "") or "und",
        shown._replace(pieces=deepened(shown.pieces, [each.marks for each in marked if each.counts])),
        tuple(payload.get("references", ())),
        lemma,
        tuple(each for each in readings if each is not lemma),
        apparatus.agreement(places),
        tuple(Rationale(each.siglum, tuple(passage[slice(*mark)] for mark in each.marks)) for each in marked),
    )


def deepened(pieces: Sequence[Piece], marks: Sequence[Sequence[tuple[int, int]]]) -> tuple[Piece, ...]:
    """The pieces cut where marks begin and end, each with how many readers marked it, in quarters of those
    who marked anything; as they are where nobody did.
    """
    if not marks:
        return tuple(pieces)
    borders = sorted({border for each in marks for mark in each for border in mark})
    found, at = [], 0
    for piece in pieces:
        end = at + len(piece.text)
        cuts = [at, *(border for border in borders if at < border < end), end]
        for first, last in pairwise(cuts):
            often = sum(any(start <= first < stop for start, stop in each) for each in marks)
            depth = -(-4 * often // len(marks))
            found.append(piece._replace(text=piece.text[first - at : last - at], depth=depth))
        at = end
    return tuple(found)


def readings_of(said: list[Said], gold: Read | None) -> list[Reading]:
    """What was read alike together: readings in the order of the passage, then those who read nothing."""
    alike: dict[tuple[Act, Place | None, str], tuple[str, list[str]]] = {}
    if gold is not None:
        act, place, words = gold
        alike[act, place, ""] = (words, [GOLD])
    for each in said:
        alike.setdefault((each.act, each.place, each.note), (each.words, []))[1].append(each.siglum)
    found = [
        Reading(act, words, place, tuple(sigla), note) for (act, place, note), (words, sigla) in alike.items()
    ]
    acts = ["reading", *ACTS]
    return sorted(found, key=lambda each: (acts.index(each.act), each.place or (0, 0), each.note))


def lemma_of(readings: list[Reading], said: list[Said]) -> Reading | None:
    known = next((each for each in readings if each.is_gold), None)
    if known is not None:
        return known
    count = {each.siglum for each in said if each.counts}
    read = [each for each in readings if each.act == "reading"]
    # max() keeps the first of equals, and readings stand in the order of the passage.
    return max(read, key=lambda each: len(count.intersection(each.sigla)), default=None)


def pairs_alike(places: list[Place], alike: str) -> str:
    """``2 of 3 pairs agree``, empty for fewer than two readings."""
    pairs = list(combinations(places, 2))
    if not pairs:
        return ""
    same = sum(one == other for one, other in pairs)
    return f"{same} of {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'} {alike}"
