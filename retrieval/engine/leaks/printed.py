"""Which of many texts stand in which of many others, verbatim or nearly.

An index of three words in a row finds the pairs that are worth comparing, so that thousands of items take
seconds: no text is compared with all others.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from rapidfuzz import fuzz

from retrieval.engine.leaks.longest import longest
from retrieval.engine.quotations.alignment import Words
from retrieval.engine.quotations.masking import REPEATED_WORDS

Span = tuple[int, int]
Gram = tuple[str, ...]

LEAST_WHOLE = 4
"""Words of the shortest text that is found where it stands as a whole."""
LEAST_NEARLY = 7
"""Words of the shortest text that is found where a word of it is another."""
MOST_NEARLY = 200
"""Words of the longest such text: alignment takes time by its square, half a minute for 3,000 words."""
NEARLY = 90.0
"""rapidfuzz's partial ratio from which a text stands nearly verbatim in another, 0 to 100."""
_GRAM = 3
_ENOUGH = 4  # runs of three words that six words in a row hold
_SHARE = 0.3  # of a text's runs of three words, that stand where it stands with a word altered


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
    texts = [Words(text) for text in sought]
    index: defaultdict[Gram, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        for gram in set(_grams(text.words, _GRAM)):
            index[gram].append(number)
    found: list[Printed] = []
    for there, words in enumerate(shown):
        page = Words(words)
        held = Counter(number for gram in set(_grams(page.words, _GRAM)) for number in index.get(gram, ()))
        for number, times in sorted(held.items()):
            if times >= _least(len(texts[number])) and wanted(number, there):
                pair = _compared(texts[number], page)
                if pair:
                    found.append(Printed(number, there, *pair))
        tell(there + 1, len(shown))
    return found


def _least(length: int) -> int:
    """How many runs of three words a text must share with one in which it may stand."""
    return min(_ENOUGH, max(1, ceil(_SHARE * (length - _GRAM + 1))))


def _compared(sought: Words, page: Words) -> tuple[tuple[Span, ...], int, float] | None:
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
