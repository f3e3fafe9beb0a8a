"""Studies with their items, judgments, decisions and assignments by API: pseudonyms only, with the same
access as the pages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Exists, Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation import access
from annotation.adjudication import worklist
from annotation.api import changing, drafting, shapes
from annotation.models import AssignmentStatus, Judgment, Kind, Outcome, State, Study
from annotation.models.record import newer_revisions
from annotation.studies import lifecycle, overview
from common.api import Conflict, Moment, Pages, Scoped, StrictFilters, Text, whole_number
from common.errors import BadInput


def latest() -> Q:
    """Return the condition under which a judgment is current, as `JudgmentQuerySet.current` has it."""
    return Q(~Exists(newer_revisions()), ~Q(outcome=Outcome.TAKEN_BACK))


class StudyFilters(StrictFilters):
    state = filters.ChoiceFilter(choices=State.choices)


class JudgmentFilters(StrictFilters):
    item = whole_number(field_name="assignment__item__number")
    pseudonym = Text(field_name="annotator__pseudonym")
    outcome = filters.ChoiceFilter(choices=Outcome.choices)
    kind = filters.ChoiceFilter(
        field_name="assignment__item__kind", choices=Kind.choices, help_text="Of the item"
    )
    current = filters.ChoiceFilter(
        choices=[("true", "The latest"), ("false", "Those revised later"), ("any", "All")],
        method="by_revision",
        help_text="true: the latest at each assignment, which is what is meant where this is left out; "
        "false: those that were revised later; any: all",
    )
    since = Moment(field_name="created", lookup_expr="gte", help_text="Given at this moment or later")

    def by_revision(self, rows: QuerySet[Judgment], name: str, value: str) -> QuerySet[Judgment]:
        return rows if value == "any" else rows.filter(latest() if value == "true" else ~latest())

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        found = super().filter_queryset(queryset)
        return found if self.form.cleaned_data.get("current") else found.filter(latest())


class DecisionFilters(StrictFilters):
    item = whole_number(field_name="item__number")


class ItemFilters(StrictFilters):
    number = whole_number()
    kind = filters.ChoiceFilter(choices=Kind.choices)


class AssignmentFilters(StrictFilters):
    item = whole_number(field_name="item__number")
    pseudonym = Text(field_name="annotator__pseudonym")
    status = filters.ChoiceFilter(choices=AssignmentStatus.choices)


class StudyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Study]):
    """The studies you research: set up, open and close them; read their items and their judgments."""

    permission_classes = (IsAuthenticated, Scoped)
    serializer_class = shapes.StudySerializer
    pagination_class = Pages
    filterset_class: type[StrictFilters] = StudyFilters
    lookup_field = "slug"

    @property
    def scope(self) -> str:
        """The scope that a token needs: another one to change something."""
        return "read" if self.request.method in SAFE_METHODS else "direct"

    def get_queryset(self) -> QuerySet[Study]:
        return overview.with_counts(access.studies_for(cast("User", self.request.user)))

    def page(
        self, rows: QuerySet[Any], serializer: type[serializers.ModelSerializer[Any]], **context: Any
    ) -> Response:
        entries = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(serializer(entries or [], many=True, context=context).data)

    @extend_schema(request=drafting.NewStudySerializer, responses={201: shapes.StudySerializer})
    def create(self, request: Request) -> Response:
        """Make a draft, without items or with those of a finished candidate job. You become its researcher.

        A token needs the scope `direct`.
        """
        by = cast("User", request.user)
        if not by.has_perm("annotation.add_study"):
            raise PermissionDenied("Only researchers may set up studies.")
        made = drafting.draft(request.data, by)
        return Response(self.told(made), status=status.HTTP_201_CREATED)

    @extend_schema(request=changing.StudyChangesSerializer, responses={200: shapes.StudySerializer})
    def partial_update(self, request: Request, slug: str) -> Response:
        """Change settings of a draft, as its steps do; what is left out stays, and all are changed or none.

        Title, contact, quota, lease and pay can be changed later, too; 409 names what cannot.
        """
        by = cast("User", request.user)
        study = access.get_study(by, slug)
        changing.change(study, request.data, by)
        return Response(self.told(study))

    @extend_schema(request=None, responses={200: shapes.StudySerializer})
    @action(detail=True, methods=["post"])
    def open(self, request: Request, slug: str) -> Response:
        """Make the assignments and let the readers in; 409 says what is missing."""
        return self.turned(lambda study, by: lifecycle.open_study(study, by=by, now=timezone.now()))

    @extend_schema(request=None, responses={200: shapes.StudySerializer})
    @action(detail=True, methods=["post"])
    def close(self, request: Request, slug: str) -> Response:
        """Let nobody submit any more. What was said stays."""
        return self.turned(lambda study, by: lifecycle.close_study(study, by=by, now=timezone.now()))

    @extend_schema(request=None, responses={200: shapes.StudySerializer})
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, slug: str) -> Response:
        """Let the readers of a closed study in again."""
        return self.turned(lambda study, by: lifecycle.reopen_study(study, by=by))

    def turned(self, act: Callable[[Study, User], Study]) -> Response:
        """Do something to the study as a whole, and return it as it is then."""
        by = cast("User", self.request.user)
        study = access.get_study(by, self.kwargs["slug"])
        try:
            act(study, by)
        except BadInput as error:
            raise Conflict(str(error)) from error
        return Response(self.told(study))

    def told(self, study: Study) -> Any:
        """Return a study as the API says it, with its counts."""
        return shapes.StudySerializer(overview.with_counts(Study.objects.filter(pk=study.pk)).get()).data

    @extend_schema(responses=shapes.ItemSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=ItemFilters)
    def items(self, request: Request, slug: str) -> Response:
        """Items with gold and provenance, in the order in which they were built."""
        study = access.get_study(cast("User", request.user), slug)
        return self.page(study.items.select_related("replaces"), shapes.ItemSerializer)

    @extend_schema(request=drafting.NewItemsSerializer, responses={201: shapes.AddedSerializer})
    @items.mapping.post
    def add_items(self, request: Request, slug: str) -> Response:
        """Add items to a draft, or to an open study, whose readers are given them at once.

        All of them are added or none; those that it has already are not added again. 409 says why an open or
        closed study does not take them.
        """
        by = cast("User", request.user)
        added = drafting.add_items(access.get_study(by, slug), request.data, by)
        return Response(shapes.AddedSerializer(added).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=shapes.MarkedJudgmentSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=JudgmentFilters)
    def judgments(self, request: Request, slug: str) -> Response:
        """Judgments under pseudonyms, oldest first, of items of every kind; the current ones, unless others
        are asked for."""
        study = access.get_study(cast("User", request.user), slug)
        rows = Judgment.objects.filter(assignment__study=study).annotate(is_current=latest())
        related = rows.select_related("assignment__item", "annotator", "guideline")
        return self.page(related, shapes.MarkedJudgmentSerializer, study=study)

    @extend_schema(responses=shapes.DecisionSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=DecisionFilters)
    def decisions(self, request: Request, slug: str) -> Response:
        """The latest decision on each item that was decided; `answer` null: none can be given."""
        study = access.get_study(cast("User", request.user), slug)
        rows = worklist.current_decisions(study).select_related("adjudicator", "item")
        return self.page(rows, shapes.DecisionSerializer)

    @extend_schema(responses=shapes.PlaceSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=AssignmentFilters)
    def assignments(self, request: Request, slug: str) -> Response:
        """Who holds or has done what; `pseudonym` null: it is free."""
        study = access.get_study(cast("User", request.user), slug)
        return self.page(study.assignments.select_related("item", "annotator"), shapes.PlaceSerializer)
