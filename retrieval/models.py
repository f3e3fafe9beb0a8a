"""Books, what critics quote from them, and the candidates computed from both."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.engine.passages import Passage, slice_text

if TYPE_CHECKING:
    from collections.abc import Sequence

Bounds = list[tuple[int, int]]


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
    n_sentences = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("retrieval:book", args=[self.slug])

    def bounds(self) -> Bounds:
        """The sentence offsets as tuples (JSON knows lists only)."""
        return cast("Bounds", [tuple(pair) for pair in self.sentences])

    def passage(self, first: int, size: int) -> str:
        """The wording of `size` sentences from sentence `first`, without a heading between them."""
        return slice_text(self.text, self.sentences, Passage(first, size))


class Source(Text):
    """A secondary source: the critic's book or article that quotes."""

    citation = models.CharField(max_length=300, help_text="As in a footnote, e.g. Helm 1909")

    class Meta:
        ordering: ClassVar = ["citation", "slug"]

    def __str__(self) -> str:
        return self.citation

    def get_absolute_url(self) -> str:
        return reverse("retrieval:source", args=[self.slug])


class Excerpt(models.Model):
    """A piece of literary analysis around one masked quotation.

    The gold answer is the book's own wording (`first`, `size`); what the critic
    printed stands beside it. The digest makes importing twice add nothing.
    """

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="excerpts")
    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="excerpts")
    left = models.JSONField(help_text="Up to four sentences before the quotation, in reading order")
    right = models.JSONField(help_text="Up to four sentences after the quotation")
    printed = models.TextField(blank=True, help_text="The quotation as the critic printed it")
    start = models.PositiveIntegerField(null=True, blank=True, help_text="Offset in the source's text")
    end = models.PositiveIntegerField(null=True, blank=True)
    first = models.PositiveIntegerField(null=True, blank=True, help_text="First sentence in the book")
    size = models.PositiveSmallIntegerField(null=True, blank=True, help_text="How many sentences")
    score = models.FloatField(null=True, blank=True, help_text="QRatio of printed and book wording, 0-100")
    why = models.CharField(max_length=300, blank=True, help_text="Why this was accepted as a quotation")
    external_id = models.CharField(max_length=200, blank=True, help_text="The id it had where it came from")
    digest = models.CharField(max_length=64, unique=True, editable=False)

    class Meta:
        ordering: ClassVar = ["book", "source", "start", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(first__isnull=True, size__isnull=True) | Q(first__isnull=False, size__gte=1),
                name="excerpt_place_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} on {self.book}, excerpt {self.pk}"

    @property
    def gold(self) -> Passage | None:
        """Where the quotation stands in the book, or None when it was not found."""
        if self.first is None or self.size is None:
            return None
        return Passage(self.first, self.size)

    def context(self, left: int, right: int) -> str:
        """The query: the last `left` sentences before the gap and the first `right` after it."""
        before: Sequence[str] = self.left[len(self.left) - left :] if left < len(self.left) else self.left
        return " ".join([*before, *self.right[:right]])


class Status(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


ENDED = (Status.DONE, Status.FAILED, Status.CANCELLED)


class CandidateJob(models.Model):
    """One computation of candidates: what to compute, and how far it has come.

    The row is the queue. What to compute is frozen once submitted; how far it
    has come is changed only by the conditional updates in `retrieval/jobs.py`.
    """

    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="jobs")
    ranker = models.CharField(max_length=60)
    parameters = models.JSONField(
        default=dict, help_text="Ranker parameters, negatives, size, left, right, rules"
    )
    made_with = models.JSONField(
        default=dict, help_text="Library, version, variant and tokeniser of the ranker"
    )
    checkpoint = models.CharField(max_length=64, blank=True, help_text="sha256 of the model, if any")
    seed = models.BigIntegerField(default=0)
    code_version = models.CharField(max_length=80)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    stage = models.CharField(max_length=40, blank=True, help_text="What it is doing, in words")
    queue = models.CharField(max_length=10, default="cpu")
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    counts = models.JSONField(
        default=dict, help_text="Exclusions by rule and other tallies, kept for the page"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="job_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="job_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="job_status_known"),
        ]

    def __str__(self) -> str:
        return f"Job {self.pk}: {self.ranker} on {self.book_id}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:job", args=[self.pk])

    @property
    def ended(self) -> bool:
        return self.status in ENDED


class Candidate(models.Model):
    """One passage in one excerpt's candidate set, by its place in the ranking."""

    job = models.ForeignKey(CandidateJob, on_delete=models.CASCADE, related_name="candidates")
    excerpt = models.ForeignKey(Excerpt, on_delete=models.PROTECT, related_name="candidates")
    rank = models.PositiveIntegerField(help_text="Place among all passages of the gold's length, from 1")
    first = models.PositiveIntegerField()
    size = models.PositiveSmallIntegerField()
    scores = models.JSONField(default=dict, help_text="Score by ranker")
    is_gold = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["job", "excerpt", "rank"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "excerpt", "rank"], name="candidate_once"),
        ]

    def __str__(self) -> str:
        return f"Rank {self.rank} for excerpt {self.excerpt_id}"


class Worker(models.Model):
    """A worker process that was seen. Pages read it to say whether anybody is working."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
