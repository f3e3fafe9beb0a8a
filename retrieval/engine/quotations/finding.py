"""Where a critic quotes a book: RELiC's procedure (Thai et al. 2022, appendix A).

A search starts from sentences and quoted stretches of ten tokens or more. The
places are found twice over, by runs of equal words and by QRatio against whole
sentences; neighbours are joined to block quotations, across ellipses and
altered words too. The gold is always whole sentences of the book. What else
the context prints of them is covered (:mod:`masking`).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.quotations.alignment import shared_runs
from retrieval.engine.quotations.borders import Match, located
from retrieval.engine.quotations.editions import EditionTalk
from retrieval.engine.quotations.excerpting import Page
from retrieval.engine.quotations.masking import COVERED, covered, repeats
from retrieval.engine.quotations.matching import LEAST_TOKENS, THRESHOLD, contains
from retrieval.engine.quotations.pairing import BookText, SourceText, Tell
from retrieval.engine.quotations.spans import Spans

Span = tuple[int, int]

REASONS = {
    "too-short": f"fewer than {LEAST_TOKENS} words and punctuation marks",
    "too-different": f"less similar to the book than QRatio {THRESHOLD:.0f}",
    "too-little": "so short that it would have to be more similar to the book",
    "open": "only a part of what stands between the marks is the book’s",
    "overlaps": "its words are part of another quotation, which was taken",
    "unmarked": "a few words in common without quotation marks",
    "reprint": "the source prints the book at length here: an edition or another version, no quotation",
    "repeats-gold": "the context repeats words of the quoted sentences",
    "same-place-in-context": "a longer quotation of the same sentences stands beside it",
    "readings": "the source compares how editions print the same words",
    "no-context": "the critic says nothing on either side of it",
}
"""Why something that looks like a quotation is no excerpt: slug to label."""

_LONGEST = 40
_COVERS = f" Where the context prints words of it again, {COVERED} stands for them."
_EDITION = re.compile(r"\beditions?\b", re.IGNORECASE)
_OWN_WORDS = 3
_FOREIGN_WORDS = 16
_TO_THE_WORD = 97.0
_SOURCE_SHARE, _BOOK_SHARE = 0.7, 0.5


class Quotation(NamedTuple):
    """A quotation with its context and its place in the book.

    printed: the source from `start` to `end`.
    start, end: offsets in the source, in code points; marks of quotation stand outside.
    left, right: up to four cleaned sentences of the critic's on each side.
    first, size: first sentence of the book, from 0, and how many.
    score: QRatio, 0 to 100, of what is printed and what the book says there.
    why: one sentence on how it was found, for people.
    """

    printed: str
    start: int
    end: int
    left: tuple[str, ...]
    right: tuple[str, ...]
    first: int
    size: int
    score: float
    why: str


class Dropped(NamedTuple):
    """Something that was found and is no excerpt.

    start, end: offsets in the source, in code points.
    printed: the source between them.
    reason: a key of :data:`REASONS`.
    """

    start: int
    end: int
    printed: str
    reason: str

    @property
    def label(self) -> str:
        """The reason in words."""
        return REASONS[self.reason]


class Findings(NamedTuple):
    """What a source quotes of a book, in the order of the source.

    found: the quotations.
    dropped: what looked like one and is none.
    """

    found: list[Quotation]
    dropped: list[Dropped]


def find(source: str, book: str, sentences: Sequence[Span], progress: Tell = lambda *_: None) -> Findings:
    """Find where ``source`` quotes ``book``, whose sentences are given as offsets.

    ``progress`` is told how many of the source's sentences and quoted stretches are compared, of how many.

    Raises :class:`BadInput` when the source is the book itself, or prints
    most of it and little else.
    """
    progress(0, 1, "Reading the two texts")
    target = BookText(book, sentences)
    printed = SourceText(source)
    runs = shared_runs(printed.words, target.words)
    _refuse_editions(*printed.shares(runs, target))
    located_at, dropped = located(printed, target, runs, progress)
    matches = Spans(located_at)
    talk = EditionTalk(printed)
    page = Page(source, printed.sentences, printed.headings)
    found: list[Quotation] = []
    for match in matches:
        hidden = covered(match, matches, page.window(match.start, match.end), printed, target)
        compared = talk.compares(match.start, match.end)
        reason = "readings" if compared else _objection(match, matches, hidden, page, printed, target)
        if reason:
            dropped.append(Dropped(match.start, match.end, source[match.start : match.end], reason))
        else:
            found.append(_quotation(match, page, hidden))
    return Findings(found, sorted((Dropped(*item) for item in dropped), key=lambda item: item.start))


def _quotation(match: Match, page: Page, hidden: Sequence[Span]) -> Quotation:
    left, right = page.context(match.start, match.end, hidden)
    return Quotation(
        page.text[match.start : match.end],
        match.start,
        match.end,
        left,
        right,
        match.first,
        match.size,
        match.score,
        _why(match) + (_COVERS if hidden and any(COVERED in each for each in (*left, *right)) else ""),
    )


def _why(match: Match) -> str:
    place = (
        f"sentence {match.first + 1}" if match.size == 1 else f"sentences {match.first + 1} to {match.stop}"
    )
    extent = "the whole of" if match.whole else "part of"
    marks = "between quotation marks" if match.marked else "as a block" if match.block else "without marks"
    notes = " with words left out" if match.omits else ""
    return f"Printed {marks}{notes}: {extent} {place} of the book, QRatio {match.score:.1f}."


def _refuse_editions(of_source: float, of_book: float) -> None:
    if of_source >= _SOURCE_SHARE and of_book >= _BOOK_SHARE:
        raise BadInput(
            f"The source is the book itself or an edition of it: {of_source:.0%} of it stands in the book; "
            "a critic's text that quotes the book was expected."
        )


def _objection(
    match: Match,
    matches: Spans[Match],
    hidden: Sequence[Span],
    page: Page,
    printed: SourceText,
    book: BookText,
) -> str:
    """The slug of the reason why the match is no excerpt, or nothing."""
    if match.size > _LONGEST:
        return "reprint"
    # Paragraphs that repeat the book without marks are quotations beside marked ones or when they repeat
    # it to the word; among their like they may be another version of the book.
    exact = match.marked or match.score >= _TO_THE_WORD
    left, right = page.sides(match.start, match.end)
    own, foreign = _own_words([*left, *right], matches, exact, printed)
    if foreign > _FOREIGN_WORDS and foreign * 4 > own:
        return "reprint"
    left, right = page.sides(match.start, match.end, hidden)
    if _own_words([*left, *right], matches, exact, printed)[0] < _OWN_WORDS:
        return "no-context"
    window = (left[0][0] if left else match.start), (right[-1][1] if right else match.end)
    for other in matches.overlapping(*window):
        if other is not match and other.first < match.stop and match.first < other.stop:
            reason = _rivalry(match, other, page)
            if reason:
                return reason
    gold = book.words.words[slice(*book.word_range(match.first, match.stop))]
    if any(repeats(page.read(span, hidden), gold) for span in (*left, *right)):
        return "repeats-gold"
    return ""


def _rivalry(match: Match, other: Match, page: Page) -> str:
    """Why another quotation from the same sentences, in its context, leaves the match no excerpt."""
    one, last = sorted((match, other))
    if contains(page.text[one.start : one.end], page.text[last.start : last.end]):
        before, behind = page.sides(one.start, one.end)[0][-1:], page.sides(last.start, last.end)[1][:1]
        start = before[0][0] if before else one.start
        if _EDITION.search(page.text, start, behind[0][1] if behind else last.end):
            return "readings"
    same = (other.first, other.stop) == (match.first, match.stop)
    return "same-place-in-context" if same and (other.words, match.start) > (match.words, other.start) else ""


def _own_words(
    spans: Sequence[Span], matches: Spans[Match], exact: bool, printed: SourceText
) -> tuple[int, int]:
    """Words of the context that are the critic's, and words of the book that are no quotation."""
    own = foreign = 0
    for start, end in spans:
        first, stop = printed.words.between(start, end)
        for number in range(first, stop):
            if not printed.in_book[number]:
                own += 1
            elif not printed.in_marks[number] and not _quoted(
                int(printed.words.starts[number]), matches, exact
            ):
                foreign += 1
    return own, foreign


def _quoted(at: int, matches: Spans[Match], exact: bool) -> bool:
    """Whether a quotation stands there, blocks without marks among them only where they are ``exact``."""
    return any(
        match.marked or (exact and match.block and match.score >= _TO_THE_WORD)
        for match in matches.overlapping(at, at + 1)
    )
