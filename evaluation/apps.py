from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from evaluation.models import EvaluationJob
    from retrieval.jobs.listed import Said


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Numbers"

    def ready(self) -> None:
        from evaluation.models import EvaluationJob
        from retrieval.jobs import chores, listed, queue

        chores.register("evaluation.stopping.taking.take_due")
        queue.register(EvaluationJob, "evaluation.runs.jobs.computing")
        listed.register(EvaluationJob, listed.Listed(_seen_by, _said))


def _seen_by(by: User) -> QuerySet[EvaluationJob]:
    from annotation.access import studies_for
    from evaluation.runs.jobs import computing

    return computing.of_studies(studies_for(by))


def _said(job: EvaluationJob) -> Said:
    from retrieval.jobs.listed import Said

    return Said(str(job), "Evaluation of runs", job.corpus.title)
