"""Candidate jobs, for scripts: scholars follow them, staff launch them."""

from __future__ import annotations

from typing import ClassVar, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from common.api import Pages, Reading, Scoped, StaffOnly, StrictFilters, StrictSerializer, Text
from common.errors import BadInput
from retrieval.api.texts import ScholarReads
from retrieval.candidates import pooling, submitting
from retrieval.curating import deletion
from retrieval.jobs import queue
from retrieval.models import Book, CandidateJob, Status
from retrieval.models.curation import LONGEST_REASON
from retrieval.models.texts import HEAVY_BOOK


class JobSerializer(serializers.ModelSerializer[CandidateJob]):
    book = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    checkpoints = serializers.SerializerMethodField(help_text="sha256 of each model it ranks with, by name")
    words = serializers.DictField(
        child=serializers.CharField(),
        read_only=True,
        help_text="sha256 of each table of words it ranks with, by kind and name, as lemmas/latin",
    )

    class Meta:
        model = CandidateJob
        fields = (
            "id", "book", "ranker", "parameters", "made_with", "checkpoints", "words", "seed", "code_version",
            "status", "stage", "queue", "total", "done", "attempts", "error", "counts", "created", "started",
            "finished",
        )  # fmt: skip

    def get_checkpoints(self, job: CandidateJob) -> dict[str, str]:
        return dict(pooling.checkpoint_digests(job))


class LaunchSerializer(StrictSerializer):
    """What to compute. Left out parameters take the ranker's defaults."""

    book = serializers.SlugField(help_text="Slug of an imported book")
    ranker = serializers.CharField(default="bm25", max_length=60)
    parameters = serializers.DictField(
        default=dict,
        help_text="negatives, matching, pool, size (3 or [1, 5]), left, right, and the ranker's own, e.g. k1",
    )
    seed = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=submitting.LARGEST_SEED,
        help_text="Draws the order of exported pools, and the right passages' places in the order of length",
    )


class ReasonSerializer(StrictSerializer):
    """Why a job is deleted; kept with its name, who deleted it and when."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class JobFilters(StrictFilters):
    book = Text(field_name="book__slug")
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = CandidateJob
        fields: ClassVar = ["book", "status"]


class ScholarReadsStaffActs(BasePermission):
    """Let researchers and staff follow jobs, and staff alone do something about them."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        reads = request.method in ("GET", "HEAD")
        allowed = ScholarReads() if reads else StaffOnly()
        self.message = allowed.message
        return allowed.has_permission(request, view)


class JobViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[CandidateJob], Reading):
    """Launch a candidate job, follow it, cancel it, delete it where nothing stands on it."""

    permission_classes = (IsAuthenticated, Scoped, ScholarReadsStaffActs)
    pagination_class = Pages
    serializer_class = JobSerializer
    filterset_class = JobFilters
    lookup_value_regex = r"\d+"

    def get_queryset(self) -> QuerySet[CandidateJob]:
        return CandidateJob.objects.select_related("book").defer(*HEAVY_BOOK)

    @extend_schema(request=LaunchSerializer, responses={201: JobSerializer})
    def create(self, request: Request) -> Response:
        launch = LaunchSerializer(data=request.data)
        launch.is_valid(raise_exception=True)
        wanted = launch.validated_data
        book = Book.objects.filter(slug=wanted["book"]).first()
        if book is None:
            raise ValidationError({"book": [f"There is no book “{wanted['book']}”."]})
        try:
            job = submitting.submit(
                book,
                ranker=wanted["ranker"],
                parameters=wanted["parameters"],
                by=cast("User", request.user),
                seed=wanted["seed"],
            )
        except BadInput as error:
            raise ValidationError({"parameters": [str(error)]}) from error
        return Response(self.get_serializer(job).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={200: JobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a waiting or running job. What it computed so far is kept; retrying goes on from there."""
        job = get_object_or_404(self.get_queryset(), pk=pk)
        queue.cancel(job.pk)
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a job that has ended, and of which no study and no training was made, for good.

        A token needs the scope `delete` beside `jobs`.
        """
        job = get_object_or_404(self.get_queryset(), pk=pk)
        said = ReasonSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        by = cast("User", request.user)
        try:
            deletion.delete(job, reason=said.validated_data["reason"], by=by, now=timezone.now())
        except BadInput as error:
            raise ValidationError({"job": [str(error)]}) from error
        return Response(status=status.HTTP_204_NO_CONTENT)
