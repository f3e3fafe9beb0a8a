"""What runs and searches of corpora stand on: the tables of words that a ranker used."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from retrieval.corpora.models import Run, SearchJob
from retrieval.curating.dependents import Deletable, Dependent
from retrieval.models import WordTable
from retrieval.models.loading import PENDING


def runs_with(row: Deletable) -> Iterator[Dependent]:
    """Yield each run that a table of words had a part in, and each search that may still use it."""
    if not isinstance(row, WordTable):
        return
    made = Run.everything.filter(made_with__similarity__tables__has_key=row.key)
    for run in made.select_related("corpus").order_by("pk"):
        address = reverse("corpora:run", args=[run.corpus.slug, run.name])
        yield Dependent(f"run {run.name} of {run.corpus.slug}", address)
    for job in SearchJob.objects.filter(PENDING).order_by("pk"):
        # Parameters name a table without its kind: one of another kind with this name waits, too.
        if row.slug in (job.plan.get("parameters") or {}).values():
            yield Dependent(f"search {job.pk}, which has not ended", job.get_absolute_url())
