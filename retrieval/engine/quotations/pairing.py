"""The two texts as the search sees them: words, sentences, quoted stretches, and the chains between them."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.engine.quotations.alignment import BreakOffsets, Chain, SharedRun, Words, chains
from retrieval.engine.quotations.cleaning import blank
from retrieval.engine.quotations.matching import LEAST_TOKENS, Shortlist, count_tokens
from retrieval.engine.quotations.quoted import nested, stretches
from retrieval.engine.quotations.spans import Spans
from retrieval.engine.text.layout import PROSE, parts
from retrieval.engine.text.sentences import segment_parts

Span = tuple[int, int]
Tell = Callable[[int, int, str], object]
"""Told sentences done, sentences in all, and what is being done."""

_LONG_RUN = 8
_LEAST_SHARED = 5  # equal words below which nothing is looked at further


class BookText:
    """The book's sentences as words; headings and notes between them have none here."""

    def __init__(self, text: str, sentences: Sequence[Span]) -> None:
        self.text = text
        self.sentences = sentences
        self.words = Words(_only(text, sentences))
        starts = np.array([start for start, _ in sentences], dtype=np.int64)
        self.sentence_of = np.searchsorted(starts, self.words.starts, side="right") - 1
        self.first_words = np.searchsorted(self.words.starts, starts, side="left")
        self._shortlist: Shortlist | None = None

    @property
    def shortlist(self) -> Shortlist:
        """Return the sentences prepared for QRatio, built when first asked for."""
        if self._shortlist is None:
            self._shortlist = Shortlist(
                [self.text[start:end].replace("_", "") for start, end in self.sentences]
            )
        return self._shortlist

    def word_range(self, first: int, stop: int) -> tuple[int, int]:
        """Return the words of the sentences first..stop."""
        return self.words.between(self.sentences[first][0], self.sentences[stop - 1][1])

    def read(self, first: int, stop: int) -> str:
        """Return the sentences first..stop as the book prints them."""
        return " ".join(self.text[start:end] for start, end in self.sentences[first:stop])


class SourceText:
    """The critic's text: page numbers and citations blanked; contents, notes and index have no words."""

    def __init__(self, text: str) -> None:
        self.text = text
        layout = parts(text)
        self.blanked = blank(text)
        found = segment_parts(self.blanked, layout)
        self.sentences = Spans(found.sentences)
        self.sentence_ends = [end for _, end in found.sentences]
        self.headings = found.headings
        prose = [(start, end) for start, end, kind in layout if kind == PROSE]
        self.words = Words(_only(self.blanked, prose))
        self.quoted = Spans(stretches(self.blanked, prose))
        self.nested = Spans(nested(self.blanked, self.quoted))
        self._paragraphs = Spans(prose)
        self.borders = BreakOffsets(
            sorted(offset for span in self.quoted for offset in span), self.sentences.starts
        )
        self.in_book: NDArray[np.bool_] = np.zeros(len(self.words), dtype=bool)
        self.in_marks: NDArray[np.bool_] = np.zeros(len(self.words), dtype=bool)
        for start, end in self.quoted:
            first, stop = self.words.between(start, end)
            self.in_marks[first:stop] = True

    def begins_paragraph(self, at: int) -> bool:
        """Return whether at most two words stand before the offset in its paragraph."""
        return any(self._few(low, at) for low, _ in self._paragraphs.overlapping(at, at + 1))

    def ends_paragraph(self, at: int) -> bool:
        """Return whether at most two words stand behind the offset in its paragraph."""
        return any(self._few(at, high) for _, high in self._paragraphs.overlapping(at - 1, at))

    def _few(self, start: int, end: int) -> bool:
        first, stop = self.words.between(start, end)
        return stop - first <= 2

    def shares(self, runs: Sequence[SharedRun], book: BookText) -> tuple[float, float]:
        """Which part of the source stands in the book in long runs, and of the book in the source."""
        here, there = np.zeros(len(self.words), dtype=bool), np.zeros(len(book.words), dtype=bool)
        for run in runs:
            if run.length >= _LONG_RUN:
                here[run.printed : run.printed_stop] = True
                there[run.book : run.book_stop] = True
        return float(here.mean()) if len(here) else 0.0, float(there.mean()) if len(there) else 0.0

    def chains(self, book: BookText, runs: Sequence[SharedRun], tell: Tell = lambda *_: None) -> list[Chain]:
        """Places where the two say the same: the runs of equal words, and QRatio over whole sentences."""
        found = chains(runs, self.words, book.words, self.borders)
        fuzzy = self._fuzzy(book, found, tell)
        if fuzzy:
            found = chains(sorted([*runs, *fuzzy]), self.words, book.words, self.borders)
        found = [chain for chain in found if chain.matched >= _LEAST_SHARED]
        for chain in found:
            for run in chain.runs:
                self.in_book[run.printed : run.printed_stop] = True
        return found

    def _fuzzy(self, book: BookText, known: Sequence[Chain], tell: Tell) -> list[SharedRun]:
        """Whole sentences at QRatio >= 80 that no chain covers yet."""
        covered = np.zeros(len(self.words), dtype=bool)
        for chain in known:
            if chain.matched >= LEAST_TOKENS - 2:
                first, stop = chain.printed
                covered[first:stop] = True
        found = []
        looked_for = (*self.quoted, *self.sentences)
        for number, (start, end) in enumerate(looked_for):
            tell(number, len(looked_for), "Comparing the texts")
            first, stop = self.words.between(start, end)
            if stop - first < _LONG_RUN or covered[first:stop].mean() > 0.5:
                continue
            if count_tokens(self.blanked[start:end]) < LEAST_TOKENS:
                continue
            printed = " ".join(self.words.words[first:stop])
            for number, _ in book.shortlist.matches(printed)[:1]:
                found.append(SharedRun(first, stop, *book.word_range(number, number + 1)))
                covered[first:stop] = True
        tell(len(looked_for), len(looked_for), "Looking at the places found")
        return found


def _only(text: str, spans: Sequence[Span]) -> str:
    """Return the text with everything outside the spans overwritten by spaces; offsets stay."""
    pieces = []
    at = 0
    for start, end in spans:
        pieces += [" " * (start - at), text[at + (start - at) : end]]
        at = end
    pieces.append(" " * (len(text) - at))
    return "".join(pieces)
