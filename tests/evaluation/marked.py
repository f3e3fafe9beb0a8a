"""Span studies with judgments in them, written through the models."""

from __future__ import annotations

from hashlib import sha256

from annotation.models import Assignment, Judgment, Outcome, Study
from annotation.tasktypes.tokens import tokenise
from tests.evaluation.judged import NAMES, UNANSWERED, filled, judgment

TEXT = "Keep your lamp, neighbour, for the tide asks no man twice, and the night is long."
VERSE = "The tide asketh of no man a second time."
LEMMATA = {"asks": "ask", "asketh": "ask", "is": "be"}
ANCHOR = (8, 9)  # tide
Said = tuple[int, int] | tuple[tuple[int, int], ...] | str


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
    *items: list[Said],
    slug: str = "sermon",
    by=None,
    names=NAMES,
    gold=(),
    fields=None,
    task="span",
    **payload_of,
) -> Study:
    """One list of answers an item, one answer a reader: (start, end), several of them in a study of the task
    "spans", "n" no allusion, "u" can't set the borders, "b" broken, "." nothing yet. ``gold``: an answer, "n"
    or None for each item."""
    rights = [*gold, *[None] * len(items)]
    rows = (
        (payload(**payload_of), None if right is None else answer(right), said)
        for said, right in zip(items, rights, strict=False)
    )
    return filled(task, rows, row, slug=slug, by=by, names=names, fields=fields)


def answer(said: Said) -> dict:
    if said == "n":
        return {"declined": "no_allusion"}
    if isinstance(said[0], tuple):
        return {"spans": [list(span) for span in said]}
    return {"start": said[0], "end": said[1]}


def row(assignment: Assignment, who, said: Said, *, revision: int = 1) -> Judgment:
    outcome = UNANSWERED.get(said, Outcome.ANSWER) if isinstance(said, str) else Outcome.ANSWER
    given = answer(said) if outcome == Outcome.ANSWER else None
    return judgment(assignment, who, outcome, given, "It has no clear end", revision)
