from django.apps import AppConfig


class VariorumConfig(AppConfig):
    name = "variorum"
    verbose_name = "Variorum"

    def ready(self) -> None:
        from variorum import checks  # noqa: F401 - registers the system checks
        from variorum.accounts import recorded  # noqa: F401 - hears who signs in
