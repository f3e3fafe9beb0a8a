"""A file of answers → what the system said of each item of the study, all of it or a refusal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from annotation.machine.imported import lines
from annotation.machine.imported.items import Items, counted, find, items_of, refuse_missing
from annotation.machine.imported.lines import Line, wrong
from annotation.models import AnswerForm, Item, ReadingState, Study
from annotation.tasktypes.base import Answer, Invalid
from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.text.submission import submission

NOT_LISTED = "None of its passages is among the {} starts that the submission names."


class Said(NamedTuple):
    """What a system said of an item.

    item: with its payload.
    state: answered, or undecided.
    answer: None where undecided; reason: then, why.
    text: as the file has it.
    tied: whether two answers or more had the highest score.
    """

    item: Item
    state: ReadingState
    answer: Answer | None
    reason: str
    text: str
    tied: bool = False


class ReadAnswers(NamedTuple):
    """What a file says of a study's items.

    name, sha256, form: of the file.
    said: one for each item that counts, by number.
    passed_over: of how many other quotations RELiC's submission speaks.
    """

    name: str
    sha256: str
    form: AnswerForm
    said: list[Said]
    passed_over: int = 0


def read(study: Study, data: bytes, name: str, progress: Progress = silent) -> ReadAnswers:
    """Read a file and check every answer by the rules of the study's task.

    Raises:
        BadInput: file, line and field of the first thing that is wrong, and how many more lines are.
    """
    items = items_of(study)
    if not items.number:
        raise BadInput(f"“{study.slug}” has no items yet: nothing can be answered.")
    starts = submission(data, name, lines.FIELDS)
    if starts:
        return of_submission(study, starts, name, sha256(data).hexdigest())
    found = by_item(study, items, lines.answers(data, name))
    if not found:
        raise BadInput(f"{name}: holds no line with an answer.")
    refuse_missing(items, set(found), name)
    said = list(checked(study, found, progress))
    form = AnswerForm.SCORES if any(each.scores for each in found.values()) else AnswerForm.ANSWERS
    return ReadAnswers(name, sha256(data).hexdigest(), form, said)


def by_item(study: Study, items: Items, given: Iterable[Line]) -> dict[int, Line]:
    """Return the lines by the primary key of their item. Raises `BadInput` where an item has two."""
    found: dict[int, Line] = {}
    for line in given:
        pk = find(study, items, line)
        if pk in found:
            first = found[pk].where.rpartition("line ")[2]
            raise wrong(
                line.where, "item", f"item {items.number[pk]} has its answer in line {first} already."
            )
        found[pk] = line
    return found


def checked(study: Study, found: dict[int, Line], progress: Progress) -> Iterator[Said]:
    """Yield what was said of each item in the order of their numbers, in the form that the study stores."""
    refused: list[tuple[int, BadInput]] = []
    order = {pk: place for place, pk in enumerate(found)}
    rows = counted(study).iterator(500)
    for done, item in enumerate(rows, 1):
        item.study = study
        if item.pk not in found:
            raise BadInput("The study’s items changed while the file was read: read it once more.")
        try:
            said = one(item, found[item.pk])
        except BadInput as error:
            refused.append((order[item.pk], error))
        else:
            yield said
        progress(done, len(found), "checking")
    if refused:
        _, first = min(refused, key=lambda each: each[0])
        more = len(refused) - 1
        raise BadInput(f"{first}{f' ({more:,} more lines are wrong.)' if more else ''}")


def one(item: Item, line: Line) -> Said:
    """Return what a line says of its item. Raises `BadInput` with its place and field."""
    task, payload = item.study.task_type, item.payload
    try:
        if line.scores:
            return of_scores(item, line)
        if line.answer is None:
            reason = line.reason or "The file has no answer."
            return Said(item, ReadingState.UNDECIDED, None, reason, "null")
        given = Looked(line.answer) if isinstance(line.answer, Mapping) else line.answer
        answer = task.from_file(payload, given)
        if isinstance(given, Looked):
            given.refuse_others(task.example().answer)
    except Invalid as error:
        field = error.field or "answer"
        whole = field if field in ("answer", "scores") else f"answer.{field}"
        raise wrong(line.where, whole, f"{str(error).rstrip('.')} (item {item.number}).") from None
    return Said(item, ReadingState.ANSWERED, answer, "", in_json(line.answer))


class Looked(Mapping[str, Any]):
    """An answer as a file has it, which knows what of it was read: what was not would be dropped unsaid."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given, self._read = given, set[str]()

    def __getitem__(self, name: str) -> Any:
        value = self._given[name]
        self._read.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def refuse_others(self, example: Answer) -> None:
        """Raise `Invalid` for the first field that nothing has read."""
        for name in self._given:
            if name not in self._read:
                known = ", ".join(f"“{each}”" for each in example)
                raise Invalid(f"an answer of this task has no such field: it has {known}.", name[:60])


def of_scores(item: Item, line: Line) -> Said:
    """Return the answer that has the highest score, of several the first in canonical order."""
    task, payload = item.study.task_type, item.payload
    number = task.categories(payload)
    if not number:
        raise Invalid(
            "items of this task have no list of answers that could each have a score: give “answer”.",
            "scores",
        )
    if len(line.scores) != number:
        hint = "" if len(line.scores) > 1 else " A single score or rank is no answer."
        raise Invalid(
            f"has {len(line.scores)} numbers, and the item {number} answers to choose from.{hint}", "scores"
        )
    best = max(line.scores)
    answer = task.from_file(payload, line.scores.index(best))
    tied = line.scores.count(best) > 1
    return Said(item, ReadingState.ANSWERED, answer, "", in_json(list(line.scores)), tied)


def of_submission(study: Study, starts: dict[str, list[int]], name: str, digest: str) -> ReadAnswers:
    """Return for each item the option that stands highest in the list of its quotation."""
    said = []
    needed = ("number", "payload", "provenance", "digest", "excerpt__external_id", "excerpt__digest")
    rows = list(counted(study).select_related("excerpt").only(*needed))
    for item in rows:
        item.study = study
        # A submission that we wrote names an excerpt of other origin by the beginning of its digest.
        key = (item.excerpt.external_id or item.excerpt.digest[:16]) if item.excerpt else ""
        options = item.provenance.get("options")
        if not key or not options or not study.task_type.orders_options:
            raise BadInput(
                f"{name}: is a submission of RELiC’s form, and item {item.number} is not made of a quotation "
                "of RELiC’s: give lines of JSON with “item” and “answer”."
            )
        if key not in starts:
            raise BadInput(
                f"{name}: says nothing of quotation {key!r:.60}, of which item {item.number} is made."
            )
        said.append(highest_start(item, options, starts[key]))
    return ReadAnswers(name, digest, AnswerForm.STARTS, said, len(starts) - len(rows))


def highest_start(item: Item, options: list[dict[str, int]], starts: list[int]) -> Said:
    """Return the option whose start stands highest among these; undecided where none is there."""
    places = {start: place for place, start in enumerate(starts)}
    ranks = [places.get(each["first"], len(starts)) for each in options]
    text = in_json([each["first"] for each in options if each["first"] in places])
    if min(ranks) == len(starts):
        return Said(item, ReadingState.UNDECIDED, None, NOT_LISTED.format(len(starts)), text)
    answer = item.study.task_type.from_file(item.payload, ranks.index(min(ranks)))
    return Said(item, ReadingState.ANSWERED, answer, "", text)


def in_json(said: object) -> str:
    """Return what was said as it can be stored, whatever characters are in it."""
    return json.dumps(said)
