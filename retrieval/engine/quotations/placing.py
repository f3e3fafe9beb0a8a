"""Find the place in the book of a printed stretch, to the word, and how alike the two are."""

import re
from itertools import pairwise

from retrieval.engine.quotations.alignment import Chain, Words
from retrieval.engine.quotations.matching import longest_common_substring, similarity
from retrieval.engine.quotations.pairing import BookText, SourceText

_LEAST_SHARED = 15  # characters, appendix A
_SHIFT, _SHIFTED_WORDS = 2, 30  # words by which an altered edge may be out, in short quotations
_BRACKETS = re.compile(r"\[[^\]]{0,80}+\]|[\"“”_]")

Span = tuple[int, int]


def placed(chain: Chain, span: Span, words: Span, printed: SourceText, book: BookText) -> Span:
    """Return the words of the book that answer to the printed ones.

    Where the edges are altered, the book may say the same in a word more or
    less: in a short quotation the most alike of the nearest edges is taken.
    """
    begin, final = _altered(chain, words, printed, book)
    if words == chain.printed or words[1] - words[0] > _SHIFTED_WORDS:
        return begin, final
    begins = _nearest(begin, words[0] < chain.printed[0], begin, book)
    finals = _nearest(final, chain.printed[1] < words[1], final - 1, book)
    pairs = [(low, high) for low in begins for high in finals if low < high]
    # The first of the best: shifts are tried from none upwards.
    return max(pairs, key=lambda pair: resemblance(chain, span, pair, printed, book))


def _nearest(edge: int, altered: bool, inside: int, book: BookText) -> list[int]:
    """The edge, and those beside it in the same sentence."""
    if not altered:
        return [edge]
    number = int(book.sentence_of[inside])
    low, high = book.word_range(number, number + 1)
    shifts = sorted(range(-_SHIFT, _SHIFT + 1), key=abs)
    return [edge + shift for shift in shifts if low <= edge + shift <= high]


def is_marked(start: int, end: int, printed: SourceText) -> bool:
    """Return whether more than half of it stands between quotation marks."""
    inside = sum(high - low for low, high in _between_marks(start, end, printed))
    return inside * 2 > end - start


def _between_marks(start: int, end: int, printed: SourceText) -> list[Span]:
    return [(max(start, low), min(end, high)) for low, high in printed.quoted.overlapping(start, end)]


def _altered(chain: Chain, words: Span, printed: SourceText, book: BookText) -> Span:
    """Altered words at the edges reach as far as they do in print."""
    begin, final = chain.book
    before, behind = chain.printed[0] - words[0], words[1] - chain.printed[1]
    if before:
        begin = _reach(begin, -before, words[0], chain.printed[0], printed, book)
    if behind:
        final = _reach(final, behind, chain.printed[1], words[1], printed, book)
    return begin, final


def _reach(edge: int, step: int, low: int, high: int, printed: SourceText, book: BookText) -> int:
    """Move an edge over altered words, into the next sentence only for 15 characters in common."""
    moved = min(max(edge + step, 0), len(book.words))
    inner = edge if step < 0 else edge - 1
    if moved == edge:
        return edge
    outer = moved if step < 0 else moved - 1
    if book.sentence_of[outer] == book.sentence_of[inner]:
        return moved
    number = int(book.sentence_of[inner]) + (1 if step > 0 else -1)
    start, end = printed.words.span(low, high)
    neighbour = book.read(number, number + 1)
    if longest_common_substring(printed.blanked[start:end], neighbour) >= _LEAST_SHARED:
        return moved
    own = book.word_range(number - (1 if step > 0 else -1), number - (1 if step > 0 else -1) + 1)
    return own[0] if step < 0 else own[1]


def resemblance(chain: Chain, span: Span, words: Span, printed: SourceText, book: BookText) -> float:
    """Return the QRatio of the printed words and the book's; what an ellipsis leaves out does not count."""
    said = _BRACKETS.sub(" ", _said(chain, span, printed, book))
    kept = []
    at = words[0]
    for one, other in pairwise(chain.runs):
        skipped = other.book - one.book_stop
        if skipped > max(3, 2 * (other.printed - one.printed_stop)):
            kept += book.words.words[at : one.book_stop]
            at = other.book
    kept += book.words.words[at : words[1]]
    return similarity(" ".join(Words(said).words), " ".join(kept))


def _said(chain: Chain, span: Span, printed: SourceText, book: BookText) -> str:
    """What is printed, without the critic's own words between quotation marks that close and open."""
    start, end = span
    if not is_marked(start, end, printed):
        return printed.blanked[start:end]
    runs = [
        printed.words.span(run.printed, run.printed_stop)
        for run in chain.runs
        if printed.words.words[run.printed : run.printed_stop] == book.words.words[run.book : run.book_stop]
    ]
    pieces = []
    at = start
    for low, high in sorted([*_between_marks(start, end, printed), *runs]):
        if high > at:
            pieces.append(printed.blanked[max(low, at) : high])
            at = high
    return " ".join(pieces)
