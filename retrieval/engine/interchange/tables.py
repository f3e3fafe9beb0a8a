"""Files of rows and columns with white space between them: runs and qrels.

They are read a block at a time (`lines.BLOCK`) and column by column: a run has a row for each document of
each topic, and an object for each costs more than all that is done with it afterwards. A block that is not
plain rows (comments, blank lines, letters beyond ASCII, anything wrong) is read line by line, with the same
result.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from common.errors import BadInput
from common.wording import counted
from retrieval.engine.interchange.lines import Wrong, lines, whole_lines, wrong_in
from retrieval.engine.interchange.objects import LONGEST_ID, check_seen

Cells = NDArray[np.bytes_]
IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
_SPACES = np.array([chr(code).isspace() for code in range(128)] + [False] * 128)


_CONTROLS = np.array([not (chr(code).isprintable() or chr(code).isspace()) for code in range(256)])


class Shape(NamedTuple):
    """What files of one kind look like.

    plain: the columns of a file without a head, by how many there are; an empty name is passed over.
    tabbed: the same for files with tabs between their columns.
    heads: what a head may call a column, the preferred name first, by our name of the column.
    needed: columns a head must name; of those with a stroke between them one is enough.
    said: what was expected, for errors.
    """

    plain: Mapping[int, Sequence[str]]
    tabbed: Mapping[int, Sequence[str]]
    heads: Mapping[str, Sequence[str]]
    needed: Sequence[str]
    said: str


TOPICS = ("query-id", "query_id", "qid", "topic_id", "topic-id", "topic", "query")
DOCUMENTS = ("corpus-id", "corpus_id", "docno", "doc_id", "doc-id", "docid", "pid", "document")
"""What BEIR, ir_datasets, PyTerrier and others call the columns of topic and document."""


class Rows(NamedTuple):
    """Some rows that follow each other.

    columns: (N,) their cells in UTF-8, by name of column.
    lines: (N,) the line of each row, from 1.
    """

    columns: dict[str, Cells]
    lines: IntArray


def rows(stream: IO[bytes], name: str, shape: Shape) -> Iterator[Rows]:
    """Yield the rows of a file, many at a time. Blank lines, and those that begin with #, are passed over.

    The first row decides what the columns are: it is a head, or tells by how many columns it has.

    Args:
        stream: Open for reading at its beginning.
        name: Of the file, for errors.
        shape: What the columns may be.

    Raises:
        BadInput: a line is of another shape, is not UTF-8, or is too long, as a cell of it may be.
    """
    begun = _begun(stream, name, shape)
    if begun is None:
        return
    stream.seek(begun.begin)
    number = begun.number
    for raw in whole_lines(stream, name):
        found = _plain(raw, number, begun) or _one_by_one(raw, number, begun, name, shape)
        if len(found.lines):
            yield found
        number += raw.count(b"\n")


class _Begun(NamedTuple):
    """How a file begins: the place of each column, how many there are, and where the first row is."""

    places: dict[str, int]
    width: int
    begin: int
    number: int


def _begun(stream: IO[bytes], name: str, shape: Shape) -> _Begun | None:
    begin = number = 0
    for line in lines(stream, name):
        if cells := _cells(line.text):
            if places := _head(cells, shape):
                return _Begun(places, len(cells), line.end, line.number)
            known = {**shape.plain, **(shape.tabbed if "\t" in line.text else {})}
            if len(cells) not in known:
                raise _not_expected(wrong_in(name), line.number, cells, shape)
            columns = known[len(cells)]
            return _Begun(
                {column: place for place, column in enumerate(columns) if column}, len(cells), begin, number
            )
        begin, number = line.end, line.number
    return None


def _head(cells: list[str], shape: Shape) -> dict[str, int]:
    """Return the place of each column that a head names; nothing where the cells are no head."""
    said = [cell.lower() for cell in cells]
    found = {}
    for column, names in shape.heads.items():
        if called := next((name for name in names if name in said), None):
            found[column] = said.index(called)
    complete = all(any(each in found for each in needed.split("|")) for needed in shape.needed)
    return found if complete else {}


def _plain(raw: bytes, number: int, begun: _Begun) -> Rows | None:
    """Return the rows of some lines if each is one of as many columns, in plain letters; else None."""
    if not raw.isascii() or b"#" in raw:
        return None
    codes = np.frombuffer(raw if raw.endswith(b"\n") else raw + b"\n", dtype=np.uint8)
    if (_CONTROLS[codes]).any():
        return None
    white = np.concatenate(([True], _SPACES[codes]))
    # Where white space and letters meet, cells begin and end by turns.
    edges = np.flatnonzero(white[1:] != white[:-1])
    ends = np.flatnonzero(codes == ord("\n"))
    if (np.searchsorted(edges, ends, "right") != np.arange(1, len(ends) + 1) * 2 * begun.width).any():
        return None
    begins, lengths = edges[::2].reshape(-1, begun.width), np.diff(edges)[::2].reshape(-1, begun.width)
    if lengths.max() > LONGEST_ID:
        return None
    columns = {
        column: _cut(codes, begins[:, place], lengths[:, place]) for column, place in begun.places.items()
    }
    return Rows(columns, np.arange(number + 1, number + 1 + len(ends), dtype=np.int32))


def _cut(codes: NDArray[np.uint8], begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> Cells:
    """Return the (N,) cells that begin there and are so long."""
    along = np.arange(lengths.max())
    letters = np.take(codes, begins[:, None] + along, mode="clip")
    letters[along >= lengths[:, None]] = 0
    return letters.view(f"S{len(along)}")[:, 0]


def _one_by_one(raw: bytes, number: int, begun: _Begun, name: str, shape: Shape) -> Rows:
    columns: dict[str, list[bytes]] = {column: [] for column in begun.places}
    found, wrong = [], wrong_in(name)
    for line in lines(io.BytesIO(raw), name, number=number):
        cells = _cells(line.text)
        if not cells:
            continue
        if len(cells) != begun.width:
            raise _not_expected(wrong, line.number, cells, shape)
        for column, place in begun.places.items():
            columns[column].append(_fitting(column, cells[place], line.number, wrong))
        found.append(line.number)
    return Rows(
        {column: np.array(cells, dtype=np.bytes_) for column, cells in columns.items()},
        np.array(found, dtype=np.int32),
    )


def _fitting(column: str, cell: str, number: int, wrong: Wrong) -> bytes:
    """Return a cell in UTF-8. None may be long: in an array each takes the memory of the longest."""
    found = cell.encode()
    if column in ("topic", "document"):
        check_seen(cell, number, wrong)
    if len(found) > LONGEST_ID:
        raise wrong(number, f"the {column} {cell[:60]!r} … is longer than {LONGEST_ID} bytes.")
    return found


def _cells(text: str) -> list[str]:
    """Return the cells of a line; none of a comment."""
    cells = text.split()
    return [] if cells and cells[0].startswith("#") else cells


def _not_expected(wrong: Wrong, number: int, cells: list[str], shape: Shape) -> BadInput:
    return wrong(number, f"{counted(len(cells), 'column')}; {shape.said} were expected.")


class Pairs(NamedTuple):
    """N pairs of a topic and a document, in the order of their file.

    topics, documents: the ids, in the order in which they first come.
    topic, document: (N,) the number of each pair's id among them.
    lines: (N,) its line, from 1.
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic: IntArray
    document: IntArray
    lines: IntArray


