"""What a re-ranking is to do: what it starts from, by which method, with which objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from common.errors import BadField
from retrieval.corpora.searching.plans import FIELDS, Asked
from retrieval.engine.rerank import onehop
from retrieval.engine.rerank.windows import SIZE, STEP, check

LISTS = ("rank", "vanilla")
SCORES = ("score", "reason", "subtask")
METHODS = {
    "rank": "Rank: the model orders windows of passages",
    "vanilla": "Vanilla: the model orders all passages in one prompt",
    "score": "Score: the model scores each passage, 0 to 10",
    "reason": "Reason: it writes criteria and follows them, passage by passage",
    "subtask": "Subtask: it scores each passage by each of its criteria",
}
DEEPEST = 1_000
MOST_ORDERS = 10
LONGEST_OBJECTIVE = 5_000


@dataclass(frozen=True)
class RerankPlan:
    """A re-ranking.

    run: the run whose first documents are put into a better order; "" where a pool is.
    pool: the number of the pool; None where a run is.
    method: a name of `METHODS`.
    depth: documents of each topic that the model is shown; those behind them keep their order.
    fields: which parts of a topic are the query, in this order.
    objective: what makes a document the right one; "": the model is told the query alone.
    window, step: of Rank.
    orders: of Rank and Vanilla: each topic is ordered so many times, from first orders drawn from the seed
        (the first is the run's own), and the orders are joined by Borda's points.
    ties: the checkpoint whose vectors break ties of scores; "": the run's own scores do.
    one_hop: what the first documents cite joins the list.
    first, joined: of one-hop: whose citations are followed, and how long the list becomes.
    leave_source: a topic's own source, the document it was written from, is left out.
    seed: of the first orders, and sent with every request.
    unreadable_allowed: go on though more than a fifth of the replies cannot be read.

    Raises:
        BadField: a value out of range, or two that do not go together.
    """

    run: str = ""
    pool: int | None = None
    method: str = "rank"
    depth: int = 100
    fields: tuple[str, ...] = ("title",)
    objective: str = ""
    window: int = SIZE
    step: int = STEP
    orders: int = 1
    ties: str = ""
    one_hop: bool = False
    first: int = onehop.FIRST
    joined: int = onehop.MOST
    leave_source: bool = False
    seed: int = 0
    unreadable_allowed: bool = False

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BadField("method", f"A method is one of {', '.join(METHODS)}, not {self.method!r:.40}.")
        if bool(self.run) == (self.pool is not None):
            raise BadField("run", "A re-ranking starts from a run or from a pool: name one of them.")
        Asked(fields=self.fields)
        check(self.window, self.step)
        self._check_range("depth", self.depth, 2, DEEPEST)
        self._check_range("orders", self.orders, 1, MOST_ORDERS)
        self._check_range("first", self.first, 1, DEEPEST)
        self._check_range("joined", self.joined, 2, DEEPEST)
        if len(self.objective) > LONGEST_OBJECTIVE:
            raise BadField("objective", f"The objective has at most {LONGEST_OBJECTIVE:,} characters.")
        if self.orders > 1 and self.method not in LISTS:
            raise BadField("orders", "Passages that are scored one by one have no order to begin with.")
        if self.one_hop and not self.run:
            raise BadField("one_hop", "One-hop follows what the first documents of a run cite; name a run.")

    def _check_range(self, name: str, value: int, least: int, most: int) -> None:
        if not least <= value <= most:
            raise BadField(name, f"{name.capitalize()} is {least:,} to {most:,}, not {value:,}.")

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a job keeps it."""
        return asdict(self)


def from_json(kept: Mapping[str, Any]) -> RerankPlan:
    """Return the plan that a job keeps. Raises `BadInput` where this version refuses it."""
    known = {field.name for field in fields(RerankPlan)}
    given = {name: value for name, value in kept.items() if name in known}
    return RerankPlan(**{**given, "fields": tuple(given.get("fields", FIELDS[:1]))})
