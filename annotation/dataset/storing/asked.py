"""The rows of a data set → a study: its texts, readers, items, and what machines said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError

from annotation.dataset.checking import line_of, rows, wrong
from annotation.dataset.columns import JUDGMENTS, Table
from annotation.dataset.describing import about
from annotation.dataset.describing.package import STUDY
from annotation.dataset.storing.told import Line, as_is, at, in_time, known_to
from annotation.models import (
    AnswerFile,
    Assignment,
    Consent,
    Decision,
    Enrolment,
    Guideline,
    Item,
    Judgment,
    MachineReader,
    MachineReading,
    Origin,
    PromptVersion,
    Study,
)  # fmt: skip
from annotation.studies.running.stopping import FIELDS, Rule, check, check_run
from common.errors import BadInput

AT_ONCE = 500
ODD = (TypeError, ValueError, KeyError, AttributeError, ArithmeticError, ValidationError)
"""What storing a value of another type ends in."""
MODELS = {
    "items": Item, "judgments": Judgment, "assignments": Assignment, "annotators": Enrolment,
    "runs": MachineReading, "decisions": Decision,
}  # fmt: skip
"""Of a table, the model whose fields have the names of its columns."""
HOLDER = [
    [column.name for column in JUDGMENTS.columns].index(name)
    for name in ("item", "place", "revision", "pseudonym", "shown")
]


class StoredItems:
    """A study as it is stored, table after table: what was asked, of whom."""

    def __init__(self, folder: Path, said: Mapping[str, Any]) -> None:
        self.folder, self.said = folder, said
        self.progress: Callable[[int, str], None] = lambda lines, stage: None
        """Called with how many lines more are stored, and of what."""
        self.study = self.made_study()
        self.task = self.study.task_type
        self.guidelines: dict[int, int] = {}
        self.consents: set[int] = set()
        self.readers: dict[str, int] = {}
        self.items: dict[int, int] = {}
        self.machines: dict[str, MachineReader] = {}
        self.places: dict[tuple[int, int], int] = {}
        self.runs: dict[tuple[int, str], int] = {}
        self.last: dict[tuple[int, int], tuple[int, str, list[int]]] = {}
        """Of an assignment with several judgments, the last: its revision, its reader and what was shown."""

    def made_study(self) -> Study:
        """Store the study."""
        said = self.said
        study = Study(**{name: said[name] for name in about.PLAIN})
        with self.of_study("rate"):
            study.rate = None if said["rate"] is None else Decimal(said["rate"])
        with self.of_study("stopping"):
            if "stopping" in said:
                rule = Rule(**said["stopping"])
                check(rule)
                check_run(rule, answered_before(said["machine_readers"]))
                for name, value in zip(FIELDS, rule, strict=True):
                    setattr(study, name, value)
        for name in about.MOMENTS:
            with self.of_study(name):
                setattr(study, name, at(said[name]))
        for field in Study._meta.concrete_fields:
            if field.name in (*about.PLAIN, "rate", *FIELDS):
                with self.of_study("stopping" if field.name in FIELDS else field.name):
                    field.clean(getattr(study, field.name), study)
                    field.get_prep_value(getattr(study, field.name))
        with self.of_study("created"):
            as_is(study)
        return study

    @contextmanager
    def of_study(self, field: str) -> Iterator[None]:
        """Refuse a field of study.json that cannot be stored as it stands."""
        try:
            yield
        except ODD as error:
            said = error.messages[0] if isinstance(error, ValidationError) else in_words(error)
            line = line_of((self.folder / STUDY).read_bytes(), field)
            raise wrong(STUDY, line, field, f"cannot be stored as it stands: {said:.200}") from None

    def each(self, table: Table, store: Callable[[list[Line]], None]) -> None:
        """Store a table, some lines at a time. Raises `BadInput` for two lines with one key."""
        seen: set[tuple[Any, ...]] = set()
        if table is JUDGMENTS:
            found = in_time(self.folder, table, self.revised)
        else:
            found = (Line(table, number, row) for number, row in enumerate(rows(self.folder, table), 1))
        while those := list(islice(found, AT_ONCE)):
            for line in those:
                key = tuple(line[name] for name in table.key)
                if key and key in seen:
                    raise line.wrong(table.key[-1], "another line says the same of it.")
                seen.add(key)
                known_to(line, MODELS.get(table.name))
            try:
                store(those)
            except ODD as error:
                if isinstance(error, BadInput) and str(error).startswith(f"{table.path}, "):
                    raise
                numbers = sorted(line.number for line in those)
                raise BadInput(
                    f"{table.path}, lines {numbers[0]} to {numbers[-1]}: one of them holds a value of "
                    f"another type than a data set has ({in_words(error):.200})."
                ) from None
            self.progress(len(those), f"reading {table.name}")

    def revised(self, values: Sequence[Any]) -> None:
        """Note the last judgment at an assignment: where an answer was taken back, it may be another's."""
        item, place, revision, reader, shown = (values[at] for at in HOLDER)
        if revision > max(1, self.last.get((item, place), (1,))[0]):
            self.last[item, place] = revision, reader, shown

    def texts(self) -> None:
        """Store the versions of guidelines, consent and prompts, and the machine readers."""
        study, prompts = self.study, {}
        with self.of_study("guidelines"):
            for each in self.said["guidelines"]:
                row = as_is(Guideline(study=study, **{**each, "created": at(each["created"])}))
                self.guidelines[row.version] = row.pk
        with self.of_study("consents"):
            for each in self.said["consents"]:
                row = as_is(Consent(study=study, **{**each, "created": at(each["created"])}))
                self.consents.add(row.version)
        with self.of_study("prompts"):
            for each in self.said["prompts"]:
                row = as_is(PromptVersion(study=study, **{**each, "created": at(each["created"])}))
                prompts[row.version] = row
        with self.of_study("machine_readers"):
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


def answered_before(readers: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of machine readers whose answers were read in, by what study.json says of them."""
    return [each["name"] for each in readers if each["origin"] != Origin.ASKED]


def in_words(error: Exception) -> str:
    """Return what an error says: a refusal is a sentence, any other is named."""
    return str(error) if isinstance(error, BadInput) else repr(error)
