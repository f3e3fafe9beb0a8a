"""Qrels: grades of documents for topics, as TREC and BEIR write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import checked_id

LOWEST, HIGHEST = -1, 100
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}(?:\.0{1,9})?")


class ReadGrade(NamedTuple):
    """One line of qrels.

    topic: id of the topic.
    document: id of the document.
    grade: higher is more relevant; -1 says in the pool, but not judged.
    line: from 1.
    """

    topic: str
    document: str
    grade: int
    line: int


def qrels(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadGrade]:
    """Yield the grades of a file: TREC's four columns, or BEIR's three under a head.

    TREC: topic, iteration (passed over), document, grade, between white space; lines that begin with # are
    comments, as trec_eval 10 has them. BEIR: the head `query-id`, `corpus-id`, `score`, then tabs.

    Raises:
        BadInput: a line of another shape, a grade that is no whole number, a pair given twice.
    """
    seen: dict[tuple[str, str], int] = {}
    three = False
    for line in lines:
        cells = line.text.split()
        if not cells or cells[0].startswith("#"):
            continue
        if not seen and not three and cells[:2] == ["query-id", "corpus-id"]:
            three = True
            continue
        if len(cells) != (3 if three else 4):
            raise wrong(
                line.number,
                f"{len(cells)} columns; "
                + ("topic, document and grade" if three else "topic, iteration, document and grade")
                + " were expected.",
            )
        pair = checked_id(cells[0], line.number, wrong), checked_id(cells[-2], line.number, wrong)
        if pair in seen:
            raise wrong(
                line.number, f"{pair[1]} is judged twice for topic {pair[0]}; first on line {seen[pair]:,}."
            )
        seen[pair] = line.number
        yield ReadGrade(*pair, _grade(cells[-1], line, wrong), line.number)


def _grade(cell: str, line: Line, wrong: Wrong) -> int:
    if not _WHOLE.fullmatch(cell):
        raise wrong(line.number, f"the grade {cell[:20]!r} is no whole number.")
    grade = int(cell.partition(".")[0])
    if not LOWEST <= grade <= HIGHEST:
        raise wrong(line.number, f"the grade {grade} is not from {LOWEST} to {HIGHEST}.")
    return grade
