"""Studies with their items, judgments and decisions by API: pseudonyms only, with the same access as the
pages.
"""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation import access
from annotation.adjudication import worklist
from annotation.models import Decision, Item, Judgment, Outcome, State, Study
from annotation.studies import overview
from common.api import Pages, Scoped, StrictFilters


class StudySerializer(serializers.ModelSerializer[Study]):
    items = serializers.IntegerField(source="n_items", read_only=True)
    assignments = serializers.IntegerField(source="n_assignments", read_only=True)
    assignments_done = serializers.IntegerField(source="n_done", read_only=True)

    class Meta:
        model = Study
        fields = (
            "slug", "title", "task", "overlap", "seed", "option_order", "state",
            "created", "opened", "closed", "items", "assignments", "assignments_done",
        )  # fmt: skip


class ItemSerializer(serializers.ModelSerializer[Item]):
    """For researchers of the study: with gold and provenance, and which version it is."""

    replaces = serializers.IntegerField(source="replaces.number", read_only=True, allow_null=True)

    class Meta:
        model = Item
        fields = (
            "number", "digest", "kind", "payload", "gold", "provenance",
            "version", "replaces", "quarantined", "retired",
        )  # fmt: skip


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    item = serializers.IntegerField(source="assignment.item.number", read_only=True)
    pseudonym = serializers.CharField(source="annotator.pseudonym", read_only=True)
    simulated = serializers.BooleanField(source="annotator.simulated", read_only=True)
    guideline_version = serializers.IntegerField(source="guideline.version", read_only=True, allow_null=True)
    group_place = serializers.IntegerField(
        source="assignment.group_place",
        read_only=True,
        allow_null=True,
        help_text="Which of its group, such as its topic, the item was for this reader, from 1",
    )
    arm = serializers.CharField(source="assignment.arm", read_only=True)
    revealed_at = serializers.DateTimeField(source="assignment.revealed_at", read_only=True, allow_null=True)
    kept_at = serializers.DateTimeField(source="assignment.kept_at", read_only=True, allow_null=True)

    class Meta:
        model = Judgment
        fields = (
            "id", "item", "pseudonym", "simulated", "outcome", "answer", "reason", "note", "order",
            "group_place", "neighbours", "confidence", "basis", "active_seconds", "revision",
            "guideline_version", "consent_version",
            "channel", "created", "arm", "revealed_at", "kept_at", "seen",
        )  # fmt: skip


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """What an adjudicator decided. No number on agreement looks at it."""

    item = serializers.IntegerField(source="item.number", read_only=True)
    adjudicator = serializers.CharField(source="adjudicator.pseudonym", read_only=True)

    class Meta:
        model = Decision
        fields = ("id", "item", "revision", "answer", "adopted", "reason", "seen", "adjudicator", "created")


class StudyFilters(StrictFilters):
    state = filters.ChoiceFilter(choices=State.choices)


class JudgmentFilters(StrictFilters):
    item = filters.NumberFilter(field_name="assignment__item__number", min_value=0, max_value=10**9)
    pseudonym = filters.CharFilter(field_name="annotator__pseudonym")
    outcome = filters.ChoiceFilter(choices=Outcome.choices)


class DecisionFilters(StrictFilters):
    item = filters.NumberFilter(field_name="item__number", min_value=0, max_value=10**9)


class ItemFilters(StrictFilters):
    number = filters.NumberFilter(min_value=0, max_value=10**9)


class StudyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Study]):
    """The studies you research: their items and their judgments."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)
    serializer_class = StudySerializer
    pagination_class = Pages
    filterset_class: type[StrictFilters] = StudyFilters
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Study]:
        return overview.with_counts(access.studies_for(cast("User", self.request.user)))

    def page(self, rows: QuerySet[Any], serializer: type[serializers.ModelSerializer[Any]]) -> Response:
        entries = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(serializer(entries or [], many=True).data)

    @extend_schema(responses=ItemSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=ItemFilters)
    def items(self, request: Request, slug: str) -> Response:
        """Items with gold and provenance, in the order in which they were built."""
        study = access.get_study(cast("User", request.user), slug)
        return self.page(study.items.select_related("replaces"), ItemSerializer)

    @extend_schema(responses=JudgmentSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=JudgmentFilters)
    def judgments(self, request: Request, slug: str) -> Response:
        """Current judgments under pseudonyms, oldest first. Earlier revisions are in the export."""
        study = access.get_study(cast("User", request.user), slug)
        rows = Judgment.objects.current().filter(assignment__study=study)
        related = rows.select_related("assignment__item", "annotator", "guideline")
        return self.page(related, JudgmentSerializer)

    @extend_schema(responses=DecisionSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=DecisionFilters)
    def decisions(self, request: Request, slug: str) -> Response:
        """The latest decision on each item that was decided; `answer` null: none can be given."""
        study = access.get_study(cast("User", request.user), slug)
        rows = worklist.current_decisions(study).select_related("adjudicator", "item")
        return self.page(rows, DecisionSerializer)
