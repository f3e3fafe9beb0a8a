"""The record: judgments and events. Written once, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Func, OuterRef, Q
from django.utils.translation import gettext_noop

from annotation.models.derived import OF_ANSWER, derived, fill
from annotation.models.people import Enrolment
from annotation.models.study import Guideline, Kind, Study
from annotation.models.work import Assignment, Item

COUNTED = [
    "annotator", "outcome", "channel", "number_1", "position", "item",
    "number_2", "milliseconds", "assignment", "revision",
]  # fmt: skip


class AppendOnly(models.Model):
    """A row that `save()` refuses to change; a trigger refuses it in the database as well."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None and not self._state.adding:
            raise TypeError(f"{type(self).__name__} is append-only: add a new row instead of changing one.")
        super().save(*args, **kwargs)


class Outcome(models.TextChoices):
    """The acts that end an item for a reader, and the one that opens it again.

    *Later* ends nothing and is not a judgment. *Taken back*: the reader undid their answer, which stays in
    the record; from then on nothing at the assignment is current.
    """

    ANSWER = "answer", gettext_noop("Answer")
    UNDECIDED = "undecided", gettext_noop("Can’t decide")
    BROKEN = "broken", gettext_noop("This item is broken")
    TAKEN_BACK = "taken_back", gettext_noop("Taken back")


SAID = (Outcome.ANSWER, Outcome.UNDECIDED, Outcome.BROKEN)
"""What a reader can say of an item."""


class Basis(models.TextChoices):
    """Where an answer came from: it separates memory from inference."""

    RECOGNISED = "recognised", gettext_noop("I recognised it")
    WORKED_OUT = "worked_out", gettext_noop("I worked it out")
    GUESSED = "guessed", gettext_noop("I guessed")


def position_shown(order: Sequence[int], option: int | None) -> int | None:
    """Return the position at which an option was shown; None where no whole order was shown."""
    whole = sorted(order) == list(range(len(order)))
    return order.index(option) if whole and option in order else None


def newer_revisions() -> models.QuerySet[Judgment]:
    """Return a query for later revisions of the judgment that the outer query looks at."""
    return Judgment.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))


def revised() -> models.QuerySet[Judgment, Any]:
    """Return a query for the assignments with a second revision.

    Those have an index of their own, which SQLite uses where the 1 stands in the text of the query.
    """
    one = Func(template="1", output_field=models.IntegerField())
    return Judgment.objects.filter(revision__gt=one).order_by().values("assignment")


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    """Judgments; bulk writes derive their numbers."""

    def current(self) -> JudgmentQuerySet:
        """Return the highest revision at each assignment: what every number and export calls the judgment.

        Where the last answer was taken back there is none.
        """
        return self.filter(~models.Exists(newer_revisions())).exclude(outcome=Outcome.TAKEN_BACK)

    def current_of(self, readers: Iterable[int], until: datetime | None = None) -> JudgmentQuerySet:
        """Return the current judgments of these enrolments (keys), fast also where they are very many.

        Only where an assignment has a second revision is a newer one looked for. `until`: those that were
        current at that moment.
        """
        newer = newer_revisions()
        if until is not None:
            newer = newer.filter(created__lte=until)
        superseded = Q(assignment__in=revised()) & Q(models.Exists(newer))
        found = self.filter(~superseded, annotator__in=list(readers)).exclude(outcome=Outcome.TAKEN_BACK)
        return found if until is None else found.filter(created__lte=until)

    def first_of_revised(self, readers: Iterable[int]) -> JudgmentQuerySet:
        """Return what these enrolments (keys) said first where they said something else later.

        In no order: a study's order joins three more tables, which took PostgreSQL minutes on a few thousand
        new rows that it had no statistics of.
        """
        return self.filter(assignment__in=revised(), revision=1, annotator__in=list(readers)).order_by()

    def work(self) -> JudgmentQuerySet:
        """Return the judgments of work items, of which numbers are made."""
        return self.filter(assignment__item__kind=Kind.WORK)

    def bulk_create(self, objs: Iterable[Judgment], *args: Any, **kwargs: Any) -> list[Judgment]:
        judgments = list(objs)
        for each in judgments:
            each.derive()
        return super().bulk_create(judgments, *args, **kwargs)


