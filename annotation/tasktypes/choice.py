"""The proxy task of RELiC: which of three passages fills the gap in this criticism?

Thai, Chang, Krishna, Iyyer 2022, section 4: the reader sees four sentences before
and after a masked quotation and the quoted passage among wrong ones.

Payload: `left`, `right` (lists of sentences), `options` (list of passages in canonical
order), `language`, `citation`, `book`. Answer and gold: `{"option": canonical number}`; what
a reader sees and sends: `{"position": n}`, where on the page it stood, from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.tasktypes.asked import one_of
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Payload, TaskType, is_storable
from annotation.tasktypes.fields import is_whole, whole_number
from annotation.tasktypes.items import Field, Quotation
from common.translation import gettext as _
from common.translation import gettext_noop

FEWEST, MOST = 2, 9
FIELDS = {"left", "right", "options", "language", "citation", "book"}
OPTIONS = gettext_noop("The answer must name one of the options, 0 to {last}.")
LATER = gettext_noop("passage {n}, where an item has so many")


class Choice(TaskType):
    """Choose which passage fills the gap."""

    slug = "choice"
    label = gettext_noop("Choose the missing passage")
    measure = "nominal"
    asks = gettext_noop("You would read short pieces of criticism and judge which passage belongs in them.")
    keys = (
        Key("option_1", "1", gettext_noop("choose the first passage and read it in its place")),
        Key("option_2", "2", gettext_noop("the second")),
        Key("option_3", "3", gettext_noop("the third")),
        *(Key(f"option_{n}", str(n), LATER) for n in range(4, MOST + 1)),
        Key("blank", "b", gettext_noop("empty the gap again")),
    )
    answer_numbers = ("option",)
    undecided_reasons = (
        gettext_noop("More than one fits"),
        gettext_noop("None of them fits"),
        gettext_noop("The context is not enough"),
    )
    wanting = undecided_reasons[:2]
    former: ClassVar[dict[str, str]] = {"option": "position"}

    file_fields = (
        Field("left", "the sentences before the gap, as a list of texts"),
        Field("right", "the sentences after it; one of the two lists may be empty"),
        Field(
            "options",
            "two to nine passages in any order, also with the right one first: each item gets an order of "
            "its own, drawn from the study’s seed, and gold follows",
        ),
        Field("language", "of the texts, such as en", needed=False),
        Field("citation", "of the critic", needed=False),
        Field("book", "from which the passages are", needed=False),
    )

    def of_quotation(self, found: Quotation) -> tuple[dict[str, Any], Answer]:
        payload = {
            "left": found.left,
            "right": found.right,
            "options": found.passages,
            "language": found.language,
            "citation": found.citation,
            "book": found.book,
        }
        return payload, {"option": found.gold}

    def check_payload(self, payload: Payload) -> None:
        unknown = set(payload) - FIELDS
        if unknown:
            raise Invalid(
                f"Unknown field {min(unknown)!r}: a choice item has {', '.join(sorted(FIELDS))}.",
                min(unknown),
            )
        for side in ("left", "right", "options"):
            check_texts(payload.get(side), side)
        for name in ("language", "citation", "book"):
            if not isinstance(payload.get(name, ""), str):
                raise Invalid(f"“{name}” must be a text.", name)
            if not is_storable(payload.get(name, "")):
                raise Invalid(f"“{name}” holds NUL or a lone surrogate, which cannot be stored.", name)
        if not payload["left"] and not payload["right"]:
            raise Invalid("An item needs criticism before or after the gap.", "left")
        options = payload["options"]
        if not FEWEST <= len(options) <= MOST:
            raise Invalid(f"An item needs {FEWEST} to {MOST} options, not {len(options)}.", "options")
        if len(set(options)) < len(options):
            raise Invalid("Two options have the same words: nobody could choose between them.", "options")

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        number = answer.get("option") if isinstance(answer, Mapping) else None
        last = len(payload["options"]) - 1
        if not is_whole(number, 0, last):
            raise Invalid(_(OPTIONS).format(last=last), "option")
        return {"option": number}

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        return {"option": number_of(data, "option", len(payload["options"]))}

    def categories(self, payload: Payload) -> int:
        return len(payload["options"])

    def options(self, payload: Payload) -> Sequence[Any]:
        return list(payload["options"])

    def context_texts(self, payload: Payload) -> Sequence[str]:
        return [*payload["left"], *payload["right"]]

    def with_context(self, payload: Payload, texts: Sequence[str]) -> dict[str, Any]:
        before = len(payload["left"])
        return {**payload, "left": list(texts[:before]), "right": list(texts[before:])}

    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        return {
            "left": payload["left"],
            "right": payload["right"],
            "language": payload.get("language", "en"),
            "citation": payload.get("citation", ""),
            "book": payload.get("book", ""),
            "options": [
                {"position": position, "text": payload["options"][number]}
                for position, number in enumerate(order)
            ],
        }

    def as_shown(self, answer: Answer, order: Sequence[int]) -> dict[str, Any]:
        return {"position": list(order).index(answer["option"])}

    def from_shown(
        self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]
    ) -> Mapping[str, Any]:
        return {"option": order[number_of(data, "position", len(order))]}

    def reordered(
        self, payload: Payload, gold: Answer | None, order: Sequence[int]
    ) -> tuple[dict[str, Any], Answer | None]:
        options = [payload["options"][number] for number in order]
        moved = None if gold is None else {"option": list(order).index(gold["option"])}
        return {**payload, "options": options}, moved

    def instruction(self, payload: Payload) -> str:
        return (
            "A critic quotes a book, and the quotation was taken out: a gap is left in the criticism. Choose "
            "which of the numbered passages of the book the critic quoted there."
        )

    def material(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        named = {name: payload[name] for name in ("book", "citation") if payload.get(name)}
        passages = {str(n): payload["options"][number] for n, number in enumerate(order, 1)}
        before, after = " ".join(payload["left"]), " ".join(payload["right"])
        return {**named, "before_the_gap": before, "after_the_gap": after, "passages": passages}

    def reply_schema(self, payload: Payload) -> dict[str, dict[str, Any]]:
        return {"passage": one_of(range(1, len(payload["options"]) + 1))}

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        wrong = f"“passage” must be the number of one of the passages, 1 to {len(order)}."
        n = whole_number(reply, "passage", 1, len(order), missing=wrong, wrong=wrong)
        return self.read(payload, {"position": n - 1}, order)

    def as_reply(self, payload: Payload, answer: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
        return {"passage": list(order).index(answer["option"]) + 1}

    def choices(self, payload: Payload) -> tuple[str, ...]:
        return tuple(str(n) for n in range(1, len(payload["options"]) + 1))

    def number_of_choice(self, choice: str, order: Sequence[int]) -> int:
        return order[int(choice) - 1]

    meanings = {
        "option": "the canonical number of the option, from 0",
        "option_text": "its words",
    }

    def in_words(self, payload: Payload, answer: Answer) -> str:
        return str(payload["options"][answer["option"]])

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        return {"option": answer["option"], "option_text": payload["options"][answer["option"]]}

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        if gold is None:
            raise ValueError("A simulated reader needs the gold option.")
        if random.random() < accuracy:
            return dict(gold)
        wrong = [number for number in range(len(payload["options"])) if number != gold["option"]]
        return {"option": random.choice(wrong)}

    @classmethod
    def example(cls) -> Example:
        payload = {
            "left": ["The harbour master is never described; we know him by what he refuses."],
            "right": ["Refusal, in this book, is how a man says that he has understood."],
            "options": [
                "“I will not sign it,” he said, and put the pen where she could reach it.",
                "The boats went out at four, as they had every morning since his father’s time.",
                "She had brought the lamp, though it was not yet dark.",
            ],
            "language": "en",
            "citation": "An essay of 1911",
            "book": "The Example",
        }
        return Example(payload, {"option": 0}, {"position": "2"}, {"option": 2})


def number_of(data: Mapping[str, Any], name: str, n: int) -> int:
    """Read the number of an option, 0 to n - 1, as a form or a script sends it. Raises `Invalid`."""
    return whole_number(
        data,
        name,
        0,
        n - 1,
        missing=_("Choose the passage that belongs in the gap, or say that you can’t decide."),
        wrong=_(OPTIONS).format(last=n - 1),
    )


def check_texts(value: Any, field: str) -> None:
    """Raise `Invalid` unless `value` is a list of texts that can be shown."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Invalid(f"“{field}” must be a list of texts.", field)
    for number, text in enumerate(value):
        if not isinstance(text, str) or not text.strip():
            raise Invalid(f"“{field}”, entry {number}: must be a text with words in it.", field)
        if not is_storable(text):
            raise Invalid(
                f"“{field}”, entry {number}: holds NUL or a lone surrogate, which cannot be stored.",
                field,
            )
