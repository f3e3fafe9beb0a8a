"""A reader's own items by API: claim one, answer it. It tells nothing that a page does not show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api.shapes import JudgmentSerializer
from annotation.assignment import arms, consents, practice
from annotation.assignment.claiming import next_assignment, order_at
from annotation.judging import judgments, taking_back
from annotation.judging.submissions import Submission
from annotation.models import SAID, Assignment, Basis, Judgment, Kind, Outcome
from annotation.reading import given
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from common.api import Conflict, Scoped, StrictSerializer


class OwnJudgmentSerializer(JudgmentSerializer):
    """A judgment for the reader who gave it: the item by its number for them, options by their positions."""

    item = serializers.SerializerMethodField()  # type: ignore[assignment]
    answer = serializers.SerializerMethodField(help_text="As you sent it; null unless an answer")

    class Meta(JudgmentSerializer.Meta):
        # The order shown is in canonical numbers, which might tell which option is right.
        fields: tuple[str, ...] = tuple(
            name
            for name in JudgmentSerializer.Meta.fields
            if name
            not in (
                "order",
                "arm",
                "revealed_at",
                "kept_at",
                "seen",
                "seen_reading",
                "group_place",
                "neighbours",
            )
        )

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_answer(self, judgment: Judgment) -> dict[str, Any] | None:
        if judgment.answer is None:
            return None
        return judgment.assignment.study.task_type.as_shown(judgment.answer, judgment.order)

    def get_item(self, judgment: Judgment) -> int:
        return own_number(judgment.assignment)


class FeedbackSerializer(serializers.Serializer[Any]):
    """After a practice item: what was expected and why, and how far the practice has come."""

    right = serializers.BooleanField()
    expected = serializers.DictField(help_text="In the terms of your answer")
    explanation = serializers.CharField()
    items = serializers.IntegerField(source="standing.items")
    answered = serializers.IntegerField(source="standing.answered")
    answered_rightly = serializers.IntegerField(source="standing.right")
    wanted = serializers.IntegerField(source="standing.wanted", help_text="Right answers before the work")
    done = serializers.BooleanField(help_text="From here on answers count, and nothing is told")


class ReplySerializer(OwnJudgmentSerializer):
    """What was stored; with feedback where it was practice."""

    feedback = serializers.SerializerMethodField()
    machine = serializers.SerializerMethodField(
        help_text="What a machine answered, where you may see it by now: send a revision, or keep yours"
    )

    class Meta(OwnJudgmentSerializer.Meta):
        fields: tuple[str, ...] = (*OwnJudgmentSerializer.Meta.fields, "feedback", "machine")

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_machine(self, judgment: Judgment) -> dict[str, Any] | None:
        return machine_shown(judgment.assignment, judgment.order)

    @extend_schema_field(FeedbackSerializer(allow_null=True))
    def get_feedback(self, judgment: Judgment) -> dict[str, Any] | None:
        if judgment.assignment.item.kind != Kind.PRACTICE:
            return None
        told = practice.feedback(judgment)
        expected = judgment.assignment.study.task_type.as_shown(told.expected, judgment.order)
        return dict(FeedbackSerializer(told._replace(expected=expected)).data)


class AssignmentSerializer(serializers.Serializer[Any]):
    """An assignment you hold: what a reader sees, and nothing else."""

    id = serializers.IntegerField()
    study = serializers.CharField()
    item = serializers.IntegerField(help_text="Its number for you, from 1")
    task = serializers.CharField()
    practice = serializers.BooleanField(help_text="Before the work: you are told what was expected")
    shown = serializers.DictField(help_text="As the page shows it, options by their position for you, from 0")
    revision = serializers.IntegerField(help_text="Revisions stored so far: send it back with your answer")
    machine = serializers.DictField(
        allow_null=True, help_text="What a machine answered, where you are shown it beforehand; else null"
    )


def answer_shapes() -> str:
    """Return what `answer` looks like for each task type, by the type's own example."""
    shapes = []
    for slug, task in registry.all_types().items():
        example = task.example()
        answer = task.as_shown(example.answer, range(task.n_options(example.payload)))
        plain = [{each.field: each.value} for each in task.plain_answers]
        shapes.append(f"{slug}: {' or '.join(json.dumps(each) for each in (answer, *plain))}")
    return f"In the terms of what you were shown. For example {'; '.join(shapes)}"


class AnswerSerializer(StrictSerializer):
    """A judgment to submit. The same `submission` sent twice is one judgment."""

    submission = serializers.UUIDField(help_text="Made by you, new for every judgment")
    outcome = serializers.ChoiceField(
        choices=[(each.value, each.label) for each in SAID], default=Outcome.ANSWER
    )
    answer = serializers.DictField(default=dict, help_text=answer_shapes())
    reason = serializers.CharField(default="", allow_blank=True, max_length=500)
    note = serializers.CharField(default="", allow_blank=True, max_length=10_000)
    active_seconds = serializers.FloatField(default=0, min_value=0)
    revision = serializers.IntegerField(default=0, min_value=0)
    confidence = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=5,
        help_text="Where the study asks it: 5 is certain",
    )
    basis = serializers.ChoiceField(
        choices=Basis.choices, default="", allow_blank=True, help_text="Where it is asked"
    )


