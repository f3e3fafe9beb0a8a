"""The documents of some topics put into order by a model, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from common.chat import Ask
from common.errors import BadField, BadInput
from common.wording import counted
from retrieval.corpora.reranking.passages import Shown
from retrieval.corpora.reranking.plans import LISTS, RerankPlan
from retrieval.corpora.searching.plans import part_of
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.rerank import lists, ordering, scores
from retrieval.engine.rerank.asking import Tally
from retrieval.engine.rerank.lists import Query
from retrieval.engine.rerank.ordering import Bias

UNREADABLE = -1.0
"""The score of a document of which no reply could be read; those behind the documents shown have less."""
FIRST_REPLIES = 50
MOST_UNREADABLE = 0.2
Second = Callable[[Sequence[Shown]], Sequence[Sequence[float | None]]]
"""The scores that break ties, for the documents of each topic."""


@dataclass
class Noticed:
    """What a re-ranking noticed over all topics.

    tally: calls, and what could not be read.
    tied, pairs: pairs of documents with equal scores, and all pairs.
    documents: that were to be scored.
    unscored: those of them without a readable score.
    unparsed: windows that stayed as they were.
    unread: documents that no prompt could hold.
    shown, made: first orders and orders made of them, by topic, where there were several.
    """

    tally: Tally = field(default_factory=Tally)
    tied: int = 0
    pairs: int = 0
    documents: int = 0
    unscored: int = 0
    unparsed: int = 0
    unread: int = 0
    shown: list[list[list[int]]] = field(default_factory=list)
    made: list[list[list[int]]] = field(default_factory=list)

    def bias(self) -> Bias | None:
        """Return how far the order shown decides; None where topics were ordered once."""
        return ordering.bias(self.shown, self.made)

    def check_readable(self, *, ended: bool = False) -> None:
        """Raise `BadInput` where too much of what came back could not be read; at the end, where all."""
        tally = self.tally
        if ended and 0 < tally.calls - tally.again == tally.unreadable:
            raise BadInput(
                f"No answer could be read, of {tally.calls - tally.again:,}: a run of them would be the one "
                "it started from. Choose another model or method, or allow it."
            )
        if tally.calls >= FIRST_REPLIES and tally.unreadable > MOST_UNREADABLE * (tally.calls - tally.again):
            raise BadInput(
                f"{counted(tally.unreadable, 'answer')} of {tally.calls - tally.again:,} could not "
                "be read: look at them first, then choose another model or method, or allow it."
            )
        # One reply of Subtask, the criteria, stands for every document of a topic.
        if self.documents >= FIRST_REPLIES and self.unscored > MOST_UNREADABLE * self.documents:
            raise BadInput(
                f"{counted(self.unscored, 'document')} of {self.documents:,} have no score that could be "
                "read: look at the answers first, then choose another model or method, or allow it."
            )


class Reorder:
    """Puts documents into order by a plan.

    Args:
        ask: Answers requests.
        plan: What to do.
        second: Breaks ties of scores.
    """

    def __init__(self, ask: Ask, plan: RerankPlan, second: Second) -> None:
        self.ask, self.plan, self.second = ask, plan, second
        self.noticed = Noticed()

    def __call__(self, topics: Sequence[Shown]) -> list[Searched]:
        """Return the documents of some topics in their new order. Raises `BadField` for one without words."""
        queries = [Query(query_of(self.plan, each), each.texts) for each in topics]
        if self.plan.method in LISTS:
            rows = self._by_lists(topics, queries)
        else:
            rows = self._by_scores(topics, queries)
        if not self.plan.unreadable_allowed:
            self.noticed.check_readable()
        return [
            Searched(each.topic, [*found, *_behind(each, UNREADABLE)])
            for each, found in zip(topics, rows, strict=True)
        ]

    def _by_scores(self, topics: Sequence[Shown], queries: Sequence[Query]) -> list[list[tuple[int, float]]]:
        method = {"score": scores.score, "reason": scores.reason, "subtask": scores.subtask}[self.plan.method]
        scored = method(self.ask, queries, self.plan.objective, self.noticed.tally)
        rows = []
        for each, found, second in zip(topics, scored, self.second(topics), strict=True):
            tied, pairs = ordering.tied_pairs(found)
            self.noticed.tied, self.noticed.pairs = self.noticed.tied + tied, self.noticed.pairs + pairs
            self.noticed.documents += len(found)
            self.noticed.unscored += sum(one is None for one in found)
            best = ordering.by_scores(found, second, each.ids)
            rows.append([(each.numbers[at], _or_unreadable(found[at])) for at in best])
        return rows

    def _by_lists(self, topics: Sequence[Shown], queries: Sequence[Query]) -> list[list[tuple[int, float]]]:
        first = [
            ordering.first_orders(len(query.passages), self.plan.orders, self.plan.seed) for query in queries
        ]
        asked = [
            Query(query.text, [query.passages[at] for at in order])
            for query, orders in zip(queries, first, strict=True)
            for order in orders
        ]
        plan, tally = self.plan, self.noticed.tally
        if plan.method == "rank":
            found = iter(lists.rank(self.ask, asked, plan.objective, plan.window, plan.step, tally))
        else:
            found = iter(lists.vanilla(self.ask, asked, plan.objective, tally))
        rows = []
        for each, orders in zip(topics, first, strict=True):
            made = []
            for order in orders:
                new = next(found)
                self.noticed.unparsed += new.unparsed
                self.noticed.unread += new.unread
                made.append([order[at] for at in new.positions])
            self.noticed.shown.append(orders)
            self.noticed.made.append(made)
            best, points = ordering.borda(made)
            rows.append([(each.numbers[at], point) for at, point in zip(best, points, strict=True)])
        return rows


def notes(noticed: Noticed, plan: RerankPlan) -> list[str]:
    """Return what a run says of how it was made, in sentences."""
    tally = noticed.tally
    said = [f"{counted(tally.calls, 'call')} to the model, {tally.again:,} of them a second try."]
    if tally.unreadable:
        said.append(f"{counted(tally.unreadable, 'answer')} could not be read the second time either.")
    if tally.refused:
        said.append(f"{counted(tally.refused, 'request')} refused, such as one too long for the model.")
    if noticed.unparsed:
        said.append(f"{counted(noticed.unparsed, 'window')} stayed in the old order: no reply could be read.")
    if noticed.unread:
        said.append(f"{counted(noticed.unread, 'document')} left out of a prompt that was too long.")
    if noticed.unscored:
        said.append(f"{counted(noticed.unscored, 'document')} without a readable score: last of the topic.")
    if noticed.pairs:
        share = noticed.tied / noticed.pairs
        by = f"the encoder {plan.ties}" if plan.ties else "the scores of the run it started from"
        said.append(f"{share:.1%} of all pairs have equal scores: {by} put them into order.")
    if bias := noticed.bias():
        said.append(
            f"Position: orders made of the same documents in different first orders agree by Kendall τ "
            f"{bias.tau:.2f}; what was put first had stood at rank {bias.input_rank:.1f} on average "
            f"({bias.expected:.1f} if the order shown did not matter)."
        )
    return said


def query_of(plan: RerankPlan, each: Shown) -> str:
    text = " ".join(filter(None, (part_of(each.topic, name) for name in plan.fields)))
    if not text:
        raise BadField(
            "fields", f"The topic {each.topic.topic.external_id} has nothing in {', '.join(plan.fields)}."
        )
    return text


def _or_unreadable(score: float | None) -> float:
    return UNREADABLE if score is None else float(score)


def _behind(each: Shown, last: float) -> list[tuple[int, float]]:
    return [(number, last - place) for place, number in enumerate(each.tail, 1)]
