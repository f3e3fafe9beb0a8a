"""Webhooks of a study by API: who is told, of what, and what became of each message."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation.api.people import OfStudy
from annotation.models import Delivery, HookEvent, Webhook
from annotation.models.webhooks import TEST
from annotation.webhooks import hooks
from common.api import Conflict, Pages, StrictFilters, StrictSerializer
from common.errors import BadField, BadInput
from retrieval.models import Status


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    events = serializers.ListField(child=serializers.ChoiceField(HookEvent.choices), read_only=True)

    class Meta:
        model = Webhook
        fields = ("id", "receiver", "events", "created", "ended")


class NewWebhookSerializer(StrictSerializer):
    """Who is to be told, and of what."""

    receiver = serializers.CharField(
        max_length=50, help_text="Name of a receiver that the installation allows (docs/api.md)"
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(HookEvent.choices), min_length=1, max_length=len(HookEvent.choices)
    )


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """A message, and what became of it."""

    class Meta:
        model = Delivery
        fields = (
            "id", "identifier", "event", "data", "status", "tries", "answered", "error", "not_before",
            "created", "finished",
        )  # fmt: skip


class DeliveryFilters(StrictFilters):
    status = filters.ChoiceFilter(choices=Status.choices)
    event = filters.ChoiceFilter(choices=[*HookEvent.choices, (TEST, "A test")])


class WebhookViewSet(OfStudy, mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Webhook]):
    """Which receivers are told of the progress of a study that you direct."""

    serializer_class = WebhookSerializer
    pagination_class = Pages
    filterset_class: type[StrictFilters] = StrictFilters
    lookup_value_regex = r"\d{1,18}"
    queryset = Webhook.objects.all()

    def get_queryset(self) -> QuerySet[Webhook]:
        return super().get_queryset().filter(study=self.study())

    @extend_schema(request=NewWebhookSerializer, responses={201: WebhookSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Have a receiver told. Its address and its secret stand in the settings of the installation."""
        study = self.study()
        asked = NewWebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            made = hooks.add(study, **asked.validated_data, by=self.by)
        except BadField as error:
            raise ValidationError({error.field: [str(error)]}) from error
        except BadInput as error:
            raise Conflict(str(error)) from error
        return Response(WebhookSerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={200: WebhookSerializer})
    @action(detail=True, methods=["post"], filterset_class=None)
    def end(self, request: Request, slug: str, pk: str) -> Response:
        """Tell the receiver nothing more, not even what waits; once more changes nothing."""
        hook = get_object_or_404(self.get_queryset(), pk=pk)
        hooks.end(hook, by=self.by)
        hook.refresh_from_db()
        return Response(WebhookSerializer(hook).data)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"], filterset_class=None)
    def test(self, request: Request, slug: str, pk: str) -> Response:
        """Send a message `webhook.test`, which tells nothing, to see whether it arrives."""
        hook = get_object_or_404(self.get_queryset(), pk=pk)
        try:
            message = hooks.send_test(hook, by=self.by)
        except BadInput as error:
            raise Conflict(str(error)) from error
        return Response(DeliverySerializer(message).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=DeliverySerializer(many=True), filters=True)
    @action(detail=True, filterset_class=DeliveryFilters)
    def deliveries(self, request: Request, slug: str, pk: str) -> Response:
        """The messages, oldest first; those of events that it is not told of are left out."""
        hook = get_object_or_404(self.get_queryset(), pk=pk)
        rows: QuerySet[Any] = hooks.deliveries(hook)
        entries = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(DeliverySerializer(entries or [], many=True).data)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(
        detail=True,
        methods=["post"],
        url_path=r"deliveries/(?P<number>\d{1,18})/resend",
        filterset_class=None,
    )
    def resend(self, request: Request, slug: str, pk: str, number: str) -> Response:
        """Try a message again that was given up."""
        hook = get_object_or_404(self.get_queryset(), pk=pk)
        message = get_object_or_404(hooks.deliveries(hook), pk=number)
        try:
            hooks.resend(hook, message)
        except BadInput as error:
            raise Conflict(str(error)) from error
        message.refresh_from_db()
        return Response(DeliverySerializer(message).data, status=status.HTTP_202_ACCEPTED)
