"""Graded relevance: how relevant one document is to one topic, on the scale of the study.

The judgments that test collections are made of: Cleverdon 1967; graded, Järvelin, Kekäläinen 2002.

Payload: `topic` with `id` and `title`, perhaps `description`, `narrative`, `language`; `document` with `id`
and `text`, perhaps `title`, `genre`, `year`, `language`; `scale` as `scales` has it; `highlight`, true where
the words of the title are marked in the document. Answer and gold: `{"grade": n}`, 0 for the lowest. A scale
is shown to every reader as it is: its order means something. Items of one topic are a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.asked import one_of
from annotation.tasktypes.base import Answer, Example, Invalid, Key, Payload, TaskType
from annotation.tasktypes.fields import check_names
from annotation.tasktypes.items import Field, Template
from annotation.tasktypes.relevance.query_words import paragraphs, words_of_title
from annotation.tasktypes.scales import (
    MOST,
    SCALES,
    check_grade,
    check_scale,
    named_scale,
    near_grade,
    read_grade,
    steps_apart,
)

# As long as topics and documents of a corpus may be: what is searched for can be judged.
LONGEST_ID, LONGEST_TOPIC, LONGEST_DOCUMENT = 200, 5_000, 100_000
OF_TOPIC = {"description": 20_000, "narrative": 20_000}
OF_DOCUMENT = {"title": 2_000, "genre": 60}
YEARS = range(-3000, 3001)
BEGINNING = 60
"""Characters that stand for a document without a title: an id may tell where it came from."""


class Relevance(TaskType):
    """Judge how relevant a document is to a topic."""

    slug = "relevance"
    label = "Judge relevance"
    measure = "ordinal"
    one_scale = True
    needs_gold = False
    asks = "You would read documents, topic by topic, and grade how relevant each is to its topic."
    keys = (
        *(Key(f"relevance_{n}", str(n), f"the grade {n}, where the scale has it") for n in range(MOST)),
        Key("topic", "i", "the whole topic, where only its title is in sight"),
    )
    # The grades have the digits from 0 on, so that a key is what it gives.
    other_keys = {"undecided": "?"}
    shared = ("scale", "highlight")
    templates = {name: Template(scale["name"], {"scale": scale}) for name, scale in SCALES.items()}
    from_pools = True
    answer_numbers = ("grade",)
    undecided_reasons = (
        "The topic is unclear",
        "The document cannot be judged without what stands around it",
        "It lies between two grades",
    )
    wanting = undecided_reasons[:1]

    file_fields = (
        Field("topic", "an object: id and title, perhaps description, narrative, language"),
        Field("document", "an object: id and text, perhaps title, genre, year, language"),
        Field("scale", f"a ready scale ({', '.join(SCALES)}), or an object with a name and the grades"),
        Field("highlight", "true where words of the topic’s title are marked in the document", needed=False),
    )

    def check_payload(self, payload: Payload) -> None:
        check_names(payload, {"topic", "document", "scale"}, {"highlight"}, "a relevance item")
        for name, needed, optional in (
            ("topic", {"id", "title"}, {*OF_TOPIC, "language"}),
            ("document", {"id", "text"}, {*OF_DOCUMENT, "year", "language"}),
        ):
            check_part(payload[name], name, needed, optional)
        topic, document = payload["topic"], payload["document"]
        check_texts(topic, {"id": LONGEST_ID, "title": LONGEST_TOPIC, **OF_TOPIC}, "topic")
        check_texts(document, {"id": LONGEST_ID, "text": LONGEST_DOCUMENT, **OF_DOCUMENT}, "document")
        check_id(topic["id"], "topic")
        check_id(document["id"], "document")
        year = document.get("year", 0)
        if not isinstance(year, int) or isinstance(year, bool) or year not in YEARS:
            between = f"{YEARS[0]} to {YEARS[-1]}"
            raise Invalid(f"“document”, year: must be a whole number, {between}, not {year!r}.", "document")
        check_scale(payload["scale"])
        if not isinstance(payload.get("highlight", False), bool):
            raise Invalid("“highlight” must be true or false.", "highlight")

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        """Return payload and gold; a ready scale may be given by its name, and no marks as false."""
        payload, gold = super().of_line(fields)
        if payload.get("highlight") is False:
            del payload["highlight"]
        if isinstance(payload.get("scale"), str):
            payload["scale"] = named_scale(payload["scale"])
        return payload, gold

    def group(self, payload: Payload) -> str:
        return str(payload["topic"]["id"])

    def identity(self, payload: Payload) -> str:
        return f"topic {payload['topic']['id']} and document {payload['document']['id']}"

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        return check_grade(answer, self.categories(payload))

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        return read_grade(data, self.categories(payload))

    def categories(self, payload: Payload) -> int:
        return len(payload["scale"]["grades"])

    def category_labels(self, payload: Payload) -> tuple[str, ...]:
        return tuple(grade["label"] for grade in payload["scale"]["grades"])

    def present(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        """Return topic, document and scale. No id is among it: ids tell where a document came from."""
        topic, document = payload["topic"], payload["document"]
        marked = words_of_title(topic["title"]) if payload.get("highlight") else frozenset()
        about = (document.get("genre"), document.get("year"))
        language = document.get("language", "en")
        return {
            "topic": {
                "title": topic["title"],
                **{name: topic.get(name, "") for name in OF_TOPIC},
                "language": topic.get("language", "en"),
            },
            "document": {
                "title": document.get("title", ""),
                "about": ", ".join(str(each) for each in about if each not in (None, "")),
                "paragraphs": [
                    [piece._asdict() for piece in each] for each in paragraphs(document["text"], marked)
                ],
                "language": language,
            },
            "language": language,
            "scale": payload["scale"]["name"],
            "grades": [{"grade": n, **grade} for n, grade in enumerate(payload["scale"]["grades"])],
        }

    def instruction(self, payload: Payload) -> str:
        lines = [
            f"{n}: {grade['label']}. {grade['definition']}"
            + (f" ({grade['example']})" if grade.get("example") else "")
            for n, grade in enumerate(payload["scale"]["grades"])
        ]
        return "\n".join(["Grade how relevant the document is to the topic, on this scale:", *lines])

    def material(self, payload: Payload, order: Sequence[int]) -> dict[str, Any]:
        """Return topic and document without their ids, which tell where a document came from."""
        topic, document = payload["topic"], payload["document"]
        parts = ("title", *OF_TOPIC), ("title", "genre", "year", "text")
        return {
            name: {each: part[each] for each in those if part.get(each)}
            for name, part, those in (("topic", topic, parts[0]), ("document", document, parts[1]))
        }

    def reply_schema(self, payload: Payload) -> dict[str, dict[str, Any]]:
        return {"grade": one_of(range(self.categories(payload)))}

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        return self.parse(payload, reply)

    def choices(self, payload: Payload) -> tuple[str, ...]:
        return tuple(str(grade) for grade in range(self.categories(payload)))

    meanings = {
        "topic": "the topic’s id",
        "document": "the document’s id",
        "grade": "the grade, from 0, the lowest",
        "grade_label": "its words",
        "highlighted": "whether the words of the topic’s title were marked in the document",
    }

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        return {
            "topic": payload["topic"]["id"],
            "document": payload["document"]["id"],
            "grade": answer["grade"],
            "grade_label": self.in_words(payload, answer),
            "highlighted": bool(payload.get("highlight")),
        }

    def about(self, payload: Payload) -> str:
        topic, document = payload["topic"], payload["document"]
        return f"{topic['title']}: {document.get('title') or ' '.join(document['text'].split())[:BEGINNING]}"

    def apart(self, one: Answer, other: Answer, categories: int) -> float:
        return steps_apart(one, other, categories)

    def simulate(self, payload: Payload, gold: Answer | None, accuracy: float, random: Random) -> Answer:
        """Return a grade near the gold one; without gold near one that all simulated readers share.

        That one is drawn from the ids; each higher grade is half as likely, as in a pool.
        """
        grades = self.categories(payload)
        if gold is None:
            shared = Random(self.identity(payload))  # noqa: S311 - not a secret
            gold = {"grade": shared.choices(range(grades), [2.0**-n for n in range(grades)])[0]}
        return near_grade(gold["grade"], grades, accuracy, random)

    @classmethod
    def example(cls) -> Example:
        payload = {
            "topic": {
                "id": "7",
                "title": "lamps on fishing boats",
                "description": "How were fishing boats lit at night?",
                "narrative": "What burned, where it hung, who tended it. Lighthouses are not meant.",
                "language": "en",
            },
            "document": {
                "id": "harbour-12",
                "title": "Letters from the harbour",
                "text": "No boat went out that week.\n\nThe lamps stood filled on the wall; nobody lit them.",
                "genre": "letters",
                "year": 1871,
                "language": "en",
            },
            "scale": SCALES["five"],
            "highlight": True,
        }
        return Example(payload, {"grade": 1}, {"grade": "3"}, {"grade": 3})


def check_part(part: Any, name: str, needed: set[str], optional: set[str]) -> None:
    """Raise `Invalid` unless a part of the payload is an object with these fields."""
    if not isinstance(part, Mapping):
        raise Invalid(f"“{name}” must be an object with {', '.join(sorted(needed))}.", name)
    try:
        check_names(part, needed, optional, f"a {name}")
    except Invalid as error:
        raise Invalid(f"“{name}”: {error}", name) from None


def check_id(external_id: str, name: str) -> None:
    """Raise `Invalid` for an id that files of judgments and runs could not hold."""
    if any(letter.isspace() for letter in external_id):
        raise Invalid(
            f"“{name}”: the id {external_id[:60]!r} holds white space; runs could not name it.", name
        )
    if len(external_id.encode()) > LONGEST_ID:
        raise Invalid(f"“{name}”: the id {external_id[:60]!r} … is longer than {LONGEST_ID} bytes.", name)


def check_texts(part: Mapping[str, Any], longest: Mapping[str, int], name: str) -> None:
    """Raise `Invalid` unless all texts of a part can be kept, with at most so many characters."""
    try:
        for field, most in longest.items():
            if field in part:
                passage.check_text(part[field], field, most)
        if "language" in part:
            passage.check_language(part["language"], "language")
    except Invalid as error:
        raise Invalid(f"“{name}”: {error}", name) from None
