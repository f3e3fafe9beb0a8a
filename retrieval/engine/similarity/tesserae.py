"""Tesserae: rare words that two texts share, and how near to each other these stand.

    T(s, t) = ln( Σ over shared words w of (1 / f(w, s) + 1 / f(w, t))  /  (d_s + d_t) )

Forstall, Coffee, Buck, Roache and Jacobson 2015, "Modeling the scholars: detecting intertextuality through
enhanced word-level n-gram matching"; eq. 5 of Manjavacas, Long and Kestemont 2019, which takes f from the
collections of queries and of passages and not from the two texts. What is not said there is ruled here:

- f(w, s) and f(w, t) are both how often w occurs in all passages. A ranker sees queries one by one, and a
  score must not change with the queries beside it, so the collection of queries has no frequencies here.
  A shared word occurs in a passage, so f is at least 1. Frequencies relative to the size of the collection
  would add the same number to every score.
- d is the distance in tokens between the two least frequent *shared* words; neighbours have distance 1. The
  paper says "in document d", and that the distance cannot be computed below two shared words, which only
  holds of shared ones. Of equally frequent words the first of the alphabet goes first.
- Where a text has a word several times, the two occurrences that stand nearest to each other count. Words of
  the stop list are no shared words, and are counted as tokens between two.
- Below two shared words the score is undefined: −∞, not ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.similarity import terms
from retrieval.engine.text.tokens import TOKENISER

Whole = npt.NDArray[np.int64]
NONE = -1


class Occurrences(NamedTuple):
    """Where the terms stand in the passages: postings by term, rarest first, then by passage.

    starts: (n_terms + 1,), the first posting of each term.
    passages: (n_postings,), the passage of each.
    first: (n_postings + 1,), the first of its places.
    places: (n_occurrences,), in tokens from the beginning of the passage.
    """

    starts: Whole
    passages: Whole
    first: Whole
    places: Whole


class TesseraeIndex:
    """The passages as postings with places, the rarest term first.

    Args:
        passages: The texts.
        reading: How they become terms.
    """

    def __init__(self, passages: Sequence[str], reading: terms.Reading) -> None:
        self._reading, self._size = reading, len(passages)
        self._ranks, self._at, frequencies = _postings(passages, reading)
        self._shares = 2 / frequencies

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return eq. 5 (n_queries, n_passages), −∞ for a passage that shares fewer than two words."""
        return np.array([self._row(query) for query in queries], dtype=np.float64).reshape(
            len(queries), self._size
        )

    def _row(self, query: str) -> Scores:
        asked = _places_by_rank(self._reading.words(query), self._ranks)
        shared = np.zeros(self._size)
        # Of each passage's two rarest shared words: their postings, and their numbers in the query.
        pair = np.full((2, self._size), NONE, dtype=np.int64)
        own = np.full((2, self._size), NONE, dtype=np.int64)
        for number, rank in enumerate(asked):
            postings = np.arange(self._at.starts[rank], self._at.starts[rank + 1])
            having = self._at.passages[postings]
            shared[having] += self._shares[rank]
            turn = np.where(pair[0, having] == NONE, 0, np.where(pair[1, having] == NONE, 1, 2))
            for which in (0, 1):
                now = turn == which
                pair[which, having[now]] = postings[now]
                own[which, having[now]] = number
        row = np.full(self._size, order.UNRANKED)
        able = np.flatnonzero(pair[1] != NONE)
        if able.size:
            between = _between_all(list(asked.values()))[own[0, able], own[1, able]]
            row[able] = np.log(shared[able] / (between + self._between(*pair[:, able])))
        return row

    def _between(self, one: Whole, other: Whole) -> Whole:
        """Return the least distance of each two postings of one passage (n,), over all their occurrences."""
        first, places = self._at.first, self._at.places
        of_one, of_other = first[one + 1] - first[one], first[other + 1] - first[other]
        combined = of_one * of_other
        starts = np.cumsum(combined) - combined
        number = np.arange(combined.sum()) - np.repeat(starts, combined)
        left, right = np.divmod(number, np.repeat(of_other, combined))
        here = places[np.repeat(first[one], combined) + left]
        there = places[np.repeat(first[other], combined) + right]
        return np.asarray(np.minimum.reduceat(np.abs(here - there), starts), dtype=np.int64)


def _postings(
    passages: Sequence[str], reading: terms.Reading
) -> tuple[dict[str, int], Occurrences, npt.NDArray[np.float64]]:
    """Return each term's rank from the rarest, their postings, and (n_terms,) their frequencies by rank.

    Raises:
        BadInput: there is no passage, or no term in any.
    """
    numbers: dict[str, int] = {}
    found = [
        (numbers.setdefault(word, len(numbers)), passage, place)
        for passage, text in enumerate(passages)
        for place, word in enumerate(reading.words(text))
        if word not in reading.stops
    ]
    terms.check_rankable(len(passages), len(numbers))
    term, passage, place = np.array(found, dtype=np.int64).T
    frequencies = np.bincount(term)
    words = list(numbers)
    by_rank = sorted(range(len(words)), key=lambda number: (frequencies[number], words[number]))
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[by_rank] = np.arange(len(words))
    sorted_so = np.lexsort((place, passage, ranks[term]))
    term, passage, place = ranks[term][sorted_so], passage[sorted_so], place[sorted_so]
    new = np.flatnonzero(np.diff(term, prepend=-1) | np.diff(passage, prepend=-1))
    at = Occurrences(
        starts=np.searchsorted(term[new], np.arange(len(words) + 1)),
        passages=passage[new],
        first=np.append(new, place.size),
        places=place,
    )
    return (
        {words[number]: rank for rank, number in enumerate(by_rank)},
        at,
        frequencies[by_rank].astype(float),
    )


def _places_by_rank(words: Sequence[str], ranks: Mapping[str, int]) -> dict[int, list[int]]:
    """Return the places in a query of each of its terms that the passages have, the rarest term first."""
    found: dict[int, list[int]] = {}
    for place, word in enumerate(words):
        if word in ranks:
            found.setdefault(ranks[word], []).append(place)
    return dict(sorted(found.items()))


def _between_all(places: Sequence[Sequence[int]]) -> Whole:
    """Return the least distance of each two terms of a query (n, n), by where each stands."""
    starts = np.cumsum([0, *map(len, places)])[:-1]
    flat = np.concatenate(places)
    apart = np.abs(flat[:, None] - flat[None, :])
    least = np.minimum.reduceat(np.minimum.reduceat(apart, starts, axis=0), starts, axis=1)
    return np.asarray(least, dtype=np.int64)


class TesseraeRanker:
    """Eq. 5 with the frequencies of the passages."""

    slug = "tesserae"
    label = "Tesserae"
    queue: rankers.Queue = "cpu"
    parameters = terms.PARAMETERS

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: tokens, no stop list."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> TesseraeIndex:
        """Read where each term stands.

        Raises:
            BadInput: a parameter is wrong or missing, there is no passage, or no word in any.
        """
        return TesseraeIndex(passages, terms.reading(terms.complete(self, parameters)))

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "numpy",
            "version": np.__version__,
            "variant": "frequencies in all passages, distance of the two rarest shared words",
            "tokeniser": TOKENISER,
        }


rankers.register(TesseraeRanker())
