"""What a topic and a document of an item must be. Every check raises `Invalid`, which names the part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.fields import check_names
from common.translation import gettext_noop

# As long as topics and documents of a corpus may be: what is searched for can be judged.
LONGEST_ID, LONGEST_TOPIC, LONGEST_DOCUMENT = 200, 5_000, 100_000
OF_TOPIC = {"description": 20_000, "narrative": 20_000}
OF_DOCUMENT = {"title": 2_000, "genre": 60}
YEARS = range(-3000, 3001)

EXAMPLE: dict[str, Any] = {
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
}
"""A topic, and a document for it."""
GRADE = gettext_noop("the grade {n}, where the scale has it")
"""What the key of a grade does."""
MEANINGS = {
    "topic": "the topic’s id",
    "document": "the document’s id",
    "grade": "the grade, from 0, the lowest",
    "grade_label": "its words",
    "highlighted": "whether the words of the topic’s title were marked in the document",
    "n_marked": "how many places were marked as what decided, 0 for none",
    "rationale": "each as [first code point of the document, the one behind its last], in order, as JSON",
    "rationale_text": "their words, joined by “ … ”",
}
"""What the columns of an answer hold."""


def check_topic(topic: Any) -> None:
    """Raise `Invalid` unless this is a topic that readers can be shown."""
    check_part(topic, "topic", {"id", "title"}, {*OF_TOPIC, "language"})
    check_texts(topic, {"id": LONGEST_ID, "title": LONGEST_TOPIC, **OF_TOPIC}, "topic")
    check_id(topic["id"], "topic")


def check_document(document: Any) -> None:
    """Raise `Invalid` unless this is a document that readers can be shown."""
    check_part(document, "document", {"id", "text"}, {*OF_DOCUMENT, "year", "language"})
    check_texts(document, {"id": LONGEST_ID, "text": LONGEST_DOCUMENT, **OF_DOCUMENT}, "document")
    check_id(document["id"], "document")
    year = document.get("year", 0)
    if not isinstance(year, int) or isinstance(year, bool) or year not in YEARS:
        between = f"{YEARS[0]} to {YEARS[-1]}"
        raise Invalid(f"“document”, year: must be a whole number, {between}, not {year!r}.", "document")


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
