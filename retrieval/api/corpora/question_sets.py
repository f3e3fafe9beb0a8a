"""Sets of questions for scripts: begun from the text of a file, as on the page."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from common.api import NumberField, StrictSerializer
from common.errors import BadField, BadInput
from retrieval.corpora.forms.files import as_path
from retrieval.corpora.models import Corpus, QuestionSet
from retrieval.engine.questions.checking import MOST_OVERLAP
from retrieval.questions import sets
from retrieval.questions.forms import ORIGINS


class QuestionSetSerializer(serializers.ModelSerializer[QuestionSet]):
    """A set of questions; the questions themselves are listed apart."""

    corpus: Any = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    topics: Any = serializers.SlugRelatedField(
        slug_field="slug", read_only=True, allow_null=True, help_text="What it was exported as"
    )
    n_questions = serializers.SerializerMethodField()

    class Meta:
        model = QuestionSet
        fields: ClassVar = [
            "slug", "title", "corpus", "origin", "most_overlap", "file_name", "sha256", "topics",
            "n_questions", "created",
        ]  # fmt: skip

    def get_n_questions(self, found: QuestionSet) -> int:
        """How many questions it holds."""
        return found.questions.count()


class NewQuestionSetSerializer(StrictSerializer):
    """A set of questions, of the text of a file. An unknown field is an error, never silently ignored."""

    slug = serializers.SlugField(max_length=80, help_text="Its name in addresses and commands")
    title = serializers.CharField(max_length=300, default="", allow_blank=True, help_text="Else the slug")
    file = serializers.CharField(
        trim_whitespace=False,
        help_text="A file's text: JSON lines of paragraphs with citation marks (id, text, source), or of "
        "authors' questions (id, question, targets)",
    )
    file_name = serializers.CharField(default="questions.jsonl", max_length=200)
    origin = serializers.ChoiceField(list(ORIGINS), default="inline")
    most_overlap = NumberField(
        default=MOST_OVERLAP, help_text="Share of a question's words in a target's title; more is refused"
    )


def begun(corpus: Corpus, data: Any, by: User) -> QuestionSet:
    """Begin a set, or return the one that this file has begun under this slug.

    Raises:
        ValidationError: with the field that is wrong, and the line of the file; nothing is stored.
    """
    asked = NewQuestionSetSerializer(data=data)
    asked.is_valid(raise_exception=True)
    said = asked.validated_data
    facts = {**{name: said[name] for name in sets.FACTS}, "title": said["title"] or said["slug"]}
    try:
        with as_path(SimpleUploadedFile(said["file_name"], said["file"].encode()), "write_questions") as path:
            return sets.begin(path, corpus, facts, by)
    except BadInput as error:
        field = error.field if isinstance(error, BadField) else "detail"
        raise ValidationError({field: [str(error)]}) from error
