"""The readings of a span item: every token of the passage with its name, readings that point at tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, groupby
from typing import Any, NamedTuple

from annotation.tasktypes.base import TaskType
from annotation.tasktypes.passage import is_word
from evaluation.kinds.apparatus import Apparatus, Payload, Read, pairs_alike
from evaluation.values.readings import Entry, Piece, Place, Reading, Shown
from evaluation.values.wording import percent
from evaluation.values.xml import attribute, text


class Token(NamedTuple):
    """A token of the passage.

    ``number``: its place, from 0.
    ``text``: the token.
    ``after``: what follows up to the next token.
    ``is_word``: whether it is no punctuation.
    ``is_anchor``: whether it belongs to the anchor.
    ``in_lemma``: whether the lemma reads it.
    ``marked``: how many annotators have it in their span.
    """

    number: int
    text: str
    after: str
    is_word: bool
    is_anchor: bool
    in_lemma: bool
    marked: int


class TokenPassage(NamedTuple):
    """A passage cut into tokens.

    ``before``: what stands before the first token.
    ``tokens``: all of them, in order.
    """

    before: str
    tokens: tuple[Token, ...]


class SpanApparatus(Apparatus):
    """Overlapping readings: TEI's double end-point attachment, outside the text."""

    variants = ("double-end-point", "external")
    legend = (
        "Bold: the anchor. The line under the words is thicker where more readers have them in their span."
    )

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        if "declined" in answer:
            return Read("none", None, "")
        return Read("reading", (answer["start"], answer["end"]), task.rows(payload, answer)["span_text"])

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        tokens = _tokens(payload, lemma, places)
        before = payload["text"][: payload["tokens"][0][0]] if tokens else ""
        pieces = ((Piece(before),) if before else ()) + _pieces(tokens)
        return Shown(pieces, passage=TokenPassage(before, tokens))

    def agreement(self, places: list[Place]) -> str:
        """``mean overlap 50.0 %, 1 of 3 pairs identical``."""
        words = pairs_alike(places, "identical")
        if not words:
            return ""
        pairs = list(combinations(places, 2))
        return f"mean overlap {percent(sum(overlap(*pair) for pair in pairs) / len(pairs))} %, {words}"

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        passage: TokenPassage = entry.shown.passage
        yield f'        <ab type="passage">{text(passage.before)}{_named(passage.tokens, key)}</ab>\n'
        for reference in entry.references:
            yield _reference(reference)
        if app:
            yield f'        <ab type="apparatus">{app}</ab>\n'

    def ends(self, entry: Entry, key: str) -> str:
        places = [each.place for each in entry.readings if each.place]
        if not places:
            return ""
        first, last = min(map(min, places)), max(map(max, places)) - 1
        return f' from="#{key}.t{first}" to="#{key}.t{last}"'

    def words(self, reading: Reading, key: str) -> str:
        inside = text(reading.words)
        if not reading.place:
            return inside
        targets = " ".join(
            f"#range({key}.t{start},{key}.t{end - 1})" for start, end in spans_of(reading.place)
        )
        return f'<ref target="{targets}">{inside}</ref>'


class SeveralApparatus(SpanApparatus):
    """Readings of several spans each: a place is the borders of all of them, in order."""

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        if "declined" in answer:
            return Read("none", None, "")
        borders = (border for span in answer["spans"] for border in span)
        return Read("reading", tuple(borders), task.in_words(payload, answer))


def spans_of(place: Place) -> list[tuple[int, int]]:
    """The spans of a place, half-open."""
    return list(zip(place[::2], place[1::2], strict=True))


def tokens_of(place: Place) -> set[int]:
    return {token for start, end in spans_of(place) for token in range(start, end)}


def overlap(one: Place, other: Place) -> float:
    """Tokens in both over tokens in either."""
    first, second = tokens_of(one), tokens_of(other)
    return len(first & second) / len(first | second)


def _tokens(payload: Payload, lemma: Reading | None, spans: list[Place]) -> tuple[Token, ...]:
    whole, tokens = payload["text"], payload["tokens"]
    follows = [first for first, _ in tokens[1:]] + [len(whole)]
    anchor = payload.get("anchor") or (0, 0)
    read = tokens_of(lemma.place) if lemma and lemma.place else set()
    marked = Counter(token for place in spans for token in tokens_of(place))
    return tuple(
        Token(
            number,
            whole[first:last],
            whole[last:follow],
            is_word(whole[first:last]),
            anchor[0] <= number < anchor[1],
            number in read,
            marked[number],
        )
        for number, ((first, last), follow) in enumerate(zip(tokens, follows, strict=True))
    )


def _pieces(tokens: tuple[Token, ...]) -> tuple[Piece, ...]:
    """Runs of tokens alike."""
    readers = max((token.marked for token in tokens), default=0)
    depths = [-(-4 * token.marked // readers) if readers else 0 for token in tokens]
    runs = groupby(
        zip(tokens, depths, strict=True), lambda each: (each[0].is_anchor, each[0].in_lemma, each[1])
    )
    return tuple(Piece("".join(token.text + token.after for token, _ in run), *look) for look, run in runs)


def _named(tokens: tuple[Token, ...], key: str) -> str:
    """Every token with its name; the anchor's within one ``<seg>``."""
    pieces = []
    for number, token in enumerate(tokens):
        if token.is_anchor and not (number and tokens[number - 1].is_anchor):
            pieces.append('<seg type="anchor">')
        tag = "w" if token.is_word else "pc"
        pieces.append(f'<{tag} xml:id="{key}.t{token.number}">{text(token.text)}</{tag}>')
        last = token.is_anchor and not (number + 1 < len(tokens) and tokens[number + 1].is_anchor)
        pieces.append(("</seg>" if last else "") + text(token.after))
    return "".join(pieces)


def _reference(reference: Mapping[str, Any]) -> str:
    return (
        f"        <cit><quote xml:lang={attribute(reference['language'])}>{text(reference['text'])}</quote>"
        f"<bibl>{text(reference['citation'])}</bibl></cit>\n"
    )
