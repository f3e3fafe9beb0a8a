"""Jobs that ask a model about a corpus, for scripts: estimated, launched, followed, cancelled, resumed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeVar, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from common.api import Conflict, ForStaff, StaffOnly, StrictFilters, Text
from common.errors import BadField, BadInput
from retrieval.api.corpora.asking import (
    LimitsSerializer,
    NewRecallSerializer,
    NewRerankingSerializer,
    NewWritingSerializer,
)
from retrieval.api.corpora.shapes import EndpointJobSerializer
from retrieval.corpora.models import Corpus, EndpointJob, TopicSet, What
from retrieval.corpora.reranking import dry_runs, jobs, recalls, runs
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.reranking.recalling import RecallPlan
from retrieval.jobs import queue
from retrieval.models import Status
from retrieval.questions import writing

asking = partial(action, detail=False, methods=["post"], filterset_class=None, pagination_class=None)
"""A route that takes a body and tells no list."""
_Made = TypeVar("_Made")
_Serializer = TypeVar("_Serializer", bound=LimitsSerializer)


class ExpectedSerializer(serializers.Serializer[Any]):
    """What a job would take, about. Nothing was asked."""

    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    micro_units = serializers.IntegerField(help_text="Millionths of the currency")
    currency = serializers.CharField()
    tried = serializers.IntegerField(
        help_text="Calls of a dry run whose means stand in it; 0: reckoned by lengths of texts"
    )
    in_words = serializers.CharField()


class JobFilters(StrictFilters):
    what = filters.ChoiceFilter(choices=What.choices)
    corpus = Text(field_name="corpus__slug")
    topics = Text(field_name="topics__slug")
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = EndpointJob
        fields: ClassVar = ["what", "corpus", "topics", "status"]


class StaffAsks(StaffOnly):
    message = "Only staff may have models asked about a corpus."


class AskedViewSet(ForStaff[EndpointJob]):
    """Re-rankings, checks for contamination and writings of questions: launch one, follow it, stop it."""

    scope = "machines"
    permission_classes = (*ForStaff.permission_classes[:-1], StaffAsks)
    serializer_class = EndpointJobSerializer
    filterset_class = JobFilters
    lookup_value_regex = r"\d+"
    queryset = EndpointJob.objects.select_related("corpus", "topics", "run", "budget")

    @extend_schema(request=NewRerankingSerializer, responses={202: EndpointJobSerializer}, filters=False)
    @asking()
    def reranking(self, request: Request) -> Response:
        """Have a model put the first documents of a run, or those of a pool, into order."""
        asked = _valid(NewRerankingSerializer(data=request.data))
        return self._launched(lambda: runs.submit(*_reranking(asked), asked.limits(), _by(request)))

    @extend_schema(request=NewRerankingSerializer, responses=ExpectedSerializer, filters=False)
    @asking(url_path="reranking/estimate")
    def reranking_estimate(self, request: Request) -> Response:
        """Say what such a re-ranking would take; nothing is asked."""
        asked = _valid(NewRerankingSerializer(data=request.data))

        def expected() -> Expected:
            corpus, topics, _, endpoint, plan = _reranking(asked)
            return dry_runs.expected(corpus, topics, endpoint, plan)

        return _told(expected)

    @extend_schema(request=NewRerankingSerializer, responses={202: EndpointJobSerializer}, filters=False)
    @asking(url_path="reranking/dry-run")
    def reranking_dry_run(self, request: Request) -> Response:
        """Try three calls of such a re-ranking in a job; an estimate then goes by their means."""
        asked = _valid(NewRerankingSerializer(data=request.data))
        return self._launched(lambda: dry_runs.submit(*_reranking(asked), asked.limits(), _by(request)))

    @extend_schema(request=NewRecallSerializer, responses={202: EndpointJobSerializer}, filters=False)
    @asking()
    def contamination(self, request: Request) -> Response:
        """Have a model asked the topics without any document, and what it knows by heart marked."""
        asked = _valid(NewRecallSerializer(data=request.data))
        return self._launched(lambda: recalls.submit(*_recall(asked), asked.limits(), _by(request)))

    @extend_schema(request=NewRecallSerializer, responses=ExpectedSerializer, filters=False)
    @asking(url_path="contamination/estimate")
    def contamination_estimate(self, request: Request) -> Response:
        """Say what such a check would take; nothing is asked."""
        asked = _valid(NewRecallSerializer(data=request.data))
        return _told(lambda: recalls.expected(*_recall(asked)))

    @extend_schema(request=NewWritingSerializer, responses={202: EndpointJobSerializer}, filters=False)
    @asking()
    def questions(self, request: Request) -> Response:
        """Have a model write those questions of a set that wait."""
        asked = _valid(NewWritingSerializer(data=request.data))
        said = asked.validated_data
        return self._launched(
            lambda: writing.submit(
                asked.found(), said["endpoint"], asked.limits(), said["seed"], _by(request)
            )
        )

    @extend_schema(request=NewWritingSerializer, responses=ExpectedSerializer, filters=False)
    @asking(url_path="questions/estimate")
    def questions_estimate(self, request: Request) -> Response:
        """Say what the writing would take; nothing is asked."""
        asked = _valid(NewWritingSerializer(data=request.data))
        return _told(lambda: writing.expected(asked.found(), asked.validated_data["endpoint"]))

    @extend_schema(request=None, responses={200: EndpointJobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a job that has not ended. What was answered is kept: it costs nothing to go on."""
        job: Any = get_object_or_404(self.get_queryset(), pk=pk)
        queue.cancel(job.pk, EndpointJob)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=LimitsSerializer, responses={202: EndpointJobSerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Go on with a job that failed or was cancelled, within other limits where any are given.

        What was answered is not asked again, and what was spent counts on.
        """
        job = get_object_or_404(self.get_queryset(), pk=pk)
        limits = _valid(LimitsSerializer(data=request.data)).limits()
        given = limits if any(each is not None for each in limits) else None
        if not _made(lambda: jobs.retry(job, given)):
            raise Conflict(f"{job} cannot go on: it has not failed, or its name is in use.")
        return Response(self.get_serializer(self.get_object()).data, status=status.HTTP_202_ACCEPTED)

    def _launched(self, launch: Callable[[], EndpointJob]) -> Response:
        return Response(self.get_serializer(_made(launch)).data, status=status.HTTP_202_ACCEPTED)


def _reranking(asked: NewRerankingSerializer) -> tuple[Corpus, TopicSet, str, str, RerankPlan]:
    """Return corpus, topics, name, model and plan. Raises `BadInput`."""
    corpus, said = asked.found(), asked.validated_data
    plan = asked.plan()
    return corpus, asked.of(corpus), said["name"], said["endpoint"], plan


def _recall(asked: NewRecallSerializer) -> tuple[Corpus, TopicSet, str, RecallPlan]:
    """Return corpus, topics, model and plan. Raises `BadInput`."""
    corpus = asked.found()
    return corpus, asked.of(corpus), asked.validated_data["endpoint"], asked.plan()


def _by(request: Request) -> User:
    return cast("User", request.user)


def _valid(asked: _Serializer) -> _Serializer:
    asked.is_valid(raise_exception=True)
    return asked


def _told(expected: Callable[[], Expected]) -> Response:
    found = _made(expected)
    return Response(ExpectedSerializer({**found._asdict(), "in_words": found.in_words()}).data)


def _made(act: Callable[[], _Made]) -> _Made:
    """Do it, or raise ValidationError with the field that is wrong."""
    try:
        return act()
    except BadInput as error:
        field = error.field if isinstance(error, BadField) else "detail"
        names = {"fields": "fields_of_topic", "limit": "micro_units"}
        raise ValidationError({names.get(field, field): [str(error)]}) from error
