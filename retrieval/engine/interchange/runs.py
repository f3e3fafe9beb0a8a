"""Run files of TREC: six columns, topic Q0 document rank score tag.

Their ties are decided in two ways. trec_eval passes the rank over and orders by score, then by id of the
document, bytes descending. Here a run is ordered by score, then by number of the document. Files written
here say what we mean to both: their scores fall from each line to the next even as float32, in which older
versions of trec_eval compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import checked_id

COLUMNS = 6


class ReadRow(NamedTuple):
    """One line of a run.

    topic: id of the topic.
    document: id of the document.
    rank: as the file says; None where that is no whole number.
    score: higher is better.
    tag: name of the run.
    line: from 1.
    """

    topic: str
    document: str
    rank: int | None
    score: float
    tag: str
    line: int


class ReadRun(NamedTuple):
    """A run file, in the order of trec_eval.

    tag: name of the run, as its first row says.
    line: the line of that row.
    topics: rows by id of the topic, best first.
    contradicted: topics in which the rank column says another order than the scores.
    tied: rows that have the score of the row before them.
    """

    tag: str
    line: int
    topics: dict[str, list[ReadRow]]
    contradicted: int
    tied: int


def rows(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadRow]:
    """Yield the rows of a run file as they stand. Lines that begin with # are comments.

    Raises:
        BadInput: a line of another shape, a score that is no number, a document ranked twice for a topic.
    """
    documents: dict[tuple[str, str], int] = {}
    for line in lines:
        cells = line.text.split()
        if not cells or cells[0].startswith("#"):
            continue
        row = _row(cells, line, wrong)
        pair = row.topic, row.document
        if pair in documents:
            raise wrong(
                line.number,
                f"{row.document} is ranked twice for topic {row.topic}; first on line {documents[pair]:,}.",
            )
        documents[pair] = line.number
        yield row


def _row(cells: list[str], line: Line, wrong: Wrong) -> ReadRow:
    if len(cells) != COLUMNS:
        raise wrong(
            line.number, f"{len(cells)} columns; topic, Q0, document, rank, score and tag were expected."
        )
    topic, _, document, rank, score, tag = cells
    try:
        # Python alone takes 1_000 and digits of other scripts for numbers.
        value = float(score) if score.isascii() and "_" not in score else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise wrong(line.number, f"the score {score[:20]!r} is no number.")
    number = int(rank) if rank.isascii() and rank.isdigit() and len(rank) < 10 else None
    return ReadRow(
        checked_id(topic, line.number, wrong),
        checked_id(document, line.number, wrong),
        number,
        value,
        tag,
        line.number,
    )


def run(lines: Iterable[Line], wrong: Wrong) -> ReadRun:
    """Read a run file whole, ordered as trec_eval orders it: score, then bytes of the id, both descending.

    Raises:
        BadInput: as `rows`, and for a file without rows.
    """
    topics: dict[str, list[ReadRow]] = {}
    first: ReadRow | None = None
    for row in rows(lines, wrong):
        first = first or row
        topics.setdefault(row.topic, []).append(row)
    if first is None:
        raise wrong(1, "no row; topic, Q0, document, rank, score and tag were expected.")
    contradicted = tied = 0
    for found in topics.values():
        found.sort(key=lambda row: (row.score, row.document.encode()), reverse=True)
        scores = [row.score for row in found]
        tied += sum(one == two for one, two in pairwise(scores))
        contradicted += _contradicts(found)
    return ReadRun(first.tag, first.line, topics, contradicted, tied)


def _contradicts(found: list[ReadRow]) -> bool:
    """Whether the rank column orders two documents of different scores the other way round."""
    worst = 0
    for _, equal in groupby(found, key=lambda row: row.score):
        ranks = [row.rank for row in equal if row.rank is not None]
        if ranks and min(ranks) < worst:
            return True
        worst = max([worst, *ranks])
    return False


def falling(scores: Iterable[float]) -> list[float]:
    """Return scores, best first, each less than the one before as float32, and as near as that allows."""
    given: list[float] = []
    limit = np.float32(math.inf)
    for score in scores:
        value = np.float32(score)
        if value >= limit:
            value = np.nextafter(limit, np.float32(-math.inf))
        given.append(float(value))
        limit = value
    return given


def written(topic: str, documents: Iterable[tuple[str, float]], tag: str) -> Iterator[str]:
    """Yield the lines of a topic's ranking, line breaks included.

    Args:
        topic: Id of the topic.
        documents: Id and score of each, best first.
        tag: Name of the run; without white space.
    """
    ranked = list(documents)
    scores = falling(score for _, score in ranked)
    for rank, ((document, _), score) in enumerate(zip(ranked, scores, strict=True), 1):
        yield f"{topic} Q0 {document} {rank} {score:.9g} {tag}\n"
