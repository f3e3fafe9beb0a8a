"""Which of many texts stand in which of many others, verbatim or nearly.

An index of three and of six words in a row finds the pairs that are worth comparing (`pairing.py`), so that
tens of thousands of items take a minute: no text is compared with all others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz

from retrieval.engine.leaks.longest import longest
from retrieval.engine.leaks.pairing import NEVER, Hashes, Index, IntArray, Numbered
from retrieval.engine.quotations.alignment import Words
from retrieval.engine.quotations.masking import REPEATED_WORDS

Span = tuple[int, int]
Gram = tuple[str, ...]
Found = tuple[tuple[Span, ...], int, float]

LEAST_WHOLE = 4
"""Words of the shortest text that is found where it stands as a whole."""
LEAST_NEARLY = 7
"""Words of the shortest text that is found where a word of it is another."""
MOST_NEARLY = 200
"""Words of the longest such text: alignment takes time by its square, half a minute for 3,000 words."""
NEARLY = 90.0
"""rapidfuzz's partial ratio from which a text stands nearly verbatim in another, 0 to 100."""
_RUN = REPEATED_WORDS
_GRAM = 3
_ENOUGH = 4
_SHARE = 0.3  # of a text's runs of three words, that stand where it stands with a word altered: up to _ENOUGH
_SHARE_OF_LONG = 0.2  # of a longer one's: one word in four may be altered
_AT_ONCE = 256  # pages looked up together


class Printed(NamedTuple):
    """A text that stands in another one.

    ``sought``, ``shown``: their numbers in the two lists, from 0; ``spans``: where in the text that is shown,
    in code points, in order and apart; ``run``: words in a row that are the same; ``share``: how much of the
    sought text the words in ``spans`` are, 0 to 1.
    """

    sought: int
    shown: int
    spans: tuple[Span, ...]
    run: int
    share: float


def printed(
    sought: Sequence[str],
    shown: Sequence[str],
    wanted: Callable[[int, int], bool] = lambda *_: True,
    tell: Callable[[int, int], object] = lambda *_: None,
) -> list[Printed]:
    """Return where texts stand in others: six words in a row, the whole (four words or more), or all
    of it with a few letters changed (seven to 200 words).

    ``wanted``: which pairs, by their numbers, are looked at. ``tell`` is told texts done, of how many.
    """
    found: list[Printed] = []
    for done, those in enumerate(by_text(sought, shown, wanted), start=1):
        found += those
        tell(done, len(shown))
    return found


def by_text(
    sought: Sequence[str],
    shown: Sequence[str],
    wanted: Callable[[int, int], bool] = lambda *_: True,
    first: int = 0,
) -> Iterator[list[Printed]]:
    """Yield, for each text that is shown, what `printed` finds in it; from the text ``first`` on, from 0."""
    different = list(dict.fromkeys(sought))
    asked: defaultdict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(sought):
        asked[text].append(number)
    numbered = Numbered()
    codes = [numbered[text] for text in different]
    indexes = (Index(codes, _RUN, np.ones(len(codes), dtype=np.int64)), Index(codes, _GRAM, _least(codes)))
    compared: dict[tuple[str, str], Found | None] = {}
    for start in range(first, len(shown), _AT_ONCE):
        pages = [numbered[text] for text in shown[start : start + _AT_ONCE]]
        pairs = np.unique(np.concatenate([index.sharing(pages) for index in indexes]))
        for page, those in _by_page(pairs, len(different), len(pages)):
            there, found = start + page, []
            numbers = sorted(number for text in those for number in asked[different[text]])
            for number in numbers:
                if wanted(number, there):
                    pair = sought[number], shown[there]
                    if pair not in compared:
                        compared[pair] = _compared(Words(pair[0]), Words(pair[1]))
                    what = compared[pair]
                    if what:
                        found.append(Printed(number, there, *what))
            yield found


def _by_page(pairs: IntArray, n_texts: int, n_pages: int) -> Iterator[tuple[int, list[int]]]:
    """Each page, in order, with the texts that are paired with it."""
    ends = np.searchsorted(pairs, np.arange(n_pages + 1) * n_texts)
    for page in range(n_pages):
        yield page, (pairs[ends[page] : ends[page + 1]] % n_texts).tolist()


def _least(texts: Sequence[Hashes]) -> IntArray:
    """How many different runs of three words a page must share with each text that may stand in it with
    letters changed, or as a whole where it is shorter than six words.
    """
    return np.array([_least_of(text) for text in texts], dtype=np.int64)


def _least_of(text: Hashes) -> int:
    length = len(text)
    if LEAST_WHOLE <= length < _RUN:
        # All of them: two, or three, or fewer where they repeat.
        return len(np.unique(np.lib.stride_tricks.sliding_window_view(text, _GRAM), axis=0))
    if LEAST_NEARLY <= length <= MOST_NEARLY:
        runs = length - _GRAM + 1
        return max(min(_ENOUGH, ceil(_SHARE * runs)), ceil(_SHARE_OF_LONG * runs))
    return NEVER


def _compared(sought: Words, page: Words) -> Found | None:
    run = longest(sought.words, page.words).length
    whole = run == len(sought) >= LEAST_WHOLE
    held = [False] * len(page)
    _mark(held, page.words, sought.words, min(len(sought), REPEATED_WORDS) if whole else REPEATED_WORDS)
    if not whole and LEAST_NEARLY <= len(sought) <= min(MOST_NEARLY, len(page)):
        for at in _nearly(sought, page):
            held[at] = True
    if not any(held):
        return None
    spans = tuple(page.span(first, stop) for first, stop in _ranges(held))
    return spans, run, min(1.0, sum(held) / len(sought))


def _mark(held: list[bool], page: Sequence[str], sought: Sequence[str], size: int) -> None:
    """Mark the words that stand in a run of that size which the sought text has."""
    known = set(_grams(sought, size))
    for at, gram in enumerate(_grams(page, size)):
        if gram in known:
            held[at : at + size] = [True] * size


def _nearly(sought: Words, page: Words) -> range:
    """The words of the page where the sought text stands with letters changed; none where it does not."""
    joined = " ".join(page.words)
    found = fuzz.partial_ratio_alignment(" ".join(sought.words), joined, score_cutoff=NEARLY)
    if found is None:
        return range(0)
    start, end = found.dest_start, found.dest_end
    first = joined.count(" ", 0, start + 1)
    return range(first, min(joined.count(" ", 0, max(end - 1, 0)) + 1, len(page)))


def _ranges(held: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start = -1
    for at, here in enumerate([*held, False]):
        if here and start < 0:
            start = at
        elif not here and start >= 0:
            yield start, at
            start = -1


def _grams(words: Sequence[str], size: int) -> Iterator[Gram]:
    return (tuple(words[at : at + size]) for at in range(len(words) - size + 1))
