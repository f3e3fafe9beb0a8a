"""Items, and the assignments at them. `k` judgments per item are `k` rows, made before anybody comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.models.derived import OF_GOLD, OF_PAYLOAD, derived, digest_of_texts, fill
from annotation.models.people import LONGEST_GROUP, Enrolment
from annotation.models.study import Kind, Study
from retrieval.models import Excerpt

COUNTED = ["study", "kind", "retired", "categories", "gold_1", "number", *OF_PAYLOAD, "gold_2"]
DERIVED = {"group", "categories", "texts_digest", *OF_PAYLOAD, *OF_GOLD}
FROZEN = {"payload", "gold", "provenance", *DERIVED}


class ItemQuerySet(models.QuerySet["Item"]):
    """Items; bulk writes derive their numbers."""

    def work(self) -> ItemQuerySet:
        """Return the work items; practice and check items are in no number."""
        return self.filter(kind=Kind.WORK)

    def given(self) -> ItemQuerySet:
        """Return items that may still be given to readers: neither quarantined nor replaced."""
        return self.filter(quarantined=None, retired=None)

    def left_out(self) -> ItemQuerySet:
        """What was taken out of a draft by hand, without another version in its place."""
        return self.filter(retired__isnull=False, replaced_by=None)

    def drawn(self) -> ItemQuerySet:
        """Return items whose order of options was drawn here, as `option_orders.order_drawn` says of one."""
        return self.filter(Q(provenance__drawn=True) | Q(provenance__has_key="job"))

    def update(self, **values: Any) -> int:
        """Update columns, but none from which others are derived: those change only with `save()`."""
        if frozen := FROZEN & set(values):
            raise TypeError(f"An item’s {min(frozen)} is written by save() alone, with what follows from it.")
        return super().update(**values)

    def bulk_create(self, objs: Iterable[Item], *args: Any, **kwargs: Any) -> list[Item]:
        items = list(objs)
        for each in items:
            each.derive()
        return super().bulk_create(items, *args, **kwargs)


class Item(models.Model):
    """What a reader is asked once. Frozen when built, with the canonical order of its options."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items", db_index=False)
    number = models.PositiveIntegerField()
    payload = models.JSONField(help_text="All a reader may see; never where an option came from")
    gold = models.JSONField(null=True, blank=True, help_text="The right answer in canonical terms, or null")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.WORK)
    provenance = models.JSONField(
        default=dict, help_text="Which options came from where; never shown to readers"
    )
    excerpt = models.ForeignKey(
        Excerpt, on_delete=models.PROTECT, null=True, blank=True, related_name="items"
    )
    digest = models.CharField(max_length=64, editable=False)
    version = models.PositiveSmallIntegerField(default=1, help_text="Of the candidate set, from 1")
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by"
    )
    quarantined = models.DateTimeField(
        null=True, blank=True, help_text="Since when it is given to no further reader"
    )
    retired = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when it was left out, or another version stands for it; its judgments stay with it",
    )
    group = models.CharField(
        max_length=LONGEST_GROUP,
        default="",
        blank=True,
        editable=False,
        help_text="What it is read together with, such as its topic, as its task type says",
    )
    categories = derived("How many answers chance chooses from")
    number_1 = derived("The first number that its task type reads of the payload")
    number_2 = derived("The second")
    number_3 = derived("The third")
    gold_1 = derived("The first number that its task type reads of an answer, of the gold one")
    gold_2 = derived("The second")
    texts_digest = models.CharField(
        max_length=32,
        default="",
        editable=False,
        help_text="Of payload, gold and explanation: another when a text is changed",
    )

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["study", "number"]
        indexes: ClassVar = [
            # Counting what there is for a reader stays inside this index.
            models.Index(fields=["study", "kind", "retired", "quarantined"], name="item_of_kind"),
            # Reading by groups, and the group of each item, without a look at the rows.
            models.Index(fields=["study", "kind", "group"], name="item_of_group"),
            # All that a report counts of an item, so that no payload is read.
            models.Index(fields=COUNTED, name="item_numbers"),
            # What few items are, in indexes so small that a database takes them without having counted.
            models.Index(
                fields=["study", "kind", "retired", "quarantined"],
                name="item_taken_out",
                condition=Q(kind="work") & (Q(retired__isnull=False) | Q(quarantined__isnull=False)),
            ),
            models.Index(fields=["study", "kind"], name="item_not_work", condition=~Q(kind="work")),
            # A right answer that is no number: that there is nothing to mark.
            models.Index(
                fields=["study", "kind", "retired"],
                name="item_gold_is_none",
                condition=Q(gold__isnull=False, gold_1=None),
            ),
            # Whether any text of a study has changed, without reading one.
            models.Index(
                fields=["study", "retired", "number", "id", "kind", "texts_digest"], name="item_texts"
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="item_number_once"),
            models.UniqueConstraint(fields=["study", "digest"], name="item_content_once"),
            models.CheckConstraint(
                condition=Q(gold__isnull=False) | Q(gold_1=None, gold_2=None), name="item_numbers_of_gold"
            ),
        ]

    def __str__(self) -> str:
        return f"Item {self.number} of {self.study}"

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Store the row, with the columns that follow from the others, also where only some are named."""
        self.derive()
        named = update_fields if update_fields is None else {*update_fields, *DERIVED}
        super().save(*args, update_fields=named, **kwargs)

    @property
    def is_left_out(self) -> bool:
        """Whether it was taken out of the draft, without another version in its place."""
        return self.retired is not None and not hasattr(self, "replaced_by")

    def derive(self) -> None:
        """Fill in the columns that follow from the JSON: no number is parsed out of it again."""
        task = self.study.task_type
        self.group = task.group(self.payload)
        self.categories = task.categories(self.payload) or None
        fill(self, OF_PAYLOAD, task.numbers_of_payload(self.payload))
        fill(self, OF_GOLD, task.numbers_of_answer(self.gold))
        self.texts_digest = digest_of_texts(self.payload, self.gold, self.provenance.get("explanation"))


class AssignmentStatus(models.TextChoices):
    """Whose an assignment is: nobody's, a reader's, or ended."""

    FREE = "free", "Free"
    HELD = "held", "Held"
    DONE = "done", "Done"


class Arm(models.TextChoices):
    """Whether, and when, a reader sees what a machine answered. Empty where no machine is shown at all."""

    BLIND = "blind", "Blind"
    REVEAL = "reveal", "Revealed after the reader’s own answer"
    PREFILLED = "prefilled", "Chosen beforehand"


EMPTY: dict[str, Any] = {
    "annotator": None,
    "status": AssignmentStatus.FREE,
    "lease_until": None,
    "claimed": None,
    "opened": None,
    "put_off": None,
    "order": [],
    "group_place": None,
    "neighbours": None,
    "draft": {},
    "draft_saved": None,
    "arm": "",
    "revealed_at": None,
    "kept_at": None,
    "source_read": None,
}
"""What an assignment is while it is nobody's."""


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    """Assignments."""

    def work(self) -> AssignmentQuerySet:
        """Return the k assignments of each work item, without those at practice and check items."""
        return self.filter(item__kind=Kind.WORK)

    def counted(self) -> AssignmentQuerySet:
        """Return the assignments of work items that no newer version has replaced."""
        return self.work().filter(item__retired=None)


