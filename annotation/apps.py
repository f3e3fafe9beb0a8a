from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Studies and judgments"

    def ready(self) -> None:
        from annotation import checks  # noqa: F401 - registers the system checks
        from annotation.models import LeakCheck, MachineJob
        from annotation.studies.standing_on import excerpts_with_items, studies_on
        from retrieval.curating import dependents
        from retrieval.jobs import queue

        dependents.register(studies_on, excerpts_with_items)
        queue.register(LeakCheck, "annotation.studies.leak_checks.jobs")
        queue.register(MachineJob, "annotation.machine.jobs")
