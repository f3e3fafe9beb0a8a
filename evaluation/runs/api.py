"""Runs of a corpus measured on judgments, for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import get_study
from annotation.models import Study
from common.api import Scoped, StrictSerializer
from common.errors import BadInput
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.runs.formats import data
from evaluation.runs.forms import HIGHEST_GRADE
from evaluation.runs.jobs import computing
from evaluation.runs.jobs.api import READ, EvaluationJobSerializer
from evaluation.runs.judgments import PREFIX
from evaluation.runs.measuring import DEEPEST, Asked, TooMuch, blocks_of, measured
from retrieval.api.corpora.views import CorpusReader
from retrieval.corpora.models import Corpus, TopicSet


class AskedSerializer(StrictSerializer):
    """What is to be measured. An unknown parameter is an error, never silently ignored."""

    qrels = serializers.RegexField(
        rf"^(?:{PREFIX})?[-a-zA-Z0-9_]+$",
        max_length=200,
        help_text="Name of the judgments, or study:SLUG for the grades of a study of yours (scope `read`)",
    )
    rule = serializers.ChoiceField(
        list(RULES), default="median", help_text="How grades of a study become one"
    )
    run = serializers.ListField(
        child=serializers.SlugField(),
        min_length=1,
        help_text="Names of the runs, each in a parameter of its own",
    )
    base = serializers.SlugField(default="", help_text="The run that the others are compared with")
    level = serializers.IntegerField(
        default=None,
        min_value=1,
        max_value=HIGHEST_GRADE,
        help_text="The least grade that is relevant; left out: half the scale, rounded up",
    )
    highest = serializers.IntegerField(
        default=None,
        min_value=1,
        max_value=HIGHEST_GRADE,
        help_text="The highest grade of the scale; left out: the highest that was given",
    )
    measures = serializers.CharField(
        default="", max_length=200, help_text="With commas, such as MAP,nDCG@10; left out: the usual ones"
    )
    facet = serializers.CharField(default="", max_length=200, help_text="Numbers of each value of this facet")
    depth = serializers.IntegerField(
        default=None, min_value=1, max_value=DEEPEST, help_text="What each run alone brought to such a pool"
    )
    per_topic = serializers.BooleanField(default=False, help_text="Every value of every topic as well")


class RunsEvaluation(APIView):
    """Measures of runs on judgments, with intervals over topics: what the page of the corpus says.

    The keys are those of `evaluate_runs --format json`.
    """

    permission_classes = (IsAuthenticated, Scoped, CorpusReader)

    @property
    def scope(self) -> str:
        """The scope that a token needs: another one to have a worker do it."""
        return "jobs" if self.request.method == "POST" else "corpora"

    @extend_schema(parameters=[AskedSerializer], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, topics: str) -> Response:
        with _refused():
            wanted, per_topic = _asked(request, request.query_params, slug, topics)
            return Response(data(measured(wanted, within_a_request=True), per_topic=per_topic))

    @extend_schema(request=AskedSerializer, responses={202: EvaluationJobSerializer})
    def post(self, request: Request, slug: str, topics: str) -> Response:
        """Let a worker measure it, however much it is; the numbers are at `evaluations/{id}/result/`.

        A token needs the scope `jobs`.
        """
        with _refused():
            wanted, _ = _asked(request, request.data, slug, topics)
            job = computing.submit(wanted, by=cast("User", request.user))
        return Response(EvaluationJobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def _study(request: Request, slug: str) -> Study:
    """Return the study of a person who directs it, and whose token may read it."""
    if request.auth is not None and READ not in getattr(request.auth, "scopes", ()):
        raise PermissionDenied(f"This token has not the scope that grades of a study need: {READ}.")
    return get_study(cast("User", request.user), slug)


def _asked(request: Request, given: Any, slug: str, topics: str) -> tuple[Asked, bool]:
    """Return what is to be measured, and whether topic by topic. Raises `BadInput` or ValidationError."""
    asked = AskedSerializer(data=given)
    asked.is_valid(raise_exception=True)
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    found = get_object_or_404(TopicSet, slug=topics)
    said = asked.validated_data
    per_topic = said.pop("per_topic")
    if said["qrels"].startswith(PREFIX):
        said["study"] = _study(request, said["qrels"].removeprefix(PREFIX))
    blocks = blocks_of(said.pop("measures"))
    return Asked(corpus, found, said.pop("qrels"), tuple(said.pop("run")), blocks=blocks, **said), per_topic


@contextmanager
def _refused() -> Iterator[None]:
    """Raise ValidationError with the field where something cannot be measured."""
    try:
        yield
    except TooMuch as error:
        raise ValidationError(
            {"run": [f"{error} A POST lets a worker do it; so does {error.command}"]}
        ) from error
    except BadInput as error:
        raise ValidationError({getattr(error, "field", "run"): [str(error)]}) from error
