"""What breaks ties of scores: a dense encoder, or the run that a re-ranking starts from."""

from __future__ import annotations

from collections.abc import Sequence

from common.progress import Progress, silent
from retrieval.corpora.models import Corpus
from retrieval.corpora.reranking.ordering import Second
from retrieval.corpora.reranking.passages import Shown
from retrieval.corpora.reranking.plans import SCORES, RerankPlan
from retrieval.corpora.searching.dense import DenseSearch
from retrieval.corpora.searching.plans import DensePlan


def second(corpus: Corpus, plan: RerankPlan, progress: Progress = silent) -> Second:
    """Return what breaks ties; the vectors of the corpus are made where they are not there yet.

    Raises:
        BadInput: there is no such checkpoint, or no room for the vectors.
    """
    if not plan.ties or plan.method not in SCORES:
        return of_run
    search = DenseSearch(corpus, DensePlan(plan.fields, checkpoint=plan.ties), progress)

    def of_encoder(topics: Sequence[Shown]) -> Sequence[Sequence[float | None]]:
        return search.scores([(each.topic, each.numbers) for each in topics])

    return of_encoder


def of_run(topics: Sequence[Shown]) -> Sequence[Sequence[float | None]]:
    """Return the scores of the run that the documents come from."""
    return [each.scores for each in topics]
