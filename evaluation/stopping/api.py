"""A study's stopping rule by API: chosen while it is a draft, its looks afterwards."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study
from annotation.models import Study
from annotation.studies.running.stopping import DIFFERENCE, MOST_ITEMS, MOST_LOOKS, SPENDINGS, Rule, set_rule
from common.api import Conflict, Scoped, StrictSerializer
from common.errors import BadField, BadInput
from evaluation.stopping.looks import looked, offered
from evaluation.stopping.tables import data


class RuleSerializer(StrictSerializer):
    """When the study may stop."""

    measure = serializers.CharField(max_length=160, help_text="One of `measures`")
    width = serializers.FloatField(
        min_value=0.001,
        max_value=0.5,
        allow_null=True,
        default=None,
        help_text="Half of its 95 % interval, from 0 to 1; null where a comparison is to be decided",
    )
    spending = serializers.ChoiceField(
        SPENDINGS,
        allow_blank=True,
        default="",
        help_text="How a comparison spends its 5 % over the looks; empty: the rule is one of width",
    )
    threshold = serializers.FloatField(
        min_value=-1,
        max_value=1,
        allow_null=True,
        default=None,
        help_text="What the measure is compared with; null in a rule of width",
    )
    run = serializers.CharField(
        max_length=20,
        allow_blank=True,
        default="",
        help_text=f"The machine reader whose answers were read in, with the measure `{DIFFERENCE}`",
    )
    items = serializers.IntegerField(
        min_value=2, max_value=MOST_ITEMS, help_text="Fully read items at the first look"
    )
    every = serializers.IntegerField(
        min_value=1, max_value=MOST_ITEMS, help_text="Fully read items from look to look"
    )
    most = serializers.IntegerField(min_value=1, max_value=MOST_LOOKS, help_text="Looks at most")
    closes = serializers.BooleanField(default=False, help_text="Close the study as soon as the rule is met")


class LookSerializer(serializers.Serializer[Any]):
    """What was seen at one look."""

    measure = serializers.CharField()
    items = serializers.IntegerField(help_text="Fully read items that it counts")
    at = serializers.DateTimeField(help_text="When the last of them became full")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    half_width = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(help_text="Why there is no value or no interval", allow_blank=True)
    met = serializers.BooleanField(help_text="Whether the rule says that reading may stop")
    level = serializers.FloatField(help_text="Of the interval: more than 0.95 in a comparison")
    taken = serializers.DateTimeField(allow_null=True, help_text="When the look was recorded; null: not yet")


class LookedSerializer(serializers.Serializer[Any]):
    """The rule, its looks, and what a rule of this study may look at."""

    measures = serializers.ListField(
        child=serializers.CharField(), help_text="What a rule may look at; empty before there are items"
    )
    rule = RuleSerializer(allow_null=True)
    looks = LookSerializer(many=True)
    met = serializers.BooleanField()
    next = serializers.IntegerField(allow_null=True, help_text="Fully read items at the next look")
    fully_read = serializers.IntegerField()
    sentences = serializers.ListField(child=serializers.CharField())


NOTHING: dict[str, Any] = {
    "rule": None,
    "looks": [],
    "met": False,
    "next": None,
    "fully_read": 0,
    "sentences": [],
}


class StoppingView(APIView):
    """The stopping rule of a study."""

    permission_classes = (IsAuthenticated, Scoped)

    @property
    def scope(self) -> str:
        """The scope that a token needs: another one to change something."""
        return "read" if self.request.method in SAFE_METHODS else "direct"

    @extend_schema(responses=LookedSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The rule and its looks, as they were recorded; one that is due and was not taken is computed."""
        return told(get_study(cast("User", request.user), slug))

    @extend_schema(request=RuleSerializer, responses=LookedSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Choose the rule of a draft; a study that has opened keeps what it has, which is a 409."""
        study = get_study(cast("User", request.user), slug)
        asked = RuleSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        measures = [one.slug for one in offered(study)]
        if asked.validated_data["measure"] not in measures:
            has = f"one of {', '.join(measures)}" if measures else "given once the study has items"
            raise ValidationError({"measure": [f"It must be {has}."]})
        return chosen(study, Rule(**asked.validated_data), cast("User", request.user))

    @extend_schema(responses={200: LookedSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Go without a rule: reading goes on until all is read. Refused as PUT is."""
        return chosen(get_study(cast("User", request.user), slug), None, cast("User", request.user))


def chosen(study: Study, rule: Rule | None, by: User) -> Response:
    """Choose the rule and tell it. Raises ValidationError for a field, Conflict for an open study."""
    try:
        set_rule(study, rule, by=by)
    except BadField as error:
        raise ValidationError({error.field: [str(error)]}) from error
    except BadInput as error:
        raise Conflict(str(error)) from error
    study.refresh_from_db()
    return told(study)


def told(study: Study) -> Response:
    """The reply."""
    measures = [one.slug for one in offered(study)]
    return Response(LookedSerializer(NOTHING | (data(looked(study)) or {}) | {"measures": measures}).data)
