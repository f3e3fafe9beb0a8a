"""What every search of a corpus offers, and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from common.progress import Progress, silent
from retrieval.corpora.models import TopicVersion


class Searched(NamedTuple):
    """What was found for a topic.

    topic: its wording.
    rows: numbers of documents and their scores, best first.
    unknown: words of the topic that no searched document has.
    without_postings: terms of feedback that no searched document has.
    used: ids of the judged documents that feedback was taken from; None without feedback from judgments.
    """

    topic: TopicVersion
    rows: Sequence[tuple[int, float]]
    unknown: Sequence[str] = ()
    without_postings: Sequence[str] = ()
    used: Sequence[str] | None = None


@dataclass
class Noticed:
    """What is noticed while topics are searched for, and said of the run.

    nothing: ids of topics that find no document.
    unknown: words of topics that no searched document has.
    lost: terms of feedback that no searched document has.
    used: ids of the documents that feedback from judgments was taken from, by id of the topic.
    without: topics without such a document.
    """

    nothing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    used: dict[str, list[str]] = field(default_factory=dict)
    without: int = 0

    def add(self, found: Searched) -> None:
        """Add what is noticed of one topic."""
        name = found.topic.topic.external_id
        if not found.rows:
            self.nothing.append(name)
        self.unknown = sorted({*self.unknown, *found.unknown})
        self.lost = sorted({*self.lost, *found.without_postings})
        if found.used:
            self.used[name] = list(found.used)
        elif found.used is not None:
            self.without += 1

    def as_json(self) -> dict[str, Any]:
        """Return it as a run that is made keeps it."""
        return asdict(self)


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
        """Return all that a run stores to be repeatable, but for what is noticed."""
        ...

    def notes(self, noticed: Noticed) -> list[str]:
        """Return sentences on what was searched, and how."""
        ...
