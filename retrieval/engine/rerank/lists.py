"""Rank: a model orders windows of passages; and one window over all of them, as LitSearch does.

Rank      Sun et al. 2023 (RankGPT), as BIRCO (Wang et al. 2024) compares it
vanilla   Ajith et al. 2024: one prompt with all passages
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from common.chat import Ask
from retrieval.engine.rerank import prompts, replies
from retrieval.engine.rerank.asking import Answer, Tally, read_all
from retrieval.engine.rerank.windows import SIZE, STEP, windows

COMPLAINT = (
    "That could not be read. Answer with the numbers of all passages in brackets, the best first, with > "
    "between them, and nothing else."
)


class Query(NamedTuple):
    """What passages are ordered for.

    text: the query's words.
    passages: the texts, in their first order.
    """

    text: str
    passages: Sequence[str]


class Order(NamedTuple):
    """What a model made of the passages of a query.

    positions: of the passages in the list that was given, from 0, the best first.
    unparsed: windows whose reply could not be read, which stayed as they were.
    unread: passages at the end that no window holds, because the prompt was too long.
    """

    positions: tuple[int, ...]
    unparsed: int = 0
    unread: int = 0


def rank(
    ask: Ask,
    queries: Sequence[Query],
    objective: str = "",
    size: int = SIZE,
    step: int = STEP,
    tally: Tally | None = None,
) -> list[Order]:
    """Order the passages of each query by windows; the windows of one query follow each other.

    Windows of different queries are asked at once.

    Raises:
        BadField: a window or step that is none.
    """
    tally = Tally() if tally is None else tally
    plans = [windows(len(query.passages), size, step) for query in queries]
    orders = [list(range(len(query.passages))) for query in queries]
    unparsed = [0] * len(queries)
    for turn in range(max(map(len, plans), default=0)):
        able = [at for at, plan in enumerate(plans) if turn < len(plan)]
        shown = [orders[at][slice(*plans[at][turn])] for at in able]
        found = _ordered(ask, [queries[at] for at in able], shown, objective, tally)
        for at, seen, answer in zip(able, shown, found, strict=True):
            if answer.value is None:
                unparsed[at] += 1
            else:
                orders[at][slice(*plans[at][turn])] = [seen[position] for position in answer.value]
    return [Order(tuple(order), lost) for order, lost in zip(orders, unparsed, strict=True)]


def vanilla(
    ask: Ask, queries: Sequence[Query], objective: str = "", tally: Tally | None = None
) -> list[Order]:
    """Order the passages of each query in one prompt.

    Where that is too long for the endpoint, the last fifth of them is left out, again and again while half of
    the passages are left; those that were left out follow in their old order.
    """
    tally = Tally() if tally is None else tally
    found: list[Order] = [Order(tuple(range(len(query.passages)))) for query in queries]
    sizes = {at: len(query.passages) for at, query in enumerate(queries) if len(query.passages) > 1}
    while sizes:
        able = list(sizes)
        shown = [list(range(sizes[at])) for at in able]
        answers = _ordered(ask, [queries[at] for at in able], shown, objective, tally)
        for at, answer in zip(able, answers, strict=True):
            whole, size = len(queries[at].passages), sizes.pop(at)
            fewer = size - max(1, size // 5)
            if answer.refused and 2 * fewer >= whole and fewer > 1:
                sizes[at] = fewer
            else:
                head = answer.value or range(size)
                found[at] = Order((*head, *range(size, whole)), int(answer.value is None), whole - size)
    return found


def _ordered(
    ask: Ask, queries: Sequence[Query], shown: Sequence[Sequence[int]], objective: str, tally: Tally
) -> list[Answer[list[int]]]:
    """Return the new order of the passages shown of each query."""
    requests = [
        prompts.rank(query.text, [query.passages[at] for at in seen], objective)
        for query, seen in zip(queries, shown, strict=True)
    ]
    return read_all(ask, requests, lambda at, said: replies.order(said, len(shown[at])), COMPLAINT, tally)
