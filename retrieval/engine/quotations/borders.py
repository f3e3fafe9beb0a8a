"""Find where a quotation begins and ends in both texts, from a chain of shared words."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from retrieval.engine.quotations.alignment import Chain, SharedRun, lies_in
from retrieval.engine.quotations.matching import LEAST_TOKENS, THRESHOLD, count_tokens, least_score
from retrieval.engine.quotations.pairing import BookText, SourceText, Tell
from retrieval.engine.quotations.placing import is_marked, placed, resemblance
from retrieval.engine.quotations.spans import Spans

_NEAR = 3  # words that a printer or an editor may have changed at a quotation's edge
_ALTERED = 10  # words of a quotation's edge that may be altered where half of them are the book's
_OPEN_WORDS = 16  # the same, where it begins or ends in the middle of a sentence and of a quotation
_WORTH_A_WORD = 6  # equal words of what is too short, below which staff need not see it
_INTERJECTED = 6  # words of the critic's in the middle of a quotation: "…," she says, "…"
_SHARE = 0.4  # of a quotation's words, that stand in runs of the book's
_OMISSION = re.compile(r"\.\s?\.\s?\.|…")


class Match(NamedTuple):
    """A quotation of the book found in the source.

    start, end: its half-open offsets in the source.
    first, stop: the book's sentences that it covers, ``stop`` not among them.
    score: how alike the two texts are, 0 to 100.
    words: how many it has in the source.
    whole: whether it covers whole sentences of the book.
    marked: whether quotation marks stand round it.
    block: whether it is a paragraph of its own.
    omits: whether an ellipsis in it leaves words out.
    """

    start: int
    end: int
    first: int
    stop: int
    score: float
    words: int
    whole: bool
    marked: bool
    block: bool
    omits: bool

    @property
    def size(self) -> int:
        """Return how many sentences of the book it covers."""
        return self.stop - self.first


Span = tuple[int, int]
Refused = tuple[int, int, str, str]


def located(
    printed: SourceText, book: BookText, runs: Sequence[SharedRun], tell: Tell = lambda *_: None
) -> tuple[list[Match], list[Refused]]:
    """Return the quotations of ten tokens or more, in order, and what came close."""
    matches: list[Match] = []
    refused: list[Refused] = []
    for chain in printed.chains(book, runs, tell):
        start, end = _extent(chain, printed, book)
        found = _match(chain, (start, end), printed, book)
        if found == "too-different":
            found = _longest_run(chain, printed, book) or found
        if isinstance(found, Match):
            if matches and _joins(matches[-1], found, printed):
                matches[-1] = _joined(matches[-1], found, printed, book)
                continue
            if not matches or found.start >= matches[-1].end:
                matches.append(found)
                continue
            start, end, found = found.start, found.end, "overlaps"
        if found:
            refused.append((start, end, printed.text[start:end], found))
    return matches, [*refused, *_passed_over(runs, matches, refused, printed)]


def _passed_over(
    runs: Sequence[SharedRun], matches: Sequence[Match], refused: Sequence[Refused], printed: SourceText
) -> list[Refused]:
    """Return the long runs between marks that no match and no refusal names: nothing seen goes unsaid."""
    named = Spans(sorted((start, end) for start, end, *_ in [*matches, *refused]))
    found = []
    for run in runs:
        if run.length >= LEAST_TOKENS and printed.in_marks[run.printed : run.printed_stop].all():
            start, end = printed.words.span(run.printed, run.printed_stop)
            if not named.overlapping(start, end):
                found.append((start, end, printed.text[start:end], "open"))
    return found


def _match(chain: Chain, span: Span, printed: SourceText, book: BookText) -> Match | str:
    """Return a match, the slug of a reason, or nothing where the chain is not worth mentioning."""
    start, end = span
    first, stop = printed.words.between(start, end)
    clipped = chain.clipped(first, stop)
    marked = is_marked(start, end, printed)
    if not clipped.runs or clipped.matched < 5:
        return ""
    words = stop - first
    block = printed.begins_paragraph(start) and printed.ends_paragraph(end)
    if words < LEAST_TOKENS and not (
        (marked or block)
        and clipped.matched >= words - 1
        and count_tokens(printed.blanked[start:end]) >= LEAST_TOKENS
    ):
        return "too-short" if marked and clipped.matched >= max(words - 2, _WORTH_A_WORD) else ""
    if clipped.matched < _OPEN_WORDS and not _is_closed(start, end, printed):
        return ("open" if marked else "unmarked") if clipped.matched >= LEAST_TOKENS else ""
    begin, final = placed(clipped, (start, end), (first, stop), printed, book)
    score = resemblance(clipped, (start, end), (begin, final), printed, book)
    if clipped.matched < _SHARE * words or score < THRESHOLD:
        return "too-different" if clipped.matched >= LEAST_TOKENS else ""
    if not marked and not block and not _is_sentences(start, end, printed):
        return "unmarked"
    one, other = int(book.sentence_of[begin]), int(book.sentence_of[final - 1]) + 1
    whole = book.word_range(one, other) == (begin, final)
    if score < least_score(words, whole):
        return "too-little"
    return Match(start, end, one, other, score, words, whole, marked, block, _omits(start, end, printed))


def _longest_run(chain: Chain, printed: SourceText, book: BookText) -> Match | None:
    """Return the longest run of equal words between marks where the rest of the quotation is no longer the
    book's: misquoted, or gone on with in the critic's own words.
    """
    run = max(chain.runs, key=lambda run: run.length)
    here, there = slice(run.printed, run.printed_stop), slice(run.book, run.book_stop)
    if run.length < _OPEN_WORDS or printed.words.words[here] != book.words.words[there]:
        return None
    found = _match(Chain((run,)), printed.words.span(run.printed, run.printed_stop), printed, book)
    return found if isinstance(found, Match) and found.marked else None


def _extent(chain: Chain, printed: SourceText, book: BookText) -> tuple[int, int]:
    """Offsets in the source: the chain, widened or narrowed to the quotation marks beside it."""
    words = printed.words
    first, stop = chain.printed
    start, end = words.span(first, stop)
    for low, high in printed.quoted.from_(start):
        if low >= end:
            break
        if high <= start:
            continue
        inner, outer = words.between(low, high)
        if inner >= outer:
            continue
        if low > start and inner - first <= _NEAR and stop > inner:
            # The critic's own words before the mark happen to be the book's.
            start, first = low, inner
        elif low <= start and _continues(inner, first, chain.book[0], -1, printed, book):
            start, first = low, inner
        narrows = high < end and stop - outer <= _NEAR and first < outer
        if narrows or (high >= end and _continues(stop, outer, chain.book[1], 1, printed, book)):
            end, stop = high, outer
    start, end = _to_marks(start, end, printed)
    start, end = _over_interjections(start, end, chain, printed, book)
    return _trimmed(printed.blanked, *_to_sentence(start, end, printed))


def _to_marks(start: int, end: int, printed: SourceText) -> tuple[int, int]:
    """Leave the critic's lead-in out; words before the first mark stay where a paragraph begins with them."""
    held = printed.quoted.overlapping(start, end)
    if not held or not is_marked(start, end, printed):
        return start, end
    if start < held[0][0] and not printed.begins_paragraph(start):
        start = held[0][0]
    if end > held[-1][1] and not printed.ends_paragraph(end):
        end = held[-1][1]
    return start, end


