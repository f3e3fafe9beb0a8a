"""Books and secondary sources, for scripts of researchers and staff: what there is, not the texts."""

from __future__ import annotations

from rest_framework import mixins, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.viewsets import GenericViewSet

from common.api import Pages, Reading, Scoped, StrictFilters
from retrieval.api.search import ScholarOnly
from retrieval.models import Book, Source
from retrieval.models.texts import HEAVY


class ScholarReads(ScholarOnly):
    """Let researchers and staff read."""

    message = "Only researchers and staff may read books, sources and jobs."


class BookSerializer(serializers.ModelSerializer[Book]):
    class Meta:
        model = Book
        fields = (
            "slug",
            "title",
            "author",
            "year",
            "language",
            "licence",
            "n_sentences",
            "sha256",
            "read_as",
        )


class SourceSerializer(serializers.ModelSerializer[Source]):
    class Meta:
        model = Source
        fields = ("slug", "citation", "language", "sha256", "read_as", "created")


class BookViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Book], Reading):
    """The imported books. Their texts are read on the pages."""

    permission_classes = (IsAuthenticated, Scoped, ScholarReads)
    pagination_class = Pages
    serializer_class = BookSerializer
    filterset_class = StrictFilters
    lookup_field = "slug"
    queryset = Book.objects.defer(*HEAVY)


class SourceViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Source], Reading):
    """The imported sources: critics' books and articles. Their texts are read on the pages."""

    permission_classes = (IsAuthenticated, Scoped, ScholarReads)
    pagination_class = Pages
    serializer_class = SourceSerializer
    filterset_class = StrictFilters
    lookup_field = "slug"
    queryset = Source.objects.defer("text", "notes")
