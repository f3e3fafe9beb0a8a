"""What all API views share: scopes, strict filters, pages, one shape of error."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any, TypeVar

from django import forms
from django.db.models import Model
from django.http import QueryDict
from django_filters import rest_framework as filters
from django_filters.fields import IsoDateTimeField
from drf_spectacular.utils import extend_schema_field
from rest_framework import mixins, serializers, status
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

_Row = TypeVar("_Row", bound=Model)

DELETING = "delete"
"""The scope that a token needs for DELETE, beside the address's own."""
NOT_FILTERS = {"cursor", "page_size"}
EMPTY = "Say something, or leave it out for all."


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


class Conflict(APIException):
    """Answer 409: what was asked for does not fit what there is now."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class AnyType(BaseContentNegotiation):
    """For files, whose type the address and its parameters say: whatever the request accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((each for each in parsers if each.media_type == request.content_type), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class StaffOnly(BasePermission):
    """Allow staff only."""

    message = "Only staff may launch, follow, cancel or delete jobs."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user.is_staff)


class Pages(CursorPagination):
    """Pages by cursor: the thousandth costs what the first costs, and nothing shifts while reading.

    A size out of range and a cursor that is none are refused, never replaced by others.
    """

    page_size = 100
    max_page_size = 1000
    page_size_query_param = "page_size"
    page_size_query_description = "Entries in a page; 100 where left out"
    cursor_query_description = "From `next` or `previous` of another page"
    ordering = "pk"

    def get_page_size(self, request: Request) -> int:
        """Return how many entries were asked for. Raises ValidationError."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is None:
            return self.page_size
        if not (asked.isascii() and asked.isdecimal() and 1 <= int(asked[:9]) <= self.max_page_size):
            raise ValidationError(
                {self.page_size_query_param: [f"Use a whole number from 1 to {self.max_page_size}."]}
            )
        return int(asked)

    def decode_cursor(self, request: Request) -> Any:
        """Return the place that a cursor names. Raises ValidationError."""
        try:
            return super().decode_cursor(request)
        except NotFound:
            raise ValidationError({"cursor": ["Use the cursor of another page, as it was given."]}) from None

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Return the parameters as the schema describes them, with the bounds of the size."""
        found: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for each in found:
            if each["name"] == self.page_size_query_param:
                each["schema"] |= {"minimum": 1, "maximum": self.max_page_size, "default": self.page_size}
        return found


class Reading(APIView):
    """Rows that scholars read: a token needs the scope `corpora`, or `jobs`, which once was for this, too."""

    @property
    def scope(self) -> str:
        """The scope that a token needs: `jobs` to change something."""
        of_token = getattr(self.request.auth, "scopes", ())
        reads = self.request.method in ("GET", "HEAD") and "jobs" not in of_token
        return "corpora" if reads else "jobs"


class ForStaff(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[_Row]):
    """Rows that staff list and read; a script needs the scope `jobs`, and `delete` to delete."""

    scope = "jobs"
    permission_classes = (IsAuthenticated, Scoped, StaffOnly)
    pagination_class = Pages


class StrictFilters(filters.FilterSet):
    """Filters from a fixed list. An unknown parameter, or an empty one, is an error, never silently ignored.

    A misspelt filter that is ignored gives a script all rows where it wanted ten; so does a variable of the
    script that is empty.
    """

    def __init__(self, data: QueryDict | None = None, *args: Any, **kwargs: Any) -> None:
        unknown = sorted(set(data or ()) - set(self.base_filters) - NOT_FILTERS)
        if unknown:
            allowed = ", ".join(sorted({*self.base_filters, *NOT_FILTERS}))
            raise ValidationError({unknown[0]: [f"Unknown parameter. Use: {allowed}."]})
        empty = [each for each in self.base_filters if data is not None and "" in data.getlist(each)]
        if empty:
            raise ValidationError({each: [EMPTY] for each in empty})
        super().__init__(data, *args, **kwargs)


@extend_schema_field({"type": "string", "minLength": 1})
class Text(filters.CharFilter):
    """A filter by a text as it is, such as a short name: blanks alone are a text that nothing has."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(strip=False, **settings)


class _InUtc(IsoDateTimeField):
    """A moment that the calendar of UTC has, in which databases compare it: years 1 to 9999."""

    def clean(self, value: Any) -> Any:
        moment = super().clean(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("Enter a moment of the years 1 to 9999, in UTC.") from None


class Moment(filters.IsoDateTimeFilter):
    """A filter by a moment as ISO 8601 writes it."""

    field_class = _InUtc


@extend_schema_field({"type": "boolean"})
class YesOrNo(filters.TypedChoiceFilter):
    """A filter by `true` or `false`. Any other word is refused; Django's own takes it for no filter."""

    def __init__(self, **settings: Any) -> None:
        words = [("true", "Yes"), ("false", "No")]
        super().__init__(choices=words, coerce=lambda word: word == "true", **settings)


def whole_number(
    field_name: str | None = None, lookup_expr: str = "exact", *, low: int = 0, high: int = 10**9
) -> filters.NumberFilter:
    """Return a filter by a whole number within bounds, which the schema tells."""

    @extend_schema_field({"type": "integer", "minimum": low, "maximum": high})
    class WholeNumber(filters.NumberFilter):
        field_class = forms.IntegerField  # type: ignore[assignment]

    return WholeNumber(field_name=field_name, lookup_expr=lookup_expr, min_value=low, max_value=high)


class StrictSerializer(serializers.Serializer[Any]):
    """What a request says. An unknown field is an error, never silently ignored.

    Each is named, before anything else is looked at: also where another field is missing.
    """

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            raise ValidationError(
                {each: [f"Unknown field. Use: {', '.join(self.fields)}."] for each in unknown}
            )
        return super().to_internal_value(data)


class NumberField(serializers.FloatField):
    """A number. What JSON calls true is none, though Python counts it as 1."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)
