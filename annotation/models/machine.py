"""Machine readers: models that read a study's items beside its people.

They have no enrolment and no assignment, so nothing of theirs can enter a number on people. A prompt is a
version of the study, a reader is a model asked with one prompt, and a reading is what it said of one item.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation.models.derived import OF_ANSWER, derived, fill
from annotation.models.record import AppendOnly, position_shown
from annotation.models.study import Study
from annotation.models.work import Item
from retrieval.models import Job, Status

PENDING = Q(status__in=[Status.QUEUED, Status.RUNNING])
MOST_TIMES = 10


class PromptVersion(AppendOnly):
    """What a model is told, by version. Append-only, like guidelines: a reader names the version it follows.

    system: the first message, in which the marks of `annotation.machine.prompts` stand for what the task
        type says.
    template: the second message, the same way.
    sha256: of both.
    reason: why this version was made.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="prompts")
    version = models.PositiveIntegerField()
    system = models.TextField()
    template = models.TextField()
    sha256 = models.CharField(max_length=64, editable=False)
    reason = models.CharField(max_length=500, blank=True)
    guideline_version = models.PositiveIntegerField(
        null=True, blank=True, help_text="The guidelines that were in force when it was written"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["study", "-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "version"], name="prompt_version_once"),
        ]

    def __str__(self) -> str:
        return f"Prompt {self.version} of {self.study}"


class Origin(models.TextChoices):
    """Where a machine reader's answers come from. Only a model that is *asked* has a prompt and jobs."""

    ASKED = "asked", "Asked here"
    FILE = "file", "From a file"
    RANKER = "ranker", "A ranker of ours"


class MachineReader(models.Model):
    """A model that reads the work items of a study: which, with what prompt, and how often; or a system whose
    answers were read in, of which an `AnswerFile` says where they come from.

    name: its pseudonym in the study: M1, M2.
    origin: of `Origin`.
    endpoint: the alias of an endpoint that the installation allows. No address, no key. Where nothing is
        asked here, the name that the system was given.
    model: what the endpoint called its model when the reader was made.
    scripted: whether a program of ours answers in a model's place; pages say so wherever it stands.
    parameters: `temperature` and `max_tokens` of each request.
    seed: of the orders, of which items are read more than once, and of each request.
    replicates: how often each of the `repeated` items is asked the same thing: 1 for no repetition.
    repeated: how many items are asked more than once, drawn from the seed.
    orders: in how many orders the options of each item are shown; 1 where options have no order. Two orders
        of one item are rotations of one drawn order, so that n orders of n options put each option at each
        position once.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="machine_readers")
    name = models.CharField(max_length=20)
    origin = models.CharField(max_length=6, choices=Origin.choices, default=Origin.ASKED)
    endpoint = models.CharField(max_length=50)
    model = models.CharField(max_length=200, blank=True)
    scripted = models.BooleanField(default=False)
    prompt = models.ForeignKey(PromptVersion, on_delete=models.RESTRICT, null=True, related_name="readers")
    parameters = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    replicates = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(MOST_TIMES)]
    )
    repeated = models.PositiveIntegerField(default=50)
    orders = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MOST_TIMES)]
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["study", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "name"], name="machine_reader_name_once"),
            models.CheckConstraint(
                condition=Q(replicates__gte=1, orders__gte=1), name="machine_reader_reads_once_or_more"
            ),
            models.CheckConstraint(
                condition=Q(origin="asked", prompt__isnull=False)
                | (~Q(origin="asked") & Q(prompt__isnull=True)),
                name="machine_reader_prompt_iff_asked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.title}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:machine_reader", args=[self.study.slug, self.name])

    @property
    def title(self) -> str:
        """What it is, for people: the endpoint's alias, and that it is scripted, or was not asked, if so."""
        if not self.is_asked:
            return f"{self.endpoint} ({self.get_origin_display().lower()})"
        return f"{self.endpoint} (scripted)" if self.scripted else self.endpoint

    @property
    def is_asked(self) -> bool:
        """Whether a model is asked; otherwise its answers were read in."""
        return self.origin == Origin.ASKED


class ReadingState(models.TextChoices):
    """What came of asking a machine reader about one item. Only *answered* has an answer."""

    ANSWERED = "answered", "Answered"
    UNDECIDED = "undecided", "Can’t decide"
    UNREADABLE = "unreadable", "Unreadable"
    """It replied twice, and the task type could make no answer of it."""
    REFUSED = "refused", "Refused"
    """The model, or a filter before it, declined to answer."""
    FAILED = "failed", "No reply"
    """Nothing came back: the endpoint did not take the request, or was away. It is asked again when the job
    goes on.
    """


class MachineReading(AppendOnly):
    """What a machine reader said of one item, once. Written once, never changed.

    The reading that stands for the reader beside people is the one with replicate 0 and order 0; the others
    are for repeatability (replicates) and position preference (orders).

    reader, item: whose it is, of which item (always a work item).
    replicate: 0 for the first time; another number for the same question asked again.
    order: 0 for the first order of the options; another number for another order.
    state: of `ReadingState`.
    answer: as the task type stores it, in canonical terms; null unless answered.
    number_1, number_2: the numbers that the task type reads of the answer, as those of `Judgment`: a grade,
        or the canonical number of the chosen option.
    probabilities: of each number the answer may have, by that number as text ("0": .2), where the endpoint
        told them; empty otherwise.
    reason: why it is undecided, unreadable, refused or failed.
    text: the raw reply, of the last time it was asked.
    asked: how many requests it took: 2 where the first reply could not be read.
    call: key of the ledger's call (`machines.Call`) that holds the last reply; null where there was none. No
        foreign key: the ledger outlives the study.
    shown: canonical option numbers in the order shown; empty where options have no order.
    position: where the chosen option was shown, from 0; null: nowhere.
    item_digest: of the item when it was read.
    looks_like_instruction: whether a text of the item looks like an instruction to a model.
    prompt_tokens, completion_tokens: over all its requests; null where the endpoint did not count.
    """

    reader = models.ForeignKey(MachineReader, on_delete=models.CASCADE, related_name="readings")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="machine_readings")
    replicate = models.PositiveSmallIntegerField(default=0)
    order = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=ReadingState.choices)
    answer = models.JSONField(null=True, blank=True)
    number_1 = derived("The first number that the task type reads of an answer")
    number_2 = derived("The second")
    probabilities = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)
    asked = models.PositiveSmallIntegerField(default=1)
    call = models.BigIntegerField(null=True, blank=True)
    shown = models.JSONField(default=list)
    position = models.PositiveIntegerField(null=True, editable=False)
    item_digest = models.CharField(max_length=64)
    looks_like_instruction = models.BooleanField(default=False)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    created = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["reader", "item", "replicate", "order"]
        indexes: ClassVar = [
            models.Index(fields=["reader", "state"], name="machine_reading_state"),
            # What reports count of a reader's first readings, without a look at the rows.
            models.Index(
                fields=["reader", "replicate", "order", "item", "state", "number_1"],
                name="machine_reading_numbers",
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["reader", "item", "replicate", "order"], name="machine_reading_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=ReadingState.values), name="machine_reading_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="answered", answer__isnull=False)
                | (~Q(state="answered") & Q(answer__isnull=True)),
                name="machine_reading_answer_iff_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"Reading of item {self.item_id} by machine reader {self.reader_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.derive()
        super().save(*args, **kwargs)

    def derive(self) -> None:
        """Fill in the columns that follow from others. Whoever writes many at once calls it for each."""
        fill(self, OF_ANSWER, self.item.study.task_type.numbers_of_answer(self.answer))
        self.position = position_shown(self.shown, self.number_1)


class MachinePurpose(models.TextChoices):
    """What a job of a machine reader is for. Only *reading* makes readings."""

    READING = "reading", "Reading"
    TRIAL = "trial", "Dry run"
    CANARY = "canary", "Canaries"


class MachineJob(Job):
    """One job of a machine reader: read what it has not read yet, within limits. The row is the queue.

    purpose: of `MachinePurpose`. Dry runs and canaries keep what they found in `counts`.
    budget: key of the ledger's `machines.Budget` that pays for it; null where nothing is limited.
    unreadable_allowed: whether somebody has allowed it to go on although more than a fifth of the first 50
        readings are unreadable.
    counts: how many readings are in each state and were asked twice, or what a dry run found.
    """

    kind = "machine reading"
    unit = "readings"

    reader = models.ForeignKey(MachineReader, on_delete=models.CASCADE, related_name="jobs")
    purpose = models.CharField(max_length=10, choices=MachinePurpose.choices, default=MachinePurpose.READING)
    budget = models.BigIntegerField(null=True, blank=True)
    unreadable_allowed = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["status", "queue", "not_before"], name="machine_job_waiting")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="machine_job_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="machine_job_status_known"),
            models.UniqueConstraint(fields=["reader"], condition=PENDING, name="machine_job_once_a_reader"),
        ]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} by {self.reader.name}"

    def get_absolute_url(self) -> str:
        return self.reader.get_absolute_url()
