"""Studies of relevance for tests: some topics with some documents each."""

from __future__ import annotations

from typing import Any

from annotation.items.assignments import new_assignments
from annotation.items.payloads import FileItem, add_payloads
from annotation.models import Kind, Study
from annotation.tasktypes.scales import SCALES
from tests import builders

NEEDS = (
    ("lamps on fishing boats", "How were fishing boats lit at night?"),
    ("bread in lean winters", "What did families eat when flour was dear?"),
    ("letters that never came", "Who waits in vain for a letter, and what do they do?"),
    ("the sea wall", "Who built the wall of the harbour, and why?"),
    ("a quarrel over nets", "How do neighbours divide nets and catch?"),
)


def line(topic: int, document: int, *, scale: str = "five", **changed: Any) -> dict[str, Any]:
    """The payload of a document for a topic, both counted from 1."""
    title, description = NEEDS[(topic - 1) % len(NEEDS)]
    text = builders.SENTENCES[document % len(builders.SENTENCES)]
    return {
        "topic": {
            "id": f"t{topic}",
            "title": title,
            "description": description,
            "narrative": "A passing word counts little. What a later writer guesses does not count.",
        },
        "document": {
            "id": f"t{topic}-d{document}",
            "title": f"Letter {document} from the harbour",
            "text": f"{text} It is the letter of number {document}, on {title}.\n\nNobody answered it.",
            "genre": "letters",
            "year": 1800 + document,
        },
        "scale": SCALES[scale],
        **changed,
    }


def study(
    slug: str = "topics",
    *,
    topics: int = 2,
    documents: int = 3,
    overlap: int = 1,
    state: str = "open",
    **more: Any,
) -> Study:
    """A study with `documents` for each of `topics`, its places made."""
    by, changed = more.pop("by", None), more
    made = builders.study(slug, items=0, overlap=overlap, state="draft", task="relevance", by=by)
    add(made, *((t, d) for t in range(1, topics + 1) for d in range(1, documents + 1)), **changed)
    if state != "draft":
        new_assignments(made, made.items.work().order_by("number").values_list("pk", flat=True))
        Study.objects.filter(pk=made.pk).update(state=state)
    return Study.objects.get(pk=made.pk)


def add(
    of: Study, *pairs: tuple[int, int], kind: str = Kind.WORK, gold: int | None = None, **changed: Any
) -> None:
    """Add items of these topics and documents to a draft."""
    answer = None if gold is None else {"grade": gold}
    found = (
        FileItem(f"line {n}", line(*pair, **changed), answer, kind=kind) for n, pair in enumerate(pairs, 1)
    )
    add_payloads(of, found, by=None)
