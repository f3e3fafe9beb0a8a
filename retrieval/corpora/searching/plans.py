"""What a search is to do: which words of a topic, in which documents, ranked how, with which feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from common.errors import BadField
from retrieval.corpora.models import TopicVersion
from retrieval.corpora.searching.filters import ALL, Filter
from retrieval.corpora.searching.judged import Judged
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.tokenising import TokenSettings
from retrieval.engine.corpora.weighting import Bm25Settings

FIELDS = ("title", "description", "narrative")
"""Parts of a topic that can be a query."""
DEEPEST = 10_000
MOST_FEEDBACK = 2


@dataclass(frozen=True)
class Feedback:
    """Where feedback comes from, and what is made of it.

    sources: one or two lists of genres; the genres of a list are searched together (`merged`), two lists
        make two models that are mixed.
    settings: how a model is estimated and mixed with the query.
    alpha: the weight of the first of two models; None with one.
    judged: the judgments whose relevant documents are read; None: the first documents of a search.
    """

    sources: tuple[tuple[str, ...], ...]
    settings: FeedbackSettings = field(default_factory=FeedbackSettings)
    alpha: float | None = None
    judged: Judged | None = None


@dataclass(frozen=True)
class Asked:
    """What every search of a corpus is told.

    fields: which parts of a topic are the query, in this order.
    genres: of the documents that are searched; `("all",)`: every document.
    depth: documents kept of each topic.
    languages, first_year, last_year, facets: of the documents that are searched, as `Filter` has them.

    Raises:
        BadField: a part of a topic that is none, a depth that is none, or years in the wrong order.
    """

    fields: tuple[str, ...] = ("title",)
    genres: tuple[str, ...] = (ALL,)
    depth: int = 1_000
    languages: tuple[str, ...] = field(default=(), kw_only=True)
    first_year: int | None = field(default=None, kw_only=True)
    last_year: int | None = field(default=None, kw_only=True)
    facets: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    @property
    def documents(self) -> Filter:
        """Return which documents are searched."""
        return Filter(self.genres, self.languages, self.first_year, self.last_year, self.facets)

    def __post_init__(self) -> None:
        for each in self.fields or ("nothing",):
            if each not in FIELDS:
                raise BadField("fields", f"A query is made of {', '.join(FIELDS)}, not of {each!r:.40}.")
        check_depth(self.depth)
        # It refuses years in the wrong order.
        _ = self.documents

    def query_text(self, topic: TopicVersion) -> str:
        """Return the words of a topic that are searched for."""
        return " ".join(filter(None, (getattr(topic, name).strip() for name in self.fields)))


@dataclass(frozen=True)
class DensePlan(Asked):
    """A search by the vectors of an encoder.

    checkpoint: the name of an allowed model; empty: the only one there is.
    precision: what its encoders compute in; `auto`: what suits the device.
    """

    checkpoint: str = ""
    precision: str = "auto"
    ranker: ClassVar[str] = "dense"


@dataclass(frozen=True)
class Plan(Asked):
    """A search by words.

    tokens: what makes terms of texts.
    bm25: variant and parameters.
    feedback: None: the query as it is.

    Raises:
        BadField: as `Asked`, or more than two feedback corpora.
    """

    tokens: TokenSettings = field(default_factory=TokenSettings)
    bm25: Bm25Settings = field(default_factory=Bm25Settings)
    feedback: Feedback | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.feedback and not 1 <= len(self.feedback.sources) <= MOST_FEEDBACK:
            raise BadField(
                "feedback", f"Feedback comes from one or two corpora, not from {len(self.feedback.sources)}."
            )

    @property
    def ranker(self) -> str:
        """Return the name of the ranker, as runs keep it."""
        return "rm3" if self.feedback else "bm25"


def as_json(plan: Plan | DensePlan) -> dict[str, Any]:
    """Return a plan as a job keeps it."""
    return {"dense": isinstance(plan, DensePlan), **asdict(plan)}


def from_json(kept: Mapping[str, Any]) -> Plan | DensePlan:
    """Return the plan that a job keeps. Raises `BadInput` where this version refuses it."""
    given = {**kept, **{name: tuple(kept.get(name, ())) for name in ("fields", "genres", "languages")}}
    given["facets"] = tuple(map(tuple, kept.get("facets", ())))
    if given.pop("dense"):
        return DensePlan(**given)
    given["tokens"], given["bm25"] = TokenSettings(**given["tokens"]), Bm25Settings(**given["bm25"])
    if feedback := given["feedback"]:
        given["feedback"] = Feedback(
            sources=tuple(map(tuple, feedback["sources"])),
            settings=FeedbackSettings(**feedback["settings"]),
            alpha=feedback["alpha"],
            judged=Judged(**feedback["judged"]) if feedback["judged"] else None,
        )
    return Plan(**given)


def check_depth(depth: int) -> None:
    """Refuse a depth that no run has. Raises `BadField`."""
    if not 1 <= depth <= DEEPEST:
        raise BadField("depth", f"A run keeps 1 to {DEEPEST:,} documents of a topic, not {depth}.")


def sources(given: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return lists of genres from `fiction` or `fiction,criticism`, as they are typed."""
    return tuple(tuple(filter(None, each.split(","))) or (ALL,) for each in given)
