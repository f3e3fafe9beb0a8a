"""Evidence search, for scripts."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.api import Scoped, StrictSerializer
from common.errors import BadInput
from common.roles import is_scholar
from retrieval.models import Book
from retrieval.search.evidence import LONGEST_CLAIM, MOST, SIZES, NotEncoded, NotLoaded, search


class ScholarOnly(BasePermission):
    """Let researchers and staff search."""

    message = "Only researchers and staff may search the books."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return is_scholar(cast("User", request.user))


class Busy(APIException):
    """Answer 503: the same search may be asked again soon."""

    status_code = 503


class ClaimSerializer(StrictSerializer):
    """What to look for. An unknown parameter is an error, never silently ignored."""

    claim = serializers.CharField(max_length=LONGEST_CLAIM, help_text="What the passages are to support")
    size = serializers.IntegerField(
        default=SIZES[0], min_value=SIZES[0], max_value=SIZES[1], help_text="Sentences in each passage"
    )
    k = serializers.IntegerField(default=20, min_value=1, max_value=MOST, help_text="How many passages")
    ranker = serializers.CharField(
        default="bm25",
        max_length=120,
        help_text="bm25, bm25 k1=1.2 b=0.75, or dense:NAME with the name of a checkpoint",
    )


class HitSerializer(serializers.Serializer[Any]):
    first = serializers.IntegerField(help_text="First sentence of the passage, from 0")
    size = serializers.IntegerField()
    rank = serializers.IntegerField(help_text="Among all passages of its length, from 1")
    score = serializers.FloatField()
    text = serializers.CharField()
    heading = serializers.CharField(help_text="The nearest heading above it, or nothing")


class BookSearch(APIView):
    """The passages of a book that stand nearest to a claim, best first.

    Passages that share a sentence with a better one are left out; ranks count them.
    """

    scope = "search"
    permission_classes = (IsAuthenticated, Scoped, ScholarOnly)

    @extend_schema(parameters=[ClaimSerializer], responses={200: HitSerializer(many=True)})
    def get(self, request: Request, slug: str) -> Response:
        asked = ClaimSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        book = get_object_or_404(Book, slug=slug)
        try:
            hits = search(book, **asked.validated_data)
        except NotEncoded as error:
            advice = "Encode them first, on the page of the search or with manage.py encode_book."
            raise ValidationError({"ranker": [f"{error} {advice}"]}) from error
        except NotLoaded as error:
            raise Busy(f"{error} Ask again.") from error
        except BadInput as error:
            raise ValidationError({"claim": [str(error)]}) from error
        return Response(HitSerializer([each._asdict() for each in hits], many=True).data)
