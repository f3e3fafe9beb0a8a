from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from retrieval.corpora.models import EndpointJob, SearchJob
    from retrieval.jobs.listed import Said


class CorporaConfig(AppConfig):
    name = "retrieval.corpora"
    label = "corpora"
    verbose_name = "Corpora, topics and runs"

    def ready(self) -> None:
        from machines import purposes
        from retrieval.corpora.loading.texts import corpora_on
        from retrieval.corpora.models import EndpointJob, SearchJob, What
        from retrieval.corpora.runs.standing import runs_with
        from retrieval.curating import dependents
        from retrieval.jobs import listed, queue

        dependents.register(corpora_on)
        dependents.register(runs_with)
        for what in What.values:
            purposes.register(what, _asked_for)
        queue.register(SearchJob, "retrieval.corpora.searching.jobs")
        queue.register(EndpointJob, "retrieval.corpora.reranking.jobs")
        searches = SearchJob.objects.select_related("corpus", "created_by")
        listed.register(SearchJob, listed.Listed(lambda by: searches.all(), _said))
        asked = EndpointJob.objects.select_related("corpus", "created_by")
        listed.register(EndpointJob, listed.Listed(lambda by: asked.all(), _said_of_models))


def _asked_for(numbers: Collection[int]) -> Mapping[int, str]:
    from retrieval.corpora.models import EndpointJob

    rows = EndpointJob.objects.filter(pk__in=numbers).select_related("corpus")
    return {job.pk: f"{job}, of “{job.corpus.slug}”" for job in rows}


def _said(job: SearchJob) -> Said:
    from retrieval.jobs.listed import Said

    return Said(str(job), "Search of a corpus", job.corpus.title)


def _said_of_models(job: EndpointJob) -> Said:
    from retrieval.jobs.listed import Said

    return Said(str(job), job.get_what_display(), job.corpus.title)
