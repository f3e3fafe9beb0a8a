"""Who is in a study and how they come in, by API: people by pseudonym, invitations by link."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from annotation import access
from annotation.api.shapes import InvitationSerializer, PersonSerializer
from annotation.models import Enrolment, EnrolmentState, Invitation, Role, Study
from annotation.people import enrolments, leaving
from common.api import Conflict, Pages, Scoped, StrictFilters, StrictSerializer
from common.errors import BadInput

ACTS = ("role", "remove", "let_in", "let_begin")


class OfStudy(APIView):
    """What belongs to a study that you direct; a token needs `read`, and `direct` to change something."""

    permission_classes = (IsAuthenticated, Scoped)

    @property
    def scope(self) -> str:
        """The scope that a token needs: another one to change something."""
        return "read" if self.request.method in ("GET", "HEAD") else "direct"

    @property
    def by(self) -> User:
        """Who asks."""
        return cast("User", self.request.user)

    def study(self) -> Study:
        """Return the study, or raise Http404."""
        return access.get_study(self.by, self.kwargs["slug"])


class PersonFilters(StrictFilters):
    role = filters.ChoiceFilter(choices=Role.choices)
    state = filters.ChoiceFilter(choices=EnrolmentState.choices)


class ActSerializer(StrictSerializer):
    """What is to be done about somebody."""

    act = serializers.ChoiceField(
        ACTS, help_text="Another role, out of the study, in again, or past the practice"
    )
    role = serializers.ChoiceField(Role.choices, required=False, help_text="Where `act` is `role`")


class PeopleViewSet(OfStudy, mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Enrolment]):
    """The people of a study, by pseudonym: no name is told."""

    serializer_class = PersonSerializer
    pagination_class = Pages
    filterset_class = PersonFilters
    lookup_field = "pseudonym"
    lookup_value_regex = "[-a-zA-Z0-9_]+"
    queryset = Enrolment.objects.order_by("pk")

    def get_queryset(self) -> QuerySet[Enrolment]:
        return super().get_queryset().filter(study=self.study())

    @extend_schema(request=ActSerializer, responses={200: PersonSerializer})
    @action(detail=True, methods=["post"], filterset_class=None)
    def act(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Do one thing about one person; another role brings another pseudonym."""
        present = self.get_queryset().exclude(state=EnrolmentState.WITHDRAWN)
        person = get_object_or_404(present.select_related("study"), pseudonym=pseudonym)
        asked = ActSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        if (said["act"] == "role") != ("role" in said):
            raise ValidationError({"role": ["Send it with the act `role`, and with no other."]})
        try:
            _done(person, said, self.by)
        except BadInput as error:
            raise Conflict(str(error)) from error
        return Response(PersonSerializer(Enrolment.objects.get(pk=person.pk)).data)


def _done(person: Enrolment, said: dict[str, Any], by: User) -> None:
    if said["act"] == "role":
        leaving.change_role(person, said["role"], by=by)
    elif said["act"] == "remove":
        leaving.leave(person, by=by)
    elif said["act"] == "let_in":
        leaving.readmit(person, by=by)
    else:
        leaving.skip_practice(person, by=by, now=timezone.now())


class NewInvitationSerializer(StrictSerializer):
    """A new link."""

    role = serializers.ChoiceField(Role.choices, default=Role.ANNOTATOR)
    seats = serializers.IntegerField(
        default=1, min_value=1, max_value=enrolments.MOST_SEATS, help_text="How many people may use it"
    )
    days = serializers.IntegerField(default=14, min_value=1, max_value=enrolments.MOST_DAYS)


class InvitationViewSet(OfStudy, mixins.ListModelMixin, GenericViewSet[Invitation]):
    """Links into a study. Whoever has one can come in: treat answers as you treat keys."""

    serializer_class = InvitationSerializer
    pagination_class = Pages
    filterset_class = StrictFilters
    lookup_value_regex = r"\d{1,18}"
    queryset = Invitation.objects.select_related("study")

    def get_queryset(self) -> QuerySet[Invitation]:
        return super().get_queryset().filter(study=self.study())

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Make a link for so many people and days."""
        study = self.study()
        asked = NewInvitationSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            made = enrolments.invite(study, **asked.validated_data, by=self.by)
        except BadInput as error:
            raise Conflict(str(error)) from error
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={200: InvitationSerializer})
    @action(detail=True, methods=["post"], filterset_class=None)
    def revoke(self, request: Request, slug: str, pk: str) -> Response:
        """End a link; once more changes nothing. Who came by it stays."""
        invitation = get_object_or_404(self.get_queryset(), pk=pk)
        enrolments.revoke(invitation, by=self.by, now=timezone.now())
        invitation.refresh_from_db()
        return Response(self.get_serializer(invitation).data)
