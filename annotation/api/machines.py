"""Machine readers of a study by API: made, started, followed, stopped; what they said."""

from __future__ import annotations

import json
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from annotation import access
from annotation.machine import jobs, overview, prompts, readers
from annotation.machine.imported.storing import About, import_answers, refuse_many
from annotation.machine.jobs import Limits
from annotation.models import AnswerFile, MachineJob, MachineReader, MachineReading, Study
from annotation.tasktypes.base import Invalid
from common.api import Conflict, NumberField, Pages, Scoped, StrictSerializer
from common.errors import BadField, BadInput
from retrieval.api.corpora.asking import LimitsSerializer
from retrieval.jobs import queue
from retrieval.models import Status


class MachineJobSerializer(serializers.ModelSerializer[MachineJob]):
    class Meta:
        model = MachineJob
        fields = (
            "id", "purpose", "status", "stage", "total", "done", "error", "counts", "created", "started",
            "finished",
        )  # fmt: skip


class AnswerFileSerializer(serializers.ModelSerializer[AnswerFile]):
    """Where answers came from that were read in."""

    class Meta:
        model = AnswerFile
        fields = (
            "name", "sha256", "form", "source", "licence", "n_answers", "n_passed_over", "n_tied", "details",
            "created",
        )  # fmt: skip


class MachineReaderSerializer(serializers.ModelSerializer[MachineReader]):
    """A machine reader, with its latest job that reads."""

    prompt = serializers.IntegerField(source="prompt.version", read_only=True, allow_null=True)
    job = serializers.SerializerMethodField()
    file = AnswerFileSerializer(source="answer_file", read_only=True, allow_null=True, default=None)

    class Meta:
        model = MachineReader
        fields = (
            "name", "origin", "endpoint", "scripted", "prompt", "parameters", "seed", "replicates",
            "repeated", "orders", "created", "job", "file",
        )  # fmt: skip

    @extend_schema_field(MachineJobSerializer(allow_null=True))
    def get_job(self, reader: MachineReader) -> Any:
        job = overview.last_job(reader)
        return MachineJobSerializer(job).data if job else None


class MachineReadingSerializer(serializers.ModelSerializer[MachineReading]):
    """What a machine reader said of an item, with the raw reply."""

    item = serializers.IntegerField(source="item.number", read_only=True)

    class Meta:
        model = MachineReading
        fields = (
            "id", "item", "replicate", "order", "state", "answer", "probabilities", "reason", "asked",
            "shown", "position", "item_digest", "looks_like_instruction", "prompt_tokens",
            "completion_tokens", "text", "created",
        )  # fmt: skip


class NewReaderSerializer(StrictSerializer):
    """A new machine reader. Nothing is asked before it is started."""

    endpoint = serializers.CharField(max_length=50, help_text="Alias of a model that the installation allows")
    prompt = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="Version; left out: the latest, or where there is none the one that is proposed",
    )
    temperature = NumberField(default=0.0)
    max_tokens = serializers.IntegerField(required=False, help_text="Left out: as the task needs")
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**62)
    replicates = serializers.IntegerField(default=readers.REPLICATES)
    repeated = serializers.IntegerField(default=readers.REPEATED)
    orders = serializers.IntegerField(default=1)


class NewAnswersSerializer(StrictSerializer):
    """A system's answers to all items of the study."""

    name = serializers.CharField(help_text="Of the system, as reports call it")
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="Where the answers come from"
    )
    licence = serializers.CharField(help_text="Under which they may be used")
    answers = serializers.ListField(
        child=serializers.DictField(),
        help_text="One for each item: “item” (its digest, id or number) with “answer”, or with “scores”, a "
        "number for each answer there is, in canonical order",
    )


class MachineReaderViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[MachineReader]):
    """The machine readers of a study that you direct."""

    scope = "machines"
    permission_classes = (IsAuthenticated, Scoped)
    serializer_class = MachineReaderSerializer
    pagination_class = Pages
    lookup_field = "name"
    lookup_value_regex = "[^/.]+"
    queryset = MachineReader.objects.select_related("prompt", "answer_file")

    def study(self) -> Study:
        """Return the study, or raise Http404."""
        return access.get_study(cast("User", self.request.user), self.kwargs["slug"])

    def get_queryset(self) -> QuerySet[MachineReader]:
        return super().get_queryset().filter(study=self.study())

    def reader(self, name: str) -> MachineReader:
        """Return the reader of that name, or raise Http404."""
        return get_object_or_404(self.get_queryset().select_related("study"), name=name)

    @extend_schema(request=NewReaderSerializer, responses={201: MachineReaderSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Make a machine reader."""
        study, by = self.study(), cast("User", request.user)
        asked = NewReaderSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        said = dict(asked.validated_data)
        try:
            with transaction.atomic():
                if "prompt" not in said:
                    last = readers.latest_prompt(study)
                    words = prompts.proposed(study)
                    made = last or prompts.revise(study, *words, reason="", seen=0, by=by)
                    said["prompt"] = made.version
                reader = readers.make(study, readers.Settings(**said), by=by)
        except (BadInput, Invalid) as error:
            raise refused(error) from None
        return Response(MachineReaderSerializer(reader).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=NewAnswersSerializer, responses={201: MachineReaderSerializer})
    @action(detail=False, methods=["post"])
    def answers(self, request: Request, slug: str) -> Response:
        """Read a system's answers in, all of them or none; the lines of an error count from 1."""
        study, by = self.study(), cast("User", request.user)
        asked = NewAnswersSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        said = dict(asked.validated_data)
        data = "\n".join(json.dumps(each) for each in said.pop("answers")).encode()
        try:
            refuse_many(study)
            reader = import_answers(study, data, "answers", About(**said), by=by, now=timezone.now())
        except BadInput as error:
            raise refused(error) from None
        return Response(MachineReaderSerializer(reader).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=LimitsSerializer, responses={202: MachineJobSerializer})
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str, name: str) -> Response:
        """Let it read what it has not read yet, within limits; a job that stopped goes on with these."""
        reader = self.reader(name)
        asked = LimitsSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        limits = Limits(**asked.validated_data)
        job = overview.last_job(reader)
        try:
            if job is not None and job.status in (Status.FAILED, Status.CANCELLED):
                if not jobs.go_on_with(job, limits=limits):
                    raise BadInput(f"{name} cannot go on: another of its jobs has not ended.")
                job.refresh_from_db()
            else:
                job = jobs.submit(reader, limits=limits, by=cast("User", request.user))
        except BadInput as error:
            raise refused(error) from None
        return Response(MachineJobSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses=MachineJobSerializer)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, slug: str, name: str) -> Response:
        """Stop it. What was read stays, and it can go on."""
        job = self.reader(name).jobs.first()
        if job is None or not queue.cancel(job.pk, MachineJob):
            raise Conflict("It is not reading.")
        job.refresh_from_db()
        return Response(MachineJobSerializer(job).data)

    @extend_schema(responses=MachineReadingSerializer(many=True))
    @action(detail=True)
    def readings(self, request: Request, slug: str, name: str) -> Response:
        """What it said, in the order in which it was stored, with the raw replies."""
        rows = self.reader(name).readings.select_related("item")
        page: Any = self.paginate_queryset(cast("Any", rows))
        return self.get_paginated_response(MachineReadingSerializer(page or [], many=True).data)


def refused(error: BadInput | Invalid) -> ValidationError:
    """Return the reply to bad input, under its field where that is known."""
    return ValidationError({error.field if isinstance(error, BadField) else "detail": [str(error)]})
