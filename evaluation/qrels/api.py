"""A study's judgments as qrels by API, with the same access as the page."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.access import get_study
from common.api import AnyType, Scoped, StrictSerializer
from common.errors import BadInput
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.qrels.of_study import ANSWERS, study_qrels
from evaluation.qrels.views import file_of


class QrelsSerializer(StrictSerializer):
    """Which file. An unknown parameter is an error, never silently ignored."""

    rule = serializers.ChoiceField(list(RULES), default="median", help_text="How grades become one")
    answers = serializers.ChoiceField(
        list(ANSWERS), default="all", help_text="Or those alone before which no machine’s answer was shown"
    )
    part = serializers.ChoiceField(
        ("qrels", "json"), default="qrels", help_text="The judgments, or what stands behind them"
    )


class StudyQrelsView(APIView):
    """Relevance judgments made of a study's grades by a rule."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[QrelsSerializer],
        responses={(200, "text/plain"): OpenApiTypes.STR, (200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """TREC's four columns; with `part=json` the rule, the scale, the readers of each pair and what was
        left out."""
        study = get_study(cast("User", request.user), slug)
        asked = QrelsSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        try:
            found = study_qrels(study, asked.validated_data["rule"], answers=asked.validated_data["answers"])
        except BadInput as error:
            raise ValidationError({"rule": [str(error)]}) from error
        return file_of(found, asked.validated_data["part"])
