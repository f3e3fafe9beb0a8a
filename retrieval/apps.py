from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from retrieval.jobs.listed import Said
    from retrieval.models import CandidateJob, LoadingJob


class RetrievalConfig(AppConfig):
    name = "retrieval"
    verbose_name = "Books and candidates"

    def ready(self) -> None:
        from retrieval.jobs import listed
        from retrieval.models import CandidateJob, LoadingJob
        from retrieval.models.texts import HEAVY_BOOK, HEAVY_TEXTS

        ranking = CandidateJob.objects.select_related("book", "created_by").defer(*HEAVY_BOOK)
        loading = LoadingJob.objects.select_related("book", "source", "created_by").defer(*HEAVY_TEXTS)
        listed.register(CandidateJob, listed.Listed(lambda by: ranking.all(), _ranking, of_books=True))
        listed.register(LoadingJob, listed.Listed(lambda by: loading.all(), _loading, of_books=True))


def _ranking(job: CandidateJob) -> Said:
    from retrieval.candidates.outcome import ranker_label
    from retrieval.jobs.listed import Said

    return Said(f"Job {job.pk}", ranker_label(job.ranker), book=job.book)


def _loading(job: LoadingJob) -> Said:
    from retrieval.jobs.listed import Said

    source = job.source.citation if job.source else job.name
    return Said(str(job), job.get_work_display(), source, job.book)
