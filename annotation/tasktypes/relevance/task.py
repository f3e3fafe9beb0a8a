"""Graded relevance: how relevant one document is to one topic, on the scale of the study.

The judgments that test collections are made of: Cleverdon 1967; graded, Järvelin, Kekäläinen 2002.

Payload: `topic` with `id` and `title`, perhaps `description`, `narrative`, `language`; `document` with `id`
and `text`, perhaps `title`, `genre`, `year`, `language`; `scale` as `scales` has it; `highlight`, true where
the words of the title are marked in the document; `rationale`, `optional` or `required` where readers mark
the words that decided. Answer and gold: `{"grade": n}`, 0 for the lowest, perhaps with the marked words, as
`rationale` has them. A scale is shown to every reader as it is: its order means something. Items of one topic
are a group.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.tasktypes.base import Answer, Example, Invalid, Key, Part, Payload, TaskType
from annotation.tasktypes.fields import check_names
from annotation.tasktypes.items import Field, Template
from annotation.tasktypes.relevance import parts, rationale
from annotation.tasktypes.relevance.query_words import paragraphs, share_in, words_of_title
from annotation.tasktypes.scales import (
    MOST,
    SCALES,
    RepliesWithGrade,
    check_grade,
    check_scale,
    named_scale,
    near_grade,
    read_grade,
    steps_apart,
)
from annotation.tasktypes.spans import Spans
from common.translation import gettext_noop

NOTHING_MARKED = Part("rationale", None, "empty")
BEGINNING = 60
"""Characters that stand for a document without a title: an id may tell where it came from."""


class Relevance(RepliesWithGrade, TaskType):
    """Judge how relevant a document is to a topic."""

    slug = "relevance"
    label = gettext_noop("Judge relevance")
    measure = "ordinal"
    one_scale = True
    needs_gold = False
    asks = gettext_noop(
        "You would read documents, topic by topic, and grade how relevant each is to its topic."
    )
    keys = (
        *(Key(f"relevance_{n}", str(n), parts.GRADE) for n in range(MOST)),
        Key("topic", "i", gettext_noop("the whole topic, where only its title is in sight")),
        Key("rationale", "r", gettext_noop("mark the words that decided, where they are asked for")),
        Key("neighbour_before", "[", gettext_noop("what stands before the document, where it may be opened")),
        Key("neighbour_after", "]", gettext_noop("what stands behind it")),
        # While words are marked: the acts of the task of several spans.
        *(key for key in Spans.keys if key.act in ("sentence", "another_span", "remove_span")),
    )
    # The grades have the digits from 0 on, so that a key is what it gives. How sure one is has the lowest row
    # of letters, since R is no part of it.
    other_keys = {"undecided": "?", **{f"sure_{n}": key for n, key in enumerate("zxcvb", 1)}}
    shared = ("scale", "highlight", "rationale")
    templates = {name: Template(scale["name"], {"scale": scale}) for name, scale in SCALES.items()}
    from_pools = True
    said_before = gettext_noop("What you said before of this topic")
    nothing_before = gettext_noop("Nothing yet: this is the first of its topic that you answer.")
    labels_in = "scale"
    answer_numbers = ("grade",)
    undecided_reasons = (
        gettext_noop("The topic is unclear"),
        gettext_noop("The document cannot be judged without what stands around it"),
        gettext_noop("It lies between two grades"),
    )
    wanting = undecided_reasons[:1]

    file_fields = (
        Field("topic", "an object: id and title, perhaps description, narrative, language"),
        Field("document", "an object: id and text, perhaps title, genre, year, language"),
        Field("scale", f"a ready scale ({', '.join(SCALES)}), or an object with a name and the grades"),
        Field("highlight", "true where words of the topic’s title are marked in the document", needed=False),
        Field(
            "rationale",
            "optional or required, where readers mark the words that decided",
            needed=False,
        ),
    )

    def check_payload(self, payload: Payload) -> None:
        check_names(payload, {"topic", "document", "scale"}, {"highlight", "rationale"}, "a relevance item")
        parts.check_topic(payload["topic"])
        parts.check_document(payload["document"])
        check_scale(payload["scale"])
        if not isinstance(payload.get("highlight", False), bool):
            raise Invalid("“highlight” must be true or false.", "highlight")
        if "rationale" in payload:
            rationale.check_setting(payload["rationale"])

    def of_line(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Answer | None]:
        """Return payload and gold; a ready scale may be given by its name, and what is not asked as false."""
        payload, gold = super().of_line(fields)
        for name in ("highlight", "rationale"):
            if payload.get(name) is False:
                del payload[name]
        if isinstance(payload.get("scale"), str):
            payload["scale"] = named_scale(payload["scale"])
        return payload, gold

    def group(self, payload: Payload) -> str:
        return str(payload["topic"]["id"])

    def identity(self, payload: Payload) -> str:
        return f"topic {payload['topic']['id']} and document {payload['document']['id']}"

    def check_answer(self, payload: Payload, answer: Any) -> Answer:
        grade = check_grade(answer, self.categories(payload))
        if "rationale" not in answer:
            return grade
        rationale.check_asked(payload)
        spans = rationale.check(answer["rationale"], payload["document"]["text"])
        return rationale.with_rationale(grade, spans)

    def parse(self, payload: Payload, data: Mapping[str, Any]) -> Answer:
        grade = read_grade(data, self.categories(payload))
        spans = rationale.read(data, payload["document"]["text"])
        if spans:
            rationale.check_asked(payload)
        rationale.check_given(payload.get("rationale", ""), grade["grade"], spans)
        return rationale.with_rationale(grade, spans)

    def begun(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer | None:
        """Return the grade of a form, and what is marked in it, as far as each can be read."""
        try:
            grade = read_grade(data, self.categories(payload))
        except Invalid:
            return None
        try:
            return rationale.with_rationale(grade, rationale.read(data, payload["document"]["text"]))
        except Invalid:
            return grade

    def from_file(self, payload: Payload, said: Any) -> Answer:
        """Return the grade alone where nothing was marked, also of a study that asks its readers to mark."""
        fields = said if isinstance(said, Mapping) else {"grade": said}
        if "rationale" not in fields:
            return read_grade(fields, self.categories(payload))
        return super().from_file(payload, said)

    def verdict(self, answer: Answer) -> Answer:
        return {"grade": answer["grade"]}

    def read_verdict(self, payload: Payload, data: Mapping[str, Any], order: Sequence[int]) -> Answer:
        return read_grade(data, self.categories(payload))

    def markable(self, payload: Payload) -> Sequence[Sequence[int]]:
        return rationale.words_of(payload["document"]["text"]) if payload.get("rationale") else ()

    def marked(self, payload: Payload, answer: Mapping[str, Any]) -> list[list[int]]:
        return rationale.in_words(answer.get("rationale", ()), payload["document"]["text"])

    def fields(self, answer: Answer, order: Sequence[int]) -> dict[str, str]:
        marked = answer.get("rationale")
        return {"grade": str(answer["grade"]), **({"rationale": json.dumps(marked)} if marked else {})}

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
        asked = payload.get("rationale", "")
        return {
            "rationale": asked,
            **(rationale.presented(document["text"], marked, language) if asked else {}),
            "topic": {
                "title": topic["title"],
                **{name: topic.get(name, "") for name in parts.OF_TOPIC},
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
        of_topic, of_document = ("title", *parts.OF_TOPIC), ("title", "genre", "year", "text")
        return {
            name: {each: part[each] for each in those if part.get(each)}
            for name, part, those in (("topic", topic, of_topic), ("document", document, of_document))
        }

    def from_reply(self, payload: Payload, reply: Mapping[str, Any], order: Sequence[int]) -> Answer:
        """Return the grade: a model marks no words."""
        return self.read_verdict(payload, reply, order)

    def as_reply(self, payload: Payload, answer: Mapping[str, Any], order: Sequence[int]) -> Answer:
        return self.verdict(dict(answer))

    def with_text_of(self, payload: Payload, other: Payload, words: str | None) -> dict[str, Any]:
        text = f"{other['document']['text']}\n\n{payload['topic']['title'] if words is None else words}"
        return {**payload, "document": {**other["document"], "text": text}}

    meanings = parts.MEANINGS

    def meanings_of(self, payload: Payload) -> dict[str, str]:
        """Return them without those of the marked words where none are asked for."""
        known = self.rows(payload, {"grade": 0})
        return {name: meaning for name, meaning in self.meanings.items() if name in known}

    def rows(self, payload: Payload, answer: Answer) -> dict[str, Any]:
        found = {
            "topic": payload["topic"]["id"],
            "document": payload["document"]["id"],
            "grade": answer["grade"],
            "grade_label": self.in_words(payload, answer),
            "highlighted": bool(payload.get("highlight")),
        }
        if not payload.get("rationale"):
            return found
        spans = answer.get("rationale", [])
        words = " … ".join(rationale.quoted(spans, payload["document"]["text"]))
        return {**found, "n_marked": len(spans), "rationale": json.dumps(spans), "rationale_text": words}

    def parts(self, payload: Payload, answer: Answer) -> list[Part]:
        """Return the grade and each place that was marked; nothing where none are asked for."""
        if not payload.get("rationale"):
            return []
        spans = answer.get("rationale", [])
        words = rationale.quoted(spans, payload["document"]["text"])
        marks = [Part("rationale", text, "answered", *span) for text, span in zip(words, spans, strict=True)]
        return [Part("grade", str(answer.get("grade")), "answered"), *(marks or [NOTHING_MARKED])]

    def query_overlap(self, payload: Payload) -> float | None:
        return share_in(payload["topic"]["title"], payload["document"]["text"])

    def about(self, payload: Payload) -> str:
        return f"{payload['topic']['title']}: {self.within_group(payload)}"

    def within_group(self, payload: Payload) -> str:
        document = payload["document"]
        return str(document.get("title") or " ".join(document["text"].split())[:BEGINNING])

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
        said = near_grade(gold["grade"], grades, accuracy, random)
        asked = payload.get("rationale", "")
        if not asked or not said["grade"]:
            return said
        document, shared = payload["document"], Random(f"{self.identity(payload)} marked")  # noqa: S311
        marked = rationale.simulated(document["text"], document.get("language", "en"), shared, random, asked)
        return rationale.with_rationale(said, marked)

    @classmethod
    def example(cls) -> Example:
        payload = {
            **parts.EXAMPLE,
            "scale": SCALES["five"],
            "highlight": True,
            "rationale": "optional",
        }
        answer = {"grade": 3, "rationale": [[29, 63]]}
        return Example(payload, {"grade": 1}, {"grade": "3", "rationale": "8-14"}, answer)
