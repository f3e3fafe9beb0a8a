from django.apps import AppConfig


class CorporaConfig(AppConfig):
    name = "retrieval.corpora"
    label = "corpora"
    verbose_name = "Corpora, topics and runs"

    def ready(self) -> None:
        from retrieval.corpora.loading.texts import corpora_on
        from retrieval.corpora.models import EndpointJob, SearchJob
        from retrieval.curating import dependents
        from retrieval.jobs import queue

        dependents.register(corpora_on)
        queue.register(SearchJob, "retrieval.corpora.searching.jobs")
        queue.register(EndpointJob, "retrieval.corpora.reranking.jobs")