class NextAssignment(GenericAPIView[Assignment]):
    """Claim your next item in a study you annotate, or get again the one you hold."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=None, responses={200: AssignmentSerializer, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        enrolment = access.get_enrolment(cast("User", request.user), slug)
        if enrolment.study.is_open and consents.consent_to_ask(enrolment) is not None:
            raise Conflict("This study asks for your consent first: sign in and open its page.")
        assignment = next_assignment(enrolment, now=timezone.now())
        if assignment is None:
            if enrolment.study.is_open and practice.practice_failed(enrolment):
                raise Conflict("The work begins with more right practice answers: ask the researcher.")
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(shown(assignment))


class AssignmentJudgment(GenericAPIView[Assignment]):
    """Submit or revise your judgment at an assignment you hold."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=AnswerSerializer, responses={201: ReplySerializer})
    def post(self, request: Request, pk: int) -> Response:
        assignment, enrolment, texts = access.get_assignment_and_texts(cast("User", request.user), pk)
        body = AnswerSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        try:
            told = submission(body.validated_data, order_at(assignment, enrolment))
            judgment = judgments.submit(assignment, enrolment, told, now=timezone.now(), texts=texts)
        except Invalid as error:
            raise ValidationError({error.field or "answer": [str(error)]}) from error
        except (judgments.Stale, judgments.Late) as error:
            raise Conflict(str(error)) from error
        return Response(ReplySerializer(judgment).data, status=status.HTTP_201_CREATED)


class TakeBackSerializer(StrictSerializer):
    """Which of your answers to take back. The same `submission` sent twice takes back once."""

    of = serializers.UUIDField(
        help_text="The `submission` of the answer, or of the take-back, that counts now"
    )
    submission = serializers.UUIDField(help_text="Made by you, new for every take-back")


class AssignmentTakeBack(GenericAPIView[Assignment]):
    """Take your last answer at an assignment back."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=TakeBackSerializer, responses={201: OwnJudgmentSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """The reply says what counts now: the answer before it, or nothing (`taken_back`), and then the
        assignment is yours again. What you took back stays in the record and is never brought again.
        """
        assignment = access.get_assignment(request.user, pk)
        me = assignment.annotator
        assert me is not None  # noqa: S101 - get_assignment asked for one
        body = TakeBackSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        of, act = body.validated_data["of"], body.validated_data["submission"]
        try:
            judgment = taking_back.take_back(assignment, me, act, of=of, now=timezone.now(), channel="api")
        except judgments.Stale as error:
            raise Conflict(str(error)) from error
        return Response(OwnJudgmentSerializer(judgment).data, status=status.HTTP_201_CREATED)


class KeptSerializer(serializers.Serializer[Any]):
    """That your answer stays after you saw a machine's."""

    assignment = serializers.IntegerField()
    kept_at = serializers.DateTimeField(help_text="When you first said so")


class AssignmentKeep(GenericAPIView[Assignment]):
    """Keep your answer after a machine's was shown to you."""

    scope = "judge"
    permission_classes = (IsAuthenticated, Scoped)

    @extend_schema(request=None, responses={200: KeptSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Say that your answer stays; sent again, it changes nothing. To change it, send a revision."""
        assignment = access.get_assignment(request.user, pk)
        assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
        if not assignment.study.is_open:
            raise Conflict("The study is closed: nothing more is stored.")
        if not arms.keep(assignment, assignment.annotator, now=timezone.now()):
            raise Conflict("No machine's answer was shown after yours here: there is nothing to keep.")
        assignment.refresh_from_db(fields=["kept_at"])
        kept = {"assignment": assignment.pk, "kept_at": assignment.kept_at}
        return Response(KeptSerializer(kept).data)


def submission(data: dict[str, Any], order: Sequence[int]) -> Submission:
    """Return the submission that a request's checked data means."""
    return Submission(
        submission=data["submission"],
        outcome=data["outcome"],
        data=data["answer"],
        reason=data["reason"],
        note=data["note"],
        active_seconds=data["active_seconds"],
        previews=0,
        revision=data["revision"],
        channel="api",
        confidence=data["confidence"],
        basis=data["basis"],
        order=order,
    )


def machine_shown(assignment: Assignment, order: Sequence[int]) -> dict[str, Any] | None:
    """Return what a machine answered, in the reader's terms, where they may see it by now; else None."""
    machine = arms.machine_at(assignment)
    return assignment.study.task_type.as_shown(machine.answer, order) if machine is not None else None


def own_number(assignment: Assignment) -> int:
    """Return which of the reader's own items this is. The study's number would tell a check item from the
    work.
    """
    assert assignment.annotator is not None  # noqa: S101 - an assignment that is somebody's
    own = given.assignments_given(assignment.annotator, assignment.item.kind)
    return own.filter(given.given_before(assignment.claimed, assignment.pk)).count() + 1


def shown(assignment: Assignment) -> dict[str, Any]:
    """Return the assignment as the API shows it."""
    study, me = assignment.study, assignment.annotator
    assert me is not None  # noqa: S101 - an assignment that is somebody's
    return {
        "id": assignment.pk,
        "study": study.slug,
        "item": own_number(assignment),
        "task": study.task,
        "practice": assignment.item.kind == Kind.PRACTICE,
        "shown": study.task_type.present(assignment.item.payload, order_at(assignment, me)),
        "revision": assignment.judgments.count(),
        "machine": machine_shown(assignment, order_at(assignment, me)),
    }
