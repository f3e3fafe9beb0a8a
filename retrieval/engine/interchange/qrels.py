"""Qrels: grades of documents for topics, as TREC and BEIR write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import IO, NamedTuple

import numpy as np

from common.errors import BadInput
from retrieval.engine.interchange.lines import Wrong, lines, wrong_in
from retrieval.engine.interchange.objects import Object, checked_id, objects
from retrieval.engine.interchange.tables import (
    DOCUMENTS,
    TOPICS,
    IntArray,
    Pairs,
    Rows,
    Shape,
    check_once,
    pairs,
    rows,
)
from retrieval.engine.interchange.topics import IDS, litsearch_id

LOWEST, HIGHEST = -2, 100
"""Of grades. TREC's -1 and -2 are not judged, both of them, as trec_eval has it; 0 is not relevant."""
AT_ONCE = 5_000
"""Lines of a file of JSON that are held at once."""
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
    A file whose name ends in .jsonl has an object a line with these names, or LitSearch's questions: each of
    the `corpusids` has grade 1.

    Args:
        stream: Open for reading at its beginning.
        name: Of the file, for errors.

    Raises:
        BadInput: a line of another shape, a grade that is no whole number, a pair given twice, or no grade.
    """
    wrong = wrong_in(name)
    parts, grades = [], []
    is_jsonl = name.removesuffix(".gz").lower().endswith(".jsonl")
    for some in _objects(stream, name, wrong) if is_jsonl else rows(stream, name, SHAPE):
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
    found = pairs(parts)
    check_once(found, "judged", wrong)
    return ReadQrels(found, np.concatenate(grades))


def _objects(stream: IO[bytes], name: str, wrong: Wrong) -> Iterator[Rows]:
    """Yield the judgments of a file of JSON lines, as many at a time as `AT_ONCE` lines hold."""
    found = objects(lines(stream, name), wrong)
    while some := list(islice(found, AT_ONCE)):
        given = [row for each in some for row in _of_object(each, wrong)]
        if given:
            topic, document, grade, line = zip(*given, strict=True)
            columns = {"topic": topic, "document": document, "grade": grade}
            yield Rows(
                {column: np.array([cell.encode() for cell in cells]) for column, cells in columns.items()},
                np.array(line, dtype=np.int32),
            )


def _of_object(found: Object, wrong: Wrong) -> Iterator[tuple[str, str, str, int]]:
    line = found.line.number
    if not found.has("corpusids"):
        grade = found.number(next((each for each in SHAPE.heads["grade"] if found.has(each)), "score"))
        if grade is None:
            raise found.wrong('no grade; "score", "relevance" or "label" was expected, a whole number.')
        yield found.id(*SHAPE.heads["topic"]), found.id(*SHAPE.heads["document"]), str(grade), line
        return
    topic = litsearch_id(found) or found.id(*IDS)
    for each in found.values("corpusids"):
        if isinstance(each, bool) or not isinstance(each, int | str):
            raise found.wrong('"corpusids" must hold ids, whole numbers or strings.')
        yield topic, checked_id(str(each), line, wrong), "1", line


def _grade(cell: str, line: int, wrong: Wrong) -> int:
    if not _WHOLE.fullmatch(cell):
        raise wrong(line, f"the grade {cell[:20]!r} is no whole number.")
    grade = int(cell.partition(".")[0])
    if not LOWEST <= grade <= HIGHEST:
        raise wrong(line, f"the grade {grade} is not from {LOWEST} to {HIGHEST}.")
    return grade
