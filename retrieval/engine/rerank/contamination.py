"""Whether a model knows the answer to a query without being shown any passage.

It is asked the query alone, several times. A reply gives the answer away where it holds eight words in a row
of a target, or is nearly equal to one: then a good rank says what the model remembers, not what it reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, utils

from common.chat import SYSTEM, USER, Message, Request
from retrieval.engine.rerank.prompts import quoted
from retrieval.engine.rerank.replies import after_thinking
from retrieval.engine.text.tokens import normalised

REPLICATES = 3
WORDS = 8
"""Words in a row of a target that give it away."""
SIMILARITY = 0.8
"""Normalised edit similarity that does."""
_ASKED = (
    "From memory alone: which passage or work does the query look for? Write down its words, as far as you "
    "know them, or its title. If you do not know, answer: unknown. The query is a JSON string."
)


class Recalled(NamedTuple):
    """How much of its targets a model wrote without seeing them.

    run: the most words in a row that a reply shares with a target.
    similarity: the greatest normalised edit similarity of a reply and a target, 0 to 1.
    title: whether a reply is a target's title, letters and digits compared.
    """

    run: int
    similarity: float
    title: bool

    @property
    def contaminated(self) -> bool:
        """Whether the query is marked."""
        return self.title or self.run >= WORDS or self.similarity >= SIMILARITY


class Target(NamedTuple):
    """A document that answers a query: its title ("" where it has none) and its text."""

    title: str
    text: str


def sha256() -> str:
    """Return the sha256 of what is asked."""
    return hashlib.sha256(_ASKED.encode()).hexdigest()


def requests(query: str, replicates: int = REPLICATES, seed: int = 0) -> list[Request]:
    """Return the query, asked so many times, each as a call of its own."""
    messages = (Message(SYSTEM, _ASKED), Message(USER, f"Query: {quoted(query)}"))
    return [Request(messages, max_tokens=400, seed=seed + n, replicate=n) for n in range(replicates)]


def recalled(replies: Sequence[str], targets: Sequence[Target], query: str = "") -> Recalled:
    """Return how much of the targets stands in any of these replies.

    Words that the query itself shares with a target in one run are no memory: a run counts only where it is
    no run of the query's.
    """
    longest, similar, title = 0, 0.0, False
    known = normalised(query)
    # A title of marks alone, such as "***", is no title: an empty reply would be equal to it.
    titles = {title for title in (folded(target.title) for target in targets) if title}
    for reply in map(after_thinking, replies):
        said = normalised(reply)
        for target in targets:
            text = normalised(target.text)
            longest = max(longest, longest_run(said, text, known))
            similar = max(similar, fuzz.ratio(" ".join(said), " ".join(text)) / 100 if text else 0.0)
        title = title or folded(reply) in titles
    return Recalled(longest, similar, title)


def folded(text: str) -> str:
    """Return the letters and digits of a text in lower case, one space between words."""
    return " ".join(utils.default_process(text.casefold()).split())


def longest_run(one: Sequence[str], two: Sequence[str], known: Sequence[str] = ()) -> int:
    """Return the most words in a row that both have and `known` has not."""
    place: dict[str, list[int]] = {}
    for at, word in enumerate(two):
        place.setdefault(word, []).append(at)
    of_query = {tuple(known[at : at + WORDS]) for at in range(len(known) - WORDS + 1)}
    best = 0
    before: dict[int, int] = {}
    for end, word in enumerate(one):
        now = {at: before.get(at - 1, 0) + 1 for at in place.get(word, ())}
        for length in now.values():
            if length > best and tuple(one[end - WORDS + 1 : end + 1]) not in of_query:
                best = length
        before = now
    return best
