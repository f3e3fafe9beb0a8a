from __future__ import annotations

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
        from retrieval.corpora.loading.texts import corpora_on
        from retrieval.corpora.models import EndpointJob, SearchJob
        from retrieval.corpora.runs.standing import runs_with
        from retrieval.curating import dependents
        from retrieval.jobs import listed, queue

        dependents.register(corpora_on)
        dependents.register(runs_with)
        queue.register(SearchJob, "retrieval.corpora.searching.jobs")
        queue.register(EndpointJob, "retrieval.corpora.reranking.jobs")
        searches = SearchJob.objects.select_related("corpus", "created_by")
        listed.register(SearchJob, listed.Listed(lambda by: searches.all(), _said))
        asked = EndpointJob.objects.select_related("corpus", "created_by")
        listed.register(EndpointJob, listed.Listed(lambda by: asked.all(), _said_of_models))


def _said(job: SearchJob) -> Said:
    from retrieval.jobs.listed import Said

    return Said(str(job), "Search of a corpus", job.corpus.title)


def _said_of_models(job: EndpointJob) -> Said:
    from retrieval.jobs.listed import Said

    return Said(str(job), job.get_what_display(), job.corpus.title)
