"""The registry of rankers: one file a ranker, found by its slug.

A ranker orders the passages of a book for a query. To add one, write a module
that ends in `register(...)` and name it in `MODULES`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Protocol, runtime_checkable

from common.errors import BadInput
from retrieval.engine.ranking.order import Scores

MODULES = (
    "retrieval.engine.ranking.bm25",
    "retrieval.engine.dense.ranker",
    "retrieval.engine.dense.late",
    "retrieval.engine.ranking.hybrid",
    "retrieval.engine.similarity.bags",
    "retrieval.engine.similarity.tesserae",
    "retrieval.engine.similarity.soft_cosine",
    "retrieval.engine.similarity.averages",
    "retrieval.engine.similarity.movers",
    "retrieval.engine.similarity.backoff",
)
"""Imported when a ranker is first asked for; none may import torch at its top."""

Queue = Literal["cpu", "gpu"]


@dataclass(frozen=True)
class Parameter:
    """A number that a ranker takes.

    default: where none is given.
    lowest, highest: the closed range it must lie in.
    """

    default: float
    lowest: float
    highest: float

    def check(self, name: str, value: object) -> float:
        """Return `value` as a float. Raises `BadInput`.

        Raises:
            BadInput: it is no number or lies outside the range; the message names it.
        """
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not self.lowest <= number <= self.highest:
            raise BadInput(
                f"The parameter {name} is {value!r:.40}; "
                f"it must be a number from {self.lowest:g} to {self.highest:g}."
            )
        return float(number)


@dataclass(frozen=True)
class OneOf:
    """A parameter that is one of a few words.

    default: where none is given.
    choices: all of them.
    """

    default: str
    choices: tuple[str, ...]

    def check(self, name: str, value: object) -> str:
        """Return `value` if it is one of the choices. Raises `BadInput`.

        Raises:
            BadInput: it is another; the message lists them.
        """
        if not isinstance(value, str) or value not in self.choices:
            raise BadInput(
                f"The parameter {name} is {value!r:.40}; it must be one of: {', '.join(self.choices)}."
            )
        return value


@dataclass(frozen=True)
class Named:
    """A parameter that names something the installation keeps.

    kind: what it keeps, such as a checkpoint.
    default: where none is given; empty stands for the only one there is, or for none where it is optional.
    optional: whether the ranker does without.
    when: another parameter and the value of it with which the thing is used; None: it always is.

    A name says nothing to a ranker: whoever calls `prepare` puts the thing in its place.
    """

    kind: str
    default: str = ""
    optional: bool = False
    when: tuple[str, str] | None = None

    def used(self, values: Mapping[str, Any]) -> bool:
        """Return whether the thing is used with these parameters, which are complete."""
        return self.when is None or values.get(self.when[0]) == self.when[1]

    def check(self, name: str, value: object) -> str:
        """Return `value` if it is a name of at most 50 characters. Raises `BadInput`.

        Raises:
            BadInput: it is no text, or far too long for a name.
        """
        if not isinstance(value, str) or len(value) > LONGEST_NAME:
            raise BadInput(f"The parameter {name} is {value!r:.40}; it must be the name of a {self.kind}.")
        return value


AnyParameter = Parameter | OneOf | Named
LONGEST_NAME = 50


class Index(Protocol):
    """The passages of one book and size, ready to be searched."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return scores (n_queries, n_passages), float64: greater is better, never NaN.

        −∞ (`order.UNRANKED`) stands for a passage that is not ranked.
        """
        ...


@runtime_checkable
class Fused(Protocol):
    """An index made of several rankers', whose scores are told apart."""

    def parts(self, queries: Sequence[str]) -> Mapping[str, Scores]:
        """Return the scores (n_queries, n_passages) of each ranker, by slug."""
        ...

    def fuse(self, parts: Mapping[str, Scores]) -> Scores:
        """Return the scores (n_queries, n_passages) made of them."""
        ...


