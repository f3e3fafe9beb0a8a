"""Run files: TREC's six columns (topic, Q0, document, rank, score, tag), MS MARCO's three, or with a head.

Their ties are decided in two ways. trec_eval passes the rank over and orders by score, then by id of the
document, bytes descending. Here a run is ordered by score, then by number of the document. Files written
here say what we mean to both: their scores fall from each line to the next even as float32, in which older
versions of trec_eval compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.engine.interchange.lines import Wrong, wrong_in
from retrieval.engine.interchange.tables import (
    DOCUMENTS,
    TOPICS,
    Cells,
    FloatArray,
    IntArray,
    Rows,
    Shape,
    check_once,
    pairs,
    rows,
)

_NO_RANK = -1
_DIGITS = 9
"""Most digits of a rank; what has more is none."""
_LEAST = np.float32(np.finfo(np.float32).min).view(np.uint32)
"""The bits of the least float32; each less by one is that of the next greater."""
MOST_TAGS = 5
"""Tags beside the first that are told of a file: a run has one."""
SHAPE = Shape(
    plain={6: ("topic", "", "document", "rank", "score", "tag")},
    tabbed={3: ("topic", "document", "rank")},
    heads={
        "topic": TOPICS,
        "document": DOCUMENTS,
        "rank": ("rank",),
        "score": ("score",),
        "tag": ("tag", "run", "run_id"),
    },
    needed=("topic", "document", "rank|score"),
    said="topic, Q0, document, rank, score and tag (or topic, document and rank, tabs between them)",
)


class ReadRun(NamedTuple):
    """A run file of N rows and Q topics, in the order of trec_eval.

    tag: name of the run, as its first row says; empty where the file has none.
    line: the line of that row.
    other_tags: what else stands in that column, each once, the first few.
    topics: ids of the topics, in the order in which the file first has them.
    documents: ids of the documents, each once.
    starts: (Q + 1,) where the rows of each topic begin; the last is N.
    document: (N,) the number of each row's document in `documents`; the best of a topic first.
    score: (N,) higher is better; minus the rank where the file has no scores.
    lines: (N,) the line of each row.
    contradicted: topics in which the rank column says another order than the scores.
    tied: (Q,) rows that have the score of the row before them.
    """

    tag: str
    line: int
    other_tags: tuple[str, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    starts: IntArray
    document: IntArray
    score: FloatArray
    lines: IntArray
    contradicted: int
    tied: IntArray

    def numbers(self) -> Iterator[tuple[str, IntArray]]:
        """Yield each topic with the numbers of its documents, best first."""
        for topic, begin, end in zip(self.topics, self.starts[:-1], self.starts[1:], strict=True):
            yield topic, self.document[begin:end]


class _Columns(NamedTuple):
    """Rows as arrays."""

    topic: IntArray
    document: IntArray
    rank: IntArray
    score: FloatArray
    lines: IntArray

    def at(self, places: NDArray[np.int64]) -> _Columns:
        topic, document, rank, score, found = self
        return _Columns(topic[places], document[places], rank[places], score[places], found[places])


def run(stream: IO[bytes], name: str) -> ReadRun:
    """Read a run whole, ordered as trec_eval orders it: score, then bytes of the id, both descending.

    Args:
        stream: Open for reading at its beginning.
        name: Of the file, for errors.

    Raises:
        BadInput: a line of another shape, a score that is no number, a document ranked twice for a topic, or
            no row.
    """
    wrong = wrong_in(name)
    parts: list[Rows] = []
    ranks, scores, tag = [], [], ""
    tags: set[bytes] = set()
    for some in rows(stream, name, SHAPE):
        if not parts and "tag" in some.columns:
            tag = some.columns["tag"][0].decode()
        if (cells := some.columns.get("tag")) is not None and len(tags) < MOST_TAGS:
            tags |= set(np.unique(cells[cells != tag.encode()])[:MOST_TAGS].tolist())
        rank, score = _values(some, wrong)
        ranks.append(rank)
        scores.append(score)
        parts.append(Rows({column: some.columns[column] for column in ("topic", "document")}, some.lines))
    if not parts:
        raise wrong(1, f"no row; {SHAPE.said} were expected.")
    found = pairs(parts)
    del parts
    check_once(found, "ranked", wrong)
    in_file = _Columns(
        found.topic, found.document, np.concatenate(ranks), np.concatenate(scores), found.lines
    )
    contradicted, tied, best_first = _in_order(in_file, found.documents)
    return ReadRun(
        tag,
        int(found.lines[0]),
        tuple(sorted(each.decode() for each in tags))[:MOST_TAGS],
        found.topics,
        found.documents,
        np.searchsorted(best_first.topic, np.arange(len(found.topics) + 1)).astype(np.int32),
        best_first.document,
        best_first.score,
        best_first.lines,
        contradicted,
        np.bincount(best_first.topic[tied], minlength=len(found.topics)).astype(np.int32),
    )


def _values(some: Rows, wrong: Wrong) -> tuple[IntArray, FloatArray]:
    """Return ranks and scores; minus the rank where there is no score, `_NO_RANK` where there is no rank."""
    ranks, scores = some.columns.get("rank"), some.columns.get("score")
    rank = np.full(len(some.lines), _NO_RANK, dtype=np.int32) if ranks is None else _ranks(ranks)
    if scores is None:
        score = -rank.astype(np.float64)
        bad, said = rank == _NO_RANK, "the rank {!r} is no whole number."
    else:
        score = _scores(scores)
        bad, said = ~np.isfinite(score), "the score {!r} is no number."
    if bad.any():
        at = int(np.argmax(bad))
        cells = ranks if scores is None else scores
        raise wrong(int(some.lines[at]), said.format("" if cells is None else cells[at].decode()[:20]))
    return rank, score


def _ranks(cells: Cells) -> IntArray:
    """Return whole numbers of some digits, and `_NO_RANK` for what is none."""
    letters = cells.view(np.uint8).reshape(len(cells), -1).astype(np.int64)
    value = np.zeros(len(cells), dtype=np.int64)
    for letter in letters[:, :_DIGITS].T:
        value = np.where(letter == 0, value, value * 10 + letter - ord("0"))
    digits = (letters == 0) | ((letters >= ord("0")) & (letters <= ord("9")))
    known = digits.all(axis=1) & ~letters[:, _DIGITS:].any(axis=1)
    return np.where(known, value, _NO_RANK).astype(np.int32)


def _scores(cells: Cells) -> FloatArray:
    """Return numbers, and NaN for what is none: Python alone takes 1_000 for one."""
    found = cells.tolist()
    try:
        values = [*map(float, found)] if b"_" not in cells.tobytes() else [*map(_score, found)]
    except ValueError:
        values = [*map(_score, found)]
    return np.array(values, dtype=np.float64)


def _score(cell: bytes) -> float:
    try:
        return float(cell) if b"_" not in cell else math.nan
    except ValueError:
        return math.nan


def _in_order(found: _Columns, documents: Sequence[str]) -> tuple[int, NDArray[np.int64], _Columns]:
    """Return in how many topics ranks contradict scores, which rows tie with the next one, and the rows."""
    falls = (found.topic[1:] == found.topic[:-1]) & (found.score[1:] <= found.score[:-1])
    if not (falls | (found.topic[1:] > found.topic[:-1])).all():  # as few run files are written
        found = found.at(np.lexsort((-found.score, found.topic)))
    same = (found.topic[1:] == found.topic[:-1]) & (found.score[1:] == found.score[:-1])
    # Groups of equal scores begin at every row that does not tie with the one before it.
    begins = np.flatnonzero(np.append(True, ~same))
    ends = np.append(begins[1:], len(found.topic))
    contradicted = _contradicted(found.topic[begins], begins, found.rank)
    for begin, end in zip(begins[ends - begins > 1].tolist(), ends[ends - begins > 1].tolist(), strict=True):
        ids = [documents[each] for each in found.document[begin:end].tolist()]
        # Text compares by code point, which is the order of its bytes in UTF-8.
        places = sorted(range(end - begin), key=ids.__getitem__, reverse=True)
        for column in (found.document, found.lines):
            column[begin:end] = column[begin:end][places]
    return contradicted, np.flatnonzero(same), found


def _contradicted(topic: IntArray, begins: NDArray[np.int64], rank: IntArray) -> int:
    """Return in how many topics a document has a smaller rank than one of a higher score.

    Args:
        topic: (G,) the topic of each group of equal scores.
        begins: (G,) where it begins.
        rank: (N,) the ranks in order.
    """
    # Ranks of a later topic are greater than any of an earlier one: so one running maximum serves all.
    above = topic.astype(np.int64) * 10 ** (_DIGITS + 1)
    worst = np.maximum.reduceat(rank, begins) + above
    best = np.minimum.reduceat(np.where(rank == _NO_RANK, 10**_DIGITS, rank), begins) + above
    before = np.maximum.accumulate(worst)[:-1]
    return len(np.unique(topic[1:][best[1:] < before]))


def falling(scores: Iterable[float]) -> list[float]:
    """Return scores, best first, each less than the one before as float32, and as near as that allows."""
    given: list[float] = []
    asked = np.array([*scores], dtype=np.float64)
    # What lies beyond float32 becomes its greatest or one of its least: a step is left for each that follows.
    least = (_LEAST - np.arange(len(asked), dtype=np.uint32)[::-1]).view(np.float32)
    limit = np.float32(math.inf)
    for value in np.clip(asked, least, np.finfo(np.float32).max).astype(np.float32):
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
