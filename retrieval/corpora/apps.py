from django.apps import AppConfig


class CorporaConfig(AppConfig):
    name = "retrieval.corpora"
    label = "corpora"
    verbose_name = "Corpora, topics and runs"
