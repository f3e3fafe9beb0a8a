"""Evaluations of runs that workers compute, for scripts: how far each is, and what came of it."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation.access import studies_for
from annotation.models import Study
from common.api import Pages, Scoped, StrictFilters, Text
from evaluation.models import EvaluationJob
from evaluation.runs.formats import data
from evaluation.runs.jobs import computing
from evaluation.runs.jobs.views import changed
from retrieval.api.corpora.views import CorpusReader
from retrieval.jobs import queue
from retrieval.models import Status

READ = "read"
"""The scope that a token needs for the grades of a study."""


class EvaluationJobSerializer(serializers.ModelSerializer[EvaluationJob]):
    corpus = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    topics = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]

    class Meta:
        model = EvaluationJob
        fields = (
            "id", "corpus", "topics", "asked", "inputs", "code_version", "status", "stage", "total", "done",
            "attempts", "error", "created", "started", "finished",
        )  # fmt: skip


class EvaluationFilters(StrictFilters):
    corpus = Text(field_name="corpus__slug")
    topics = Text(field_name="topics__slug")
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = EvaluationJob
        fields: ClassVar = ["corpus", "topics", "status"]


class EvaluationViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[EvaluationJob]):
    """Evaluations that a worker computes. A POST to the evaluation of a corpus's runs begins one.

    Those on the grades of a study are told to its researchers, and to tokens with the scope `read`.
    """

    permission_classes = (IsAuthenticated, Scoped, CorpusReader)
    pagination_class = Pages
    serializer_class = EvaluationJobSerializer
    filterset_class = EvaluationFilters
    lookup_value_regex = r"\d+"

    @property
    def scope(self) -> str:
        """The scope that a token needs: another one to stop an evaluation."""
        return "jobs" if self.request.method == "POST" else "corpora"

    def get_queryset(self) -> QuerySet[EvaluationJob]:
        may = self.request.auth is None or READ in getattr(self.request.auth, "scopes", ())
        studies = studies_for(cast("User", self.request.user)) if may else Study.objects.none()
        return computing.of_studies(studies)

    @extend_schema(responses={200: OpenApiTypes.OBJECT, 409: OpenApiTypes.OBJECT}, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def result(self, request: Request, pk: str) -> Response:
        """The numbers, with the keys of `evaluate_runs --format json`, and `changed`, the inputs that are not
        any more what they were computed from; 409 where it is not done."""
        job = get_object_or_404(self.get_queryset(), pk=pk)
        report = computing.report_of(job)
        if report is None:
            said = f"There are no numbers: the evaluation is {job.get_status_display().lower()}."
            return Response({"detail": said}, status=status.HTTP_409_CONFLICT)
        kept = {"finished": job.finished, "inputs": job.inputs, "changed": changed(job)}
        return Response({**data(report, per_topic=True), **kept})

    @extend_schema(request=None, responses={200: EvaluationJobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Stop an evaluation of one's own that has not ended; what it computed is kept.

        A token needs the scope `jobs`.
        """
        mine = self.get_queryset().filter(created_by=cast("User", request.user))
        job: Any = get_object_or_404(mine, pk=pk)
        queue.cancel(job.pk, EvaluationJob)
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)
