"""The rows of a data set → a study: what its readers said, what was decided, and the record."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from annotation.assignment.grid import grid_of
from annotation.dataset import columns, record
from annotation.dataset.rows import GONE
from annotation.dataset.storing.asked import AT_ONCE, StoredItems
from annotation.dataset.storing.told import Line, as_is, at
from annotation.models import (
    ArmDraw,
    Assignment,
    AssignmentStatus,
    Decision,
    Event,
    Item,
    Judgment,
    Outcome,
    Sample,
    SampledItem,
    State,
    Study,
)
from annotation.studies.running import stopping


class Stored(StoredItems):
    """The whole study. `judged`: judgments that are not stored yet."""

    def __init__(self, folder: Path, said: Mapping[str, Any]) -> None:
        super().__init__(folder, said)
        self.judged: list[Judgment] = []

    def everything(self) -> Study:
        """Store all that the data set holds; return the study."""
        self.texts()
        for table, store in (
            (columns.ANNOTATORS, self.annotators),
            (columns.ITEMS, self.of_items),
            (columns.RUNS, self.readings),
            (columns.ASSIGNMENTS, self.assignments),
            (columns.JUDGMENTS, self.judgments),
            (columns.DECISIONS, self.decisions),
            (columns.SAMPLE, self.sampled),
            (columns.ARMS, self.arms),
            (columns.RECORD, self.events),
        ):
            self.each(table, store)
            if table is columns.JUDGMENTS:
                self.in_order_of_time()
        if self.study.state != State.DRAFT:
            self.study.grid = grid_of(self.study)
            self.study.save(update_fields=["grid"])
        return self.study

    def in_order_of_time(self) -> None:
        """Store the judgments as they came in: reports on how grades drift read them in the order of keys."""
        self.judged.sort(key=lambda each: each.created)
        for start in range(0, len(self.judged), AT_ONCE):
            Judgment.objects.bulk_create(self.judged[start : start + AT_ONCE])
        self.judged.clear()

    def assignments(self, lines: list[Line]) -> None:
        """Store readings that are not done."""
        names = ("status", "claimed", "opened", "lease_until", "put_off", "group_place", "neighbours", "arm",
                 "revealed_at", "kept_at")  # fmt: skip
        made = [
            Assignment(
                study=self.study,
                item_id=line.named("item", self.items),
                slot=line["place"],
                annotator_id=line.named("pseudonym", self.readers),
                order=line["shown"],
                **{name: line[name] for name in names},
            )
            for line in lines
        ]
        self.note(Assignment.objects.bulk_create(made), lines)

    def note(self, made: list[Assignment], lines: Sequence[Line]) -> None:
        for row, line in zip(made, lines, strict=True):
            self.places[line["item"], line["place"]] = row.pk

    def judgments(self, lines: list[Line]) -> None:
        """Store judgments, and the assignments at which they stand."""
        items = self.payloads(lines)
        new = {(line["item"], line["place"]): line for line in lines}
        of_new = {key: line for key, line in new.items() if key not in self.places}
        names = ("claimed", "opened", "group_place", "neighbours", "arm", "revealed_at", "kept_at",
                 "source_read")  # fmt: skip
        made = [
            Assignment(
                study=self.study,
                item_id=line.named("item", self.items),
                slot=line["place"],
                status=AssignmentStatus.DONE,
                **self.holder(line),
                **{name: line[name] for name in names},
            )
            for line in of_new.values()
        ]
        self.note(Assignment.objects.bulk_create(made), list(of_new.values()))
        self.judged += [self.judgment(line, items) for line in lines]
        for line in lines:
            if line["outcome"] == Outcome.TAKEN_BACK:
                place = self.places[line["item"], line["place"]]
                Assignment.objects.filter(pk=place).update(taken_back=line["created"])

    def holder(self, line: Line) -> dict[str, Any]:
        """Return whose an assignment is in the end, and what they were shown: the last judgment says it."""
        own = (1, line["pseudonym"], line["shown"])
        _, reader, shown = self.last.get((line["item"], line["place"]), own)
        # A name that the data set does not have is refused at its own line.
        known = self.readers.get(reader)
        return {"annotator_id": known or line.named("pseudonym", self.readers), "order": shown}

    def judgment(self, line: Line, items: Mapping[int, Item]) -> Judgment:
        """Return a judgment, unsaved."""
        item = line.named("item", items)
        names = ("revision", "outcome", "confidence", "basis", "reason", "note", "active_seconds", "previews",
                 "neighbours", "created")  # fmt: skip
        return Judgment(
            assignment=Assignment(
                pk=self.places[line["item"], line["place"]], study=self.study, item_id=item.pk
            ),
            annotator_id=line.named("pseudonym", self.readers),
            answer=self.answer_of(line, item.payload),
            order=line["shown"],
            guideline_id=line.named("guideline", self.guidelines),
            consent_version=line["consent"],
            channel=line["door"],
            seen=self.answer_of(line, item.payload, "seen"),
            seen_reading=self.reading(line, "seen_reading"),
            submission=uuid.uuid4(),
            **{name: line[name] for name in names},
        )

    def decisions(self, lines: list[Line]) -> None:
        """Store decisions; the judgments they name are there by now."""
        items = self.payloads(lines)
        rows = Judgment.objects.filter(item__in=[item.pk for item in items.values()])
        keys = {
            (number, f"{place}:{revision}"): pk
            for number, place, revision, pk in rows.values_list(
                "item__number", "assignment__slot", "revision", "pk"
            )
        }
        for line in lines:
            item = line.named("item", items)

            def key(field: str, name: Any, line: Line = line) -> int:
                found = 0 if name == GONE else keys.get((line["item"], name))
                if found is None:
                    raise line.wrong(field, f"the item has no judgment {name!r:.40}.")
                return found

            as_is(
                Decision(
                    item=item,
                    revision=line["revision"],
                    answer=self.answer_of(line, item.payload),
                    adopted=key("adopted", line["adopted"]) if line["adopted"] else None,
                    seen=[key("seen", name) for name in line["seen"]],
                    reason=line["reason"],
                    adjudicator_id=line.named("adjudicator", self.readers),
                    submission=uuid.uuid4(),
                    created=line["created"],
                )
            )

    def sampled(self, lines: list[Line]) -> None:
        """Store the sampling frame."""
        if not hasattr(self.study, "sample"):
            said = self.said["sample"]
            if said is None:
                raise lines[0].wrong("item", "study.json has no sample.")
            reader = self.machines.get(said["machine_reader"])
            as_is(
                Sample(study=self.study, **{**said, "created": at(said["created"]), "machine_reader": reader})
            )
        names = ("stratum", "stratum_size", "stratum_drawn", "drawn")
        items = self.payloads(lines)
        SampledItem.objects.bulk_create(
            SampledItem(
                sample=self.study.sample,
                item=line.named("item", items),
                machine_answer=self.answer_of(line, line.named("item", items).payload, "machine_answer"),
                reading=self.reading(line, "reading"),
                **{name: line[name] for name in names},
            )
            for line in lines
        )

    def arms(self, lines: list[Line]) -> None:
        """Store in which arms readers met items."""
        ArmDraw.objects.bulk_create(
            ArmDraw(
                reader_id=line.named("pseudonym", self.readers),
                item_id=line.named("item", self.items),
                stratum=line["stratum"],
                place=line["place"],
                arm=line["arm"],
            )
            for line in lines
        )

    def events(self, lines: list[Line]) -> None:
        """Store the record."""
        for line in lines:
            if line["verb"] == stopping.VERB and not is_look(line["data"]):
                raise line.wrong("data", "must say items, at and met, and numbers, as a look does.")
            data = record.with_keys(line["data"], line["by"], self.items, self.places, self.readers)
            as_is(Event(study=self.study, actor=None, verb=line["verb"], data=data, created=line["created"]))


def is_look(data: Mapping[str, Any]) -> bool:
    """Return whether pages and reports can tell a look of a stopping rule by this."""
    try:
        datetime.fromisoformat(data["at"])
        numbers = [data.get(name) for name in ("value", "low", "high", "half_width", "level")]
        words = [data.get(name) for name in ("measure", "reason")]
        right = all(each is None or type(each) in (int, float) for each in numbers)
        told = type(data["items"]) is int and type(data["met"]) is bool
        return told and right and all(type(each) is str for each in words)
    except (KeyError, TypeError, ValueError):
        return False
