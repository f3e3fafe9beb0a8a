"""A study's validation by API, with the same access as the page."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study
from common.api import Scoped
from evaluation.validation.compute import LEVEL_OF_RELEVANCE, validation
from evaluation.validation.formats import data


class ValidationSerializer(serializers.Serializer[Any]):
    """What counts as relevant."""

    level = serializers.IntegerField(
        min_value=1, max_value=99, default=LEVEL_OF_RELEVANCE, help_text="The least grade that is relevant"
    )


class StudyValidationView(APIView):
    """What a sample of a machine's judgments says: estimates on all items, and the anchoring meter."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(parameters=[ValidationSerializer], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str) -> Response:
        """The numbers of the page, with full precision; `problem` says why there are none."""
        study = get_study(cast("User", request.user), slug)
        asked = ValidationSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        return Response(data(validation(study, asked.validated_data["level"])))
