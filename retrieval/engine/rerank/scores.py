"""Score, Reason and Subtask: a model scores passages one by one (BIRCO, Wang et al. 2024).

Score      one call a passage: a whole number of 0 to 10
Reason     one call a passage: criteria are written, followed step by step, then the score
Subtask    criteria once a query; each passage is scored by each alone; the mean of those that were read
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from common.chat import Ask
from retrieval.engine.rerank import prompts, replies
from retrieval.engine.rerank.asking import Answer, Tally, read_all
from retrieval.engine.rerank.lists import Query

COMPLAINT = 'That could not be read. Answer with {"score": x}, where x is a whole number from 0 to 10.'
COMPLAINT_REASON = "That could not be read. End with a line SCORE: x, where x is a whole number from 0 to 10."
COMPLAINT_CRITERIA = "That could not be read. Answer with a JSON list of two to six strings."
Scores = list[float | None]
"""A score of 0 to 10 for each passage of a query; None where no reply could be read."""


def score(
    ask: Ask, queries: Sequence[Query], objective: str = "", tally: Tally | None = None
) -> list[Scores]:
    """Return the scores of the passages of each query, one call a passage."""
    requests = [prompts.score(query.text, each, objective) for query in queries for each in query.passages]
    found = read_all(ask, requests, _read_score, COMPLAINT, Tally() if tally is None else tally)
    return _by_query(queries, found)


def reason(
    ask: Ask, queries: Sequence[Query], objective: str = "", tally: Tally | None = None
) -> list[Scores]:
    """Return the same, each after the model has written and followed criteria of its own."""
    requests = [prompts.reason(query.text, each, objective) for query in queries for each in query.passages]
    found = read_all(ask, requests, _read_score, COMPLAINT_REASON, Tally() if tally is None else tally)
    return _by_query(queries, found)


def subtask(
    ask: Ask, queries: Sequence[Query], objective: str = "", tally: Tally | None = None
) -> list[Scores]:
    """Return the mean over the criteria of each query of what each passage scores by each alone.

    A passage none of whose scores could be read has none; neither has any passage of a query whose criteria
    could not be read.
    """
    tally = Tally() if tally is None else tally
    asked = [prompts.criteria(query.text, objective) for query in queries]
    criteria = read_all(ask, asked, lambda _, said: replies.criteria(said), COMPLAINT_CRITERIA, tally)
    requests = [
        prompts.subtask(query.text, passage, criterion)
        for query, found in zip(queries, criteria, strict=True)
        for passage in query.passages
        for criterion in found.value or ()
    ]
    scored = iter(read_all(ask, requests, _read_score, COMPLAINT, tally))
    means: list[Scores] = []
    for query, found in zip(queries, criteria, strict=True):
        rows = [[next(scored).value for _ in found.value or ()] for _ in query.passages]
        means.append([_mean(row) for row in rows])
    return means


def _mean(scores: Sequence[int | None]) -> float | None:
    read = [each for each in scores if each is not None]
    return fmean(read) if read else None


def _read_score(_: int, said: str) -> int | None:
    return replies.score(said)


def _by_query(queries: Sequence[Query], found: Sequence[Answer[int]]) -> list[Scores]:
    rest = iter(found)
    return [[next(rest).value for _ in query.passages] for query in queries]
