"""An item's readings as a critical edition has them: the passage, the lemma, and who reads what.

Sigla are pseudonyms; adjudicators' stand among them and enter no number. The **lemma** is the gold answer
where there is one, else what most annotators read; of equally many readings the one that stands first in the
passage, of those the shorter, or of options the one with the lowest canonical number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, groupby
from typing import Any, Literal, NamedTuple

from annotation.models import Item, Judgment, Outcome, Role, Study
from annotation.tasktypes.passage import is_word
from evaluation.kinds.answers import work_items
from evaluation.report.rows import percent

GOLD = "gold"
AT_ONCE = 500
Act = Literal["reading", "none", "undecided", "broken"]
ACTS: dict[Act, str] = {
    "none": "no allusion",
    "undecided": "can’t decide",
    "broken": "this item is broken",
}
Place = tuple[int, int]
Read = tuple[Act, Place | None, str]


class Reading(NamedTuple):
    """What some read alike. ``place``: tokens [start, end), or the option's number and the next; None where
    nothing is read. ``sigla``: who, in the order of joining, gold first; ``note``: the reason given."""

    act: Act
    words: str
    place: Place | None
    sigla: tuple[str, ...]
    note: str = ""

    @property
    def is_gold(self) -> bool:
        return GOLD in self.sigla

    @property
    def said(self) -> str:
        """What stands in the place of words where there are none."""
        return ACTS.get(self.act, "")


class Token(NamedTuple):
    """``after``: what follows up to the next token; ``marked``: how many annotators have it in their span."""

    number: int
    text: str
    after: str
    is_word: bool
    is_anchor: bool
    in_lemma: bool
    marked: int


class Piece(NamedTuple):
    """A run of tokens alike. ``depth``: how many of the annotators marked it, in quarters, 0 to 4."""

    text: str
    is_anchor: bool
    in_lemma: bool
    depth: int


class Entry(NamedTuple):
    """One item. ``tokens`` and ``references`` of a span item, ``left`` and ``right`` of a gap; ``lemma`` is
    None where nobody reads anything; ``agreement``: of the annotators, in words, empty below two readings."""

    number: int
    citation: str
    language: str
    before: str
    tokens: tuple[Token, ...]
    left: str
    right: str
    references: tuple[Mapping[str, Any], ...]
    lemma: Reading | None
    others: tuple[Reading, ...]
    agreement: str

    @property
    def pieces(self) -> tuple[Piece, ...]:
        readers = max((token.marked for token in self.tokens), default=0)
        depths = [-(-4 * token.marked // readers) if readers else 0 for token in self.tokens]
        runs = groupby(
            zip(self.tokens, depths, strict=True), lambda each: (each[0].is_anchor, each[0].in_lemma, each[1])
        )
        return tuple(
            Piece("".join(token.text + token.after for token, _ in run), *look) for look, run in runs
        )

    @property
    def readings(self) -> tuple[Reading, ...]:
        return (*([self.lemma] if self.lemma else []), *self.others)


class Said(NamedTuple):
    """One current judgment. ``counts``: whether it is an annotator's and enters the agreement."""

    siglum: str
    act: Act
    place: Place | None
    words: str
    note: str
    counts: bool


def entries(study: Study, items: Iterable[Item] | None = None) -> Iterator[Entry]:
    """Of these items, else of all work items by number; a few queries for every 500 of them."""
    waiting: list[Item] = []
    for item in work_items(study).iterator(AT_ONCE) if items is None else items:
        waiting.append(item)
        if len(waiting) == AT_ONCE:
            yield from _some(study, waiting)
            waiting = []
    yield from _some(study, waiting)


def witnesses(study: Study) -> list[tuple[str, str, bool]]:
    """Siglum, role and whether it is a program, of all who may read, in the order of joining."""
    rows = study.enrolments.filter(role__in=[Role.ANNOTATOR, Role.ADJUDICATOR]).order_by("id")
    return [(each.pseudonym, each.role, each.simulated) for each in rows]


