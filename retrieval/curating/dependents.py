"""What stands on a book, a source, an excerpt or a job, so that it cannot be deleted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from django.urls import reverse

from common.wording import counted
from retrieval.models import (
    Book,
    CandidateJob,
    EncodingJob,
    Excerpt,
    LoadingJob,
    Source,
    TrainingJob,
    WordTable,
)
from retrieval.models.loading import PENDING

Deletable = Book | Source | Excerpt | CandidateJob | LoadingJob | TrainingJob | WordTable


class Dependent(NamedTuple):
    """Something that would lose what it is made of.

    words: what it is, as in a list.
    address: of its page; empty where it has none.
    """

    words: str
    address: str = ""


Ask = Callable[[Deletable], Iterable[Dependent]]
Hold = Callable[[Collection[int]], Iterable[int]]
"""Takes the keys of excerpts, and returns those on which something stands."""
_asked: list[Ask] = []
_holding: list[Hold] = []


def register(ask: Ask, hold: Hold | None = None) -> None:
    """Let an application above this one say what of its own stands on a row.

    `hold`: the same of many excerpts at once; None where it has nothing that stands on an excerpt.
    """
    if ask not in _asked:
        _asked.append(ask)
    if hold is not None and hold not in _holding:
        _holding.append(hold)


def dependents(row: Deletable) -> list[Dependent]:
    """Return everything that stands on a row; nothing where it may be deleted."""
    return [*_own(row), *(each for ask in _asked for each in ask(row))]


def held(keys: Collection[int]) -> set[int]:
    """Return those of some excerpts on which a job, a training or something of an application above stands.

    What holds an excerpt as long as it is there itself, an earlier version, is not looked at.
    """
    of_jobs, of_trainings = CandidateJob.excerpts.through.objects, TrainingJob.excerpts.through.objects
    own = (
        rows.filter(excerpt__in=keys).values_list("excerpt", flat=True) for rows in (of_jobs, of_trainings)
    )
    return {key for found in (*own, *(hold(keys) for hold in _holding)) for key in found}


def _own(row: Deletable) -> Iterator[Dependent]:
    if isinstance(row, Book):
        yield from _of_text(row.excerpts.count(), f"book={row.slug}", row.loadings.filter(PENDING))
        yield from map(_job, row.jobs.order_by("pk"))
        yield from map(_training, row.trainings.order_by("pk"))
        for encoding in EncodingJob.objects.filter(PENDING, book=row):
            yield Dependent(f"encoding {encoding.pk}, which has not ended", encoding.get_absolute_url())
    elif isinstance(row, Source):
        yield from _of_text(row.excerpts.count(), f"source={row.slug}", row.loadings.filter(PENDING))
    elif isinstance(row, Excerpt):
        yield from map(_job, row.jobs.order_by("pk"))
        yield from map(_training, row.trainings.order_by("pk"))
        for earlier in Excerpt.objects.filter(superseded_by=row):
            yield Dependent(f"excerpt {earlier.pk}, which it supersedes", earlier.get_absolute_url())
    elif isinstance(row, CandidateJob):
        learns = TrainingJob.objects.order_by("pk")
        yield from (_training(each) for each in learns if row.pk in each.plan.get("negatives", ()))
    elif isinstance(row, TrainingJob) and row.made:
        yield Dependent(f"the model {row.made}, which came of it and stays", reverse("retrieval:trainings"))
    elif isinstance(row, WordTable):
        yield from map(_job, CandidateJob.objects.filter(words__has_key=row.key).order_by("pk"))


def _of_text(excerpts: int, query: str, searches: Iterable[LoadingJob]) -> Iterator[Dependent]:
    if excerpts:
        address = f"{reverse('retrieval:excerpts')}?{query}&standing=all"
        yield Dependent(counted(excerpts, "excerpt"), address)
    for each in searches:
        yield Dependent(f"{str(each).lower()}, which has not ended", each.get_absolute_url())


def _job(job: CandidateJob) -> Dependent:
    return Dependent(f"job {job.pk}", job.get_absolute_url())


def _training(job: TrainingJob) -> Dependent:
    return Dependent(f"training {job.pk}: {job.name}", job.get_absolute_url())
