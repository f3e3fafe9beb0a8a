"""Qrels: grades of documents for topics, as TREC and BEIR write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from common.errors import BadInput
from retrieval.engine.interchange.lines import Wrong, wrong_in
from retrieval.engine.interchange.tables import (
    DOCUMENTS,
    TOPICS,
    IntArray,
    Pairs,
    Shape,
    check_once,
    pairs,
    rows,
)

LOWEST, HIGHEST = -2, 100
"""Of grades. TREC's -1 and -2 are not judged, both of them, as trec_eval has it; 0 is not relevant."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}(?:\.0{1,9})?")

SHAPE = Shape(
    plain={4: ("topic", "", "document", "grade")},
    tabbed={3: ("topic", "document", "grade")},
    heads={
        "topic": TOPICS,
        "document": DOCUMENTS,
        "grade": ("score", "relevance", "label", "grade", "rel", "judgment"),
    },
    needed=("topic", "document", "grade"),
    said="topic, iteration, document and grade (or topic, document and grade, tabs between them)",
)


class ReadQrels(NamedTuple):
    """A file of N judgments, in its order.

    pairs: the topic and the document of each.
    grade: (N,) higher is more relevant; below 0 says in the pool, but not judged.
    """

    pairs: Pairs
    grade: IntArray

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield topic, document, grade and line of each judgment."""
        topics, documents, topic, document, found = self.pairs
        columns = (topic.tolist(), document.tolist(), self.grade.tolist(), found.tolist())
        for t, d, grade, line in zip(*columns, strict=True):
            yield topics[t], documents[d], grade, line

    def by_topic(self) -> dict[str, dict[str, int]]:
        """Return {topic: {document: grade}}."""
        found: dict[str, dict[str, int]] = {topic: {} for topic in self.pairs.topics}
        for topic, document, grade, _ in self.rows():
            found[topic][document] = grade
        return found


def qrels(stream: IO[bytes], name: str) -> ReadQrels:
    """Read the grades of a file: TREC's four columns, or those that a head names, or three between tabs.

    TREC: topic, iteration (passed over), document, grade; lines that begin with # are comments, as trec_eval
    10 has them. A head may call its columns as BEIR (`query-id`, `corpus-id`, `score`), ir_datasets
    (`query_id`, `doc_id`, `relevance`, `iteration`) or PyTerrier (`qid`, `docno`, `label`) do.

    Args:
        stream: Open for reading at its beginning.
        name: Of the file, for errors.

    Raises:
        BadInput: a line of another shape, a grade that is no whole number, a pair given twice, or no grade.
    """
    wrong = wrong_in(name)
    parts, grades = [], []
    for some in rows(stream, name, SHAPE):
        cells = some.columns["grade"]
        known, first, number = np.unique(cells, return_index=True, return_inverse=True)
        values = [
            _grade(cell.decode(), int(line), wrong)
            for cell, line in zip(known.tolist(), some.lines[first], strict=True)
        ]
        grades.append(np.array(values, dtype=np.int32)[number])
        parts.append(some)
    if not parts:
        raise BadInput(f"{name} holds no judgment; {SHAPE.said} were expected.")
    found = pairs(parts, wrong)
    check_once(found, "judged", wrong)
    return ReadQrels(found, np.concatenate(grades))


def _grade(cell: str, line: int, wrong: Wrong) -> int:
    if not _WHOLE.fullmatch(cell):
        raise wrong(line, f"the grade {cell[:20]!r} is no whole number.")
    grade = int(cell.partition(".")[0])
    if not LOWEST <= grade <= HIGHEST:
        raise wrong(line, f"the grade {grade} is not from {LOWEST} to {HIGHEST}.")
    return grade
