"""The files of a data set one after the other, each as pieces of bytes: for a folder, and for a download."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.dataset import record
from annotation.dataset.columns import TABLES, Table
from annotation.dataset.describing import crate
from annotation.dataset.describing.about import about
from annotation.dataset.describing.card import card, licence_text
from annotation.dataset.describing.package import NAME, STUDY, Written, package
from annotation.dataset.lines import Row, portions
from annotation.dataset.parquet import ParquetFile
from annotation.dataset.rows import Rows
from annotation.dataset.snapshot import one_state
from annotation.models import Study
from common.tables.json import written

PIECE = 2**16
File = tuple[str, Iterator[bytes]]
"""Its path in the folder, and its bytes: they are read before the next file."""


def files(study: Study, licence: str = "", *, parquet: bool = True) -> Iterator[File]:
    """Yield the files of a data set, of one state of the database; datapackage.json comes last.

    `licence`: an SPDX id; empty: that of the data set which the study was read from, if any.
    """
    done: dict[str, Written] = {}
    with one_state(), TemporaryDirectory() as folder:
        study = Study.objects.select_related("job__book").get(pk=study.pk)
        read = getattr(study, "read_from", None)
        rows = rows_of(study)
        for table in TABLES:
            beside = Path(folder) / f"{table.name}.parquet"
            yield (
                table.path,
                counted(table.path, pieces(table, rows[table.name](), beside if parquet else None), done),
            )
            if parquet:
                yield table.parquet, counted(table.parquet, of_file(beside), done)
                beside.unlink()
        said = about(study, licence or (read.licence if read else ""))
        for path, text in texts(said, done):
            yield path, counted(path, iter([text.encode()]), done)


def texts(said: dict[str, Any], done: dict[str, Written]) -> Iterator[tuple[str, str]]:
    """Yield the files that are no tables; each describes those before it."""
    yield STUDY, written(ordered(said))
    yield "LICENSE.txt", licence_text(said)
    yield "README.md", card(said, done)
    yield crate.NAME, written(crate.crate(said, done))
    yield NAME, written(package(said, done))


def ordered(value: Any) -> Any:
    """Return a JSON value with the keys of every object in one order."""
    if isinstance(value, dict):
        return {name: ordered(value[name]) for name in sorted(value)}
    return [ordered(each) for each in value] if isinstance(value, list | tuple) else value


def rows_of(study: Study) -> dict[str, Callable[[], Iterable[Row]]]:
    """Return what makes the rows of each table."""
    rows = Rows(study)
    names = {table.name: getattr(rows, table.name) for table in TABLES if table.name != "record"}
    return names | {
        "record": lambda: record.rows(study, {pk: name for pk, (name, _) in rows.readers.items()})
    }


def pieces(table: Table, rows: Iterable[Row], beside: Path | None) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of a table, some at a time with how many; write them into a Parquet file `beside`."""
    with ParquetFile(table, beside) if beside is not None else nullcontext() as file:
        for some in portions(table, rows):
            if file is not None:
                file.add(some)
            yield "".join(some.lines).encode(), len(some.lines)


def of_file(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes."""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def counted(
    path: str, found: Iterable[bytes | tuple[bytes, int]], done: dict[str, Written]
) -> Iterator[bytes]:
    """Yield the pieces of a file; when it is whole, note in `done` what tells it from another."""
    digest, size, rows = sha256(), 0, 0
    for each in found:
        piece, n = (each, 0) if isinstance(each, bytes) else each
        digest.update(piece)
        size, rows = size + len(piece), rows + n
        yield piece
    done[path] = Written(size, digest.hexdigest(), rows)
