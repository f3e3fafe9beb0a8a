"""Topics that scripts write: a new one, or a new wording of one, with who and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from common.api import StrictSerializer
from common.errors import BadInput
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Topic, TopicSet, TopicVersion
from retrieval.corpora.models.documents import LONGEST_ID

Made = TypeVar("Made")


class _Wording(StrictSerializer):
    description = serializers.CharField(required=False, allow_blank=True, help_text="The need in a sentence")
    narrative = serializers.CharField(required=False, allow_blank=True, help_text="What counts as relevant")
    author = serializers.CharField(required=False, allow_blank=True, help_text="Who asks")
    language = serializers.CharField(required=False, help_text="A tag such as en, fr or pt-BR")
    facets = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="Value by name of the facet"
    )
    wordings = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField()),
        required=False,
        help_text="Other wordings of the query by name: of each its `text` and, where known, its `lemmas`",
    )


class NewTopicSerializer(_Wording):
    """A topic. An unknown field is an error, never silently ignored."""

    id = serializers.CharField(max_length=LONGEST_ID, help_text="Its id in files; it cannot be changed later")
    title = serializers.CharField(help_text="The query")


class WordingSerializer(_Wording):
    """New words for a topic. An unknown field is an error, never silently ignored."""

    title = serializers.CharField(required=False, help_text="The query")
    why = serializers.CharField(max_length=300, help_text="Kept with the new version, with your name")


def added(topics: TopicSet, data: Any, by: User) -> Topic:
    """Add a topic to a set. Raises ValidationError with the field that is wrong."""
    said = _said(NewTopicSerializer(data=data))
    name = said.pop("id")
    return _made(lambda: loading.add(topics, name, said, by), {"external_id": "id"}).topic


def reworded(topic: Topic, data: Any, by: User) -> TopicVersion:
    """Add a version of a topic. Raises ValidationError with the field that is wrong."""
    said = _said(WordingSerializer(data=data))
    why = said.pop("why")
    return _made(lambda: loading.reword(topic, said, why, by), {})


def _said(asked: serializers.Serializer[Any]) -> dict[str, Any]:
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


def _made(act: Callable[[], Made], names: dict[str, str]) -> Made:
    try:
        return act()
    except BadInput as error:
        field = getattr(error, "field", "detail")
        raise ValidationError({names.get(field, field): [str(error)]}) from error