def _over_interjections(
    start: int, end: int, chain: Chain, printed: SourceText, book: BookText
) -> tuple[int, int]:
    """Take in a short piece that the critic parts from the rest by words of his own: "…," she says, "…"."""
    for number in printed.quoted.numbers(start, end):
        low, high = printed.quoted[number]
        if low == start and number:
            before = printed.quoted[number - 1]
            if _is_piece(before, (before[1], low), chain.book[0], -1, printed, book):
                start = before[0]
        if high == end and number + 1 < len(printed.quoted):
            behind = printed.quoted[number + 1]
            if _is_piece(behind, (high, behind[0]), chain.book[1], 1, printed, book):
                return start, behind[1]
    return start, end


def _is_piece(piece: Span, between: Span, edge: int, step: int, printed: SourceText, book: BookText) -> bool:
    first, stop = printed.words.between(*between)
    low, high = printed.words.between(*piece)
    if not 0 < stop - first <= _INTERJECTED or not 1 < high - low <= _ALTERED:
        return False
    ended = printed.sentences.begin_in(between[0] + 1, between[1] - 1)
    return not ended and _is_said(low, high, edge, step, printed, book)


def _continues(low: int, high: int, edge: int, step: int, printed: SourceText, book: BookText) -> bool:
    """Whether the rest of a quoted stretch, words low..high, is still the book's, altered."""
    length = high - low
    if length <= _NEAR:
        return True
    return length <= _ALTERED and _is_said(low, high, edge, step, printed, book)


