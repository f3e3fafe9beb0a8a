"""A run made here: every topic of a set searched for in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Document, Ranked, Run, TopicSet
from retrieval.corpora.searching import dense, indexes
from retrieval.corpora.searching.dense import DenseSearch
from retrieval.corpora.searching.plans import DensePlan, Plan
from retrieval.corpora.searching.searches import Search, Searched
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
    plan: Plan | DensePlan,
    by: User | None = None,
    progress: Progress = silent,
    also: Also = nothing_else,
) -> Run:
    """Search a corpus for every topic of a set and store the run, whole.

    `also` is called in the transaction that stores it, and may raise to store nothing.

    Raises:
        BadInput: the name is taken, no topic finds a document, or what the search refuses.
    """
    run = Run(corpus=corpus, topics=topics, name=name, ranker=plan.ranker, depth=plan.depth, created_by=by)
    check_name(run)
    search = opened(corpus, plan, progress)
    found = list(search.search_all(list(loading.current(topics)), progress))
    if not any(each.rows for each in found):
        raise BadInput(
            f'No topic of "{topics.slug}" finds a document: none of their words stands in the corpus.'
        )
    run.parameters = {"fields": list(plan.fields), "depth": plan.depth, **search.describe()}
    run.made_with = dict(search.made_with)
    run.notes = [*search.notes(), *_notes(found)]
    store(run, found, progress, also)
    return run


def opened(corpus: Corpus, plan: Plan | DensePlan, progress: Progress = silent) -> Search:
    """Return what carries out a plan; what it needs on disk is made where it is not there yet.

    Raises:
        BadInput: as `WordSearch` and `DenseSearch`.
    """
    if isinstance(plan, DensePlan):
        return DenseSearch(corpus, plan, progress)
    return WordSearch(corpus, plan, progress)


def expected(corpus: Corpus, plan: Plan | DensePlan) -> str:
    """Return in a sentence what a search needs of disk and memory. Raises `BadInput` as `opened`."""
    return dense.expected(corpus, plan) if isinstance(plan, DensePlan) else indexes.expected(corpus)


def store(
    run: Run, found: Sequence[Searched], progress: Progress = silent, also: Also = nothing_else
) -> None:
    """Store a run with its rows, whole. Raises `BadField` where its name is taken meanwhile."""
    try:
        with transaction.atomic():
            run.save(force_insert=True)
            for n, each in enumerate(found):
                _store(run, each)
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


def _store(run: Run, searched: Searched) -> None:
    numbers = [number for number, _ in searched.rows]
    keys: dict[int, int] = {}
    for start in range(0, len(numbers), BATCH):
        rows = Document.objects.filter(corpus=run.corpus, number__in=numbers[start : start + BATCH])
        keys.update(rows.values_list("number", "pk"))
    Ranked.objects.bulk_create(
        (
            Ranked(run=run, topic=searched.topic, rank=rank, document_id=keys[number], score=score)
            for rank, (number, score) in enumerate(searched.rows, 1)
        ),
        batch_size=BATCH,
    )


def _notes(found: Sequence[Searched]) -> list[str]:
    said = []
    nothing = [each.topic.topic.external_id for each in found if not each.rows]
    if nothing:
        said.append(f"{counted(len(nothing), 'topic')} without a document: {_listed(nothing)}.")
    if unknown := sorted({term for each in found for term in each.unknown}):
        said.append(f"Words of topics that no searched document has: {_listed(unknown)}.")
    lost = sorted({term for each in found for term in each.without_postings})
    if lost:
        said.append(f"Terms of feedback that no searched document has: {_listed(lost)}.")
    return said


def _listed(names: Sequence[str], most: int = 20) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")
