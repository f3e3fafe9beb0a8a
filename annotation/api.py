"""Studies, items and judgments, for scripts. Pseudonyms only; the same rules as the pages."""

from __future__ import annotations

import json
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation import access, judging
from annotation.assignment import next_place
from annotation.models import Assignment, Item, Judgment, Outcome, Place, State, Study
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from retrieval.api_base import Pages, Scoped, StrictFilters


class StudySerializer(serializers.ModelSerializer[Study]):
    items = serializers.IntegerField(source="n_items", read_only=True)
    places = serializers.IntegerField(source="n_places", read_only=True)
    places_done = serializers.IntegerField(source="n_done", read_only=True)

    class Meta:
        model = Study
        fields = (
            "slug", "title", "task", "overlap", "seed", "option_order", "state",
            "created", "opened", "closed", "items", "places", "places_done",
        )  # fmt: skip


class ItemSerializer(serializers.ModelSerializer[Item]):
    """For researchers of the study: with gold and provenance."""

    class Meta:
        model = Item
        fields = ("number", "digest", "kind", "payload", "gold", "provenance")


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    item = serializers.IntegerField(source="assignment.item.number", read_only=True)
    pseudonym = serializers.CharField(source="annotator.pseudonym", read_only=True)
    simulated = serializers.BooleanField(source="annotator.simulated", read_only=True)
    guideline_version = serializers.IntegerField(source="guideline.version", read_only=True, allow_null=True)

    class Meta:
        model = Judgment
        fields = (
            "id", "item", "pseudonym", "simulated", "outcome", "answer", "reason", "note", "order",
            "active_seconds", "revision", "guideline_version", "door", "created",
        )  # fmt: skip


class PlaceSerializer(serializers.Serializer[Any]):
    """A place you hold: what a reader sees, and nothing else."""

    id = serializers.IntegerField()
    study = serializers.CharField()
    item = serializers.IntegerField()
    task = serializers.CharField()
    shown = serializers.DictField(help_text="As the page shows it, options in your order")
    revision = serializers.IntegerField(help_text="Revisions stored so far: send it back with your answer")


def answers() -> str:
    """What `answer` looks like for each task type, by the type's own example."""
    shapes = []
    for slug, task in registry.all_types().items():
        plain = [{each.field: each.value} for each in task.plain_answers]
        forms = [json.dumps(answer) for answer in (task.example().answer, *plain)]
        shapes.append(f"{slug}: {' or '.join(forms)}")
    return f"In canonical terms, as the task has it. For example {'; '.join(shapes)}"


class AnswerSerializer(serializers.Serializer[Any]):
    """A judgment to submit. The same `submission` sent twice is one judgment."""

    submission = serializers.UUIDField(help_text="Made by you, new for every judgment")
    outcome = serializers.ChoiceField(choices=Outcome.choices, default=Outcome.ANSWER)
    answer = serializers.DictField(default=dict, help_text=answers())
    reason = serializers.CharField(default="", allow_blank=True, max_length=500)
    note = serializers.CharField(default="", allow_blank=True, max_length=10_000)
    active_seconds = serializers.FloatField(default=0, min_value=0)
    revision = serializers.IntegerField(default=0, min_value=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse fields nobody asked for: a script that sends `is_gold` should hear of it."""
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise ValidationError({unknown[0]: ["Unknown field."]})
        return attrs


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class StudyFilters(StrictFilters):
    state = filters.ChoiceFilter(choices=State.choices)


class JudgmentFilters(StrictFilters):
    item = filters.NumberFilter(field_name="assignment__item__number", min_value=0, max_value=10**9)
    pseudonym = filters.CharFilter(field_name="annotator__pseudonym")
    outcome = filters.ChoiceFilter(choices=Outcome.choices)


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
        places = Count("assignments", distinct=True)
        done = Count("assignments", filter=Q(assignments__status=Place.DONE), distinct=True)
        studies = access.studies_for(cast("User", self.request.user))
        return studies.annotate(n_items=Count("items", distinct=True), n_places=places, n_done=done)

    def page(self, rows: QuerySet[Any], serializer: type[serializers.ModelSerializer[Any]]) -> Response:
        entries = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(serializer(entries or [], many=True).data)

    @extend_schema(responses=ItemSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=ItemFilters)
    def items(self, request: Request, slug: str) -> Response:
        """Items with gold and provenance, in the order in which they were built."""
        study = access.get_study(cast("User", request.user), slug)
        return self.page(study.items.all(), ItemSerializer)

    @extend_schema(responses=JudgmentSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=JudgmentFilters)
    def judgments(self, request: Request, slug: str) -> Response:
        """Current judgments under pseudonyms, oldest first. Earlier revisions are in the export."""
        study = access.get_study(cast("User", request.user), slug)
        rows = Judgment.objects.current().filter(assignment__study=study)
        related = rows.select_related("assignment__item", "annotator", "guideline")
        return self.page(related, JudgmentSerializer)


class NextPlace(GenericAPIView[Assignment]):
    """Claim your next item in a study you annotate, or get again the one you hold."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=None, responses={200: PlaceSerializer, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        enrolment = access.get_enrolment(cast("User", request.user), slug)
        place = next_place(enrolment, now=timezone.now())
        if place is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(shown(place))


class PlaceJudgment(GenericAPIView[Assignment]):
    """Submit or revise your judgment at a place you hold."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=AnswerSerializer, responses={201: JudgmentSerializer})
    def post(self, request: Request, pk: int) -> Response:
        place, enrolment = access.get_place(cast("User", request.user), pk)
        body = AnswerSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        try:
            told = submission(body.validated_data)
            judgment = judging.submit(place, enrolment, told, now=timezone.now())
        except Invalid as error:
            raise ValidationError({error.field or "answer": [str(error)]}) from error
        except (judging.Stale, judging.Late) as error:
            raise Conflict(str(error)) from error
        return Response(JudgmentSerializer(judgment).data, status=status.HTTP_201_CREATED)


def submission(data: dict[str, Any]) -> judging.Submission:
    return judging.Submission(
        submission=data["submission"],
        outcome=data["outcome"],
        data=data["answer"],
        reason=data["reason"],
        note=data["note"],
        active_seconds=data["active_seconds"],
        previews=0,
        revision=data["revision"],
        door="api",
    )


def shown(place: Assignment) -> dict[str, Any]:
    study = place.study
    return {
        "id": place.pk,
        "study": study.slug,
        "item": place.item.number,
        "task": study.task,
        "shown": study.task_type.present(place.item.payload, place.order),
        "revision": place.judgments.count(),
    }