def pairs(found: Sequence[Rows]) -> Pairs:
    """Return the pairs of a file, from their columns `topic` and `document`."""
    at = np.concatenate([some.lines for some in found])
    topics, topic = _numbered([some.columns["topic"] for some in found])
    documents, document = _numbered([some.columns["document"] for some in found])
    return Pairs(topics, documents, topic, document, at)


def _numbered(found: Sequence[Cells]) -> tuple[tuple[str, ...], IntArray]:
    """Return the ids in the order in which they first come, and the number of each cell's among them."""
    cells = np.concatenate(found)
    first, number = _unique(_hashed(cells))
    if (cells[first][number] != cells).any():
        # Two ids have one hash, which nobody will ever see: compare the ids themselves.
        first, number = _unique(cells)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    # One object for all ids that are equal, here and in other files: they are found faster in each other.
    ids = tuple(sys.intern(each.decode()) for each in cells[first[order]].tolist())
    return ids, place[number]


def _unique(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each value first stands, and for every place the number of its value among these."""
    _, first, number = np.unique(values, return_index=True, return_inverse=True)
    return first, number


def _hashed(cells: Cells) -> NDArray[np.uint64]:
    """Return a hash of each cell: sorting numbers is many times faster than sorting letters."""
    width = -(-cells.dtype.itemsize // 8)
    found = np.zeros(len(cells), dtype=np.uint64)
    for eight in cells.astype(f"S{width * 8}").view(np.uint64).reshape(-1, width).T:
        found = (found ^ eight) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def check_once(read: Pairs, done: str, wrong: Wrong) -> None:
    """Raise `BadInput` where a pair stands twice, and say on which lines.

    Args:
        read: The pairs.
        done: What may not be done twice, such as "ranked".
        wrong: Makes the error for a line.
    """
    keys = read.topic.astype(np.int64) * len(read.documents) + read.document
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        return
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order][1:] == keys[order][:-1]].min()
    first = int(np.argmax(keys == keys[again]))
    topic, document = read.topics[read.topic[again]], read.documents[read.document[again]]
    raise wrong(
        int(read.lines[again]),
        f"{document} is {done} twice for topic {topic}; first on line {read.lines[first]:,}.",
    )
