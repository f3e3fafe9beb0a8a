from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from annotation.models import ItemImport, LeakCheck, MachineJob
    from retrieval.jobs.listed import Said


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Studies and judgments"

    def ready(self) -> None:
        from annotation import checks  # noqa: F401 - registers the system checks
        from annotation.machine.jobs import PURPOSE
        from annotation.models import Delivery, ItemImport, LeakCheck, MachineJob
        from annotation.studies.standing_on import excerpts_with_items, studies_on
        from machines import purposes
        from retrieval.curating import dependents
        from retrieval.jobs import chores, listed, queue
        from retrieval.loading import uploads

        chores.register("annotation.record.sealing.seal_if_due")
        chores.register("annotation.mail.sending.send_if_due")
        purposes.register(PURPOSE, _readers)
        dependents.register(studies_on, excerpts_with_items)
        queue.register(LeakCheck, "annotation.studies.leak_checks.jobs")
        queue.register(ItemImport, "annotation.studies.importing.jobs")
        uploads.register("items-", ItemImport)
        queue.register(MachineJob, "annotation.machine.jobs")
        queue.register(Delivery, "annotation.webhooks.delivering")
        listed.register(MachineJob, listed.Listed(_readings_seen_by, _said_of_reading))
        listed.register(LeakCheck, listed.Listed(_checks_seen_by, _said_of_check))
        listed.register(ItemImport, listed.Listed(_imports_seen_by, _said_of_import))


def _readings_seen_by(by: User) -> QuerySet[MachineJob]:
    from annotation.access import studies_for
    from annotation.models import MachineJob

    studies = studies_for(by).order_by().values("pk")
    return MachineJob.objects.filter(reader__study__in=studies).select_related("reader__study", "created_by")


def _said_of_reading(job: MachineJob) -> Said:
    from retrieval.jobs.listed import Said

    reader = job.reader
    return Said(str(job), "Reading by a machine", f"{reader.study.title}, {reader.endpoint}")


def _checks_seen_by(by: User) -> QuerySet[LeakCheck]:
    from annotation.access import studies_for
    from annotation.models import LeakCheck

    studies = studies_for(by).order_by().values("pk")
    return LeakCheck.objects.filter(study__in=studies).select_related("study", "created_by")


def _said_of_check(job: LeakCheck) -> Said:
    from retrieval.jobs.listed import Said

    return Said(f"Check {job.pk} for printed answers", "Check for printed answers", job.study.title)


def _imports_seen_by(by: User) -> QuerySet[ItemImport]:
    from annotation.access import studies_for
    from annotation.models import ItemImport

    studies = studies_for(by).order_by().values("pk")
    return ItemImport.objects.filter(study__in=studies).select_related("study", "created_by")


def _said_of_import(job: ItemImport) -> Said:
    from retrieval.jobs.listed import Said

    return Said(job.name, "Import of items", job.study.title)


def _readers(numbers: Collection[int]) -> Mapping[int, str]:
    from annotation.machine.overview import told_of

    return told_of(numbers)
