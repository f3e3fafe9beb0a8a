"""Corpora with their documents, runs, pools and judgments; sets of topics with every wording."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import Count, Model, Prefetch, QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from common.api import AnyType, Pages, Scoped, StrictFilters, Text, YesOrNo, whole_number
from retrieval.api.corpora import question_sets, shapes, writing
from retrieval.api.search import ScholarOnly
from retrieval.corpora.models import (
    Corpus,
    Pool,
    Qrels,
    Question,
    Recall,
    Run,
    Standing,
    Topic,
    TopicSet,
    TopicVersion,
    What,
)
from retrieval.corpora.views.runs import as_file

_Row = TypeVar("_Row", bound=Model)
NAME = r"(?P<name>[-a-zA-Z0-9_]+)"


class CorpusReader(ScholarOnly):
    """Let researchers and staff read corpora."""

    message = "Only researchers and staff may read corpora, topics and runs."


class ForScholars(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[_Row]):
    """Rows that scholars list and read; a script needs the scope `corpora`."""

    scope = "corpora"
    permission_classes = (IsAuthenticated, Scoped, CorpusReader)
    pagination_class = Pages
    lookup_field = "slug"
    filterset_class: type[StrictFilters] = StrictFilters

    def page(self, rows: QuerySet[Any], shape: type[serializers.ModelSerializer[Any]]) -> Response:
        """Return a page of what belongs to the row, filtered."""
        entries = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(shape(entries or [], many=True).data)


class DocumentFilters(StrictFilters):
    id = Text(field_name="external_id")
    genre = Text()
    language = Text()
    source_key = Text()
    first_year = whole_number("year", "gte", low=-9999, high=9999)
    last_year = whole_number("year", "lte", low=-9999, high=9999)


class OfTopics(StrictFilters):
    topics = Text(field_name="topics__slug")


class RankedFilters(StrictFilters):
    topic = Text(field_name="topic__topic__external_id")
    depth = whole_number("rank", "lte", low=1, high=10**6)


class OfTopic(StrictFilters):
    topic = Text(field_name="topic__external_id")


class AskedFilters(StrictFilters):
    what = filters.ChoiceFilter(choices=What.choices)
    topics = Text(field_name="topics__slug")


class RecallFilters(StrictFilters):
    endpoint = Text()
    topic = Text(field_name="topic__topic__external_id")
    contaminated = YesOrNo()


class QuestionFilters(StrictFilters):
    set = Text(field_name="set__slug")
    standing = filters.ChoiceFilter(choices=Standing.choices)


class TopicFilters(StrictFilters):
    id = Text(field_name="external_id")


class CorpusViewSet(ForScholars[Corpus]):
    """Corpora that are loaded to their end, with their documents, runs, pools and judgments."""

    serializer_class = shapes.CorpusSerializer
    queryset = Corpus.objects.ready()

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The scope that a token needs: another one to begin a set of questions, for a model to write."""
        return "machines" if self.request.method == "POST" else "corpora"

    @extend_schema(responses=shapes.DocumentSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=DocumentFilters)
    def documents(self, request: Request, slug: str) -> Response:
        """The documents, in the order of their file."""
        return self.page(self.get_object_of(slug).documents.select_related("book"), shapes.DocumentSerializer)

    @extend_schema(responses=shapes.RunSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=OfTopics)
    def runs(self, request: Request, slug: str) -> Response:
        """The runs, with how each was made."""
        return self.page(self.get_object_of(slug).runs.select_related("topics"), shapes.RunSerializer)

    @extend_schema(responses=shapes.RankedSerializer(many=True), filters=True)
    @action(detail=True, url_path=f"runs/{NAME}/rows", filterset_class=RankedFilters)
    def rows(self, request: Request, slug: str, name: str) -> Response:
        """What a run ranks, topic by topic and rank by rank, with the scores as they were computed."""
        run = get_object_or_404(self.get_object_of(slug).runs, name=name)
        return self.page(run.rows.select_related("topic__topic", "document"), shapes.RankedSerializer)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR}, filters=False)
    @action(
        detail=True, url_path=f"runs/{NAME}/file", pagination_class=None, content_negotiation_class=AnyType
    )
    def file(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """A run in TREC's six columns. Its scores fall strictly, so that every tool keeps its order."""
        rows = Run.objects.select_related("corpus", "topics")
        return as_file(get_object_or_404(rows, corpus=self.get_object_of(slug), name=name))

    @extend_schema(responses=shapes.PoolSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=OfTopics)
    def pools(self, request: Request, slug: str) -> Response:
        """The pools, with what each run gave."""
        rows = self.get_object_of(slug).pools.select_related("topics").prefetch_related("runs")
        return self.page(rows, shapes.PoolSerializer)

    @extend_schema(responses=shapes.EntrySerializer(many=True), filters=True)
    @action(
        detail=True,
        url_path=r"pools/(?P<topics>[-a-zA-Z0-9_]+)/(?P<number>\d{1,9})/entries",
        filterset_class=OfTopic,
    )
    def entries(self, request: Request, slug: str, topics: str, number: str) -> Response:
        """The documents of a pool that are to be judged, topic by topic."""
        pools = Pool.objects.filter(corpus=self.get_object_of(slug), topics__slug=topics)
        pool = get_object_or_404(pools, number=int(number))
        return self.page(pool.entries.select_related("topic", "document"), shapes.EntrySerializer)

    @extend_schema(responses=shapes.QrelsSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=OfTopics)
    def qrels(self, request: Request, slug: str) -> Response:
        """The judgments that were loaded from files."""
        return self.page(self.get_object_of(slug).qrels.select_related("topics"), shapes.QrelsSerializer)

    @extend_schema(responses=shapes.GradeSerializer(many=True), filters=True)
    @action(detail=True, url_path=f"qrels/{NAME}/grades", filterset_class=OfTopic)
    def grades(self, request: Request, slug: str, name: str) -> Response:
        """The grades of such judgments, topic by topic."""
        qrels = get_object_or_404(Qrels, corpus=self.get_object_of(slug), name=name)
        return self.page(qrels.grades.select_related("topic", "document"), shapes.GradeSerializer)

    @extend_schema(responses=shapes.EndpointJobSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=AskedFilters)
    def asked(self, request: Request, slug: str) -> Response:
        """What models were asked: re-rankings, checks for contamination, questions; with what was spent."""
        rows = self.get_object_of(slug).endpoint_jobs.select_related("corpus", "topics", "run", "budget")
        return self.page(rows, shapes.EndpointJobSerializer)

    @extend_schema(responses=shapes.RecallSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=RecallFilters)
    def recalls(self, request: Request, slug: str) -> Response:
        """How much of each topic's targets a model wrote without having been shown a passage."""
        rows = Recall.objects.filter(job__corpus=self.get_object_of(slug)).select_related("topic__topic")
        return self.page(rows.order_by("pk"), shapes.RecallSerializer)

    @extend_schema(responses=shapes.QuestionSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=QuestionFilters)
    def questions(self, request: Request, slug: str) -> Response:
        """The questions of its sets, those that are left out too, each with its targets and every wording."""
        rows = Question.objects.filter(set__corpus=self.get_object_of(slug)).select_related("set", "source")
        return self.page(rows.prefetch_related("targets", "edits"), shapes.QuestionSerializer)

    @extend_schema(responses=question_sets.QuestionSetSerializer(many=True), filters=False)
    @action(detail=True, url_path="question-sets")
    def sets(self, request: Request, slug: str) -> Response:
        """The sets that its questions belong to."""
        rows = self.get_object_of(slug).question_sets.select_related("corpus", "topics")
        return self.page(rows, question_sets.QuestionSetSerializer)

    @extend_schema(
        request=question_sets.NewQuestionSetSerializer, responses={201: question_sets.QuestionSetSerializer}
    )
    @sets.mapping.post
    def begin_questions(self, request: Request, slug: str) -> Response:
        """Begin a set of questions from a file's text; no model is asked yet. A token needs the scope
        `machines`.
        """
        made = question_sets.begun(self.get_object_of(slug), request.data, cast("User", request.user))
        return Response(question_sets.QuestionSetSerializer(made).data, status=status.HTTP_201_CREATED)

    def get_object_of(self, slug: str) -> Corpus:
        """Return the corpus. The filters of an action are of its rows, not of corpora."""
        return get_object_or_404(Corpus.objects.ready(), slug=slug)


class TopicSetViewSet(ForScholars[TopicSet]):
    """Sets of topics, with every wording of each topic."""

    serializer_class = shapes.TopicSetSerializer

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The scope that a token needs: another one to write."""
        return "topics" if self.request.method == "POST" else "corpora"

    def get_queryset(self) -> QuerySet[TopicSet]:
        return TopicSet.objects.annotate(n_topics=Count("members"))

    @extend_schema(responses=shapes.TopicSerializer(many=True), filters=True)
    @action(detail=True, filterset_class=TopicFilters)
    def members(self, request: Request, slug: str) -> Response:
        """The topics, each with all its versions."""
        versions = Prefetch("versions", TopicVersion.objects.select_related("by").order_by("version"))
        rows = get_object_or_404(TopicSet, slug=slug).members.prefetch_related(versions)
        return self.page(rows, shapes.TopicSerializer)

    @extend_schema(request=writing.NewTopicSerializer, responses={201: shapes.TopicSerializer})
    @members.mapping.post
    def add(self, request: Request, slug: str) -> Response:
        """Add a topic to the set. A token needs the scope `topics`."""
        topics = get_object_or_404(TopicSet, slug=slug)
        made = writing.added(topics, request.data, cast("User", request.user))
        return Response(shapes.TopicSerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=writing.WordingSerializer, responses={201: shapes.TopicSerializer})
    @action(detail=True, methods=["post"], url_path=r"members/(?P<number>\d{1,9})/versions")
    def reword(self, request: Request, slug: str, number: str) -> Response:
        """Add a version of a topic, whose number is that of the list, and say why; what is left out stays.

        A token needs the scope `topics`.
        """
        topic = get_object_or_404(Topic, topics__slug=slug, number=int(number))
        writing.reworded(topic, request.data, cast("User", request.user))
        return Response(shapes.TopicSerializer(topic).data, status=status.HTTP_201_CREATED)