def _some(study: Study, items: list[Item]) -> Iterator[Entry]:
    said: dict[int, list[Judgment]] = {item.pk: [] for item in items}
    rows = Judgment.objects.current().filter(assignment__item__in=list(said))
    rows = rows.filter(annotator__role__in=[Role.ANNOTATOR, Role.ADJUDICATOR])
    for judgment in rows.select_related("annotator", "assignment").order_by("annotator_id"):
        said[judgment.assignment.item_id].append(judgment)
    for item in items:
        yield entry(study, item, [_said(study, item.payload, each) for each in said[item.pk]])


def _said(study: Study, payload: Mapping[str, Any], judgment: Judgment) -> Said:
    reader = judgment.annotator
    act, place, words = _read(study, payload, judgment.outcome, judgment.answer)
    note = judgment.reason if act in ("undecided", "broken") else ""
    return Said(reader.pseudonym, act, place, words, note, reader.role == Role.ANNOTATOR)


def _read(study: Study, payload: Mapping[str, Any], outcome: str, answer: Any) -> Read:
    if outcome == Outcome.UNDECIDED:
        return "undecided", None, ""
    if outcome == Outcome.BROKEN:
        return "broken", None, ""
    if "declined" in answer:
        return "none", None, ""
    named = study.task_type.rows(payload, answer)
    if "option" in answer:
        return "reading", (answer["option"], answer["option"] + 1), named["option_text"]
    return "reading", (answer["start"], answer["end"]), named["span_text"]


def entry(study: Study, item: Item, said: list[Said]) -> Entry:
    """The item's readings, the lemma apart from the others."""
    payload = item.payload
    gold = None if item.gold is None else _read(study, payload, Outcome.ANSWER, item.gold)
    readings = _readings(said, gold)
    lemma = _lemma(readings, said)
    spans = [each.place for each in said if each.counts and each.place]
    tokens = _tokens(payload, lemma, spans) if "tokens" in payload else ()
    return Entry(
        item.number,
        payload.get("citation", "") or "",
        payload.get("language", "") or "und",
        payload["text"][: payload["tokens"][0][0]] if tokens else "",
        tokens,
        " ".join(payload.get("left", ())),
        " ".join(payload.get("right", ())),
        tuple(payload.get("references", ())),
        lemma,
        tuple(each for each in readings if each is not lemma),
        agreement(spans, by_overlap=bool(tokens)),
    )


def _readings(said: list[Said], gold: Read | None) -> list[Reading]:
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


def _lemma(readings: list[Reading], said: list[Said]) -> Reading | None:
    known = next((each for each in readings if each.is_gold), None)
    if known is not None:
        return known
    count = {each.siglum for each in said if each.counts}
    read = [each for each in readings if each.act == "reading"]
    # max() keeps the first of equals, and readings stand in the order of the passage.
    return max(read, key=lambda each: len(count.intersection(each.sigla)), default=None)


def _tokens(payload: Mapping[str, Any], lemma: Reading | None, spans: list[Place]) -> tuple[Token, ...]:
    text, tokens = payload["text"], payload["tokens"]
    follows = [first for first, _ in tokens[1:]] + [len(text)]
    anchor = payload.get("anchor") or (0, 0)
    start, end = lemma.place if lemma and lemma.place else (0, 0)
    return tuple(
        Token(
            number,
            text[first:last],
            text[last:follow],
            is_word(text[first:last]),
            anchor[0] <= number < anchor[1],
            start <= number < end,
            sum(one <= number < other for one, other in spans),
        )
        for number, ((first, last), follow) in enumerate(zip(tokens, follows, strict=True))
    )


def agreement(places: list[Place], *, by_overlap: bool) -> str:
    """``3 of 3 pairs identical``, for spans with their mean overlap; empty for fewer than two readings."""
    pairs = list(combinations(places, 2))
    if not pairs:
        return ""
    same = sum(one == other for one, other in pairs)
    pair = "pair" if len(pairs) == 1 else "pairs"
    words = f"{same} of {len(pairs)} {pair} {'identical' if by_overlap else 'agree'}"
    if not by_overlap:
        return words
    return f"mean overlap {percent(sum(map(overlap, *zip(*pairs, strict=True))) / len(pairs))} %, {words}"


def overlap(one: Place, other: Place) -> float:
    """Tokens in both over tokens in either."""
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / (one[1] - one[0] + other[1] - other[0] - shared)
