"""Which language a text is in: py3langid, the kept fork of RELiC's langid (Thai et al. 2022, appendix A).

Lui and Baldwin (2012), langid.py: naive Bayes over byte n-grams, offline and the same on every run. The model
is read when the first text is judged, never before.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLES, LENGTH = 20, 1000
"""Places looked at, evenly over the text, and their characters."""
SHORTEST = 200
"""Characters; a shorter text is not judged: a line of names may read as anything."""
SURE = 0.9
"""Probability from which a place counts."""

# Written so alike that a page of one is often taken for the other.
_NEAR = (
    frozenset({"da", "nb", "nn", "no"}),
    frozenset({"bs", "hr", "sr"}),
    frozenset({"id", "ms"}),
    frozenset({"wuu", "yue", "zh"}),
    frozenset({"ar", "ary", "arz"}),
)


class IdentifiedLanguage(NamedTuple):
    """The language of a text.

    language: of most of the places of the text that count.
    places: how many of them are in it.
    of: how many count in all.
    """

    language: str
    places: int
    of: int


def identify(text: str) -> IdentifiedLanguage | None:
    """Return the language a text reads as (ISO 639), or None where it is too short or too mixed.

    Of :data:`SAMPLES` places those that are surely one language count; more than half of them must agree.
    """
    if len(text.strip()) < SHORTEST:
        return None
    identifier = _identifier()
    read = (identifier.classify(place) for place in _places(text))
    votes = Counter(language for language, probability in read if probability >= SURE and language != "zxx")
    if not votes:
        return None
    language, places = votes.most_common(1)[0]
    return IdentifiedLanguage(language, places, votes.total()) if places * 2 > votes.total() else None


def differs(text: str, tag: str) -> IdentifiedLanguage | None:
    """Return what the text reads as where that is another language than the BCP 47 tag says, else None.

    A language the model has not learnt (Old English, a dialect) is taken at its word.
    """
    claimed = tag.split("-")[0].lower()
    if len(text.strip()) < SHORTEST or not _known(claimed):
        return None
    found = identify(text)
    return None if found is None or found.language == claimed or _near(found.language, claimed) else found


def _near(one: str, other: str) -> bool:
    return any(one in group and other in group for group in _NEAR)


def _known(language: str) -> bool:
    return language in _identifier().labels or any(language in group for group in _NEAR)


def _places(text: str) -> list[str]:
    if len(text) <= SAMPLES * LENGTH:
        return [text[at : at + LENGTH] for at in range(0, len(text), LENGTH)]
    step = (len(text) - LENGTH) / (SAMPLES - 1)
    return [text[round(number * step) : round(number * step) + LENGTH] for number in range(SAMPLES)]


@cache
def _identifier() -> LanguageIdentifier:
    # Half a second and some 80 MB: only a process that imports texts pays for it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
