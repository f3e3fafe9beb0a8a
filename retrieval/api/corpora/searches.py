"""Searches of corpora, for scripts: launched, followed, cancelled, tried again."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from common.api import Conflict, ForStaff, StrictFilters, StrictSerializer, Text
from retrieval.corpora.forms.searching import LaunchForm
from retrieval.corpora.models import Corpus, SearchJob
from retrieval.corpora.searching import jobs
from retrieval.corpora.searching.plans import FIELDS, Plan
from retrieval.engine.corpora.stemming import STEMMERS
from retrieval.engine.corpora.tokenising import STOP_LISTS, TokenSettings
from retrieval.models import Status


class SearchSerializer(serializers.ModelSerializer[SearchJob]):
    corpus = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    topics = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    run = serializers.SlugRelatedField(slug_field="name", read_only=True, allow_null=True)  # type: ignore[var-annotated]

    class Meta:
        model = SearchJob
        fields = (
            "id", "corpus", "topics", "name", "plan", "run", "code_version", "status", "stage", "queue",
            "total", "done", "attempts", "error", "created", "started", "finished",
        )  # fmt: skip


class NewSearchSerializer(StrictSerializer):
    """A search of a corpus, as the page launches it."""

    corpus = serializers.SlugField()
    topics = serializers.SlugField()
    name = serializers.SlugField(max_length=80, help_text="Of the run")
    ranker = serializers.CharField(
        default="lucene", max_length=200, help_text="A variant of BM25, or dense:NAME of an allowed encoder"
    )
    fields_of_topic = serializers.ListField(
        child=serializers.ChoiceField(FIELDS), default=list(Plan().fields), min_length=1
    )
    depth = serializers.IntegerField(default=Plan().depth, help_text="Documents kept of each topic")
    genres = serializers.ListField(child=serializers.CharField(), required=False, help_text="Searched alone")
    languages = serializers.ListField(child=serializers.CharField(), required=False)
    first_year = serializers.IntegerField(required=False)
    last_year = serializers.IntegerField(required=False)
    facets = serializers.DictField(child=serializers.CharField(), required=False)
    feedback = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Genres that expand topics by RM3"
    )
    stop_list = serializers.ChoiceField(sorted(STOP_LISTS), default=TokenSettings().stop_list)
    stemmer = serializers.ChoiceField(sorted(STEMMERS), default=TokenSettings().stemmer)

    def launch(self, by: User) -> SearchJob:
        """Return the new job, refused as on the page. Raises ValidationError with the field."""
        said = dict(self.validated_data)
        name = said.pop("corpus")
        corpus = Corpus.objects.ready().filter(slug=name).first()
        if corpus is None:
            raise ValidationError({"corpus": [f"There is no corpus “{name}”."]})
        said["facets"] = "\n".join(f"{each}={value}" for each, value in said.get("facets", {}).items())
        form = LaunchForm(said, corpus=corpus, by=by)
        for each, value in said.items():
            if value and each not in form.fields:
                raise ValidationError({each: [f"The documents of “{corpus}” do not differ in this."]})
        job = form.launch() if form.is_valid() else None
        if job is None:
            told = {"__all__": "detail", "fields": "fields_of_topic"}
            raise ValidationError(
                {told.get(each, each): [str(why) for why in said] for each, said in form.errors.items()}
            )
        return job


class SearchFilters(StrictFilters):
    corpus = Text(field_name="corpus__slug")
    topics = Text(field_name="topics__slug")
    status = filters.ChoiceFilter(choices=Status.choices)

    class Meta:
        model = SearchJob
        fields: ClassVar = ["corpus", "topics", "status"]


class SearchViewSet(ForStaff[SearchJob]):
    """Searches of corpora by workers: launch one, follow it, cancel it, try it again."""

    serializer_class = SearchSerializer
    filterset_class = SearchFilters
    lookup_value_regex = r"\d+"
    queryset = SearchJob.objects.select_related("corpus", "topics", "run")

    @extend_schema(request=NewSearchSerializer, responses={202: SearchSerializer})
    def create(self, request: Request) -> Response:
        """Have a worker search a corpus for every topic of a set."""
        asked = NewSearchSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        job = asked.launch(cast("User", request.user))
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={202: SearchSerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Go on with a search that failed or was cancelled."""
        job: Any = get_object_or_404(self.get_queryset(), pk=pk)
        if not jobs.retry(job):
            raise Conflict(f"{job} cannot go on: it has not failed, or its name is in use.")
        job.refresh_from_db()
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={200: SearchSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a search that has not ended. No run is stored; index and vectors are kept."""
        job: Any = get_object_or_404(self.get_queryset(), pk=pk)
        jobs.cancel(job)
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)
