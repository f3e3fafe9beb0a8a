"""Several questions about one thing: a rubric, whose questions may hang on each other.

Payload: `text` (what is asked about), `rubric` (the questions, the same on every item of a study), perhaps
`topic` (a sentence that stands above the text), `before` and `after` (what stands around the text),
`language`, `citation`, `book`. Answer and gold: `{key: value}` of every question that was answered; what a
condition leaves out is absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.tasktypes import passage
from annotation.tasktypes.asked import one_of, or_null
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Part, Payload, TaskType
from annotation.tasktypes.fields import check_names
from annotation.tasktypes.items import Field, Quoted, Template
from annotation.tasktypes.rubric import shipped
from annotation.tasktypes.rubric.questions import (
    AROUND,
    FIELD,
    MOST_OPTIONS,
    NOT_ASKED,
    TEXT,
    Question,
    check_rubric,
    checked,
    condition_in_words,
    field_of,
    is_asked,
    questions_of,
    same_words,
    state_of,
)
from common.translation import gettext as _
from common.translation import gettext_noop

NEEDED = {"text", "rubric"}
OPTIONAL = {"topic", "before", "after", "language", "citation", "book"}
LONGEST_TOPIC = 2_000


class Rubric(TaskType):
    """Answer the questions of a rubric."""

    slug = "rubric"
    label = gettext_noop("Answer a rubric")
    measure = "rubric"
    shared = ("rubric",)
    templates: ClassVar[dict[str, Template]] = shipped.TEMPLATES
    asks = gettext_noop("You would read short texts and answer the same few questions about each.")
    keys = tuple(
        Key(f"answer_{n}", str(n), gettext_noop("answer {n} of the question that you are at"))
        for n in range(MOST_OPTIONS + 1)
    )
    other_keys: ClassVar[dict[str, str]] = {"undecided": "?"}
    undecided_reasons = (
        gettext_noop("A question is unclear"),
        gettext_noop("The text says too little"),
        gettext_noop("Two answers fit equally well"),
    )
    wanting = undecided_reasons[:1]

    file_fields = (
        Field("text", "what the questions are about"),
        Field("rubric", "the questions as a list, the same in every line; a template may stand for it"),
        Field("topic", "what stands above the text, such as a question it may answer", needed=False),
        Field("before", "what stands before the text where it was taken from", needed=False),
        Field("after", "what stands behind it", needed=False),
        Field("language", "of the text, such as en", needed=False),
        Field("citation", "where the text stands", needed=False),
        Field("book", "the title of its book", needed=False),
    )

    def check_payload(self, payload: Payload) -> None:
        check_names(payload, NEEDED, OPTIONAL, "an item of a rubric")
        passage.check_text(payload["text"], "text", passage.LONGEST_TEXT)
        longest = {"topic": LONGEST_TOPIC, "before": passage.LONGEST_TEXT, "after": passage.LONGEST_TEXT}
        for name in sorted((OPTIONAL - {"language"}) & set(payload)):
            passage.check_text(payload[name], name, longest.get(name, passage.LONGEST_NAME))
        if "language" in payload:
            passage.check_language(payload["language"], "language")
        check_rubric(payload["rubric"])

    def of_excerpt(self, found: Quoted) -> dict[str, Any]:
        return {name: value for name, value in found._asdict().items() if value}

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        questions = questions_of(payload["rubric"])
        if not isinstance(answer, Mapping):
            raise Invalid(_("The answer must be an object with the keys of the questions."), questions[0].key)
        return checked(questions, answer)

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        """Read a field for each question, an empty one as none; what a condition leaves out is refused.

        A form names a field by `field_of`, a script, or a form of an earlier version, by the question's key.
        """
        of_form = {name[len(FIELD) :]: value for name, value in data.items() if name.startswith(FIELD)}
        known = {each.key for each in questions_of(payload["rubric"])}
        bare = {name: value for name, value in data.items() if name in known or name not in AROUND}
        sent = {name: value for name, value in (of_form or bare).items() if value not in ("", None)}
        try:
            return self.check_answer(payload, sent)
        except Invalid as error:
            raise Invalid(str(error), field_of(error.field) if of_form else error.field) from None

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        return {field_of(key): value for key, value in answer.items()}

    def begun(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer | None:
        """Return what stands in a form so far, also to questions that are not asked any more."""
        found = {}
        for each in questions_of(payload["rubric"]):
            # A draft that has waited since an earlier version has the key alone.
            value = data.get(field_of(each.key), None if each.key in AROUND else data.get(each.key))
            if isinstance(value, str) and (value in each.values or (each.kind == TEXT and value.strip())):
                found[each.key] = value
        return found or None

    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        questions = questions_of(payload["rubric"])
        words = {name: payload.get(name, "") for name in ("topic", "before", "after", "citation", "book")}
        return {
            "text": payload["text"],
            **words,
            "language": payload.get("language", "en"),
            "questions": [
                {
                    **{name: getattr(each, name) for name in ("key", "prompt", "kind", "required", "help")},
                    "field": field_of(each.key),
                    "options": [
                        {**one._asdict(), "digit": digit}
                        for one, digit in zip(each.options, digits(each), strict=True)
                    ],
                    "when": json.dumps([one._asdict() for one in each.when]) if each.when else "",
                    "only_if": condition_in_words(each, questions),
                }
                for each in questions
            ],
        }

    def about(self, payload: Payload) -> str:
        return str(payload.get("citation") or payload["text"])

    reply_tokens = 400

    def instruction(self, payload: Payload) -> str:
        questions = questions_of(payload["rubric"])
        said = [in_full(each, condition_in_words(each, questions)) for each in questions]
        return "\n".join(["Answer these questions about the text, each by its name:", *said])

    def material(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        names = ("topic", "book", "citation", "before", "text", "after")
        return {name: payload[name] for name in names if payload.get(name)}

    def reply_schema(self, payload: Payload) -> dict[str, dict[str, Any]]:
        return {
            each.key: or_null(one_of(each.values) if each.values else {"type": "string"})
            for each in questions_of(payload["rubric"])
        }

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        said = {
            key: str(value) if isinstance(value, int) and not isinstance(value, bool) else value
            for key, value in reply.items()
        }
        return self.parse(payload, said)

    # Of the example's rubric; `meanings_of` has those of a study's own.
    meanings = {
        "value_quality": "what was said to “How well does the passage answer?” (0, 1, 2)",
        "state_quality": "answered, empty or not_asked",
        "value_missing": "what was said to “What is missing?” (free text)",
        "state_missing": "answered, empty or not_asked",
    }

    def meanings_of(self, payload: Payload) -> dict[str, str]:
        found = {}
        for each in questions_of(payload["rubric"]):
            offered = ", ".join(each.values) or "free text"
            found[f"value_{each.key}"] = f"what was said to “{each.prompt}” ({offered})"
            found[f"state_{each.key}"] = "answered, empty or not_asked"
        return found

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in questions_of(payload["rubric"]):
            found[f"value_{each.key}"] = answer.get(each.key)
            found[f"state_{each.key}"] = state_of(each, answer)
        return found

    def parts(self, payload: Payload, answer: Answer) -> list[Part]:
        return [
            Part(each.key, answer.get(each.key), state_of(each, answer))
            for each in questions_of(payload["rubric"])
        ]

    def in_words(self, payload: Payload, answer: Answer) -> str:
        """Return the name of each question that was answered with its answer: “quality: Good; …”."""
        return "; ".join(
            f"{each.name}: {each.label(answer[each.key])}"
            for each in questions_of(payload["rubric"])
            if each.key in answer
        )

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        """Return how many of the questions that either answers have different answers, as a share.

        Free texts count, since an adjudicator decides on them, too. Numbers on agreement count the questions
        with options alone (`alike` of `evaluation/kinds/rubric/answered.py`).
        """
        keys = one.keys() | other.keys()
        return sum(not alike(one.get(key), other.get(key)) for key in keys) / len(keys) if keys else 0.0

    def says_the_same(self, one: Answer | None, other: Answer | None) -> bool:
        """Return whether every question has the same answer in both."""
        return self.apart(one or {}, other or {}, 0) == 0.0

    def is_correct(self, answer: Answer, gold: Answer | None) -> bool | None:
        """Return whether all that gold says was said; what gold leaves out may be anything."""
        return None if gold is None else all(alike(answer.get(key), said) for key, said in gold.items())

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return gold with probability `accuracy`, else gold with another answer to one of its questions
        with options; of questions that are asked only then, one with options is answered at random.
        """
        if gold is None:
            raise ValueError("A simulated reader needs the gold answers.")
        if random.random() < accuracy:
            return dict(gold)
        questions = questions_of(payload["rubric"])
        closed = [each for each in questions if each.options and each.key in gold]
        missed = random.choice(closed).key if closed else ""
        found: Answer = {}
        for each in questions:
            if is_asked(each, found):
                found |= said_wrongly(each, gold, missed, random)
        return found

    @classmethod
    def example(cls) -> Example:
        payload = {
            "topic": "Why did the boats stay in the harbour?",
            "text": "No boat went out that week. The men stood at the wall; nobody asked them why.",
            "language": "en",
            "citation": "Chapter 3",
            "book": "The Example",
            "rubric": shipped.EXAMPLE,
        }
        answer = {"quality": "1", "missing": "The reason itself."}
        return Example(payload, {"quality": "0"}, dict(answer), answer)


