"""Word Mover's Distance: how far the words of one text must move to become those of the other.

    score(s, t) = −WMD(s, t)        as in `transport`; shares are those of the words that have a vector

Kusner, Sun, Kolkin and Weinberger 2015, "From Word Embeddings to Document Distances"; Manjavacas, Long and
Kestemont 2019, section 5.2. The paper gives cos(w_i, w_j) as the "travel distance"; what grows with distance
is 1 − cos, and that is the default. Kusner et al. take Euclid's distance of the vectors as they are, gensim
that of vectors of length 1.

Only the first of a ranking are distances (the parameter `exact`). Texts are taken by their relaxed bound,
least first, and a text is solved only where the bound, raised by some steps, does not show that it lies
behind the best `exact` so far. The score of every other text is minus its bound, and that is below all of
the first `exact`; behind those, the order is one of distances and bounds together.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Positions, Scores
from retrieval.engine.similarity import transport
from retrieval.engine.similarity.embedded import PARAMETERS, Bag, Embedded, read
from retrieval.engine.similarity.terms import Weights
from retrieval.engine.text.tokens import TOKENISER

Flags = npt.NDArray[np.bool_]

EXACT = 100
BATCH = 64
"""Texts whose bounds are raised at once."""
MOST_COSTS = 2**27
"""Costs held for one query, of 8 B: 1 GiB."""
RAISED_COSTS = 2**23
"""Costs of texts whose bounds are raised at once, of 8 B, in some copies."""
STEPS = 12
"""By which a bound is raised before a problem is solved; the benchmark `movers` says what that saves."""
SLACK = 1e-9
"""By how much, of 1 or of the distance, a bound must be greater: sums are rounded, and ties are not."""


class Distances(NamedTuple):
    """From one query to each of n texts.

    values: (n,) the distance or a lower bound of it; infinity where one of the two has no vector.
    exact: (n,) whether it is the distance.
    """

    values: Weights
    exact: Flags


class MoversIndex:
    """The passages as shares of words, and what bounds their distances.

    Args:
        embedded: The passages.
        cost: Of moving a word to another.
        exact: How many of the first of a ranking must be distances.
        passages: Their texts. One is read for every problem, since reading renews the lease of a job.
    """

    def __init__(
        self, embedded: Embedded, cost: transport.Cost, exact: int, passages: Sequence[str] = ("",)
    ) -> None:
        self._embedded, self._cost, self._exact, self._passages = embedded, cost, exact, passages
        self._vectors = transport.at_cost(embedded.of_rows(embedded.rows), cost)
        self._relaxed = transport.Relaxed(embedded.shares)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return −distance or −bound (n_queries, n_passages), −∞ where one of the two has no vector.

        Raises:
            BadInput: a query has too many different words.
        """
        rows = [0.0 - self.distances(query).values for query in queries]
        return np.array(rows, dtype=np.float64).reshape(len(queries), len(self._embedded.which))

    def distances(self, query: str, among: Flags | None = None, exact: int | None = None) -> Distances:
        """Return the distances of a query to all passages, the least `exact` of them exactly.

        `among`: (n_passages,) the passages that are meant; of all others there are only bounds.

        Raises:
            BadInput: the query has too many different words.
        """
        bag, which = self._embedded.bag(query), self._embedded.which
        _check_size(query, len(bag.rows), len(self._embedded.rows))
        able = np.ones(self._embedded.shares.shape[0], dtype=np.bool_)
        if among is not None:
            able[:] = False
            able[which[among]] = True
        found = self._of_texts(bag, able, self._exact if exact is None else exact)
        return Distances(found.values[which], found.exact[which])

    def _of_texts(self, bag: Bag, able: Flags, exact: int) -> Distances:
        """Return the distances to the distinct texts."""
        if not bag.rows.size:
            return Distances(np.full(able.size, np.inf), np.zeros(able.size, dtype=np.bool_))
        costs = self._costs(bag)
        bounds = self._relaxed.bounds(costs, bag.shares)
        shares = self._embedded.shares

        def raised(texts: Positions, goal: float) -> Weights:
            longest = int((shares.indptr[texts + 1] - shares.indptr[texts]).max())
            at_once = max(1, RAISED_COSTS // (longest * bag.rows.size))
            parts = (texts[start : start + at_once] for start in range(0, len(texts), at_once))
            return np.concatenate([raised_at_once(part, goal) for part in parts])

        def raised_at_once(texts: Positions, goal: float) -> Weights:
            words, of_texts = self._relaxed.padded(texts)
            between = costs[words].transpose(0, 2, 1)
            return transport.raised(of_texts, bag.shares, np.ascontiguousarray(between), goal, STEPS)

        def solve(text: int) -> float:
            _ = self._passages[0]  # renews the lease
            at = slice(shares.indptr[text], shares.indptr[text + 1])
            return transport.distance(shares.data[at], bag.shares, costs[shares.indices[at]])

        return nearest(bounds, able & np.isfinite(bounds), exact, raised, solve)

    def _costs(self, bag: Bag) -> Weights:
        """Return the cost (n_words, m) of moving each word of the passages to each of the query's."""
        theirs = transport.at_cost(self._embedded.of_rows(bag.rows), self._cost)
        found = transport.costs(self._vectors, theirs, self._cost)
        known, columns = self._embedded.columns(bag.rows)
        found[columns, known] = 0.0
        return found


def _check_size(query: str, n_words: int, n_known: int) -> None:
    if n_words * n_known > MOST_COSTS:
        raise BadInput(
            f"The query “{query[:40]}…” has {n_words:,} different words with a vector. Each is compared with "
            f"the {n_known:,} words of the passages; {MOST_COSTS // n_known:,} words of a query at most fit "
            "into memory. Give shorter queries, or a stop list."
        )


def nearest(
    bounds: Weights,
    able: Flags,
    exact: int,
    raised: Callable[[Positions, float], Weights],
    solve: Callable[[int], float],
) -> Distances:
    """Return the least `exact` distances of the texts that are `able`, and bounds of all others.

    bounds: (n,) lower bounds of the distances.
    raised: greater bounds of some texts, each sought until it is above what is given with them.
    solve: the distance of a text.

    A text is left out only where its bound lies above the last of the first `exact`, ties counted in.
    """
    values, solved = bounds.copy(), np.zeros(bounds.size, dtype=np.bool_)
    texts = np.flatnonzero(able)
    texts = texts[np.argsort(bounds[texts], kind="stable")]
    firsts = texts[:exact]
    values[firsts], solved[firsts] = [solve(text) for text in firsts.tolist()], True
    best = (-values[firsts]).tolist()
    heapq.heapify(best)
    for start in range(exact, len(texts) if exact else 0, BATCH):
        batch = texts[start : start + BATCH]
        batch = batch[values[batch] <= _goal(best)]
        if not batch.size:
            break
        values[batch] = np.maximum(values[batch], raised(batch, _goal(best)))
        for text in batch[np.argsort(values[batch], kind="stable")].tolist():
            if values[text] <= _goal(best):
                values[text], solved[text] = solve(text), True
                heapq.heappushpop(best, -values[text])
    return Distances(values, solved)


def _goal(best: Sequence[float]) -> float:
    """Return what a bound must be above, of the negative distances of the best so far as a heap."""
    return -best[0] + SLACK * max(1.0, -best[0])


class MoversRanker:
    """Word Mover's Distance, pruned by its relaxed bound."""

    slug = "wmd"
    label = "Word Mover's Distance"
    queue: rankers.Queue = "cpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        **PARAMETERS,
        "cost": rankers.OneOf("cosine", transport.COSTS),
        "exact": rankers.Parameter(default=EXACT, lowest=1, highest=10_000_000),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: cosine, the first 100 exactly, the only word vectors there are."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> MoversIndex:
        """Take the vectors of the passages' words.

        Raises:
            BadInput: a parameter is wrong or missing, there is no passage, or no word of any has a vector.
        """
        embedded, values = read(self, passages, parameters)
        return MoversIndex(embedded, values["cost"], int(values["exact"]), passages)

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "POT",
            "version": version("pot"),
            "variant": "exact transport of normalised bags of words, pruned by relaxed bounds",
            "tokeniser": TOKENISER,
        }


rankers.register(MoversRanker())
