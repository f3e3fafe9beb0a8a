"""What a task type is. One file each; defining a subclass registers it.

A task type knows what an item holds, how it is shown, what an answer is and how
it is checked. It knows nothing of the database, of HTTP or of statistics: the
form and the API call the same `read`, and `evaluation` reads `measure`.

Where options change places from reader to reader they have two names. The **canonical**
number is the place in the payload: answers, gold and numbers are in these terms. The
**position** is the place where this reader was shown it, from 0. A reader's browser and
script know positions only: the canonical number might tell which option is right.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

from annotation.tasktypes.items import BESIDE, Field, Quotation

Payload = Mapping[str, Any]
Answer = dict[str, Any]
Path = tuple[str | int, ...]


class Invalid(ValueError):
    """An item or an answer is not what it should be. The annotator or researcher reads the text.

    `field` names the part that is wrong, so that a page can put the focus there.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def number_at(document: Any, path: Path) -> int | None:
    """The whole number at that path of a JSON document, of a list its length; None where there is neither."""
    for step in path:
        try:
            document = document[step]
        except (LookupError, TypeError):
            return None
    if isinstance(document, list):
        return len(document)
    return document if isinstance(document, int) and not isinstance(document, bool) else None


def is_storable(text: str) -> bool:
    """Whether every database and every export can keep it: no NUL, no half of a character pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


class Example(NamedTuple):
    """A whole round of the task, from which every type is tested before anyone writes a test for it."""

    payload: dict[str, Any]
    gold: Answer
    data: dict[str, str]
    answer: Answer


class PlainAnswer(NamedTuple):
    """An answer that one button gives: the field it sends, its value, its words, the key that finds it."""

    field: str
    value: str
    label: str
    key: str


class Key(NamedTuple):
    """A single key on the reading page: the act it does, the key unless a reader chose another, in words."""

    act: str
    usual: str
    label: str


class TaskType(ABC):
    """The contract. `measure` names the kind of data: nominal, ordinal or spans.

    `asks` tells somebody who is invited what a reader does, in one sentence.
    `file_fields`: what a line of a file of its items holds, beside `gold` and what every line may hold.
    `needs_gold`: simulated readers can only read items with a gold answer.
    `one_scale`: its numbers need as many categories on every item of a study; another study is not opened.
    `plain_answers` stand as buttons beside *later*. `undecided_label` is what *can’t
    decide* is called here; it is the same act, stored as such with its reason; `wanting` are
    those of its reasons that find fault with the item, which goes into quarantine by them. `keys` are
    those of this task alone, beside the ones that every task has (`annotation.reading.keys`). `meanings`:
    what each column of `rows` holds. `former`: fields by which pages of an earlier version sent an answer
    that would be misread now, each with the one in its place; they are refused.

    `answer_numbers`: the fields of an answer that reports count, two at most, whole numbers; where options
    change places the first is the canonical number of the chosen option. `payload_numbers`: what reports
    read of an item, three at most, each name with its path in the payload, at which a whole number stands,
    or a list, whose length counts.
    """

    slug: ClassVar[str]
    label: ClassVar[str]
    measure: ClassVar[str]
    asks: ClassVar[str]
    file_fields: ClassVar[tuple[Field, ...]]
    needs_gold: ClassVar[bool] = True
    one_scale: ClassVar[bool] = False
    plain_answers: ClassVar[tuple[PlainAnswer, ...]] = ()
    keys: ClassVar[tuple[Key, ...]] = ()
    meanings: ClassVar[dict[str, str]]
    payload_numbers: ClassVar[dict[str, Path]] = {}
    answer_numbers: ClassVar[tuple[str, ...]] = ()
    undecided_label: ClassVar[str] = "Can’t decide"
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
        """What the template `annotation/tasks/<slug>.html` and a reader's script are given.

        `order` lists canonical numbers as this reader sees them; none of them is in what is returned.
        """

    @abstractmethod
    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        """The answer as flat named columns for an export."""

    @abstractmethod
    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """What a reader who is right with probability `accuracy` (0 to 1) would say.

        `gold` is None only where the type does not need one.
        """

    @classmethod
    @abstractmethod
    def example(cls) -> Example:
        """A complete small item with its gold answer, a form's data and the answer it means."""

    def categories(self, payload: Payload) -> int:
        """How many answers somebody who guesses chooses from; 0 where chance is no choice among so many."""
        return 0

    # How items are made.

    def of_quotation(self, found: Quotation) -> tuple[dict[str, Any], Answer]:
        """Payload and gold of the item that a job's candidates for one excerpt make.

        A type that overrides it can be built from candidate jobs.
        """
        raise Invalid(f"Items of the task “{self.slug}” are not made of candidates: load them from a file.")

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        """Payload and gold as a line of a file says them, or `Invalid`; both are checked afterwards."""
        gold = fields.get("gold")
        if gold is not None and not isinstance(gold, dict):
            raise Invalid(f"must be an answer such as {json.dumps(self.example().gold)}, or null.", "gold")
        return {name: value for name, value in fields.items() if name not in {"gold", *BESIDE}}, gold

    # What a type overrides whose options change places; the others have nothing to translate.

    def options(self, payload: Payload) -> Sequence[Any]:
        """What may be shown in varying order, by canonical number; none where order has no meaning."""
        return ()

    def as_shown(self, answer: Answer, order: Sequence[int]) -> dict[str, Any]:
        """The answer with positions in `order` for canonical numbers."""
        return dict(answer)

    def from_shown(
        self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]
    ) -> Mapping[str, Any]:
        """What was sent with positions in `order`, in canonical terms, for `parse`; or `Invalid`."""
        return data

    def reordered(
        self, payload: Payload, gold: Answer | None, order: Sequence[int]
    ) -> tuple[dict[str, Any], Answer | None]:
        """The same item, its options in another canonical order: that of number `order[n]` becomes n."""
        return dict(payload), gold

    # What a type overrides whose answer is a text that should stand nowhere but among its options.

    def context(self, payload: Payload) -> Sequence[str]:
        """The texts that are read beside the options, in the order of the page; none where an answer is part
        of what is read, or no text.
        """
        return ()

    def with_context(self, payload: Payload, texts: Sequence[str]) -> dict[str, Any]:
        """The same item with other texts in the place of these, as many."""
        return dict(payload)

    # What follows from these.

    def option_of(self, payload: Payload, answer: Answer | None) -> int | None:
        """The canonical number of the option that is the answer; None where it is no option."""
        order = range(self.n_options(payload))
        return self.as_shown(answer, order).get("position") if answer and order else None

    @property
    def from_candidates(self) -> bool:
        """Whether its items can be made of a finished candidate job; otherwise they come from a file."""
        return type(self).of_quotation is not TaskType.of_quotation

    def numbers_of_payload(self, payload: Payload) -> tuple[int | None, ...]:
        """What reports read of an item, in the order of `payload_numbers`."""
        return tuple(number_at(payload, path) for path in self.payload_numbers.values())

    def numbers_of_answer(self, answer: Answer | None) -> tuple[int | None, ...]:
        """What reports read of an answer, or of a gold one, in the order of `answer_numbers`."""
        return tuple(number_at(answer, (name,)) for name in self.answer_numbers)

    def n_options(self, payload: Payload) -> int:
        """How many options may be shown in varying order; 0 where order has no meaning."""
        return len(self.options(payload))

    def read(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer:
        """The answer that was sent by somebody who was shown the options in `order`, or `Invalid`."""
        self.refuse_former(data)
        return self.parse(payload, self.from_shown(payload, data, order))

    def refuse_former(self, data: Mapping[str, Any]) -> None:
        """Raise `Invalid` for what only a page, or a script, of an earlier version sends."""
        for name, field in self.former.items():
            if name in data:
                raise Invalid(
                    "This page is older than the site, so your choice cannot be read: please choose again. "
                    f"(A script sends “{field}”, not “{name}”.)",
                    field,
                )

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        """The fields of a form that mean this answer, options in `order`: `read` makes it of them again."""
        return {name: str(value) for name, value in self.as_shown(answer, order).items()}

    def in_words(self, payload: Payload, answer: Answer) -> str:
        """The answer in words, as an apparatus prints it: unless a type says otherwise, its columns."""
        return ", ".join(
            str(value) for value in self.rows(payload, answer).values() if value not in ("", None)
        )

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        """How far two answers lie apart, 0 (the same) to 1. What an adjudicator sees first goes by it.

        ``categories``: those of the item, 0 where it has none.
        """
        return float(one != other)

    def is_correct(self, answer: Answer, gold: Answer | None) -> bool | None:
        """Whether the answer is the gold one; None where there is no gold."""
        return None if gold is None else answer == gold
