from django.apps import AppConfig


class VariorumConfig(AppConfig):
    name = "variorum"
    verbose_name = "Variorum"