class Ranker(Protocol):
    """Orders passages; without state, so one object serves every job.

    slug: its name in commands, files and the API.
    label: its name on pages.
    queue: whose worker runs it best; a ranker of the queue gpu runs on cpu where no GPU is configured.
    parameters: what it takes, by name.
    """

    slug: str
    label: str
    queue: Queue
    parameters: Mapping[str, AnyParameter]

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the default of every parameter."""
        ...

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> Index:
        """Count or encode the passages; parameters left out take their defaults.

        Raises:
            BadInput: a parameter is wrong, or the passages cannot be ranked.
        """
        ...

    def describe(self) -> Mapping[str, str]:
        """Return what a job stores to be repeatable: library, version, variant, tokeniser."""
        ...


@runtime_checkable
class Counting(Ranker, Protocol):
    """A ranker whose costly part needs no parameter, and adds up over the sentences of a passage.

    `prepare(passages, p)` is `weigh(count(passages), p)`, in every bit, and the counts of all passages of n
    sentences follow from those of the sentences. What is counted is the ranker's own.
    """

    def count(self, passages: Iterable[str]) -> Any:
        """Return what is counted in each passage."""
        ...

    def windows(self, sentences: Any, largest: int) -> Iterator[Any]:
        """Return the counts of all passages of 1, 2, … `largest` sentences, from those of the sentences."""
        ...

    def weigh(self, counts: Any, parameters: Mapping[str, object]) -> Index:
        """Return an index of what was counted; raises as `prepare` does."""
        ...


@runtime_checkable
class Sharing(Ranker, Protocol):
    """A ranker whose score says where query and passage share nothing.

    nothing: that score. Where only what is found is kept, as in runs over a corpus, such a passage is not.
    """

    nothing: float


_rankers: dict[str, Ranker] = {}


def register(ranker: Ranker) -> None:
    """Make a ranker known under its slug.

    Raises:
        ValueError: another ranker has the slug.
    """
    if type(_rankers.get(ranker.slug, ranker)) is not type(ranker):
        raise ValueError(f"Two rankers are called {ranker.slug!r}.")
    _rankers[ranker.slug] = ranker


def get(slug: str) -> Ranker:
    """Return the ranker of that slug. Raises `BadInput`.

    Raises:
        BadInput: there is none; the message lists those there are.
    """
    _load()
    if slug not in _rankers:
        raise BadInput(f"There is no ranker called {slug!r}; choose one of: {', '.join(sorted(_rankers))}.")
    return _rankers[slug]


def all() -> list[Ranker]:  # noqa: A001 - read as rankers.all()
    """Return every ranker, by slug."""
    _load()
    return [_rankers[slug] for slug in sorted(_rankers)]


def defaults(parameters: Mapping[str, AnyParameter]) -> dict[str, Any]:
    """Return the default of every parameter."""
    return {name: parameter.default for name, parameter in parameters.items()}


def settings(parts: Iterable[str]) -> dict[str, float | str]:
    """Read `k1=1.2 checkpoint=toy`, parted already, as parameters.

    Raises:
        BadInput: a part is not NAME=VALUE.
    """
    found: dict[str, float | str] = {}
    for each in parts:
        name, _, value = each.partition("=")
        if not value:
            raise BadInput(f"{each!r:.40} is not NAME=VALUE, as in: bm25 k1=1.2 b=0.75.")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found


def complete(ranker: Ranker, given: Mapping[str, object]) -> dict[str, Any]:
    """Return the given parameters, checked, and the defaults of the others.

    Raises:
        BadInput: a name is unknown, or a value is wrong: no number, out of range, none of the choices.
    """
    known = ranker.parameters
    for name in given:
        if name not in known:
            raise BadInput(
                f"The ranker {ranker.slug} has no parameter {name!r}; it takes: "
                f"{', '.join(sorted(known)) or 'none'}."
            )
    return {name: known[name].check(name, given.get(name, known[name].default)) for name in sorted(known)}


def _load() -> None:
    for module in MODULES:
        import_module(module)
