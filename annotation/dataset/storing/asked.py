"""The rows of a data set → a study: its texts, readers, items, and what machines said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError

from annotation.dataset.checking import rows, wrong
from annotation.dataset.columns import JUDGMENTS, Table
from annotation.dataset.describing import about
from annotation.dataset.describing.package import STUDY
from annotation.dataset.storing.told import Line, as_is, at, in_time
from annotation.models import (
    AnswerFile,
    Consent,
    Enrolment,
    Guideline,
    Item,
    MachineReader,
    MachineReading,
    PromptVersion,
    Study,
)  # fmt: skip

AT_ONCE = 500


class StoredItems:
    """A study as it is stored, table after table: what was asked, of whom."""

    def __init__(self, folder: Path, said: Mapping[str, Any]) -> None:
        self.folder, self.said = folder, said
        self.study = self.made_study()
        self.task = self.study.task_type
        self.guidelines: dict[int, int] = {}
        self.consents: set[int] = set()
        self.readers: dict[str, int] = {}
        self.items: dict[int, int] = {}
        self.machines: dict[str, MachineReader] = {}
        self.places: dict[tuple[int, int], int] = {}
        self.runs: dict[tuple[int, str], int] = {}

    def made_study(self) -> Study:
        """Store the study."""
        said = self.said
        names = {name: said[name] for name in about.PLAIN}
        rate = None if said["rate"] is None else Decimal(said["rate"])
        study = Study(**names, rate=rate, **{name: at(said[name]) for name in about.MOMENTS})
        try:
            study.full_clean(exclude=["job", "created_by"], validate_unique=False)
        except ValidationError as error:
            field, messages = next(iter(error.message_dict.items()))
            raise wrong(STUDY, 1, field, messages[0]) from None
        as_is(study)
        return study

    def each(self, table: Table, store: Callable[[list[Line]], None]) -> None:
        """Store a table, some lines at a time. Raises `BadInput` for two lines with one key."""
        seen: set[tuple[Any, ...]] = set()
        if table is JUDGMENTS:
            found = in_time(self.folder, table)
        else:
            found = (Line(table, number, row) for number, row in enumerate(rows(self.folder, table), 1))
        while those := list(islice(found, AT_ONCE)):
            for line in those:
                key = tuple(line[name] for name in table.key)
                if key and key in seen:
                    raise line.wrong(table.key[-1], "another line says the same of it.")
                seen.add(key)
            store(those)

    def texts(self) -> None:
        """Store the versions of guidelines, consent and prompts, and the machine readers."""
        study, prompts = self.study, {}
        for each in self.said["guidelines"]:
            row = as_is(Guideline(study=study, **{**each, "created": at(each["created"])}))
            self.guidelines[row.version] = row.pk
        for each in self.said["consents"]:
            self.consents.add(as_is(Consent(study=study, **{**each, "created": at(each["created"])})).version)
        for each in self.said["prompts"]:
            row = as_is(PromptVersion(study=study, **{**each, "created": at(each["created"])}))
            prompts[row.version] = row
        for each in self.said["machine_readers"]:
            known = {**each, "created": at(each["created"]), "prompt": prompts.get(each["prompt"])}
            file = known.pop("answer_file")
            reader = self.machines[each["name"]] = as_is(MachineReader(study=study, **known))
            if file is not None:
                as_is(AnswerFile(reader=reader, **{**file, "created": at(file["created"])}))

    def annotators(self, lines: list[Line]) -> None:
        """Store who took part: pseudonyms without a person, who cannot sign in."""
        for line in lines:
            version = line.pop("consent")
            if version is not None and version not in self.consents:
                raise line.wrong("consent", f"study.json has no version {version} of the consent.")
            row = as_is(Enrolment(study=self.study, user=None, consent_version=version, **line))
            self.readers[row.pseudonym] = row.pk

    def of_items(self, lines: list[Line]) -> None:
        """Store items, as the task type takes them."""
        made = []
        for line in lines:
            with line.refusing("payload"):
                self.task.check_payload(line["payload"])
            with line.refusing("gold"):
                if line["gold"] is not None:
                    self.task.check_answer(line["payload"], line["gold"])
            names = ("digest", "kind", "version", "retired", "quarantined", "payload", "gold", "provenance")
            item = Item(study=self.study, number=line["item"], **{name: line[name] for name in names})
            made.append(item)
        for item, line in zip(Item.objects.bulk_create(made), lines, strict=True):
            self.items[item.number] = item.pk
            if line["replaces"] is not None:
                Item.objects.filter(pk=item.pk).update(replaces=line.named("replaces", self.items))

    def answer_of(self, line: Line, payload: Mapping[str, Any], field: str = "answer") -> Any:
        """Return an answer that the task type takes as it stands; None for none."""
        answer = line[field]
        if answer is not None:
            with line.refusing(field):
                self.task.check_answer(payload, answer)
        return answer

    def payloads(self, lines: list[Line]) -> dict[int, Item]:
        """Return the items of some lines by number."""
        numbers = {line["item"] for line in lines}
        found = {item.number: item for item in self.study.items.filter(number__in=numbers)}
        for item in found.values():
            item.study = self.study
        return found

    def readings(self, lines: list[Line]) -> None:
        """Store machine readings."""
        items, made = self.payloads(lines), []
        names = (
            "item_digest", "replicate", "order", "state", "probabilities", "reason", "text", "asked", "shown",
            "looks_like_instruction", "prompt_tokens", "completion_tokens", "created",
        )  # fmt: skip
        for line in lines:
            item, reader = line.named("item", items), line.named("reader", self.machines)
            answer = self.answer_of(line, item.payload)
            row = MachineReading(
                reader=reader, item=item, answer=answer, **{name: line[name] for name in names}
            )
            row.derive()
            made.append(row)
        for row, line in zip(MachineReading.objects.bulk_create(made), lines, strict=True):
            name = f"{line['reader']}:{line['replicate']}:{line['order']}"
            self.runs[line["item"], name] = row.pk

    def reading(self, line: Line, field: str) -> int | None:
        """Return the key of the machine reading that a line names."""
        if line[field] is None:
            return None
        if (key := self.runs.get((line["item"], line[field]))) is None:
            raise line.wrong(field, f"data/runs.jsonl has no reading {line[field]!r:.60} of this item.")
        return key
