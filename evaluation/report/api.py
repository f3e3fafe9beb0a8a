"""A study's report by API, in every format of the page, and its pictures as numbers."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study
from common.api import AnyType, Scoped, StrictSerializer
from common.errors import BadInput
from common.tables.formats import download
from evaluation.figures import marks
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from evaluation.values.report import Report

OBJECT = OpenApiTypes.OBJECT


class WeightingSerializer(StrictSerializer):
    """How it is computed."""

    weighting = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=40,
        help_text="As the page offers it; left out: the usual one",
    )


class ReportSerializer(WeightingSerializer):
    """Which report, and as what."""

    format = serializers.ChoiceField(list(FORMATS), default="json", help_text="Those of `manage.py report`")


class DotSerializer(serializers.Serializer[Any]):
    """A value with its interval."""

    label = serializers.CharField()  # type: ignore[assignment]
    words = serializers.CharField(help_text="As people read it")
    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    chance = serializers.FloatField(allow_null=True, help_text="What chance gives")


class FigureSerializer(serializers.Serializer[Any]):
    """A picture of the page: values below each other."""

    name = serializers.CharField()
    title = serializers.CharField()
    described = serializers.CharField(help_text="In words, for who cannot see it")
    dots = DotSerializer(many=True)


class StudyReportView(APIView):
    """The numbers of a study."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)
    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[ReportSerializer],
        responses={
            (200, form.content_type.partition(";")[0]): OBJECT if name == "json" else OpenApiTypes.STR
            for name, form in FORMATS.items()
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The report as the page shows it, with the keys of `manage.py report --format json`; `problem` says
        why there are no numbers."""
        study = get_study(cast("User", request.user), slug)
        asked = ReportSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        found = computed(study, asked.validated_data["weighting"])
        return download(FORMATS, asked.validated_data["format"], found, f"{found.slug}-report")


class StudyFiguresView(APIView):
    """The pictures of a study's report."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(parameters=[WeightingSerializer], responses=FigureSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """What the pictures of the results show, as numbers; drawn for print by `manage.py figures`."""
        study = get_study(cast("User", request.user), slug)
        asked = WeightingSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        panels = marks.panels(computed(study, asked.validated_data["weighting"]))
        return Response(FigureSerializer(panels, many=True).data)


def computed(study: Any, weighting: str) -> Report:
    """Return the report. Raises ValidationError for a weighting that this kind of data has not."""
    try:
        return report(study, weighting=weighting)
    except BadInput as error:
        raise ValidationError({"weighting": [str(error)]}) from error