def in_full(question: Question, only_if: str) -> str:
    """Return a question with all that readers see of it, for a model."""
    kind = "" if question.options else " (in your own words)"
    asked = f" Asked {only_if}; else null." if only_if else ""
    needed = "" if question.required else " May be left out: null."
    lines = [f"- {question.key}: {question.prompt}{kind} {question.help}".rstrip() + asked + needed]
    for each in question.options:
        meaning = f". {each.definition}" if each.definition else ""
        lines.append(f'    "{each.value}": {each.label}{meaning}')
    return "\n".join(lines)


def digits(question: Question) -> list[int]:
    """Return the digit that gives each option: its value where all values are digits, else its place, from 1.

    A reader who sees “0: not usable” and presses 0 means that one.
    """
    if all(len(value) == 1 and value in "0123456789" for value in question.values):
        return [int(value) for value in question.values]
    return list(range(1, len(question.values) + 1))


def alike(one: str | None, other: str | None) -> bool:
    """Return whether two values are the same but for white space."""
    return (one is None) == (other is None) and same_words(one or "") == same_words(other or "")


def said_wrongly(question: Question, gold: Answer, missed: str, random: Random) -> Answer:
    """Return what a simulated reader says to a question who misses that one; nothing where it stays empty."""
    key, known = question.key, gold.get(question.key)
    if key == missed:
        return {key: random.choice([value for value in question.values if value != known])}
    if known is not None:
        return {key: known}
    if not question.required or state_of(question, gold) != NOT_ASKED:
        return {}
    return {key: random.choice(question.values) if question.options else "Said by a simulated reader."}
