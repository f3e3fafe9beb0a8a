"""What a task type is. One file each; defining a subclass registers it.

A task type knows what an item holds, how it is shown, what an answer is and how
it is checked. It knows nothing of the database, of HTTP or of statistics: the
form and the API call the same `read`, and `evaluation` reads `measure`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.tasktypes.asked import AskedOfModels
from annotation.tasktypes.in_study import InStudy
from annotation.tasktypes.items import BESIDE, Field, Path, Quotation, Quoted, Template, number_at
from annotation.tasktypes.items import Answer as Answer
from annotation.tasktypes.items import Example as Example
from annotation.tasktypes.items import Key as Key
from annotation.tasktypes.items import Part as Part
from annotation.tasktypes.items import PlainAnswer as PlainAnswer
from annotation.tasktypes.options import OptionOrder
from annotation.tasktypes.verdicts import Verdicts
from common.translation import gettext as _
from common.translation import gettext_noop

Payload = Mapping[str, Any]


class Invalid(ValueError):
    """An item or an answer is not what it should be. The annotator or researcher reads the text.

    `field` names the part that is wrong, so that a page can put the focus there.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def is_storable(text: str) -> bool:
    """Return whether every database and export can keep it: no NUL, no half of a character pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


class TaskType(OptionOrder, InStudy, Verdicts, AskedOfModels, ABC):
    """The contract of a task type.

    slug, label: its name in code and data, and its name for people.
    measure: its kind of data, such as nominal, ordinal, spans or rubric.
    asks: what a reader does, in one sentence for people who are invited.
    file_fields: what a line of a file of items holds, beside `gold` and what every line may hold.
    shared: fields of the payload that are the same on every item of a study; a file that differs is refused.
    templates: by name, fields that a file may leave to the type.
    needs_gold: whether simulated readers can only read items with a gold answer.
    one_scale: whether all items of a study must have as many categories; else the study is not opened.
    plain_answers: answers that one button gives, beside *later*.
    keys: keys of this task alone; `annotation.reading.keys` has those of every task.
    other_keys: acts of every task whose usual key is another one here, because this task needs theirs.
    meanings: what each column of `rows` holds.
    payload_numbers: up to three numbers that reports read of an item, each name with its path in the payload;
        of a list the length counts.
    labels_in: the part of a payload in which `category_labels` finds its words; it reads no other.
    answer_numbers: up to two fields of an answer that reports count, whole numbers; where options have an
        order, the first is the canonical number of the chosen one.
    label, asks, undecided_label, undecided_reasons, and the labels of plain answers and keys are stored and
        compared in English; pages show them in the reader's language.
    undecided_label: what *can’t decide* is called here; it is stored as the same act.
    undecided_reasons: the reasons it offers.
    wanting: those of the reasons that find fault with the item, which put it into quarantine.
    former: fields that pages of an earlier version sent and that would be misread now, each with the field in
        its place; they are refused.
    known: every task type by slug, filled by the subclasses themselves.
    """

    slug: ClassVar[str]
    label: ClassVar[str]
    measure: ClassVar[str]
    asks: ClassVar[str]
    file_fields: ClassVar[tuple[Field, ...]]
    shared: ClassVar[tuple[str, ...]] = ()
    templates: ClassVar[dict[str, Template]] = {}
    needs_gold: ClassVar[bool] = True
    one_scale: ClassVar[bool] = False
    plain_answers: ClassVar[tuple[PlainAnswer, ...]] = ()
    keys: ClassVar[tuple[Key, ...]] = ()
    other_keys: ClassVar[dict[str, str]] = {}
    meanings: ClassVar[dict[str, str]]
    payload_numbers: ClassVar[dict[str, Path]] = {}
    labels_in: ClassVar[str] = "grades"
    answer_numbers: ClassVar[tuple[str, ...]] = ()
    undecided_label: ClassVar[str] = gettext_noop("Can’t decide")
    undecided_reasons: ClassVar[tuple[str, ...]] = ()
    wanting: ClassVar[tuple[str, ...]] = ()
    former: ClassVar[dict[str, str]] = {}
    known: ClassVar[dict[str, type[TaskType]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.slug in TaskType.known:
            raise ValueError(f"two task types call themselves {cls.slug!r}")
        TaskType.known[cls.slug] = cls

    @abstractmethod
    def check_payload(self, payload: Payload) -> None:
        """Raise `Invalid` unless an item can be made of `payload`."""

    @abstractmethod
    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        """Return the answer in its stored form, or raise `Invalid`. A gold answer is checked by it too."""

    @abstractmethod
    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        """Make an answer of the fields of a form or of a JSON body, or raise `Invalid`; canonical terms."""

    @abstractmethod
    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        """Return what the template `annotation/tasks/<slug>.html` and a reader's script are given.

        `order` lists canonical numbers as this reader sees them; none of them is in what is returned.
        """

    @abstractmethod
    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        """Return the answer as flat named columns for an export."""

    @abstractmethod
    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return what a reader who is right with probability `accuracy` (0 to 1) would answer.

        `gold` is None only where the type does not need one.
        """

    @classmethod
    @abstractmethod
    def example(cls) -> Example:
        """Return a complete small item with its gold answer, a form's data and the answer it means."""

    def categories(self, payload: Payload) -> int:
        """Return how many answers a guess chooses from; 0 where answers are no such list."""
        return 0

    def category_labels(self, payload: Payload) -> tuple[str, ...]:
        """Return the words of each of these answers, in their order; empty where they have none."""
        return ()

    def context(self, payload: Payload) -> str:
        """Return the words around what is asked, which readers have before any answer; empty without any."""
        return " ".join(self.context_texts(payload))

    def meanings_of(self, payload: Payload) -> dict[str, str]:
        """Return what each column of `rows` holds for items like this one; usually the same for all."""
        return self.meanings

    def parts(self, payload: Payload, answer: Answer) -> list[Part]:
        """Return each part of an answer; empty where it has no parts. `{}` stands for an answer of none."""
        return []

    # How items are made.

    def of_excerpt(self, found: Quoted) -> dict[str, Any]:
        """Return the payload of the item that an excerpt makes, but for what all items share.

        A type that overrides it can be made of a sample of excerpts.
        """
        raise Invalid(f"Items of the task “{self.slug}” are not made of excerpts: load them from a file.")

    def of_quotation(self, found: Quotation) -> tuple[dict[str, Any], Answer]:
        """Return payload and gold of the item that a job's candidates for one excerpt make.

        A type that overrides it can be built from candidate jobs.
        """
        raise Invalid(f"Items of the task “{self.slug}” are not made of candidates: load them from a file.")

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        """Return payload and gold as a line of a file says them; both are checked later. Raises `Invalid`."""
        gold = fields.get("gold")
        if gold is not None and not isinstance(gold, dict):
            raise Invalid(f"must be an answer such as {json.dumps(self.example().gold)}, or null.", "gold")
        return {name: value for name, value in fields.items() if name not in {"gold", *BESIDE}}, gold

    # How a file of a system's answers is read.

    def from_file(self, payload: Payload, said: Any) -> Answer:
        """Return the answer that a file means, in canonical terms. Raises `Invalid`."""
        if isinstance(said, Mapping):
            return self.parse(payload, said)
        if len(self.answer_numbers) == 1 and isinstance(said, int):
            return self.parse(payload, {self.answer_numbers[0]: said})
        raise Invalid(f"must be an object such as {json.dumps(self.example().answer)}.", "answer")

    # What a type overrides whose answer is a text that should stand nowhere but among its options.

    def context_texts(self, payload: Payload) -> Sequence[str]:
        """Return the texts that are read beside the options, in the order of the page; none where an answer
        is part of what is read, or no text.
        """
        return ()

    def with_context(self, payload: Payload, texts: Sequence[str]) -> dict[str, Any]:
        """Return the same item with other texts in the place of these, as many."""
        return dict(payload)

    def query_overlap(self, payload: Payload) -> float | None:
        """Return the share of the query's words that stand in the text, 0 to 1; None where nothing is asked
        for by words."""
        return None

    def about(self, payload: Payload) -> str:
        """Return what tells an item from the others of its study in a list for researchers; may be empty."""
        return str(payload.get("citation", ""))

    # What follows from these.

    @property
    def from_excerpts(self) -> bool:
        """Whether its items can be made of a sample of excerpts."""
        return type(self).of_excerpt is not TaskType.of_excerpt

    @property
    def from_candidates(self) -> bool:
        """Whether its items can be made of a finished candidate job; otherwise they come from a file."""
        return type(self).of_quotation is not TaskType.of_quotation

    @property
    def is_one_number(self) -> bool:
        """Whether an answer is one choice or grade, told by one number."""
        return self.measure in ("nominal", "ordinal")

    def numbers_of_payload(self, payload: Payload) -> tuple[int | None, ...]:
        """Return the numbers that reports read of an item, in the order of `payload_numbers`."""
        return tuple(number_at(payload, path) for path in self.payload_numbers.values())

    def numbers_of_answer(self, answer: Answer | None) -> tuple[int | None, ...]:
        """Return the numbers that reports read of an answer or gold, in the order of `answer_numbers`."""
        return tuple(number_at(answer, (name,)) for name in self.answer_numbers)

    def every_number(self, answer: Answer | None) -> tuple[int | None, ...]:
        """Return all numbers of an answer in one row, also where the columns cannot hold them."""
        return self.numbers_of_answer(answer)

    def says_the_same(self, one: Answer | None, other: Answer | None) -> bool:
        """Return whether two answers are the same as reports count it."""
        return self.every_number(one) == self.every_number(other)

    def read(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer:
        """Return the answer sent by a reader who was shown the options in `order`. Raises `Invalid`."""
        self.refuse_former(data)
        return self.parse(payload, self.from_shown(payload, data, order))

    def read_verdict(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer:
        """Return what an adjudicator sent, who decides the verdict alone. Raises `Invalid`."""
        return self.verdict(self.read(payload, data, order))

    def begun(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer | None:
        """Return what a form that is not sent yet, or was refused, holds of an answer; None for nothing."""
        try:
            return self.read(payload, data, order)
        except Invalid:
            return None

    def refuse_former(self, data: Mapping[str, Any]) -> None:
        """Raise `Invalid` for what only a page, or a script, of an earlier version sends."""
        for name, field in self.former.items():
            if name in data:
                said = _(
                    "This page is older than the site, so your choice cannot be read: please choose again. "
                    "(A script sends “{field}”, not “{former}”.)"
                )
                raise Invalid(said.format(field=field, former=name), field)

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        """Return the form fields that mean this answer, options in `order`; `read` is the way back."""
        return {name: str(value) for name, value in self.as_shown(answer, order).items()}

    def in_words(self, payload: Payload, answer: Answer) -> str:
        """Return the answer in words, for pages and an apparatus: its category’s label, or its columns."""
        labels, numbers = self.category_labels(payload), self.numbers_of_answer(answer)
        if labels and numbers and numbers[0] is not None:
            return labels[numbers[0]]
        columns = self.rows(payload, answer).items()
        return "; ".join(f"{name}: {value}" for name, value in columns if value not in ("", None))

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        """Return how far two answers lie apart, from 0 (the same) to 1. Adjudicators see the largest first.

        ``categories``: those of the item, 0 where it has none.
        """
        return float(one != other)

    def is_correct(self, answer: Answer, gold: Answer | None) -> bool | None:
        """Return whether the answer is the gold one; None where there is no gold."""
        return None if gold is None else self.verdict(answer) == self.verdict(gold)
