"""The stored texts: the novels, and the critics who quote them."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.core.validators import MaxValueValidator
from django.db import models
from django.urls import reverse

from retrieval.engine.text.passages import Passage, slice_text

Bounds = list[tuple[int, int]]
HEAVY = ("text", "sentences", "headings", "left_out", "marked", "notes")
"""Columns that make a book heavy; no list loads them."""
HEAVY_BOOK = tuple(f"book__{field}" for field in HEAVY)
HEAVY_TEXTS = (*HEAVY_BOOK, "source__text", "source__notes")


class Text(models.Model):
    """What a book and a secondary source share: a stored text that never changes.

    Every offset elsewhere points into `text`, so nothing is re-typed and
    every passage can be shown where it stands.
    """

    slug = models.SlugField(max_length=80, unique=True)
    language = models.CharField(max_length=35, default="en", help_text="BCP 47 tag")
    text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, editable=False)
    notes = models.JSONField(default=list, help_text="What the import removed or noticed, in sentences")
    read_as = models.JSONField(
        default=dict,
        help_text="Format, encoding and rules by which the file was read, and what was set aside",
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Book(Text):
    """A primary source: the novel whose passages are the candidates."""

    title = models.CharField(max_length=300)
    author = models.CharField(max_length=200)
    year = models.PositiveSmallIntegerField(null=True, blank=True, validators=[MaxValueValidator(3000)])
    licence = models.CharField(max_length=200, blank=True)
    sentences = models.JSONField(default=list, help_text="Half-open [start, end) offsets into the text")
    headings = models.JSONField(default=list, help_text="Offsets of chapter headings: not sentences")
    left_out = models.JSONField(default=list, help_text="[start, end, kind] of what is not the novel")
    marked = models.JSONField(
        default=list, help_text="[start, kind] of paragraphs of which the file's markup says what they are"
    )
    n_sentences = models.PositiveIntegerField(default=0)
    corrections = models.JSONField(
        default=list, help_text="[start, kind] of paragraphs staff sorted otherwise than the rules do"
    )
    revision = models.PositiveIntegerField(default=0, help_text="How often the sentences were corrected")

    class Meta:
        ordering: ClassVar = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("retrieval:book", args=[self.slug])

    def bounds(self) -> Bounds:
        """Return the half-open offsets of the sentences as tuples (JSON knows lists only)."""
        return cast("Bounds", [tuple(pair) for pair in self.sentences])

    def reading(self) -> dict[str, Any]:
        """How the rules are to read the text: `notes` and `known` of `layout.parts`."""
        return {"notes": bool(self.read_as.get("notes")), "known": dict(self.marked)}

    def passage(self, first: int, size: int) -> str:
        """Return the wording of `size` sentences from sentence `first`, without a heading between them."""
        return slice_text(self.text, self.sentences, Passage(first, size))


def passage_address(slug: str, first: int, size: int) -> str:
    """Return the address of the page on which a passage of a book is shown, marked, in its place."""
    return f"{reverse('retrieval:book', args=[slug])}?at={first}&size={size}#s{first}"


class Source(Text):
    """A secondary source: the critic's book or article that quotes."""

    citation = models.CharField(max_length=300, help_text="As in a footnote, e.g. Helm 1909")

    class Meta:
        ordering: ClassVar = ["citation", "slug"]

    def __str__(self) -> str:
        return self.citation

    def get_absolute_url(self) -> str:
        return reverse("retrieval:source", args=[self.slug])
