"""A run made here: every topic of a set searched for in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Run, TopicSet
from retrieval.corpora.searching import dense, indexes, similarity, staging
from retrieval.corpora.searching.dense import DenseSearch
from retrieval.corpora.searching.judged import RESIDUAL
from retrieval.corpora.searching.plans import AnyPlan, DensePlan, SimilarityPlan, check_wordings
from retrieval.corpora.searching.searches import Noticed, Search, Searched
from retrieval.corpora.searching.similarity import SimilaritySearch
from retrieval.corpora.searching.words import WordSearch
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BATCH = 5_000
Also = Callable[[Run], None]
"""Called with the run in the transaction that stores it."""


def nothing_else(run: Run) -> None:
    """Do nothing: the run is all that is stored."""


def make_run(
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    plan: AnyPlan,
    by: User | None = None,
    progress: Progress = silent,
    also: Also = nothing_else,
) -> Run:
    """Search a corpus for every topic of a set and store the run, a block of topics at a time.

    It is seen when all is stored; a search that was interrupted goes on behind its last block. `also` is
    called in the transaction that lets it be seen, and may raise to leave it as it is.

    Raises:
        BadInput: the name is taken, no topic finds a document, or what the search refuses.
    """
    run = Run(corpus=corpus, topics=topics, name=name, ranker=plan.ranker, depth=plan.depth, created_by=by)
    check_name(run)
    check_wordings(plan, topics)
    search, versions = opened(corpus, plan, progress), list(loading.current(topics))
    run.parameters = {"fields": list(plan.fields), "depth": plan.depth, **search.describe()}
    if more := plan.documents.as_json():
        run.parameters["filter"] = more
    run.made_with = dict(search.made_with)
    run, noticed = staging.begin(run, [each.pk for each in versions])
    try:
        told = partial(_behind, run.n_topics, progress)
        found = search.search_all(versions[run.n_topics :], told)
        staging.fill(run, noticed, found, len(versions), progress)
        if not run.n_rows:
            raise BadInput(_nothing(topics, plan))
        if noticed.used or RESIDUAL in run.parameters:
            run.parameters[RESIDUAL]["used"] = noticed.used
        run.notes = [*search.notes(noticed), *_notes(noticed)]
        staging.finish(run, also)
    except staging.Overtaken:
        raise
    except BadInput:
        staging.discard(run)
        raise
    return run


def _behind(first: int, progress: Progress, done: int, total: int, stage: str) -> None:
    """Tell the progress of a search that begins behind its first topics."""
    more = first if stage.startswith("searching") else 0
    progress(done + more, total + more, stage)


def opened(corpus: Corpus, plan: AnyPlan, progress: Progress = silent) -> Search:
    """Return what carries out a plan; what it needs on disk is made where it is not there yet.

    Raises:
        BadInput: as `WordSearch`, `DenseSearch` and `SimilaritySearch`.
    """
    if isinstance(plan, DensePlan):
        return DenseSearch(corpus, plan, progress)
    if isinstance(plan, SimilarityPlan):
        return SimilaritySearch(corpus, plan)
    return WordSearch(corpus, plan, progress)


def expected(corpus: Corpus, plan: AnyPlan) -> str:
    """Return in a sentence what a search needs of disk and memory. Raises `BadInput` as `opened`."""
    if isinstance(plan, SimilarityPlan):
        return similarity.expected(corpus, plan)
    return dense.expected(corpus, plan) if isinstance(plan, DensePlan) else indexes.expected(corpus)


def store(
    run: Run, found: Sequence[Searched], progress: Progress = silent, also: Also = nothing_else
) -> None:
    """Store a run with its rows, whole. Raises `BadField` where its name is taken meanwhile."""
    run.n_topics, run.n_rows = len(found), sum(len(each.rows) for each in found)
    try:
        with transaction.atomic():
            run.save(force_insert=True)
            for n, each in enumerate(found):
                staging.store_topic(run, each)
                progress(n + 1, len(found), "storing, topics")
            also(run)
    except IntegrityError:
        raise BadField("name", f'A run "{run.name}" was stored meanwhile; look at it first.') from None


def check_name(run: Run) -> None:
    """Refuse a name that is none, or that the corpus has already. Raises `BadField`."""
    check_fields(run, ("name",))
    if Run.objects.filter(corpus=run.corpus, name=run.name).exists():
        raise BadField(
            "name", f'The corpus "{run.corpus.slug}" has a run "{run.name}" already; choose another name.'
        )


def _notes(noticed: Noticed) -> list[str]:
    said = []
    if noticed.nothing:
        said.append(
            f"{counted(len(noticed.nothing), 'topic')} without a document: {_listed(noticed.nothing)}."
        )
    if noticed.unknown:
        said.append(f"Words of topics that no searched document has: {_listed(noticed.unknown)}.")
    if noticed.lost:
        said.append(f"Terms of feedback that no searched document has: {_listed(noticed.lost)}.")
    return said


def _nothing(topics: TopicSet, plan: AnyPlan) -> str:
    why = "none of their words stands in the corpus"
    if isinstance(plan, SimilarityPlan):
        why += f", or {plan.ranker} knows none: word vectors and tables must be of their language"
    return f'No topic of "{topics.slug}" finds a document: {why}.'


def _listed(names: Sequence[str], most: int = 20) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")
