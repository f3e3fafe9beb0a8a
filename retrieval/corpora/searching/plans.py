"""What a search is to do: which words of a topic, in which documents, ranked how, with which feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from common.errors import BadField
from retrieval.corpora.models import TopicSet, TopicVersion
from retrieval.corpora.searching.filters import ALL, Filter
from retrieval.corpora.searching.judged import Judged
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.tokenising import TokenSettings
from retrieval.engine.corpora.weighting import Bm25Settings
from retrieval.engine.ranking import rankers

FIELDS = ("title", "description", "narrative")
"""Parts of a topic that can be a query."""
WORDING = "wording:"
"""Begins the name of a part that is one of a topic's other wordings, as in `wording:adjudicated`."""
PARTS = f"parts of a topic that are the query: {', '.join(FIELDS)}, or {WORDING}NAME"
"""What commands say of them."""
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

    fields: which parts of a topic are the query, in this order; `wording:NAME` is one of its wordings.
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
            if each not in FIELDS and not (each.startswith(WORDING) and each != WORDING):
                raise BadField(
                    "fields",
                    f"A query is made of {', '.join(FIELDS)} or {WORDING}NAME, not of {each!r:.40}.",
                )
            if self.fields.count(each) > 1:
                raise BadField("fields", f"{each!r:.40} is named twice: a query says each part once.")
        check_depth(self.depth)
        # It refuses years in the wrong order.
        _ = self.documents

    def query_text(self, topic: TopicVersion) -> str:
        """Return the words of a topic that are searched for."""
        return " ".join(filter(None, (part_of(topic, name) for name in self.fields)))

    @property
    def wordings(self) -> list[str]:
        """Return the names of the wordings that are searched for."""
        return [each.removeprefix(WORDING) for each in self.fields if each.startswith(WORDING)]


def part_of(topic: TopicVersion, name: str) -> str:
    """Return the words of one part of a topic; empty where it has none."""
    if name.startswith(WORDING):
        return topic.wording(name.removeprefix(WORDING))
    return str(getattr(topic, name)).strip()


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
class SimilarityPlan(Asked):
    """A search by any other ranker of `engine.ranking.rankers`, over all documents in memory.

    ranker: its slug.
    parameters: of the ranker, by name; things that the installation keeps by their names; what is left out
        takes its default.
    tables: the sha256 of what it uses about words, as `freezing.freeze` gives them, where a job keeps the
        plan; empty: those of today.

    Raises:
        BadField: as `Asked`, or a ranker that has a plan of its own.
        BadInput: there is no such ranker, or a parameter is wrong.
    """

    ranker: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranker in OWN_PLANS:
            raise BadField("ranker", f"{self.ranker} searches a corpus by an index that is kept on disk.")
        rankers.complete(rankers.get(self.ranker), self.parameters)

    @property
    def in_words(self) -> str:
        """Return the ranker with what was set of it, as commands take it: `tfidf words=lemmas`."""
        usual = rankers.get(self.ranker).defaults
        said = {name: value for name, value in self.parameters.items() if value != usual.get(name)}
        return " ".join([self.ranker, *(f"{name}={value}" for name, value in sorted(said.items()))])

    @property
    def by_lemmas(self) -> bool:
        """Return whether lemmas are compared, and not tokens."""
        return self.parameters.get("words") == "lemmas"


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


AnyPlan = Plan | DensePlan | SimilarityPlan
OWN_PLANS = ("bm25", DensePlan.ranker)
"""Rankers that no `SimilarityPlan` is for."""


def as_json(plan: AnyPlan) -> dict[str, Any]:
    """Return a plan as a job keeps it."""
    similarity = {"similarity": True} if isinstance(plan, SimilarityPlan) else {}
    return {"dense": isinstance(plan, DensePlan), **similarity, **asdict(plan)}


def from_json(kept: Mapping[str, Any]) -> AnyPlan:
    """Return the plan that a job keeps. Raises `BadInput` where this version refuses it."""
    given = {**kept, **{name: tuple(kept.get(name, ())) for name in ("fields", "genres", "languages")}}
    given["facets"] = tuple(map(tuple, kept.get("facets", ())))
    if given.pop("dense"):
        return DensePlan(**given)
    if given.pop("similarity", False):
        return SimilarityPlan(**given)
    given["tokens"], given["bm25"] = TokenSettings(**given["tokens"]), Bm25Settings(**given["bm25"])
    if feedback := given["feedback"]:
        given["feedback"] = Feedback(
            sources=tuple(map(tuple, feedback["sources"])),
            settings=FeedbackSettings(**feedback["settings"]),
            alpha=feedback["alpha"],
            judged=Judged(**feedback["judged"]) if feedback["judged"] else None,
        )
    return Plan(**given)


def check_wordings(plan: Asked, topics: TopicSet) -> None:
    """Refuse to search for a wording that no topic of the set has. Raises `BadField`."""
    for name in plan.wordings:
        if name not in topics.wordings:
            raise BadField(
                "fields",
                f'The topics "{topics.slug}" have no wording "{name}"; they have: '
                f"{', '.join(topics.wordings) or 'none'}.",
            )


def check_depth(depth: int) -> None:
    """Refuse a depth that no run has. Raises `BadField`."""
    if not 1 <= depth <= DEEPEST:
        raise BadField("depth", f"A run keeps 1 to {DEEPEST:,} documents of a topic, not {depth}.")


def sources(given: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return lists of genres from `fiction` or `fiction,criticism`, as they are typed."""
    return tuple(tuple(filter(None, each.split(","))) or (ALL,) for each in given)
