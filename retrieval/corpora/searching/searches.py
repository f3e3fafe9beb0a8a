"""What every search of a corpus offers, and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from common.progress import Progress, silent
from retrieval.corpora.models import TopicVersion


class Searched(NamedTuple):
    """What was found for a topic.

    topic: its wording.
    rows: numbers of documents and their scores, best first.
    unknown: words of the topic that no searched document has.
    without_postings: terms of feedback that no searched document has.
    """

    topic: TopicVersion
    rows: Sequence[tuple[int, float]]
    unknown: Sequence[str] = ()
    without_postings: Sequence[str] = ()


class Search(Protocol):
    """A plan that was opened and can be carried out."""

    @property
    def made_with(self) -> Mapping[str, str]:
        """Return the versions of what computes."""
        ...

    def search_all(self, topics: Sequence[TopicVersion], progress: Progress = silent) -> Iterator[Searched]:
        """Yield what is found for each topic, in their order."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return all that a run stores to be repeatable."""
        ...

    def notes(self) -> list[str]:
        """Return sentences on what was searched."""
        ...
