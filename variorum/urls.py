"""Which address leads where."""

from django.urls import include, path

urlpatterns = [
    path("", include("retrieval.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]
