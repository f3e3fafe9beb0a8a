"""Find the sentences of a book that a printed sentence repeats: QRatio of at least 80.

Thai et al. (2022, appendix A) compare every sentence of a critic with every
sentence of the book by rapidfuzz's QRatio, 200 x the length of the longest
common subsequence over the sum of both lengths, in percent. rapidfuzz 1, which
they used, lower-cased and dropped punctuation by itself; from version 3 on
``utils.default_process`` has to be asked for.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, utils

from common.errors import BadInput

THRESHOLD = 80.0
LEAST_TOKENS = 10
"""Tokens of a sentence or stretch from which a search starts."""
LONGEST_COMPARED = 50_000
_TOKEN = re.compile(
    r"can(?=not\b)|[^\W_]+(?=n['’]t\b)|n['’]t\b|['’](?:s|d|m|ll|re|ve)\b|(?:mr|mrs|dr|st)\.(?!\w)"
    r"|[^\W_]+|\.{2,}|-{2,}|[^\w\s\"“”«»'‘’]",
    re.IGNORECASE,
)
_CONTAINED = 90.0
_ENOUGH_WORDS, _A_WORD = 13, 2.0  # words at which the threshold is enough, and what each fewer asks beyond it
_SHORT, _SHORT_THRESHOLD = 15, 88.0  # part of a sentence in everyday words proves less
_GRAM = 4
_RAREST = 40
_KEPT = 24


def similarity(one: str, other: str) -> float:
    """Return the QRatio, 0 to 100, after lower-casing and dropping punctuation."""
    return float(fuzz.QRatio(one, other, processor=utils.default_process))


def bounded_similarity(one: str, other: str) -> float:
    """Return the same for texts whose borders somebody chose: its time grows with both lengths' product.

    Raises:
        BadInput: one of them is longer than `LONGEST_COMPARED` characters.
    """
    longest = max(len(one), len(other))
    if longest > LONGEST_COMPARED:
        raise BadInput(
            f"A passage of {longest:,} characters is too long to be compared: choose at most "
            f"{LONGEST_COMPARED:,} in the source and in the book."
        )
    return similarity(one, other)


def least_score(words: int, whole: bool) -> float:
    """Return the QRatio that so many printed words need to be a quotation.

    The fewer words, the more alike two sentences are that have nothing to do with each other: of 6,345
    sentences of three critics and 12,838 of five novels that none of them quotes, the most alike reach 77 at
    eight words, 74 at ten, 68 at twelve and 67 at fourteen. So what is asked for falls as chance does.
    """
    least = THRESHOLD + _A_WORD * max(0, _ENOUGH_WORDS - words)
    return least if whole or words >= _SHORT else max(least, _SHORT_THRESHOLD)


def contains(one: str, other: str) -> bool:
    """Return whether one says what the other says, or a part of it: partial ratio of at least 90."""
    return bool(fuzz.partial_ratio(one, other, processor=utils.default_process, score_cutoff=_CONTAINED))


def count_tokens(text: str) -> int:
    """Count tokens by spaCy's English rules: words and punctuation, ``do|n't``, ``can|not``, ``Emma|'s``.

    RELiC asks for sentences of ten tokens, not of ten words. Quotation marks
    count for nothing here: they belong to the critic as often as to the book.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def longest_common_substring(one: str, other: str) -> int:
    """Count the characters of the longest stretch both share, processed alike, white space collapsed."""
    a = " ".join(utils.default_process(one).split())
    b = " ".join(utils.default_process(other).split())
    best = 0
    row = [0] * (len(b) + 1)
    for letter in a:
        previous = 0
        for at, there in enumerate(b, 1):
            previous, row[at] = row[at], previous + 1 if letter == there else 0
            if row[at] > best:
                best = row[at]
    return best


class Shortlist:
    """Finds the sentences with a QRatio of at least 80 without comparing all.

    Candidates are the sentences that share most of the printed sentence's
    rarest four-character runs, each counted by its rarity, among those whose
    length allows the ratio at all: 2 min(a, b) / (a + b) >= 0.8 forces the
    lengths within 2/3 and 3/2 of each other. The answers are those of
    ``rapidfuzz.process.cdist`` on all pairs; a test compares them.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self._processed = [utils.default_process(sentence) for sentence in sentences]
        self._lengths = np.array([len(sentence) for sentence in self._processed], dtype=np.int64)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self._processed):
            for gram in _grams(sentence):
                places[gram].append(number)
        self._places: dict[str, NDArray[np.int32]] = {
            gram: np.array(numbers, dtype=np.int32) for gram, numbers in places.items()
        }

    def matches(self, printed: str) -> list[tuple[int, float]]:
        """Return (sentence, QRatio) of at least 80, best first, earlier sentence first at a tie."""
        wanted = utils.default_process(printed)
        found = [
            (number, fuzz.QRatio(wanted, self._processed[number], score_cutoff=THRESHOLD))
            for number in self._candidates(wanted)
        ]
        return sorted(
            ((number, score) for number, score in found if score), key=lambda pair: (-pair[1], pair[0])
        )

    def _candidates(self, wanted: str) -> list[int]:
        held = [self._places[gram] for gram in _grams(wanted) if gram in self._places]
        held.sort(key=len)
        held = held[:_RAREST]
        if not held:
            return []
        numbers = np.concatenate(held)
        weights = np.repeat([1.0 / (4 + len(places)) for places in held], [len(places) for places in held])
        scores = np.bincount(numbers, weights, minlength=len(self._processed))
        lengths = self._lengths
        fitting = (lengths * 3 >= len(wanted) * 2 - 3) & (lengths * 2 <= len(wanted) * 3 + 3)
        held_by = np.flatnonzero(fitting & (scores > 0))
        if len(held_by) > _KEPT:
            # All that score alike are kept: a book may say the same sentence many times.
            least = np.partition(scores[held_by], -_KEPT)[-_KEPT]
            held_by = held_by[scores[held_by] >= least]
        return [int(number) for number in held_by]


def _grams(text: str) -> set[str]:
    return {text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)}
