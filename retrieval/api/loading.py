"""Searches for quotations and imports of large files, for scripts: read only. They are begun on pages."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers

from common.api import ForStaff, StrictFilters, Text
from retrieval.models import LoadingJob, LoadingTask, Status
from retrieval.models.texts import HEAVY_TEXTS


class LoadingSerializer(serializers.ModelSerializer[LoadingJob]):
    book = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    source = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[assignment, var-annotated]

    class Meta:
        model = LoadingJob
        fields = (
            "id", "work", "book", "source", "name", "sha256", "facts", "code_version", "status", "stage",
            "queue", "total", "done", "attempts", "error", "counts", "created", "started", "finished",
        )  # fmt: skip


class LoadingFilters(StrictFilters):
    book = Text(field_name="book__slug")
    source = Text(field_name="source__slug")
    work = filters.ChoiceFilter(choices=LoadingTask.choices)
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = LoadingJob
        fields: ClassVar = ["book", "source", "work", "status"]


class LoadingViewSet(ForStaff[LoadingJob]):
    """Searches for quotations and imports of large files: how far each is, and what it found or stored."""

    serializer_class = LoadingSerializer
    filterset_class = LoadingFilters
    lookup_value_regex = r"\d+"

    def get_queryset(self) -> QuerySet[LoadingJob]:
        return LoadingJob.objects.select_related("book", "source").defer(*HEAVY_TEXTS)
