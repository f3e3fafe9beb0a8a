"""A search of a corpus by any ranker that orders the passages of books: all documents in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from common.errors import BadField
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.models import Corpus, TopicVersion
from retrieval.corpora.searching import lemmas
from retrieval.corpora.searching.filters import AT_ONCE
from retrieval.corpora.searching.lemmas import GIVEN
from retrieval.corpora.searching.plans import SimilarityPlan
from retrieval.corpora.searching.searches import Noticed, Searched
from retrieval.dense import checkpoints
from retrieval.engine.corpora import needs
from retrieval.engine.corpora.index import mask_digest
from retrieval.engine.corpora.searching import TIES
from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.indexing import Watched
from retrieval.engine.words.tables import AS_GIVEN
from retrieval.words import freezing
from retrieval.words.freezing import Frozen

BLOCK = 16
"""Topics whose scores are held at once, of all documents."""
BLOCK_BYTES = 2**27
"""Bytes of these scores: with very many documents, fewer topics."""


class SimilaritySearch:
    """A search by a ranker of books: reads the documents and prepares the ranker when it first searches.

    Args:
        corpus: Ready.
        plan: What to do.

    Raises:
        BadInput: the corpus has no such genre, something that the ranker needs is not here, or the documents
            do not fit into memory.
    """

    def __init__(self, corpus: Corpus, plan: SimilarityPlan) -> None:
        self.corpus, self.plan = corpus, plan
        self._ranker = rankers.get(plan.ranker)
        self._by = lemmas.read_by(corpus, plan)
        self._frozen = _frozen(plan, self._by)
        self._mask = plan.documents.mask(corpus)
        every = np.arange(corpus.n_documents)
        self._numbers = every if self._mask is None else np.flatnonzero(self._mask)
        _check_memory(corpus, self._numbers.size)
        self.made_with = {**self._ranker.describe(), "numpy": np.__version__}

    def search_all(self, topics: Sequence[TopicVersion], progress: Progress = silent) -> Iterator[Searched]:
        """Yield what is found for each topic, in their order; a topic without words finds nothing.

        Raises:
            BadInput: the ranker refuses the documents, or gives a score that is no number.
        """
        if not topics:
            return
        given = self._opened()
        queries = lemmas.Queries(self.plan, self._by, given.get("lemmas"))
        texts = Watched(self._texts(progress), partial(progress, 0, len(topics), "preparing the ranker"))
        if self._by == GIVEN:
            given["lemmas"] = AS_GIVEN
        index = self._ranker.prepare(texts, given)
        at_once = _block(self._numbers.size)
        for first in range(0, len(topics), at_once):
            texts.say = partial(progress, first, len(topics), "searching, topics")
            texts.say()
            block = topics[first : first + at_once]
            asked = [queries.text(each) for each in block]
            words = [each for each in asked if each]
            rows = iter(index.scores(words) if words else ())
            for topic, text in zip(block, asked, strict=True):
                yield Searched(topic, self._found(next(rows)) if text else ())
        progress(len(topics), len(topics), "searching, topics")

    def describe(self) -> dict[str, Any]:
        """Return all that a run stores to be repeatable."""
        model = self._frozen.checkpoint
        return {
            "similarity": {
                "ranker": self.plan.ranker,
                "parameters": self._frozen.parameters,
                "tables": self._frozen.tables,
                **({"checkpoint": model.sha256} if model else {}),
                "words": self._by,
            },
            "texts_sha256": self.corpus.sha256,
            "subset": {
                "name": self.plan.documents.name,
                "documents": int(self._numbers.size),
                "mask_sha256": mask_digest(self._mask),
            },
            "scores": "float64",
            "ties": TIES,
        }

    def notes(self, noticed: Noticed) -> list[str]:
        """Return how many documents have no lemmas, where lemmas are compared."""
        if self._by != GIVEN:
            return []
        rows = self.corpus.documents.filter(lemmata="").values_list("number", flat=True)
        without = int(np.isin(np.fromiter(rows, dtype=np.int64), self._numbers).sum())
        said = f"{counted(without, 'document')} without lemmas: not found."
        return [said] if without else []

    def _found(self, scores: order.Scores) -> list[tuple[int, float]]:
        """Return numbers and scores of the best documents, without those that are not ranked."""
        best = order.top(scores, self.plan.depth)
        kept = best[np.isfinite(scores[best])]
        if isinstance(self._ranker, rankers.Sharing):
            kept = kept[scores[kept] != self._ranker.nothing]
        return list(zip(self._numbers[kept].tolist(), scores[kept].tolist(), strict=True))

    def _opened(self) -> dict[str, Any]:
        model = self._frozen.checkpoint
        return freezing.opened(
            self._ranker,
            self._frozen.parameters,
            checkpoint=model.sha256 if model else "",
            words=self.plan.tables or self._frozen.tables,
        )

    def _texts(self, progress: Progress) -> list[str]:
        """Return what is compared of each searched document, in order."""
        found: list[str] = []
        for start in range(0, self._numbers.size, AT_ONCE):
            numbers = self._numbers[start : start + AT_ONCE].tolist()
            found += lemmas.texts(self.corpus, numbers, self._by)
            progress(len(found), self._numbers.size, "reading, documents")
        return found


def written_out(corpus: Corpus, plan: SimilarityPlan) -> SimilarityPlan:
    """Return the plan with the names and digests of all that it uses. Raises as `SimilaritySearch`."""
    frozen = _frozen(plan, lemmas.read_by(corpus, plan))
    _check_memory(corpus, plan.documents.count(corpus))
    return replace(plan, parameters=frozen.parameters, tables=frozen.tables)


def expected(corpus: Corpus, plan: SimilarityPlan) -> str:
    """Return in a sentence what the search needs of memory. Raises `BadField` as `Filter.count`."""
    return needs.texts_sentence(*_held(corpus, plan.documents.count(corpus)))


def _frozen(plan: SimilarityPlan, by: str) -> Frozen:
    ranker = rankers.get(plan.ranker)
    parameters = rankers.complete(ranker, plan.parameters)
    instead = ("lemmas",) if by == GIVEN and not parameters.get("lemmas") else ()
    precision = checkpoints.PRECISION[checkpoints.queue_for(ranker)]
    return freezing.freeze(ranker, parameters, precision, instead=instead)


def _check_memory(corpus: Corpus, documents: int) -> None:
    """Refuse documents that do not fit into memory. Raises `BadField`."""
    held = _held(corpus, documents)
    if needs.of_texts(*held) > needs.memory():
        raise BadField(
            "ranker",
            f"{needs.texts_sentence(*held)} Search fewer documents, or by bm25, whose index is on disk.",
        )


def _held(corpus: Corpus, documents: int) -> tuple[int, int, int]:
    """Return the documents, about how many words they have, and the topics of a block."""
    words = round(corpus.n_words * documents / corpus.n_documents)
    return documents, words, _block(documents)


def _block(documents: int) -> int:
    return max(1, min(BLOCK, BLOCK_BYTES // (8 * documents)))
