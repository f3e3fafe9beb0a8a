"""Trainings, for scripts: read only. They are planned on the page or by the command."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers

from common.api import ForStaff, StrictFilters, Text
from retrieval.models import Status, TrainingBook, TrainingJob

SPLITS = TrainingBook.objects.select_related("book").only("job", "split", "book__slug", "book__sha256")


class TrainingBookSerializer(serializers.ModelSerializer[TrainingBook]):
    book = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    sha256 = serializers.CharField(source="book.sha256", read_only=True)

    class Meta:
        model = TrainingBook
        fields = ("book", "split", "sha256")


class EpochSerializer(serializers.Serializer[Any]):
    """Mean losses of one epoch."""

    number = serializers.IntegerField()
    loss = serializers.FloatField()
    validation = serializers.FloatField()


class TrainingSerializer(serializers.ModelSerializer[TrainingJob]):
    books = TrainingBookSerializer(source="splits", many=True, read_only=True)
    curve = EpochSerializer(many=True, read_only=True)
    checkpoint = serializers.SlugRelatedField(source="made", slug_field="sha256", read_only=True)  # type: ignore[var-annotated]
    card = serializers.SerializerMethodField(help_text="The model card, once the training is done")

    class Meta:
        model = TrainingJob
        fields = (
            "id", "name", "toy", "start", "start_sha256", "books", "plan", "seed", "code_version", "status",
            "stage", "queue", "total", "done", "attempts", "error", "counts", "curve", "checkpoint", "card",
            "created", "started", "finished",
        )  # fmt: skip

    def get_card(self, job: TrainingJob) -> dict[str, Any] | None:
        return job.made.card if job.made else None


class TrainingFilters(StrictFilters):
    name = Text()
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = TrainingJob
        fields: ClassVar = ["name", "status"]


class TrainingViewSet(ForStaff[TrainingJob]):
    """Follow trainings, and read their losses and model cards."""

    serializer_class = TrainingSerializer
    filterset_class = TrainingFilters
    lookup_value_regex = r"\d+"

    def get_queryset(self) -> QuerySet[TrainingJob]:
        return TrainingJob.objects.select_related("made").prefetch_related(Prefetch("splits", SPLITS))
