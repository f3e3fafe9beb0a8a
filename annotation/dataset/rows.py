"""The tables of what people were asked and said, some items at a time, so that memory does not grow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast

from annotation.dataset.lines import JSON_TEXT, Json, Row
from annotation.dataset.origins import Origins
from annotation.export.judgments import with_next
from annotation.models import (
    ArmDraw,
    Assignment,
    AssignmentStatus,
    Decision,
    Item,
    Judgment,
    MachineReading,
    Outcome,
    Study,
)
from annotation.tasktypes.base import TaskType

AT_ONCE = 500
"""Items."""
GONE = "gone"
"""A judgment that is there no more: its reader withdrew."""


class Asked(NamedTuple):
    """What is read of each item, fields as those of `Item`: its texts are not."""

    number: int
    digest: str
    kind: str
    version: int
    retired: datetime | None
    gold: Json | None


class Rows:
    """The rows of a study's tables. Everything is read in the order in which it is written."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.task = study.task_type

    @cached_property
    def readers(self) -> dict[int, tuple[str, bool]]:
        """Of each enrolment its pseudonym and whether it is a program."""
        rows = self.study.enrolments.values_list("pk", "pseudonym", "simulated")
        return {pk: (pseudonym, simulated) for pk, pseudonym, simulated in rows}

    @cached_property
    def guidelines(self) -> dict[int, int]:
        """The version of each of the guidelines."""
        return dict(self.study.guidelines.values_list("pk", "version"))

    def name(self, enrolment: int | None) -> str:
        """Return a pseudonym; empty for nobody."""
        return self.readers[enrolment][0] if enrolment is not None else ""

    def portions(self, *conditions: Exists) -> Iterator[dict[int, Asked]]:
        """Yield some items after others, by key, in the order of their numbers; those of `conditions`."""
        last = 0
        rows = self.study.items.filter(*conditions).order_by("number").values_list(*OF_ASKED)
        while those := {
            pk: Asked._make((*row, as_json(gold)))
            for pk, *row, gold in rows.filter(number__gt=last)[:AT_ONCE]
        }:
            yield those
            last = max(item.number for item in those.values())

    def items(self) -> Iterator[Row]:
        """Yield each item."""
        numbers = dict(self.study.items.exclude(replaces=None).values_list("pk", "replaces__number"))
        for those in self.portions():
            rows = Item.objects.filter(pk__in=list(those)).order_by("number").only(*OF_ITEM)
            origins = Origins(rows)
            for item in rows:
                yield (
                    item.number, item.digest, item.kind, item.version, numbers.get(item.pk), item.retired,
                    item.quarantined, item.group, item.payload, item.gold, options(self.task, item),
                    origins.provenance(item),
                )  # fmt: skip

    def judgments(self) -> Iterator[Row]:
        """Yield each revision, by item, place and revision."""
        for those in self.portions():
            rows = Judgment.objects.filter(item__in=list(those)).order_by(
                "item__number", "assignment__slot", "revision"
            )
            found = list(rows.values_list(*OF_JUDGMENT))
            named = self.reading_names({row[-2] for row in found} - {None})
            for row, after in with_next(found):
                last = after is None or after[1] != row[1]
                yield self.judgment(those, row, last and row[5] != Outcome.TAKEN_BACK, named)

    def judgment(
        self, items: Mapping[int, Asked], row: tuple[Any, ...], current: bool, named: Mapping[int, str]
    ) -> Row:
        """Return one line of what was judged, from `OF_JUDGMENT`."""
        key, _, place, annotator, revision, outcome, answer, *said = row
        *said, seen, reading, created = said
        *said, guideline, consent, door, claimed, opened, arm, revealed, kept, source = said
        item, (pseudonym, simulated) = items[key], self.readers[annotator]
        confidence, basis, reason, note, order, seconds, previews, group_place, neighbours = said
        answered = as_json(answer)
        correct = None if answered is None else self.correct(answered.value, item)
        return (
            item.number, item.digest, item.kind, item.version, item.retired is not None, place, pseudonym,
            simulated, revision, current, outcome, answered, item.gold, correct, confidence, basis, reason,
            note, as_json(order), seconds, previews, group_place, as_json(neighbours),
            self.guidelines.get(guideline), consent, door, claimed, opened, arm, revealed, kept,
            source, as_json(seen), named.get(reading), created,
        )  # fmt: skip

    def correct(self, answer: dict[str, Any], item: Asked) -> bool | None:
        """Return whether an answer is the gold one; None without gold."""
        return self.task.is_correct(answer, None if item.gold is None else item.gold.value)

    def assignments(self) -> Iterator[Row]:
        """Yield the readings that are not done, and any that is done without a judgment."""
        judged = Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
        open_now = Assignment.objects.filter(~(Q(status=AssignmentStatus.DONE) & judged), study=self.study)
        rows = open_now.order_by("item__number", "slot").values_list("item__number", *OF_ASSIGNMENT)
        for number, place, annotator, *rest in rows.iterator(AT_ONCE):
            yield (number, place, self.name(annotator), *rest)

    def decisions(self) -> Iterator[Row]:
        """Yield each revision of each decision."""
        for those in self.portions(Exists(Decision.objects.filter(item=OuterRef("pk")))):
            found = list(Decision.objects.filter(item__in=list(those)).order_by("item__number", "revision"))
            latest = {each.item_id: each.revision for each in found}
            keys = {key for each in found for key in (*each.seen, each.adopted)}
            names = judgment_names(keys - {None})
            for each in found:
                item = those[each.item_id]
                adopted = "" if each.adopted is None else names.get(each.adopted, GONE)
                correct = None if each.answer is None else self.correct(each.answer, item)
                yield (
                    item.number, item.digest, item.version, each.revision,
                    each.revision == latest[each.item_id],
                    each.answer, correct, adopted, [names.get(key, GONE) for key in each.seen], each.reason,
                    self.name(each.adjudicator_id), each.created,
                )  # fmt: skip

    def runs(self) -> Iterator[Row]:
        """Yield each machine reading, reader by reader."""
        for reader in self.study.machine_readers.order_by("pk"):
            own = MachineReading.objects.filter(reader=reader)
            for those in self.portions(Exists(own.filter(item=OuterRef("pk")))):
                rows = own.filter(item__in=list(those))
                rows = rows.order_by("item__number", "replicate", "order")
                for key, *first, answer, probabilities, reason, text, asked, shown, like, sent, got, at in (
                    rows.values_list(*OF_READING)
                ):  # fmt: skip
                    item = those[key]
                    correct = None if answer is None else self.correct(answer, item)
                    digest, replicate, order, state = first
                    yield (
                        reader.name, item.number, digest, replicate, order, state, answer, correct,
                        probabilities, reason, text, asked, shown, like, sent, got, at,
                    )  # fmt: skip

    def annotators(self) -> Iterator[Row]:
        """Yield who took part, in the order in which they joined, but for whoever read the data set in."""
        kept = self.study.enrolments.order_by("pk")
        if (of := getattr(self.study, "read_from", None)) is not None:
            kept = kept.exclude(pk=of.owner_id)
        yield from kept.values_list(*OF_ENROLMENT)

    def sample(self) -> Iterator[Row]:
        """Yield the sampling frame, by item."""
        if not hasattr(self.study, "sample"):
            return
        rows = self.study.sample.items.order_by("item__number")
        found = list(rows.values_list("item__number", *OF_SAMPLED))
        named = self.reading_names({row[-1] for row in found} - {None})
        for *row, reading in found:
            yield (*row, named.get(reading))

    def arms(self) -> Iterator[Row]:
        """Yield in which arm readers met items, by item."""
        rows = ArmDraw.objects.filter(item__study=self.study).order_by("item__number", "reader__pk")
        for number, reader, *rest in rows.values_list("item__number", "reader", "stratum", "place", "arm"):
            yield (number, self.name(reader), *rest)

    def reading_names(self, keys: set[int]) -> dict[int, str]:
        """Return the names of machine readings of this study: reader, replicate and order."""
        found: dict[int, str] = {}
        ordered = sorted(keys)
        for start in range(0, len(ordered), AT_ONCE):
            some = MachineReading.objects.filter(
                pk__in=ordered[start : start + AT_ONCE], reader__study=self.study
            )
            for pk, reader, replicate, order in some.values_list("pk", "reader__name", "replicate", "order"):
                found[pk] = f"{reader}:{replicate}:{order}"
        return found


