"""Feedback from one corpus, or several, for the search of another.

    the first search   in the feedback corpus, with its own idf and mean length
    the model          from the texts of its best documents (`relevance`)
    the second search  in the searched corpus, with the terms of query and model

Feedback from two genres is two methods, and they differ:

    merged   one feedback corpus: a subset of one index that holds both, so that documents compete for fbDocs
    alpha    two feedback corpora: a model of each, mixed with weight α for the first
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from common.errors import BadInput
from retrieval.engine.corpora import relevance
from retrieval.engine.corpora.presets import FeedbackSettings, check_share
from retrieval.engine.corpora.relevance import Model, Terms
from retrieval.engine.corpora.searching import Found, Query, Searcher
from retrieval.engine.corpora.tokenising import refuse_mixture

TextsOf = Callable[[Sequence[int]], Sequence[str]]
"""Called with numbers of documents; gives their texts, as they were indexed, in that order."""


@dataclass(frozen=True)
class FeedbackCorpus:
    """Where feedback comes from.

    name: what a run calls it, such as `non-fiction`.
    searcher: its index, or the subset of it that feedback may come from.
    texts: its texts by number; an index keeps none in their order.
    """

    name: str
    searcher: Searcher
    texts: TextsOf


@dataclass(frozen=True)
class Expanded:
    """A query with feedback, and what it found.

    query: the terms searched for, by weight, then alphabet.
    models: the relevance model of each feedback corpus, in their order.
    without_postings: terms of the models that no searched document has, alphabetical: they keep their weight,
        find nothing, and make the query count for more.
    found: what the second search found.
    """

    query: Terms
    models: Sequence[Model]
    without_postings: Sequence[str]
    found: Found


class RelevanceFeedback:
    """Searches with RM3, its feedback coming from one corpus or from two.

    Raises:
        BadInput: there are no or more than two feedback corpora, alpha is given without two or left out with
            two, or an index has its terms from other settings than the searched one.
    """

    def __init__(
        self,
        searched: Searcher,
        corpora: Sequence[FeedbackCorpus],
        settings: FeedbackSettings | None = None,
        alpha: float | None = None,
    ) -> None:
        if len(corpora) not in (1, 2):
            raise BadInput(f"Feedback from {len(corpora)} corpora was asked for; it takes one or two.")
        if (alpha is None) != (len(corpora) == 1):
            raise BadInput("alpha is the weight of the first of two feedback corpora: give both, or neither.")
        if alpha is not None:
            check_share("alpha", alpha)
        for corpus in corpora:
            refuse_mixture(corpus.searcher.index.manifest.settings, searched.index.manifest.settings)
        self.searched = searched
        self.corpora = tuple(corpora)
        self.settings = settings or FeedbackSettings()
        self.alpha = alpha

    def models(self, query: Query) -> list[Model]:
        """Return the relevance model of each feedback corpus.

        Raises:
            BadInput: a text is not the one that was indexed; as `Searcher.search`.
        """
        return [self._model(query, corpus) for corpus in self.corpora]

    def judged_models(self, numbers: Sequence[int]) -> tuple[list[Model], list[int]]:
        """Return the model of each feedback corpus from documents that are known to be relevant.

        Nothing is searched: the first `fb_docs` of these documents that a corpus has weigh alike.

        Args:
            numbers: Of the documents, the best first; those of other corpora are passed over.

        Returns:
            The models, and the numbers of the documents that any of them was made from, ascending.

        Raises:
            BadInput: a text is not the one that was indexed.
        """
        models, used = [], set[int]()
        for corpus in self.corpora:
            mask = corpus.searcher.subset.mask
            own = [number for number in numbers if mask is None or mask[number]][: self.settings.fb_docs]
            models.append(self._estimated([(number, 1.0) for number in own], corpus))
            used.update(own)
        return models, sorted(used)

    def expand(self, query: Query, models: Sequence[Model], alpha: float | None = None) -> dict[str, float]:
        """Return the query mixed with its models.

        alpha: instead of the own one, so that a sweep estimates the models once.
        """
        terms = models[0].terms
        if len(models) == 2:
            chosen = self.alpha if alpha is None else alpha
            assert chosen is not None  # noqa: S101 - two corpora have an alpha
            terms = relevance.mix(terms, models[1].terms, chosen)
        return relevance.rm3(query, terms, self.settings.query_weight)

    def search(
        self, query: Query, k: int, models: Sequence[Model] | None = None, alpha: float | None = None
    ) -> Expanded:
        """Return the best `k` documents of the searched corpus for the expanded query.

        models, alpha: those of an earlier call, and another weight for the first, to sweep α: eleven searches
            from two models.

        Raises:
            BadInput: as `models`.
        """
        models = self.models(query) if models is None else models
        expanded = self.expand(query, models, alpha)
        terms = sorted({term for model in models for term in model.terms})
        without = [term for term in terms if not self.searched.frequency(term)]
        return Expanded(expanded, models, without, self.searched.search(expanded, k))

    def describe(self) -> dict[str, Any]:
        """Return what a run stores to be repeatable: the search, and where feedback came from and how."""
        return {
            **self.searched.describe(),
            "feedback": {
                "model": "rm3",
                "settings": self.settings.as_json(),
                "alpha": self.alpha,
                "corpora": [{"name": each.name, **each.searcher.describe()} for each in self.corpora],
            },
        }

    def _model(self, query: Query, corpus: FeedbackCorpus) -> Model:
        return self._estimated(corpus.searcher.search(query, self.settings.fb_docs).run(), corpus)

    def _estimated(self, run: Sequence[tuple[int, float]], corpus: FeedbackCorpus) -> Model:
        searcher, index = corpus.searcher, corpus.searcher.index
        numbers = [number for number, _ in run]
        documents = [index.tokeniser.terms(text) for text in corpus.texts(numbers)]
        for number, terms in zip(numbers, documents, strict=True):
            if len(terms) != index.lengths[number]:
                raise BadInput(
                    f"Document {number} of {corpus.name} has {len(terms):,} terms, and its index counted "
                    f"{index.lengths[number]:,}; build the index again."
                )
        return relevance.estimate(
            [score for _, score in run],
            documents,
            searcher.frequency,
            searcher.subset.documents,
            self.settings,
            lambda term: self.searched.frequency(term) > 0,
        )
