"""The tables of what people were asked and said, some items at a time, so that memory does not grow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from annotation.dataset.lines import JSON_TEXT, Json, Row
from annotation.dataset.moments import MomentText
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
from annotation.tasktypes.base import Answer, Payload, TaskType

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
        rows = self.study.items.filter(*conditions).order_by("number").values_list(*OF_ASKED)
        for some in by_number(rows):
            yield {pk: Asked._make((*row, as_json(gold))) for pk, *row, gold in some}

    def items(self) -> Iterator[Row]:
        """Yield each item."""
        numbers = dict(self.study.items.exclude(replaces=None).values_list("pk", "replaces__number"))
        rows = self.study.items.order_by("number").values_list(*OF_ITEM)
        for some in by_number(rows):
            read = [tuple(map(json.loads, row[TEXTS:])) for row in some]
            origins = Origins(made for *_, made in read)
            for (pk, *row, gold, _, _), (payload, made) in zip(some, read, strict=True):
                known = as_json(gold)
                each = options(self.task, payload, None if known is None else known.value, made)
                number, digest, kind, version, *rest = row
                yield (
                    number, digest, kind, version, numbers.get(pk), *rest, payload, known, each,
                    origins.provenance(made),
                )  # fmt: skip

    def judgments(self) -> Iterator[Row]:
        """Yield each revision, by item, place and revision."""
        for those in self.portions():
            rows = Judgment.objects.filter(item__in=list(those)).order_by(
                "item__number", "assignment__slot", "revision"
            )
            found = list(rows.values_list(*OF_JUDGMENT))
            named = self.reading_names({row[READING] for row in found} - {None})
            for row, after in with_next(found):
                last = after is None or after[1] != row[1]
                yield self.judgment(those, row, last, named)

    def judgment(
        self, items: Mapping[int, Asked], row: tuple[Any, ...], last: bool, named: Mapping[int, str]
    ) -> Row:
        """Return one line of what was judged, from `OF_JUDGMENT`; `last`: of its place."""
        key, _, annotator, guideline, reading, answer, order, neighbours, seen, place, revision, outcome = (
            row[:SAID]
        )
        item, answered = items[key], as_json(answer)
        return (
            item.number, item.digest, item.kind, item.version, item.retired is not None, place,
            *self.readers[annotator], revision, last and outcome != Outcome.TAKEN_BACK, outcome, answered,
            item.gold, None if answered is None else self.correct(answered.value, item), *row[SAID:TIMES],
            as_json(order), *row[TIMES:DOOR], as_json(neighbours), self.guidelines.get(guideline),
            *row[DOOR:-1], as_json(seen), named.get(reading), row[-1],
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
OF_ITEM: tuple[str | Combinable, ...] = (
    "pk", "number", "digest", "kind", "version", MomentText("retired"), MomentText("quarantined"), "group",
    *(Cast(name, TextField()) for name in ("gold", "payload", "provenance")),
)  # fmt: skip
TEXTS = -2
"""Where in it the payload begins, which is another text for each item."""
OF_JUDGMENT: tuple[str | Combinable, ...] = (
    "item", "assignment", "annotator", "guideline", "seen_reading",
    *(Cast(name, TextField()) for name in ("answer", "order", "neighbours", "seen")),
    "assignment__slot", "revision", "outcome",
    "confidence", "basis", "reason", "note",
    "active_seconds", "previews", "assignment__group_place",
    "consent_version", "channel", MomentText("assignment__claimed"), MomentText("assignment__opened"),
    "assignment__arm", MomentText("assignment__revealed_at"), MomentText("assignment__kept_at"),
    MomentText("assignment__source_read"),
    MomentText("created"),
)  # fmt: skip
READING, SAID, TIMES, DOOR = 4, 12, 16, 19
"""Where in it the machine reading stands, and what is taken over as it is begins."""
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


def by_number(rows: QuerySet[Item, tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows of items, some after others; `rows`: in the order of their numbers, the second column."""
    last = 0
    while some := list(rows.filter(number__gt=last)[:AT_ONCE]):
        yield some
        last = some[-1][1]


def options(task: TaskType, payload: Payload, gold: Answer | None, made: Payload) -> list[dict[str, Any]]:
    """Return the options of an item in canonical order, each with where it comes from, as it was `made`."""
    shown = task.options(payload)
    filed = made.get("file_order")
    from_where = [{"file": number} for number in filed] if filed else made.get("options") or []
    right = task.option_of(payload, gold)
    return [
        {"option": number, "shown": each, "gold": None if gold is None else number == right}
        | (from_where[number] if number < len(from_where) else {})
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
