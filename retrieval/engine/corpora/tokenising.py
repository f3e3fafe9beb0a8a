"""How a text becomes terms: tokeniser, stop list and stemmer, by name, kept with every index.

The order is: split into lower-case words, drop stop words, stem. Rulings of both tokenisers: a word of one
letter is a word (`a`, `o`); an inner apostrophe joins (`fox's` and `don't` are one word each); a hyphen and
an underscore part (`co-operate` is `co` and `operate`); digits are letters. Nothing else is cut off, so
without a stemmer `fox` does not find `fox's`; a stemmer takes the possessive off first.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from common.errors import BadInput
from retrieval.engine.corpora.stemming import FORMER, STEMMERS, without_possessive
from retrieval.engine.text.tokens import TOKENISER, normalised, words


def straight(text: str) -> tuple[str, ...]:
    """Return the words with straight apostrophes and composed letters: editions differ in both."""
    return normalised(unicodedata.normalize("NFC", text))


TOKENISERS: Mapping[str, Callable[[str], Sequence[str]]] = {"straight-2": straight, TOKENISER: words}
"""By name; a change of a rule needs another name. `words-2` is the one that books are ranked with."""

FORMER_TOKENISERS: Mapping[str, str] = {"straight-1": "straight-2", "words-1": TOKENISER}
"""Names that indexes of earlier versions carry, and what took their place. The former ended a word before a
combining mark; texts whose letters are all composed have the same words.
"""

_LUCENE = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these
    they this to was will with
"""
STOP_LISTS: Mapping[str, frozenset[str]] = {
    "none": frozenset(),
    "lucene": frozenset(_LUCENE.split()),
}
"""By name. `lucene` are the 33 words that Lucene's English analyser, and bm25s by itself, leave out."""


@dataclass(frozen=True)
class TokenSettings:
    """What makes terms of a text; equal settings make equal terms.

    tokeniser: a name in `TOKENISERS`.
    stop_list: a name in `STOP_LISTS`.
    stemmer: a name in `STEMMERS`.

    Raises:
        BadInput: a name is unknown; the message lists those there are.
    """

    tokeniser: str = "straight-2"
    stop_list: str = "none"
    stemmer: str = "none"

    def __post_init__(self) -> None:
        _known("tokeniser", self.tokeniser, TOKENISERS)
        _known("stop list", self.stop_list, STOP_LISTS)
        _known("stemmer", self.stemmer, STEMMERS)

    def as_json(self) -> dict[str, str]:
        """Return the settings as they are stored with an index and written into a run."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> TokenSettings:
        """Return the settings that `as_json` gave.

        Raises:
            BadInput: it is no object of exactly these names, or one of them is unknown or no longer here.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(value, dict) or sorted(value) != sorted(names):
            raise BadInput(f"The settings of an index are {value!r:.80}; they must name {', '.join(names)}.")
        if value["tokeniser"] in FORMER_TOKENISERS:
            raise BadInput(
                f"An earlier version made the index with its tokeniser {value['tokeniser']}, which is gone; "
                f"build it again with {FORMER_TOKENISERS[value['tokeniser']]}, which differs only in words "
                "with combining marks, such as pointed Hebrew."
            )
        if value["stemmer"] in FORMER:
            raise BadInput(
                f"An earlier version made the index with its stemmer {value['stemmer']}, which is gone; "
                f"build it again with {FORMER[value['stemmer']]}, which differs in few words."
            )
        return cls(**value)

    def __str__(self) -> str:
        return f"tokeniser {self.tokeniser}, stop list {self.stop_list}, stemmer {self.stemmer}"


class Tokeniser:
    """Makes terms of texts under some settings."""

    def __init__(self, settings: TokenSettings | None = None) -> None:
        self.settings = settings or TokenSettings()
        self.split = TOKENISERS[self.settings.tokeniser]
        self._stopped = STOP_LISTS[self.settings.stop_list]
        self._stem = None if self.settings.stemmer == "none" else STEMMERS[self.settings.stemmer]()
        self._plain = not self._stopped and self._stem is None

    def term(self, word: str) -> str | None:
        """Return the term of a word that `split` gave, or None for a stop word."""
        if self._stem is not None:
            word = without_possessive(word)
        if word in self._stopped:
            return None
        return word if self._stem is None else self._stem(word)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in their order, repeated ones as often as they stand there."""
        found = self.split(text)
        if self._plain:
            return list(found)
        return [term for term in map(self.term, found) if term is not None]

    def query(self, text: str) -> dict[str, float]:
        """Return the terms of a query, each weighted by how often it stands there, in alphabetical order."""
        return {term: float(times) for term, times in sorted(Counter(self.terms(text)).items())}


def refuse_mixture(first: TokenSettings, second: TokenSettings) -> None:
    """Refuse two indexes whose terms are not made alike.

    Raises:
        BadInput: their settings differ; the message says both.
    """
    if first != second:
        raise BadInput(
            f"One index was made with {first}, the other with {second}; "
            "terms of one mean nothing in the other: index both with the same settings."
        )


def _known(kind: str, name: object, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise BadInput(f"There is no {kind} {name!r:.40}; choose one of: {', '.join(sorted(known))}.")