def _is_said(low: int, high: int, edge: int, step: int, printed: SourceText, book: BookText) -> bool:
    """Whether half of the words low..high stand in the book beside the edge."""
    length = high - low
    reach = (
        book.words.words[edge - length - 2 : edge] if step < 0 else book.words.words[edge : edge + length + 2]
    )
    shared = Counter(printed.words.words[low:high]) & Counter(reach)
    return shared.total() * 2 >= length


def _to_sentence(start: int, end: int, printed: SourceText) -> tuple[int, int]:
    """Outside quotation marks a sentence's own borders stand, when they are near."""
    words = printed.words
    if not _inside(start, printed):
        at = bisect_right(printed.sentences, (start, len(printed.text))) - 1
        low = printed.sentences[at][0] if at >= 0 else start
        between = words.between(low, start)
        if low <= start and between[1] - between[0] <= _NEAR and not _crosses(low, start, printed):
            start = low
    if not _inside(end - 1, printed):
        at = bisect_right(printed.sentences, (end - 1, len(printed.text))) - 1
        high = printed.sentences[at][1] if at >= 0 else end
        between = words.between(end, high)
        if high >= end and between[1] - between[0] <= _NEAR and not _crosses(end, high, printed):
            end = high
    return start, end


def _crosses(start: int, end: int, printed: SourceText) -> bool:
    return lies_in(printed.borders.marks, start, end)


def _inside(at: int, printed: SourceText) -> bool:
    found = bisect_right(printed.quoted, (at, len(printed.text))) - 1
    return found >= 0 and printed.quoted[found][0] <= at < printed.quoted[found][1]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \n\"“”‘'_":
        start += 1
    while end > start and text[end - 1] in " \n\"“”‘’'_":
        end -= 1
    return start, end


def _is_closed(start: int, end: int, printed: SourceText) -> bool:
    """Whether marks, pauses or sentences end it on both sides, not the critic's next word."""
    before = printed.blanked[:start].rstrip(" _")[-1:]
    behind = printed.blanked[end : end + 12].lstrip(" _")[:1]
    return not (before.isalnum() or behind.isalnum())


def _is_sentences(start: int, end: int, printed: SourceText) -> bool:
    """Whether it begins and ends with sentences of the source."""
    begins = printed.sentences.begin_in(start - 3, start + 3)
    return begins and lies_in(printed.sentence_ends, end - 3, end + 3)


def _omits(start: int, end: int, printed: SourceText) -> bool:
    return _OMISSION.search(printed.blanked, start, end) is not None


def _joins(one: Match, other: Match, printed: SourceText) -> bool:
    """Two quotations of neighbouring sentences with no more than a few of the critic's words between."""
    first, stop = printed.words.between(one.end, other.start)
    if first < stop and printed.borders.reopens(one.end, int(printed.words.starts[first])):
        return False
    return stop - first <= _INTERJECTED and one.first <= other.first <= one.stop


def _joined(one: Match, other: Match, printed: SourceText, book: BookText) -> Match:
    first, stop = one.first, max(one.stop, other.stop)
    weight = one.words + other.words
    score = (one.score * one.words + other.score * other.words) / weight
    return Match(
        one.start,
        other.end,
        first,
        stop,
        score,
        weight,
        one.whole and other.whole,
        one.marked or other.marked,
        one.block and other.block,
        one.omits or other.omits,
    )
