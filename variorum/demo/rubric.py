"""The demonstration's rubric studies, of what critics do with a quotation: one to read for, one finished."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from annotation.items.from_excerpts import sample
from annotation.items.payloads import FileItem
from annotation.models import Study
from annotation.studies.build import LoadedItems, load_items
from annotation.tasktypes import registry
from retrieval.models import Book, Excerpt
from variorum.demo.studies import Pair, Say, both, finished, for_readers

OPEN_STUDY, SIMULATED_STUDY = "uses", "uses-simulated"
TEMPLATE, QUESTION = "quotation-types", "type"
TITLE = "What critics do with a quotation"
OVERLAP, SEED, ACCURACY = 3, 1922, 0.8
TYPES = {
    "The tide came in at its hour": "claim",
    "To a person upon the bank": "claim",
    "He had been saying it for so many years": "claim",
    "There are two ways of entering": "claim",
    "He said it with exactly the intonation": "claim",
    "She wrote upon the same evening": "claim",
    "She had been left with money": "paraphrase",
    "But the harmonium had broken": "paraphrase",
    "He died upon the Thursday": "paraphrase",
    "She was not praying.": "paraphrase",
    "Mr. Crale, when he was told": "paraphrase",
    "it began to be very difficult": "paraphrase",
    "She is coming up from the southward": "other",
    "They saw him look once": "other",
}
"""What the simulated readers hold for right, by the first words of the quotation."""
GUIDELINES = """\
You see a quotation from the novel between the sentences of the critic who quotes it.

Say what the critic does with it. Where two answers seem right, take the one that the sentence just before the quotation prepares.

You may come back to any quotation and change your answer: the earlier one is kept in the record.
"""  # noqa: E501 - one paragraph, one line: readers see it as it is

PAIR = Pair((OPEN_STUDY, SIMULATED_STUDY), TITLE, GUIDELINES, OVERLAP, SEED)


def load_rubric(
    novel: Book, *, researcher: User, readers: Sequence[User], now: datetime, say: Say
) -> tuple[Study, Study]:
    """Bring both rubric studies into the database, once; returns the open one and the simulated one."""

    def make(**named: Any) -> LoadedItems:
        source = f"excerpts in use of {novel}, seed {SEED}"
        return load_items(task="rubric", entries=typed(novel), source=source, **named)

    opened, done = both(PAIR, make, say, by=researcher)
    return (
        for_readers(opened, readers, by=researcher, now=now),
        finished(done, by=researcher, annotators=OVERLAP, accuracy=ACCURACY, seed=SEED),
    )


def typed(novel: Book) -> list[FileItem]:
    """Return items of the excerpts whose type is known, in the order in which they were drawn."""
    n = Excerpt.objects.in_use().filter(book=novel).count()
    drawn = sample(registry.get("rubric"), TEMPLATE, size=n, seed=SEED, book=novel)
    known = ((each, type_of(each.payload["text"])) for each in drawn)
    return [each._replace(gold={QUESTION: kind}) for each, kind in known if kind]


def type_of(quotation: str) -> str:
    """Return the type of a quotation; empty where it is not known."""
    return next((kind for first, kind in TYPES.items() if quotation.startswith(first)), "")
