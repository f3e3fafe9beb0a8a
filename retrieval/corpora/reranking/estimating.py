"""What asking would take, before anything is asked: by the lengths of the texts that would be shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from common.wording import counted
from machines.client.endpoint import Endpoint
from machines.wording import money
from retrieval.corpora.reranking.passages import Shown
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.reranking.recalling import Sought
from retrieval.corpora.searching.plans import part_of
from retrieval.engine.rerank import estimates
from retrieval.engine.rerank.estimates import Lengths, Needed, tokens
from retrieval.engine.rerank.prompts import MOST_WORDS
from retrieval.engine.rerank.windows import SIZE

LOOKED_AT = 20
"""Topics whose passages are measured; the others are taken to be like them."""
RECALLED = 60
"""Tokens of a reply from memory, about."""
WRITTEN = 40
"""Tokens of a question, about."""


class Expected(NamedTuple):
    """What asking takes, about.

    calls, tokens_in, tokens_out: as counted by the formulas.
    micro_units: the price of these tokens at the endpoint's list.
    currency: of the price.
    tried: calls of a dry run, whose means stand in it; 0 where it is reckoned by the lengths of texts.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    micro_units: int
    currency: str
    tried: int = 0

    def in_words(self) -> str:
        """Return it in a sentence."""
        price = f"about {money(self.micro_units, self.currency)}" if self.micro_units else "at no charge"
        tried = f"{counted(self.tried, 'call')} that {'was' if self.tried == 1 else 'were'} tried"
        begun = f"By the mean of {tried}: about" if self.tried else "About"
        return (
            f"{begun} {counted(self.calls, 'call')}, {self.tokens_in:,} tokens in and {self.tokens_out:,} "
            f"out, {price}. A reply that cannot be read is asked for once more, on top of this."
        )


def of_reranking(endpoint: Endpoint, plan: RerankPlan, topics: Sequence[Shown], n: int) -> Expected:
    """Return what `n` topics take, which are like those that are given."""
    needed = Needed(0, 0, 0)
    objective = tokens(len(plan.objective.split()))
    for each in topics:
        words = [min(len(text.split()), MOST_WORDS) for text in each.texts]
        query = sum(len(part_of(each.topic, name).split()) for name in plan.fields)
        passage = tokens(sum(words) / max(1, len(words)))
        of = Lengths(objective=objective, query=tokens(query), passage=passage)
        needed = needed.plus(_one(plan, len(each.numbers), of))
    share = n / max(1, len(topics))
    return _priced(endpoint, Needed(*(round(each * share) for each in needed)))


def _one(plan: RerankPlan, n: int, of: Lengths) -> Needed:
    if plan.method == "vanilla":
        once = estimates.rank(n, of, max(n, SIZE), 1)
    elif plan.method == "rank":
        once = estimates.rank(n, of, plan.window, plan.step)
    else:
        return {"score": estimates.score, "reason": estimates.reason, "subtask": estimates.subtask}[
            plan.method
        ](n, of)
    return Needed(*(each * plan.orders for each in once))


def of_recall(endpoint: Endpoint, topics: Sequence[Sought], replicates: int) -> Expected:
    """Return what asking these topics without passages takes."""
    return _of_texts(endpoint, (each.query for each in topics for _ in range(replicates)), RECALLED)


def of_questions(endpoint: Endpoint, paragraphs: Iterable[str]) -> Expected:
    """Return what writing a question of each of these paragraphs takes."""
    return _of_texts(endpoint, paragraphs, WRITTEN)


def _of_texts(endpoint: Endpoint, texts: Iterable[str], reply: int) -> Expected:
    lengths = [tokens(len(text.split())) for text in texts]
    calls = len(lengths)
    return _priced(endpoint, Needed(calls, sum(lengths) + calls * estimates.INSTRUCTION, calls * reply))


def _priced(endpoint: Endpoint, needed: Needed) -> Expected:
    price = endpoint.prices.cost(needed.tokens_in, needed.tokens_out)
    return Expected(*needed, price, endpoint.prices.currency)
