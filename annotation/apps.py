from __future__ import annotations

from collections.abc import Collection, Mapping

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Studies and judgments"

    def ready(self) -> None:
        from annotation import checks  # noqa: F401 - registers the system checks
        from annotation.machine.jobs import PURPOSE
        from annotation.models import LeakCheck, MachineJob
        from annotation.studies.standing_on import excerpts_with_items, studies_on
        from machines import purposes
        from retrieval.curating import dependents
        from retrieval.jobs import queue

        purposes.register(PURPOSE, _readers)
        dependents.register(studies_on, excerpts_with_items)
        queue.register(LeakCheck, "annotation.studies.leak_checks.jobs")
        queue.register(MachineJob, "annotation.machine.jobs")


def _readers(numbers: Collection[int]) -> Mapping[int, str]:
    from annotation.machine.jobs import told_of

    return told_of(numbers)