# JSON as text: of a million answers few are different, and each is read once.
OF_ASKED = ("pk", "number", "digest", "kind", "version", "retired", Cast("gold", TextField()))
OF_ITEM = (
    "number", "digest", "kind", "version", "retired", "quarantined", "group", "payload", "gold", "provenance",
)  # fmt: skip
OF_JUDGMENT = (
    "item", "assignment", "assignment__slot", "annotator", "revision", "outcome", Cast("answer", TextField()),
    "confidence", "basis", "reason", "note", Cast("order", TextField()), "active_seconds", "previews",
    "assignment__group_place", Cast("neighbours", TextField()), "guideline", "consent_version", "channel",
    "assignment__claimed", "assignment__opened", "assignment__arm", "assignment__revealed_at",
    "assignment__kept_at", "assignment__source_read", Cast("seen", TextField()), "seen_reading", "created",
)  # fmt: skip
OF_ASSIGNMENT = (
    "slot", "annotator", "status", "claimed", "opened", "lease_until", "put_off", "order",
    "group_place", "neighbours", "arm", "revealed_at", "kept_at",
)  # fmt: skip
OF_READING = (
    "item", "item_digest", "replicate", "order", "state", "answer", "probabilities", "reason", "text",
    "asked", "shown", "looks_like_instruction", "prompt_tokens", "completion_tokens", "created",
)  # fmt: skip
OF_ENROLMENT = (
    "pseudonym", "role", "simulated", "state", "quota", "consent_version", "consented", "guideline_seen",
    "group_seen", "practised", "created",
)  # fmt: skip
OF_SAMPLED = ("stratum", "stratum_size", "stratum_drawn", "drawn", "machine_answer", "reading")


@lru_cache(2000)
def as_json(text: str | None) -> Json | None:
    """Return a JSON value by its text in the database; None for none."""
    if text is None:
        return None
    value = json.loads(text)
    return None if value is None else Json(value, JSON_TEXT(value))


def options(task: TaskType, item: Item) -> list[dict[str, Any]]:
    """Return the options of an item in canonical order, each with where it comes from."""
    shown = task.options(item.payload)
    filed = item.provenance.get("file_order")
    made = [{"file": number} for number in filed] if filed else item.provenance.get("options") or []
    gold = task.option_of(item.payload, item.gold)
    return [
        {"option": number, "shown": each, "gold": None if item.gold is None else number == gold}
        | (made[number] if number < len(made) else {})
        for number, each in enumerate(shown)
    ]


def judgment_names(keys: set[int]) -> dict[int, str]:
    """Return the names of judgments of an item: place and revision."""
    found: dict[int, str] = {}
    ordered = sorted(keys)
    for start in range(0, len(ordered), AT_ONCE):
        some = Judgment.objects.filter(pk__in=ordered[start : start + AT_ONCE])
        for pk, place, revision in some.values_list("pk", "assignment__slot", "revision"):
            found[pk] = f"{place}:{revision}"
    return found
