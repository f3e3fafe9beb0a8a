"""Span studies with judgments in them, written through the models."""

from __future__ import annotations

import uuid
from hashlib import sha256

from annotation.models import Assignment, Item, Judgment, Outcome, Place, State, Study
from annotation.tasktypes.tokens import tokenise
from tests import builders
from tests.evaluation.judged import NAMES, NOW, readers

TEXT = "Keep your lamp, neighbour, for the tide asks no man twice, and the night is long."
VERSE = "The tide asketh of no man a second time."
LEMMATA = {"asks": "ask", "asketh": "ask", "is": "be"}
ANCHOR = (8, 9)  # tide
Said = tuple[int, int] | str


def lemmata(text: str) -> list[str]:
    words = [text[first:end] for first, end in tokenise(text)]
    return [LEMMATA.get(word, word.lower() if word.isalpha() else "") for word in words]


def payload(text: str = TEXT, *, anchor=ANCHOR, language="en", lemmas=True, verse=VERSE) -> dict:
    reference = {"citation": "The Shore Psalter 4:2", "text": verse, "language": language}
    own = {"lemmata": lemmata(text)} if lemmas else {}
    return {
        "text": text,
        "sha256": sha256(text.encode()).hexdigest(),
        "tokens": tokenise(text),
        "anchor": None if anchor is None else list(anchor),
        "language": language,
        "citation": "A sermon of 1871",
        "references": [{**reference, **({"lemmata": lemmata(verse)} if lemmas else {})}],
        **own,
    }


def marked(
    *items: list[Said], slug: str = "sermon", by=None, names=NAMES, gold=(), fields=None, **payload_of
) -> Study:
    """One list of answers an item, one answer a reader: (start, end), "n" no allusion, "u" can't set the
    borders, "b" broken, "." nothing yet. ``gold``: (start, end), "n" or None for each item."""
    study = builders.study(slug, items=0, overlap=len(names), by=by, state=State.DRAFT)
    study.task, study.state = "span", State.OPEN
    study.save()
    people = readers(study, names, **(fields or {}))
    rows = []
    for number, said in enumerate(items, 1):
        right = gold[number - 1] if number <= len(gold) else None
        item = Item.objects.create(
            study=study,
            number=number,
            payload=payload(**payload_of),
            gold=None if right is None else answer(right),
            digest=sha256(f"{slug} {number}".encode()).hexdigest(),
        )
        for place, (who, each) in enumerate(zip(people, said, strict=False), 1):
            assignment = Assignment.objects.create(
                study=study,
                item=item,
                place=place,
                annotator=None if each == "." else who,
                status=Place.FREE if each == "." else Place.DONE,
            )
            if each != ".":
                rows.append(row(assignment, who, each))
    Judgment.objects.bulk_create(rows)
    return study


def answer(said: Said) -> dict:
    return {"declined": "no_allusion"} if said == "n" else {"start": said[0], "end": said[1]}


def row(assignment: Assignment, who, said: Said, *, revision: int = 1) -> Judgment:
    outcome = {"u": Outcome.UNDECIDED, "b": Outcome.BROKEN}.get(said, Outcome.ANSWER)
    return Judgment(
        assignment=assignment,
        annotator=who,
        revision=revision,
        outcome=outcome,
        answer=answer(said) if outcome == Outcome.ANSWER else None,
        reason="" if outcome == Outcome.ANSWER else "It has no clear end",
        active_seconds=20.0,
        submission=uuid.uuid4(),
        door="web",
        created=NOW,
    )
