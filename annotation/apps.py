from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Studies and judgments"

    def ready(self) -> None:
        from annotation import checks  # noqa: F401 - registers the system checks
        from annotation.studies.standing_on import excerpts_with_items, studies_on
        from retrieval.curating import dependents

        dependents.register(studies_on, excerpts_with_items)
