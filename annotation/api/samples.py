"""A study's validation sample by API: previewed, drawn, looked at, taken back; as on its page."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import access
from annotation.api.machines import refused
from annotation.models import MachineReader, Sample, StrataRule, Study
from annotation.validation import machine_answers, samples, strata
from annotation.validation.machine_answers import Answers
from annotation.validation.strata import Strata
from common.api import NumberField, Scoped, StrictSerializer
from common.errors import BadField, BadInput

USUAL = samples.Wish()
WISH = ("share", "rule", "top_k", "blind", "reveal", "prefilled", "seed", "told", "whole_topics")


class StratumSerializer(serializers.Serializer[Any]):
    """A stratum; where whole topics are drawn there is one, and it counts topics."""

    name = serializers.CharField()
    size = serializers.IntegerField(help_text="N_h")
    drawn = serializers.IntegerField(help_text="n_h")


class SampleSerializer(serializers.Serializer[Any]):
    """A sample that was drawn, or would be."""

    items = serializers.IntegerField()
    drawn = serializers.IntegerField()
    rule = serializers.CharField()
    runs = serializers.ListField(child=serializers.CharField())
    strata = StratumSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField())


class TakenBackSerializer(serializers.Serializer[Any]):
    """What the draft has again."""

    items = serializers.IntegerField()


class NewSampleSerializer(StrictSerializer):
    """Whose judgments, and how the sample is drawn: the fields of the page."""

    reader = serializers.CharField(required=False, max_length=20, help_text="A machine reader, such as M1")
    of = serializers.SlugField(required=False, help_text="A study of yours whose reader it is; else this one")
    judgments = serializers.CharField(
        required=False,
        trim_whitespace=False,
        help_text="Or a file's text: TREC's qrels, or JSON lines of topic and document (or item) and grade",
    )
    file_name = serializers.CharField(default="judgments", max_length=200)
    share = NumberField(default=USUAL.share, help_text="Of the items: above 0, at most 1")
    rule = serializers.ChoiceField(StrataRule.choices, default=USUAL.rule)
    whole_topics = serializers.BooleanField(
        default=False, help_text="Draw topics with all their items; the rule is not looked at then"
    )
    top_k = serializers.IntegerField(default=USUAL.top_k, max_value=1000)
    blind = serializers.IntegerField(default=USUAL.blind, help_text="Parts of a block")
    reveal = serializers.IntegerField(default=USUAL.reveal)
    prefilled = serializers.IntegerField(default=USUAL.prefilled)
    seed = serializers.IntegerField(default=None, min_value=0, max_value=2**62, help_text="Else the study's")
    told = serializers.CharField(default=USUAL.told, help_text="What readers are told before they begin")

    def wish(self) -> samples.Wish:
        """Return how it is to be drawn."""
        return samples.Wish(**{name: self.validated_data[name] for name in WISH})

    def answers(self, study: Study, by: User) -> Answers:
        """Return the machine's answers. Raises `BadInput`."""
        said = self.validated_data
        if bool(said.get("reader")) == bool(said.get("judgments")):
            raise BadField("reader", "Name a machine reader, or send judgments: one of the two.")
        if said.get("of") and said.get("judgments"):
            raise BadField("of", "This names whose machine reader it is; a file's judgments have none.")
        if said.get("judgments"):
            return machine_answers.of_file(study, said["judgments"].encode(), said["file_name"])
        owner = access.get_study(by, said["of"]) if said.get("of") else study
        reader = MachineReader.objects.filter(study=owner, name=said["reader"]).first()
        if reader is None:
            raise BadField("reader", f"“{owner.slug}” has no machine reader “{said['reader']}”.")
        return machine_answers.of_reader(study, reader)


class SampleView(APIView):
    """The validation sample of a study that you direct."""

    scope = "machines"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(responses={200: SampleSerializer, 204: None})
    def get(self, request: Request, slug: str) -> Response:
        """The sample; 204 where none is drawn."""
        sample = Sample.objects.filter(study=_study(request, slug)).first()
        if sample is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(_told(strata.of_sample(sample), sample.rule, sample.runs, []))

    @extend_schema(request=NewSampleSerializer, responses={201: SampleSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Draw the sample. The draft's other items are left out of it until the sample is taken back."""
        return _planned(request, slug, take=True)


class SamplePreview(APIView):
    """What a validation sample would be."""

    scope = "machines"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=NewSampleSerializer, responses=SampleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Say what would be drawn; nothing is stored."""
        return _planned(request, slug, take=False)


class SampleTakenBack(APIView):
    """The draft before its sample."""

    scope = "machines"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=None, responses={200: TakenBackSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Take the sample back: the draft has all its `items` again. Not once the study has opened."""
        study = _study(request, slug)
        try:
            return Response({"items": samples.take_back(study, by=_by(request))})
        except BadInput as error:
            raise refused(error) from None


def _planned(request: Request, slug: str, *, take: bool) -> Response:
    study, by = _study(request, slug), _by(request)
    asked = NewSampleSerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    try:
        answers, wish = asked.answers(study, by), asked.wish()
        plan = samples.plan(study, answers, wish)
        if take:
            samples.take(study, answers, wish, by=by, now=timezone.now())
    except BadInput as error:
        raise refused(error) from None
    said = _told(strata.of_plan(plan), plan.rule, plan.runs, plan.notes)
    return Response(said, status=status.HTTP_201_CREATED if take else status.HTTP_200_OK)


def _told(found: Strata, rule: str, runs: list[str], notes: list[str]) -> dict[str, Any]:
    rows = [{"name": name, "size": size, "drawn": drawn} for name, size, drawn, _ in found.strata]
    numbers = {"items": found.n_all, "drawn": found.n_drawn}
    return {**numbers, "rule": rule, "runs": runs, "strata": rows, "notes": notes}


def _study(request: Request, slug: str) -> Study:
    return access.get_study(_by(request), slug)


def _by(request: Request) -> User:
    return cast("User", request.user)