class Assignment(models.Model):
    """One of the k readings of an item. That an item gets exactly k judgments is a property of these rows.

    A work item has k of them, made when the study opens. At a practice or check item each
    reader has their own, made when they get there; it is never free.
    """

    # Of each of the three keys another index begins with the column (below).
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignments", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments", db_index=False)
    slot = models.PositiveSmallIntegerField(help_text="1 to k; of practice and checks: one a reader")
    annotator = models.ForeignKey(
        Enrolment, models.PROTECT, null=True, blank=True, related_name="assignments", db_index=False
    )
    status = models.CharField(max_length=6, choices=AssignmentStatus.choices, default=AssignmentStatus.FREE)
    lease_until = models.DateTimeField(null=True, blank=True)
    claimed = models.DateTimeField(null=True, blank=True)
    opened = models.DateTimeField(null=True, blank=True, help_text="First shown to the reader")
    put_off = models.DateTimeField(null=True, blank=True, help_text="When the reader said: later")
    order = models.JSONField(default=list, help_text="Canonical option numbers in the order shown")
    group_place = models.PositiveIntegerField(
        null=True, blank=True, help_text="Which of its group it was for this reader, from 1"
    )
    neighbours = models.JSONField(
        null=True,
        blank=True,
        help_text="Which neighbours of its document the reader opened: -1 before it, 1 behind it",
    )
    taken_back = models.DateTimeField(
        null=True, blank=True, help_text="When an answer here was last taken back; null: never"
    )
    draft = models.JSONField(default=dict, blank=True, help_text="What was typed and not yet submitted")
    draft_saved = models.DateTimeField(null=True, blank=True)
    arm = models.CharField(max_length=10, choices=Arm.choices, default="", blank=True)
    revealed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the reader was shown the machine’s answer after their own",
    )
    kept_at = models.DateTimeField(
        null=True, blank=True, help_text="When the reader said, after that, that their answer stays"
    )
    source_read = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the reader, after answering, read its passages in their book: the answer stays then",
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["item", "slot"]
        indexes: ClassVar = [
            models.Index(fields=["study", "status", "item", "slot"], name="place_to_claim"),
            models.Index(fields=["study", "status", "slot", "item"], name="place_to_claim_breadth"),
            # The few that a reader has before them or put off: what is done leaves it.
            models.Index(fields=["annotator"], name="place_held", condition=Q(status="held")),
            # The last that a reader was given, however many there were; of one moment the order is by key.
            # What nobody was given yet is not in it: where most is free, PostgreSQL took the smaller of two
            # indexes of readers, which is in another order.
            models.Index(
                fields=["annotator", "claimed", "id"],
                name="place_claimed_last",
                condition=Q(annotator__isnull=False),
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "slot"], name="place_once"),
            # The annotator first: a reader's furthest item is then one step in this index.
            models.UniqueConstraint(fields=["annotator", "item"], name="annotator_once_an_item"),
            models.CheckConstraint(
                condition=Q(status="free", annotator__isnull=True)
                | Q(status__in=["held", "done"], annotator__isnull=False),
                name="place_free_or_somebodys",
            ),
        ]

    def __str__(self) -> str:
        return f"Assignment {self.slot} of {self.item}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:work", args=[self.pk])
