"""What scripts are told of corpora, topics, runs, pools and judgments."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from retrieval.corpora.models import (
    Corpus,
    Document,
    EndpointJob,
    Grade,
    Pool,
    PoolEntry,
    Qrels,
    Question,
    QuestionEdit,
    Ranked,
    Recall,
    Run,
    Topic,
    TopicSet,
    TopicVersion,
)


def _slug(of: str = "slug", **options: Any) -> Any:
    return serializers.SlugRelatedField(slug_field=of, read_only=True, **options)


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    class Meta:
        model = Corpus
        fields = (
            "slug", "title", "language", "source", "licence", "recipe", "n_documents", "n_words", "n_equal",
            "sha256", "created",
        )  # fmt: skip


class DocumentSerializer(serializers.ModelSerializer[Document]):
    id = serializers.CharField(source="external_id", help_text="Its id in files of runs and qrels")
    book = _slug(allow_null=True)

    class Meta:
        model = Document
        fields = (
            "id", "number", "title", "text", "lemmata", "genre", "year", "language", "source_key", "book",
            "start", "end", "extra",
        )  # fmt: skip


class RunSerializer(serializers.ModelSerializer[Run]):
    topics = _slug()

    class Meta:
        model = Run
        fields = (
            "name", "topics", "ranker", "parameters", "made_with", "file_name", "sha256", "depth", "notes",
            "created",
        )  # fmt: skip


class RankedSerializer(serializers.ModelSerializer[Ranked]):
    topic = serializers.CharField(source="topic.topic.external_id", read_only=True)
    version = serializers.IntegerField(
        source="topic.version", read_only=True, help_text="The wording searched for"
    )
    document = _slug("external_id")

    class Meta:
        model = Ranked
        fields = ("topic", "version", "rank", "document", "score")


class PoolSerializer(serializers.ModelSerializer[Pool]):
    topics = _slug()
    runs = _slug("name", many=True)

    class Meta:
        model = Pool
        fields = ("topics", "number", "depth", "runs", "counts", "created")


class EntrySerializer(serializers.ModelSerializer[PoolEntry]):
    topic = _slug("external_id")
    document = _slug("external_id")

    class Meta:
        model = PoolEntry
        fields = ("topic", "document", "best_rank", "n_runs")


class EndpointJobSerializer(serializers.ModelSerializer[EndpointJob]):
    corpus = _slug()
    topics = _slug(allow_null=True)
    run = _slug("name", allow_null=True)
    spent = serializers.IntegerField(source="budget.spent", read_only=True, help_text="Micro-units")
    limit = serializers.IntegerField(
        source="budget.limit", read_only=True, allow_null=True, help_text="Micro-units; null: none"
    )
    calls = serializers.IntegerField(source="budget.calls", read_only=True)

    class Meta:
        model = EndpointJob
        fields = (
            "id", "what", "name", "corpus", "topics", "endpoint", "plan", "run", "status", "stage", "done",
            "total", "error", "spent", "limit", "calls", "created",
        )  # fmt: skip


class RecallSerializer(serializers.ModelSerializer[Recall]):
    topic = serializers.CharField(source="topic.topic.external_id", read_only=True)
    version = serializers.IntegerField(source="topic.version", read_only=True, help_text="The wording asked")

    class Meta:
        model = Recall
        fields = (
            "topic", "version", "endpoint", "model", "qrels", "prompt_sha256", "replicates", "longest_run",
            "similarity", "contaminated", "at",
        )  # fmt: skip


class EditSerializer(serializers.ModelSerializer[QuestionEdit]):
    class Meta:
        model = QuestionEdit
        fields = ("before", "after", "why", "writer", "at")


class QuestionSerializer(serializers.ModelSerializer[Question]):
    set = _slug()
    source = _slug("external_id", allow_null=True)
    targets = _slug("external_id", many=True)
    edits = EditSerializer(many=True, read_only=True, help_text="Every wording, the model's first")

    class Meta:
        model = Question
        fields = (
            "set", "number", "text", "standing", "refused", "overlap", "overlap_all", "paragraph_id",
            "paragraph", "source", "targets", "writer", "model", "prompt_sha256", "specificity", "quality",
            "edits",
        )  # fmt: skip


class QrelsSerializer(serializers.ModelSerializer[Qrels]):
    topics = _slug()

    class Meta:
        model = Qrels
        fields = ("name", "topics", "source", "file_name", "sha256", "created")


class GradeSerializer(serializers.ModelSerializer[Grade]):
    topic = _slug("external_id")
    document = _slug("external_id")

    class Meta:
        model = Grade
        fields = ("topic", "document", "grade")


class TopicSetSerializer(serializers.ModelSerializer[TopicSet]):
    n_topics = serializers.IntegerField(read_only=True)

    class Meta:
        model = TopicSet
        fields = ("slug", "title", "facets", "wordings", "source", "sha256", "n_topics", "created")


class VersionSerializer(serializers.ModelSerializer[TopicVersion]):
    by = serializers.CharField(source="by.username", read_only=True, allow_null=True, default=None)

    class Meta:
        model = TopicVersion
        fields = (
            "version", "title", "description", "narrative", "author", "language", "facets", "wordings",
            "why", "by", "at",
        )  # fmt: skip


class TopicSerializer(serializers.ModelSerializer[Topic]):
    id = serializers.CharField(source="external_id", help_text="Its id in files of runs and qrels")
    versions = VersionSerializer(many=True, read_only=True, help_text="Every wording, the current one last")

    class Meta:
        model = Topic
        fields = ("id", "number", "versions")
