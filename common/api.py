"""What all API views share: scopes, strict filters, pages, one shape of error."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model
from django.http import QueryDict
from django_filters import rest_framework as filters
from rest_framework import mixins, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

_Row = TypeVar("_Row", bound=Model)

DELETING = "delete"
"""The scope that a token needs for DELETE, beside the address's own."""
NOT_FILTERS = {"cursor", "page_size", "format"}


class Scoped(BasePermission):
    """Allow a token what its scopes say, and a browser session what its person may do.

    The view names its scope: `scope = "jobs"`. What deletes for good needs `delete` beside it: tokens were
    given out to launch and follow before anything could be deleted.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:
            return True
        needed = [getattr(view, "scope", None), *([DELETING] if request.method == "DELETE" else [])]
        missing = [each for each in needed if each not in getattr(request.auth, "scopes", ())]
        self.message = (
            f"This token has not the scope that this address needs: {missing[0]}." if missing else ""
        )
        return not missing


class StaffOnly(BasePermission):
    """Allow staff only."""

    message = "Only staff may launch, follow, cancel or delete jobs."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user.is_staff)


class Pages(CursorPagination):
    """Pages by cursor: the thousandth costs what the first costs, and nothing shifts while reading."""

    page_size = 100
    max_page_size = 1000
    page_size_query_param = "page_size"
    ordering = "pk"


class ForStaff(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[_Row]):
    """Rows that staff list and read; a script needs the scope `jobs`, and `delete` to delete."""

    scope = "jobs"
    permission_classes = (IsAuthenticated, Scoped, StaffOnly)
    pagination_class = Pages


class StrictFilters(filters.FilterSet):
    """Filters from a fixed list. An unknown parameter is an error, never silently ignored.

    A misspelt filter that is ignored gives a script all rows where it wanted ten.
    """

    def __init__(self, data: QueryDict | None = None, *args: Any, **kwargs: Any) -> None:
        unknown = sorted(set(data or ()) - set(self.base_filters) - NOT_FILTERS)
        if unknown:
            allowed = ", ".join(sorted({*self.base_filters, *NOT_FILTERS} - {"format"}))
            raise ValidationError({unknown[0]: [f"Unknown parameter. Use: {allowed}."]})
        super().__init__(data, *args, **kwargs)


class StrictSerializer(serializers.Serializer[Any]):
    """What a request says. An unknown field is an error, never silently ignored."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise ValidationError({unknown[0]: [f"Unknown field. Use: {', '.join(self.fields)}."]})
        return attrs


class NumberField(serializers.FloatField):
    """A number. What JSON calls true is none, though Python counts it as 1."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)
