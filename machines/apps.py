from django.apps import AppConfig


class MachinesConfig(AppConfig):
    name = "machines"
    verbose_name = "Models that are asked"

    def ready(self) -> None:
        from machines import checks  # noqa: F401 - registers the system checks
