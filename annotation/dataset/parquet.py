"""The tables as Parquet, beside the JSON lines: numbers and moments as such, objects and lists as JSON texts.

pyarrow is imported when a file is written or read, and not before: no page waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from annotation.dataset.columns import Column, Table
from annotation.dataset.lines import Portion

GROUP, MOST = 10_000, 3_000_000
"""Rows of a group, and characters of their lines: a group is held in memory."""


class ParquetFile:
    """A Parquet file that rows are added to. It is whole after the `with` block, and has no rows before."""

    def __init__(self, table: Table, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.pa = pa
        self.schema = schema(table)
        self.held: list[Any] = []
        self.n_rows = self.n_characters = 0
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

    def add(self, some: Portion) -> None:
        """Add rows."""
        batch, begun = self.batch(some), 0
        for end, line in enumerate(some.lines, 1):
            self.n_rows += 1
            self.n_characters += len(line)
            if self.n_rows == GROUP or self.n_characters > MOST:
                self.held.append(batch.slice(begun, end - begun))
                self.write()
                begun = end
        if begun < len(some.lines):
            self.held.append(batch.slice(begun))

    def batch(self, some: Portion) -> Any:
        """Return the columns of some rows as Arrow has them: they take a fraction of the memory."""
        arrays = []
        for values, field in zip(some.plain, self.schema, strict=True):
            # Arrow reads moments faster than Python makes them.
            as_text = self.pa.types.is_timestamp(field.type)
            array = self.pa.array(values, self.pa.string() if as_text else field.type)
            arrays.append(array.cast(field.type) if as_text else array)
        return self.pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def write(self) -> None:
        """Write the rows that are held as a group."""
        if self.held:
            # One piece a column: where pieces end is seen in the file.
            self.file.write_table(self.pa.Table.from_batches(self.held).combine_chunks())
        self.held.clear()
        self.n_rows = self.n_characters = 0


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
