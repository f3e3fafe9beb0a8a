"""Cover what in a critic's context would give the answer away.

RELiC leaves out the quotation and nothing else. Here a context may not print
what is looked for: other quotations from the gold's sentences, the rest of a
quotation that an ellipsis parts, its phrases taken up again between quotation
marks, nested ones too, and what the quotation leaves out of the gold and the
critic says beside it are printed as ``[…]``. Quotations from elsewhere in the book
stay: they are part of what the critic says.
"""

from collections.abc import Iterator, Sequence

from retrieval.engine.quotations.alignment import Words
from retrieval.engine.quotations.beside import beside
from retrieval.engine.quotations.borders import Match
from retrieval.engine.quotations.matching import contains
from retrieval.engine.quotations.pairing import BookText, SourceText
from retrieval.engine.quotations.spans import Spans

Span = tuple[int, int]

COVERED = "[…]"
REPEATED_WORDS = 6
"""Words of the gold in a row that no context may hold."""
_TAKEN_UP = 3  # words of a phrase between quotation marks
_ALTERED_PHRASE = 4  # the same, where a word of it may be another


def covered(
    match: Match, matches: Spans[Match], window: Span, printed: SourceText, book: BookText
) -> tuple[Span, ...]:
    """Return the stretches of the window, in order and apart, that give the match's sentences away."""
    gold = book.words.words[slice(*book.word_range(match.first, match.stop))]
    low, high = window
    others = [other for other in matches.overlapping(low, high) if other is not match]
    found = [(other.start, other.end) for other in others if _tells(match, other, printed)]
    found += _taken_up(match, window, gold, printed)
    gap = printed.words.between(match.start, match.end)
    found += [printed.words.span(*each) for each in beside(printed.words.words, gap, gold)]
    return _apart((max(start, low), min(end, high)) for start, end in found if start < high and low < end)


def cover(text: str, span: Span, spans: Sequence[Span]) -> str:
    """Return the text between the span's offsets, what is covered printed as ``[…]``."""
    pieces = []
    at, end = span
    for low, high in spans:
        if low < end and high > at:
            pieces += [text[at:low], COVERED]
            at = min(high, end)
    return "".join([*pieces, text[at:end]])


def repeats(context: str, gold: Sequence[str]) -> bool:
    """Return whether six words of the gold stand in a row in the context."""
    return any(_shared(Words(context).words, gold))


def _tells(match: Match, other: Match, printed: SourceText) -> bool:
    if other.first < match.stop and match.first < other.stop:
        return True
    one, next_one = sorted((match, other))
    if one.end > next_one.start:
        return False
    first, stop = printed.words.between(one.end, next_one.start)
    return first == stop or printed.quoted.across(one.end, next_one.start)


def _taken_up(match: Match, window: Span, gold: Sequence[str], printed: SourceText) -> Iterator[Span]:
    """Phrases of the gold between quotation marks, and longer runs of its words there."""
    for low, high in _around(match, window, printed):
        first, stop = printed.words.between(low, high)
        said = printed.words.words[first:stop]
        if _is_phrase(said, gold):
            yield printed.words.span(first, stop)
            continue
        held = _shared(said, gold)
        at = 0
        while at < len(held):
            if not held[at]:
                at += 1
                continue
            end = next((number for number in range(at, len(held)) if not held[number]), len(held))
            yield printed.words.span(first + at, first + end)
            at = end


def _around(match: Match, window: Span, printed: SourceText) -> Iterator[Span]:
    """What stands between quotation marks; of what holds the quotation itself, the rest on either side."""
    for low, high in [*printed.quoted.overlapping(*window), *printed.nested.overlapping(*window)]:
        if high <= match.start or match.end <= low:
            yield low, high
            continue
        if low < match.start:
            yield low, match.start
        if match.end < high:
            yield match.end, high


def _is_phrase(said: Sequence[str], gold: Sequence[str]) -> bool:
    if len(said) < _TAKEN_UP:
        return False
    altered = _ALTERED_PHRASE <= len(said) <= len(gold) and contains(" ".join(said), " ".join(gold))
    return altered or _in_a_row(said, gold)


def _in_a_row(said: Sequence[str], gold: Sequence[str]) -> bool:
    length = len(said)
    return any(gold[at : at + length] == said for at in range(len(gold) - length + 1))


def _shared(said: Sequence[str], gold: Sequence[str]) -> list[bool]:
    """Return for every word whether it stands in a run of six that the gold has."""
    grams = {tuple(gold[at : at + REPEATED_WORDS]) for at in range(len(gold) - REPEATED_WORDS + 1)}
    held = [False] * len(said)
    for at in range(len(said) - REPEATED_WORDS + 1):
        if tuple(said[at : at + REPEATED_WORDS]) in grams:
            held[at : at + REPEATED_WORDS] = [True] * REPEATED_WORDS
    return held


def _apart(spans: Iterator[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)
