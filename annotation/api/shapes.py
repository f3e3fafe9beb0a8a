"""What the API says of a study: its items, judgments, decisions, people, invitations and assignments."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import Assignment, Decision, Enrolment, Invitation, Item, Judgment, State, Study
from annotation.people import enrolments


class StudySerializer(serializers.ModelSerializer[Study]):
    items = serializers.IntegerField(source="n_items", read_only=True)
    assignments = serializers.IntegerField(source="n_assignments", read_only=True)
    assignments_done = serializers.IntegerField(source="n_done", read_only=True)

    class Meta:
        model = Study
        fields = (
            "slug", "title", "contact", "task", "overlap", "seed", "option_order", "filling", "neighbours",
            "earlier_answers", "source_after", "quota", "lease_minutes", "pass_mark", "check_every",
            "ask_confidence", "ask_basis", "rate", "currency", "state", "created", "opened", "closed",
            "items", "assignments", "assignments_done",
        )  # fmt: skip


class ItemSerializer(serializers.ModelSerializer[Item]):
    """For researchers of the study: with gold and provenance, and which version it is."""

    replaces = serializers.IntegerField(source="replaces.number", read_only=True, allow_null=True)

    class Meta:
        model = Item
        fields = (
            "number", "digest", "kind", "payload", "gold", "provenance",
            "version", "replaces", "quarantined", "retired",
        )  # fmt: skip


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    item = serializers.IntegerField(source="assignment.item.number", read_only=True)
    pseudonym = serializers.CharField(source="annotator.pseudonym", read_only=True)
    simulated = serializers.BooleanField(source="annotator.simulated", read_only=True)
    guideline_version = serializers.IntegerField(source="guideline.version", read_only=True, allow_null=True)
    group_place = serializers.IntegerField(
        source="assignment.group_place",
        read_only=True,
        allow_null=True,
        help_text="Which of its group, such as its topic, the item was for this reader, from 1",
    )
    arm = serializers.CharField(source="assignment.arm", read_only=True)
    revealed_at = serializers.DateTimeField(source="assignment.revealed_at", read_only=True, allow_null=True)
    kept_at = serializers.DateTimeField(source="assignment.kept_at", read_only=True, allow_null=True)

    class Meta:
        model = Judgment
        fields: tuple[str, ...] = (
            "id", "item", "pseudonym", "simulated", "outcome", "answer", "reason", "note", "order",
            "group_place", "neighbours", "confidence", "basis", "active_seconds", "revision",
            "guideline_version", "consent_version",
            "channel", "created", "arm", "revealed_at", "kept_at", "seen",
        )  # fmt: skip


class MarkedJudgmentSerializer(JudgmentSerializer):
    """A judgment for researchers: beside what is right, where that is known."""

    kind = serializers.CharField(source="assignment.item.kind", read_only=True, help_text="Of the item")
    current = serializers.BooleanField(
        source="is_current", read_only=True, help_text="Whether it is the latest at its assignment"
    )
    gold = serializers.JSONField(
        source="assignment.item.gold", read_only=True, allow_null=True, help_text="The right answer, or null"
    )
    correct = serializers.SerializerMethodField(help_text="Null without an answer, or without a right one")

    class Meta(JudgmentSerializer.Meta):
        fields: tuple[str, ...] = (*JudgmentSerializer.Meta.fields, "kind", "current", "gold", "correct")

    @extend_schema_field(serializers.BooleanField(allow_null=True))
    def get_correct(self, judgment: Judgment) -> bool | None:
        if judgment.answer is None:
            return None
        study: Study = self.context["study"]
        return study.task_type.is_correct(judgment.answer, judgment.assignment.item.gold)


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """What an adjudicator decided. No number on agreement looks at it."""

    item = serializers.IntegerField(source="item.number", read_only=True)
    adjudicator = serializers.CharField(source="adjudicator.pseudonym", read_only=True)

    class Meta:
        model = Decision
        fields = ("id", "item", "revision", "answer", "adopted", "reason", "seen", "adjudicator", "created")


class PersonSerializer(serializers.ModelSerializer[Enrolment]):
    """Somebody in the study, by pseudonym."""

    class Meta:
        model = Enrolment
        fields = (
            "pseudonym", "role", "state", "simulated", "quota", "consent_version", "practised", "created",
        )  # fmt: skip


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """A link into the study."""

    address = serializers.SerializerMethodField(help_text="The link; null where it lets nobody in any more")

    class Meta:
        model = Invitation
        fields = ("id", "role", "seats", "used", "expires", "revoked", "created", "address")

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_address(self, invitation: Invitation) -> str | None:
        if not invitation.is_valid(timezone.now()) or invitation.study.state == State.CLOSED:
            return None
        path = enrolments.address(enrolments.link(invitation))
        found: str = self.context["request"].build_absolute_uri(path)
        return found


class PlaceSerializer(serializers.ModelSerializer[Assignment]):
    """An assignment: one of the readings that an item needs."""

    item = serializers.IntegerField(source="item.number", read_only=True)
    kind = serializers.CharField(source="item.kind", read_only=True, help_text="Of the item")
    pseudonym = serializers.CharField(
        source="annotator.pseudonym", read_only=True, allow_null=True, default=None, help_text="Whose it is"
    )

    class Meta:
        model = Assignment
        fields = (
            "id", "item", "kind", "slot", "pseudonym", "status", "claimed", "opened", "put_off",
            "lease_until", "group_place", "arm",
        )  # fmt: skip


class AddedSerializer(serializers.Serializer[Any]):
    """What came of adding items."""

    new = serializers.IntegerField(help_text="Stored now")
    known = serializers.IntegerField(help_text="Those sent that the study had before")
