"""Samples for validation: items drawn of what a machine judged, and in which arm each reader met one."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.models.machine import MachineReader
from annotation.models.people import Enrolment
from annotation.models.study import Study
from annotation.models.work import Arm, Item

MOST_PARTS = 10
TOLD = (
    "A machine has judged these items before you. With some of them you will see its answer: after you have "
    "given yours, or chosen beforehand. It is often right and often wrong, and which items show it is drawn "
    "by lot. Your own judgment is what we ask for."
)
"""What readers are told of machine answers before they begin, unless the researcher says it otherwise."""


class StrataRule(models.TextChoices):
    """What the strata of a sample are made of."""

    GRADE_IN_TOP = "grade_in_top", "The machine’s answer, and whether a compared run has it in its first k"
    TOPIC_GRADE = "topic_grade", "Topic, and the machine’s answer"
    GRADE = "grade", "The machine’s answer"
    NONE = "none", "None: one simple random sample"


def parts(meaning: str, default: int) -> models.PositiveSmallIntegerField[int, int]:
    """Return a field for an arm's parts of a block."""
    return models.PositiveSmallIntegerField(
        default=default, validators=[MinValueValidator(0), MaxValueValidator(MOST_PARTS)], help_text=meaning
    )


class Sample(models.Model):
    """How the items of a study were drawn from those that a machine judged. It stays once the study is open.

    machine_reader: whose readings they are; null where they come of a file, or the reader is gone.
    source: the machine reader or the file, in words; sha256: of the file.
    share: of the items that are drawn, as it was asked for.
    rule, top_k, runs: what the strata are made of.
    seed: of the draw and of the arms.
    blind, reveal, prefilled: how many of each block of assignments of a reader in a stratum are in each arm.
    told: what readers are told before they begin.
    merged: strata that were too small, and what they were merged into: pairs of names.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="sample")
    machine_reader = models.ForeignKey(
        MachineReader, on_delete=models.SET_NULL, null=True, blank=True, related_name="samples"
    )
    source = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64, blank=True)
    share = models.FloatField()
    rule = models.CharField(max_length=12, choices=StrataRule.choices)
    top_k = models.PositiveIntegerField(null=True, blank=True)
    runs = models.JSONField(default=list)
    seed = models.BigIntegerField()
    blind = parts("Parts without the machine’s answer", 1)
    reveal = parts("Parts with its answer after the reader’s own", 1)
    prefilled = parts("Parts with its answer chosen beforehand", 1)
    told = models.TextField(default=TOLD)
    merged = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=1), name="sample_share_of_all"),
            models.CheckConstraint(condition=Q(rule__in=StrataRule.values), name="sample_rule_known"),
            models.CheckConstraint(
                condition=Q(blind__gte=1) | Q(reveal__gte=1), name="sample_some_without_the_machine"
            ),
        ]

    def __str__(self) -> str:
        return f"Sample of {self.study}"

    @property
    def block(self) -> list[str]:
        """The arms of one block, each as often as it has parts."""
        return [
            *[Arm.BLIND.value] * self.blind,
            *[Arm.REVEAL.value] * self.reveal,
            *[Arm.PREFILLED.value] * self.prefilled,
        ]


class SampledItem(models.Model):
    """One item of the sampling frame: all that the machine judged, drawn or not.

    Items that were not drawn are left out of the study, and stand here because an estimate on all items
    needs the machine's answer to each.

    stratum: its name after merging.
    stratum_size: N_h, the items of the stratum; where whole topics are drawn, the topics.
    stratum_drawn: n_h, those of them that were drawn; N_h / n_h is the weight of one item.
    drawn: whether it is in the sample.
    machine_answer: in canonical terms; null where the machine gave none.
    reading: key of the `MachineReading`; null where the answers come of a file.
    """

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="items")
    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="sampled")
    stratum = models.CharField(max_length=300)
    stratum_size = models.PositiveIntegerField()
    stratum_drawn = models.PositiveIntegerField()
    drawn = models.BooleanField()
    machine_answer = models.JSONField(null=True, blank=True)
    reading = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["sample", "item"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(stratum_drawn__lte=F("stratum_size")), name="sampled_at_most_all"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} in {self.stratum}"

    @property
    def weight(self) -> float:
        """How many items of its stratum one that was drawn stands for: N_h / n_h."""
        return self.stratum_size / self.stratum_drawn


class ArmDraw(models.Model):
    """In which arm a reader met an item: drawn once, also where the item went back and returned.

    place: which of the reader's items in the stratum it was, from 0; arms are permuted in blocks of places.
    """

    reader = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="arm_draws")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="arm_draws")
    stratum = models.CharField(max_length=300)
    place = models.PositiveIntegerField()
    arm = models.CharField(max_length=10, choices=Arm.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["reader", "item"], name="arm_drawn_once"),
            models.UniqueConstraint(fields=["reader", "stratum", "place"], name="arm_place_once"),
        ]

    def __str__(self) -> str:
        return f"{self.arm} at {self.item_id} for {self.reader_id}"
