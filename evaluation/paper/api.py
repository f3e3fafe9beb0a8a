"""Layouts, methods paragraph and citation of a study by API, with the same access as the page."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study
from annotation.models import Study
from common.api import AnyType, Scoped, StrictSerializer
from common.errors import BadField, BadInput
from evaluation.paper import drawing, registry
from evaluation.paper.citation import LICENCES, Cited, citation
from evaluation.paper.formats import FORMATS
from evaluation.paper.methods.written import LANGUAGES, paragraph
from evaluation.paper.values import Asked
from evaluation.report.compute import report


class LayoutsSerializer(StrictSerializer):
    """Which layout, and in which form."""

    layout = serializers.ChoiceField(
        list(registry.LAYOUTS), required=False, help_text="Filled with the study; without it all are listed"
    )
    form = serializers.ChoiceField(list(FORMATS), default="json", help_text="In which the layout comes")


class MethodsSerializer(StrictSerializer):
    """In which language."""

    language = serializers.ChoiceField(list(LANGUAGES), default="en", help_text="English or German")


class CitationSerializer(StrictSerializer):
    """What is said of the data: a study keeps no authors."""

    author = serializers.ListField(
        child=serializers.CharField(max_length=300),
        help_text="“Family, Given”, or an institution by its name; an ORCID iD behind a semicolon",
    )
    version = serializers.CharField(default="", allow_blank=True, max_length=200, help_text="Of the data")
    licence = serializers.ChoiceField(list(LICENCES), default="", allow_blank=True, help_text="Of the data")
    released = serializers.DateField(required=False, help_text="The day of the release; today for none")


class PictureSerializer(StrictSerializer):
    """Which picture."""

    picture = serializers.CharField(required=False, help_text="Its name; without it all names are listed")
    form = serializers.ChoiceField(list(drawing.TYPES), default="svg", help_text="Type of the file")
    weighting = serializers.CharField(default="", help_text="How items weigh, as in the report")


class OfStudy(APIView):
    """What all addresses here share."""

    scope = "read"
    permission_classes = (IsAuthenticated, Scoped)

    def study(self, request: Request, slug: str) -> Study:
        return get_study(cast("User", request.user), slug)


def asked(of: type[StrictSerializer], given: Any) -> dict[str, Any]:
    """Return checked parameters; 400 with the field that is wrong."""
    found = of(data=given)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)


class StudyLayoutsView(OfStudy):
    """Tables and figures of published papers, filled with a study."""

    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[LayoutsSerializer],
        responses={
            (200, form.content_type.partition(";")[0]): OpenApiTypes.ANY
            if name == "json"
            else OpenApiTypes.STR
            for name, form in FORMATS.items()
        },
    )
    def get(self, request: Request, slug: str) -> Response | HttpResponse:
        """All layouts, each with what it needs and why it cannot be filled; with `layout` one, filled."""
        study = self.study(request, slug)
        given = asked(LayoutsSerializer, request.query_params.dict())
        if "layout" not in given:
            return Response(
                [
                    {
                        "layout": each.name,
                        "paper": each.paper,
                        "number": each.number,
                        "title": each.title,
                        "needs": each.needs,
                        "missing": missing,
                    }
                    for each, missing in registry.states(study)
                ]
            )
        try:
            found = registry.filled(given["layout"], Asked(study))
        except BadInput as error:
            raise ValidationError({"layout": [str(error)]}) from error
        form = FORMATS[given["form"]]
        return HttpResponse(form.render(found), content_type=form.content_type)


class StudyMethodsView(OfStudy):
    """The methods paragraph of a study."""

    @extend_schema(parameters=[MethodsSerializer], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str) -> Response:
        """What the study did, to be pasted into a paper."""
        study = self.study(request, slug)
        language = asked(MethodsSerializer, request.query_params.dict())["language"]
        return Response({"study": study.slug, "language": language, "text": paragraph(study, language)})


class StudyCitationView(OfStudy):
    """CITATION.cff of a study."""

    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[CitationSerializer], responses={(200, "application/yaml"): OpenApiTypes.OBJECT}
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """How the data are cited, with the authors that are named here."""
        study = self.study(request, slug)
        given = asked(CitationSerializer, request.query_params)
        released = given.get("released") or timezone.localdate()
        try:
            text = citation(study, Cited(given["author"], given["version"], given["licence"], released))
        except BadField as error:
            raise ValidationError({error.field: [str(error)]}) from error
        return HttpResponse(text, content_type="application/yaml; charset=utf-8")


class StudyPicturesView(OfStudy):
    """The pictures of a study's report, drawn."""

    content_negotiation_class = AnyType

    @extend_schema(
        parameters=[PictureSerializer],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{(200, each): OpenApiTypes.BINARY for each in drawing.TYPES.values()},
        },
    )
    def get(self, request: Request, slug: str) -> Response | HttpResponse:
        """The names of all pictures; with `picture` one as SVG, PDF or PNG."""
        study = self.study(request, slug)
        given = asked(PictureSerializer, request.query_params.dict())
        try:
            found = report(study, weighting=given["weighting"])
        except BadInput as error:
            raise ValidationError({"weighting": [str(error)]}) from error
        if "picture" not in given:
            return Response({"study": study.slug, "pictures": list(drawing.pictures(study, found))})
        try:
            data = drawing.drawn(study, found, given["picture"], given["form"])
        except BadInput as error:
            raise ValidationError({"picture": [str(error)]}) from error
        return HttpResponse(data, content_type=drawing.TYPES[given["form"]])