class Judgment(AppendOnly):
    """What one reader said of one item, at one revision.

    Item, position, number_1, number_2 and milliseconds follow from the other columns when the row is
    written. Reports are made of these.
    """

    # Of the assignment and of the annotator another index begins with the column (below).
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="judgments", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="judgments", editable=False)
    revision = models.PositiveIntegerField(default=1)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    answer = models.JSONField(null=True, blank=True, help_text="In canonical terms; null unless an answer")
    reason = models.CharField(max_length=500, blank=True, help_text="Why undecided, or what is broken")
    note = models.TextField(blank=True, help_text="To the researcher")
    annotator = models.ForeignKey(Enrolment, models.PROTECT, related_name="judgments", db_index=False)
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    consent_version = models.PositiveIntegerField(
        null=True, blank=True, help_text="Version of the consent it was given under"
    )
    confidence = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="1 (not at all sure) to 5 (certain); null: not asked or not said"
    )
    basis = models.CharField(max_length=10, choices=Basis.choices, blank=True)
    order = models.JSONField(default=list, help_text="Canonical option numbers in the order shown")
    active_seconds = models.FloatField(null=True, help_text="Time the page was in front of the reader")
    previews = models.PositiveIntegerField(default=0, help_text="How often a candidate was read in the gap")
    neighbours = models.JSONField(
        null=True,
        help_text="Which neighbours of the document had been opened by then: -1 before it, 1 behind it; "
        "null: none could be",
    )
    submission = models.UUIDField(unique=True, help_text="Made with the form: a repeated submit finds it")
    channel = models.CharField(max_length=12, help_text="web, api or simulation")
    created = models.DateTimeField()
    seen = models.JSONField(
        null=True, blank=True, help_text="The machine’s answer that the reader had seen by then; null: none"
    )
    seen_reading = models.BigIntegerField(
        null=True, blank=True, help_text="Key of the machine reading that was seen; null: none, or of a file"
    )
    position = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="Where on the page the chosen option stood, from 0; null: nowhere",
    )
    number_1 = derived("The first number that its task type reads of an answer")
    number_2 = derived("The second")
    milliseconds = derived("The active time, in whole numbers")

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["assignment", "revision"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="judgment_revision_once"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="judgment_outcome_known"),
            models.CheckConstraint(
                condition=Q(outcome="answer", answer__isnull=False)
                | (~Q(outcome="answer") & Q(answer__isnull=True)),
                name="judgment_answer_iff_answered",
            ),
            models.CheckConstraint(
                condition=Q(confidence=None) | Q(confidence__range=(1, 5)), name="judgment_confidence_1_to_5"
            ),
            models.CheckConstraint(condition=Q(basis__in=["", *Basis.values]), name="judgment_basis_known"),
            models.CheckConstraint(
                condition=Q(outcome="answer") | Q(number_1=None, number_2=None),
                name="judgment_numbers_of_answer",
            ),
        ]
        indexes: ClassVar = [
            # All that a report counts, so that it reads this index and not the rows, reader by reader.
            models.Index(fields=COUNTED, name="judgment_numbers"),
            models.Index(
                fields=["assignment", "revision"], name="judgment_revised", condition=Q(revision__gt=1)
            ),
        ]

    def __str__(self) -> str:
        return f"Revision {self.revision} at {self.assignment}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.derive()
        super().save(*args, **kwargs)

    def derive(self) -> None:
        """Fill in the columns that follow from others."""
        self.item_id = self.assignment.item_id
        fill(self, OF_ANSWER, self.assignment.study.task_type.numbers_of_answer(self.answer))
        self.position = position_shown(self.order, self.number_1)
        self.milliseconds = None if self.active_seconds is None else round(self.active_seconds * 1000)


class Event(AppendOnly):
    """Who did what when, for everything else that matters."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["study", "verb"], name="event_of_study")]

    def __str__(self) -> str:
        return f"{self.verb} at {self.created}"


class Decision(AppendOnly):
    """What an adjudicator decided for one item. Agreement never looks at it."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="decisions")
    revision = models.PositiveIntegerField(default=1)
    answer = models.JSONField(null=True, blank=True, help_text="In canonical terms; null: none can be given")
    adopted = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="Key of the judgment that was adopted; null: the adjudicator’s own answer",
    )
    reason = models.TextField(help_text="Why; shown to the readers when the study is closed")
    seen = models.JSONField(default=list, help_text="Keys of the judgments it was made on")
    adjudicator = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="decisions")
    submission = models.UUIDField(unique=True, help_text="Made with the form: a repeated submit finds it")
    created = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["item", "revision"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "revision"], name="decision_revision_once"),
        ]

    def __str__(self) -> str:
        return f"Decision {self.revision} on {self.item}"


class Message(models.Model):
    """One message between a reader and the researchers about one item."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="messages")
    reader = models.ForeignKey(
        Enrolment, on_delete=models.CASCADE, related_name="messages", help_text="Whose talk it is"
    )
    from_researcher = models.BooleanField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    text = models.TextField()
    created = models.DateTimeField()
    read = models.DateTimeField(null=True, blank=True, help_text="When the other side first saw it")

    class Meta:
        ordering: ClassVar = ["created", "id"]
        indexes: ClassVar = [models.Index(fields=["reader", "item", "created"], name="message_of_talk")]

    def __str__(self) -> str:
        return f"Message on {self.item}"
