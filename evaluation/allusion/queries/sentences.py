"""What came of making queries, in words."""

from __future__ import annotations

from collections.abc import Iterator

from common.wording import counted
from evaluation.allusion.queries.making import DECLINED, UNREAD, UNTARGETED, Made
from evaluation.allusion.queries.storing import Stored
from evaluation.allusion.queries.wordings import ADJUDICATED, GOLD, MAJORITY, SOURCE
from evaluation.values.wording import listed

SHOWN = 10
"""So many citations are named."""
WORDED = {
    ADJUDICATED: "decided by an adjudicator",
    MAJORITY: "of the words that more than half of the readers marked",
    "reader": "marked by one reader, no word by most",
    GOLD: "gold alone, which no reader has read",
    SOURCE: "the whole source, which no reader has read and that so has no wording “manual”",
}
"""What the title of a topic is."""
LEFT_OUT = {
    DECLINED: "in which readers found no allusion, or could not set its borders",
    UNREAD: "that nobody has read",
    UNTARGETED: "whose references point to nothing in the corpus",
}


def notes(found: Stored) -> Iterator[str]:
    """Say how queries are worded, what gave none, and which references were not found."""
    of = found.made
    if found.simulated:
        yield f"Programs marked these words ({listed(found.simulated)}): such queries say nothing of people."
    words = [f"{n:,} {WORDED[name]}" for name, n in sorted(of.usual.items(), key=lambda each: -each[1])]
    yield f"The title of each topic: {listed(words)}."
    for name, said in LEFT_OUT.items():
        if of.left_out[name]:
            yield f"Left out: {counted(of.left_out[name], 'item')} {said}."
    if of.without_anchor:
        yield f"Without windows: {queries(of.without_anchor)}, whose items have no anchor."
    if of.without_lemmas:
        yield f"Without lemmas: {queries(of.without_lemmas)}, whose passages come without."
    if of.unmatched:
        yield _unmatched(of)
    several = sum(len(each.targets) > 1 for each in of.queries)
    if several:
        yield f"With several right documents, of which the one found first counts: {queries(several)}."
    if found.open:
        yield "The study is open: readings that come in from now on are not in these queries."


def queries(number: int) -> str:
    """Return a number with its noun: `1 query`, `2 queries`."""
    return f"{number:,} {'query' if number == 1 else 'queries'}"


def _unmatched(of: Made) -> str:
    named = [f"{name} (item {items[0]})" for name, items in of.unmatched.items()]
    more = f" and {len(named) - SHOWN:,} more" if len(named) > SHOWN else ""
    return (
        f"No document of the corpus, or a title that several have: {counted(len(named), 'citation')}: "
        f"{', '.join(named[:SHOWN])}{more}."
    )
