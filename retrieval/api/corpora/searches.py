"""Searches of corpora, for scripts: how far each is, and the run that came of it. They are begun on pages."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from common.api import ForStaff, StrictFilters
from retrieval.corpora.models import SearchJob
from retrieval.corpora.searching import jobs
from retrieval.models import Status


class SearchSerializer(serializers.ModelSerializer[SearchJob]):
    corpus = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    topics = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    run = serializers.SlugRelatedField(slug_field="name", read_only=True, allow_null=True)  # type: ignore[var-annotated]

    class Meta:
        model = SearchJob
        fields = (
            "id", "corpus", "topics", "name", "plan", "run", "code_version", "status", "stage", "queue",
            "total", "done", "attempts", "error", "created", "started", "finished",
        )  # fmt: skip


class SearchFilters(StrictFilters):
    corpus = filters.CharFilter(field_name="corpus__slug")
    topics = filters.CharFilter(field_name="topics__slug")
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = SearchJob
        fields: ClassVar = ["corpus", "topics", "status"]


class SearchViewSet(ForStaff[SearchJob]):
    """Searches of corpora by workers: follow one, or cancel it."""

    serializer_class = SearchSerializer
    filterset_class = SearchFilters
    lookup_value_regex = r"\d+"
    queryset = SearchJob.objects.select_related("corpus", "topics", "run")

    @extend_schema(request=None, responses={200: SearchSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a search that has not ended. No run is stored; index and vectors are kept."""
        job: Any = get_object_or_404(self.get_queryset(), pk=pk)
        jobs.cancel(job)
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)
