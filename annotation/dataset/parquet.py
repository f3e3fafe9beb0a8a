"""The tables as Parquet, beside the JSON lines: numbers and moments as such, objects and lists as JSON texts.

pyarrow is imported when a file is written or read, and not before: no page waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from annotation.dataset.columns import Column, Table
from annotation.dataset.lines import Row

GROUP, MOST = 10_000, 3_000_000
"""Rows of a group, and characters of their lines: a group is held in memory."""


class ParquetFile:
    """A Parquet file that rows are added to. It is whole after the `with` block, and has no rows before."""

    def __init__(self, table: Table, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.table = table
        self.schema = schema(table)
        self.rows: list[Row] = []
        self.held = 0
        self.pa = pa
        self.file = parquet.ParquetWriter(path, self.schema, compression="zstd", version="2.6")

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.write()
        finally:
            self.file.close()

    def add(self, row: Row, length: int) -> None:
        """Add a row, in which objects and lists are JSON texts; `length`: of it as a line."""
        self.rows.append(row)
        self.held += length
        if len(self.rows) == GROUP or self.held > MOST:
            self.write()

    def write(self) -> None:
        """Write the rows that are held."""
        if not self.rows:
            return
        columns = zip(*self.rows, strict=True)
        arrays = [
            self.pa.array(values, field.type) for values, field in zip(columns, self.schema, strict=True)
        ]
        self.file.write_batch(self.pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        self.rows.clear()
        self.held = 0


def schema(table: Table) -> Any:
    """Return a table's schema, each column with its meaning."""
    import pyarrow as pa

    types = {
        "string": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(),
        "datetime": pa.timestamp("us", tz="UTC"), "object": pa.string(), "array": pa.string(),
    }  # fmt: skip
    return pa.schema([field(pa, column, types[column.type]) for column in table.columns])


def field(pa: Any, column: Column, kind: Any) -> Any:
    """Return a column as a field of a schema."""
    about = {"description": column.meaning}
    return pa.field(column.name, kind, nullable=not column.needed, metadata=about)


def rows_of(path: Path) -> Iterator[Sequence[Any]]:
    """Yield the rows of a Parquet file. Raises OSError or ValueError where it is none."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(GROUP // 10):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
