"""A study: one task, put to several readers under one set of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from common.composed import Composed, Given, together
from retrieval.models import CandidateJob

if TYPE_CHECKING:
    from annotation.tasktypes.base import TaskType


LEASE_MINUTES = 120
"""How long an untouched item is kept for a reader, where a study does not say."""


class State(models.TextChoices):
    """The life of a study."""

    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class OptionOrder(models.TextChoices):
    """Whether each reader sees the options in an order of their own."""

    CANONICAL = "canonical", "The same for everybody"
    PER_ANNOTATOR = "per_annotator", "Drawn anew for each reader"


class Filling(models.TextChoices):
    """Which free assignment is given out next."""

    DEPTH = "depth", "Finish one item before the next"
    BREADTH = "breadth", "Read every item once before any is read twice"


class Kind(models.TextChoices):
    """What an item is for."""

    WORK = "work", "Work"
    PRACTICE = "practice", "Practice"
    CHECK = "check", "Check"


class Grid(models.TextChoices):
    """How the reading page stands: what is read, and what is chosen or marked."""

    TEXT = "text", "A wide text, and a narrow column beside it"
    EVEN = "even", "Text and passages beside each other, equally wide"
    BELOW = "below", "Passages below the text, as wide as it"


class Study(models.Model):
    """One task type, its items, and how many independent readings each item needs."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    task = models.CharField(max_length=40, help_text="Slug of the task type")
    overlap = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text="k: independent judgments per item",
    )
    seed = models.BigIntegerField(help_text="Canonical orders, shown orders and intervals are drawn from it")
    option_order = models.CharField(
        max_length=20, choices=OptionOrder.choices, default=OptionOrder.PER_ANNOTATOR
    )
    filling = models.CharField(max_length=8, choices=Filling.choices, default=Filling.DEPTH)
    lease_minutes = models.PositiveIntegerField(
        default=LEASE_MINUTES,
        validators=[MinValueValidator(1)],
        help_text="How long an untouched item is kept for a reader",
    )
    quota = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="At most so many items a reader, unless their enrolment says otherwise",
    )
    pass_mark = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Practice items a reader must get right before the work; null: none"
    )
    check_every = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="A silent check item after so many items; null: none are mixed in"
    )
    ask_confidence = models.BooleanField(default=False, help_text="Ask how sure the reader is")
    ask_basis = models.BooleanField(default=False, help_text="Ask: recognised, worked out or guessed")
    neighbours = models.BooleanField(
        default=False, help_text="Readers may open what stands before and behind a document in its source"
    )
    earlier_answers = models.BooleanField(
        default=False, help_text="Readers may open their own earlier answers of a group beside its items"
    )
    source_after = models.BooleanField(
        default=False,
        help_text="Readers may read an item’s passages in their book once they have answered it",
    )
    rate = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, help_text="Paid per item; null: not said"
    )
    currency = models.CharField(max_length=8, blank=True)
    shows_machine = models.BooleanField(
        default=False, help_text="Whether some items show a machine’s answer: its items are a sample"
    )
    stop_measure = models.CharField(
        max_length=160, blank=True, help_text="The measure that the stopping rule looks at; empty: no rule"
    )
    stop_width = models.FloatField(
        null=True, blank=True, help_text="Half of its 95 % interval, from which on the study may stop"
    )
    stop_spending = models.CharField(
        max_length=20,
        blank=True,
        default="",
        help_text="How a comparison spends its level over the looks; empty: the rule is one of width",
    )
    stop_threshold = models.FloatField(null=True, blank=True, help_text="What the measure is compared with")
    stop_run = models.CharField(
        max_length=20, blank=True, default="", help_text="The machine reader that readers are compared with"
    )
    stop_items = models.PositiveIntegerField(
        null=True, blank=True, help_text="Fully read items at the first look"
    )
    stop_every = models.PositiveIntegerField(
        null=True, blank=True, help_text="Fully read items from one look to the next"
    )
    stop_most = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Looks at most")
    stop_closes = models.BooleanField(
        default=False, help_text="Whether the study is closed as soon as the rule is met"
    )
    grid = models.CharField(
        max_length=8,
        choices=Grid.choices,
        blank=True,
        default="",
        help_text="How the reading page stands, decided when the study opens; empty: not yet",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    contact = models.CharField(max_length=200, blank=True, help_text="Whom readers may ask")
    job = models.ForeignKey(
        CandidateJob, on_delete=models.PROTECT, null=True, blank=True, related_name="studies"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="studies_created"
    )
    created = models.DateTimeField(auto_now_add=True)
    opened = models.DateTimeField(null=True, blank=True)
    closed = models.DateTimeField(null=True, blank=True)
    deleted = models.DateTimeField(
        null=True, blank=True, help_text="Put away: nobody sees it, and it can be brought back for 30 days"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name_plural = "studies"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(overlap__gte=1), name="study_overlap_at_least_one"),
            models.CheckConstraint(condition=Q(state__in=State.values), name="study_state_known"),
            models.CheckConstraint(
                condition=Q(stop_measure="")
                | Q(
                    stop_items__isnull=False,
                    stop_every__isnull=False,
                    stop_most__isnull=False,
                    stop_items__gte=1,
                    stop_every__gte=1,
                    stop_most__gte=1,
                )
                & (
                    Q(
                        stop_spending="",
                        stop_width__isnull=False,
                        stop_width__gt=0,
                        stop_threshold=None,
                        stop_run="",
                    )
                    | (~Q(stop_spending="") & Q(stop_width=None, stop_threshold__isnull=False))
                ),
                name="study_stopping_rule_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("annotation:study", args=[self.slug])

    @property
    def task_type(self) -> TaskType:
        """The task type that its items are of."""
        from annotation.tasktypes import registry

        return registry.get(self.task)

    @property
    def is_open(self) -> bool:
        """Whether readers can submit."""
        return self.state == State.OPEN

    def latest_consent(self) -> Consent | None:
        """Return the consent that readers are asked for now, or None."""
        return LATEST_CONSENT.first(study=self.pk)

    def latest_guideline(self) -> Guideline | None:
        """Return the guidelines that readers are shown now, or None."""
        return LATEST_GUIDELINE.first(study=self.pk)

    def latest_texts(self) -> StudyTexts:
        """Return both, asked together."""
        questions = LATEST_GUIDELINE.asked(study=self.pk), LATEST_CONSENT.asked(study=self.pk)
        guidelines, consents = together(*questions)
        return next(iter(guidelines), None), next(iter(consents), None)


class StudyText(models.Model):
    """A text of a study that readers act upon, by version. Append-only: the old ones stay."""

    study: models.ForeignKey[Study]
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering: ClassVar = ["study", "-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "version"], name="%(class)s_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self._meta.verbose_name} version {self.version}"


class Guideline(StudyText):
    """What readers are told, by version: a judgment names the version it followed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="guidelines")


class Consent(StudyText):
    """What readers agree to before their first item, by version."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consents")
    keeps = models.BooleanField(
        default=True, help_text="After a withdrawal judgments are kept under the pseudonym; false: dropped"
    )


StudyTexts = tuple[Guideline | None, Consent | None]
"""What readers are told and asked for now; None where the study has no such text."""

LATEST_GUIDELINE = Composed(lambda: Guideline.objects.filter(study=Given("study")).order_by("-version")[:1])
LATEST_CONSENT = Composed(lambda: Consent.objects.filter(study=Given("study")).order_by("-version")[:1])
