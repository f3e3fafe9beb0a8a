"""Data sets of an earlier version, in the form that is written now: what was added since, as it was before.

Version 2 has `source_after` in study.json and `source_read` in each judgment; some of version 1 have them.
Before there were such fields nobody could read on in the book, so nobody was allowed to and nobody did. Its
stopping rule tells of comparisons. Its record names no files, which told who had uploaded them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.dataset.checking import row_fields, row_text
from annotation.dataset.columns import JUDGMENTS, RECORD, TABLES, VERSION, Table
from annotation.dataset.describing.package import NAME, STUDY, measured, package
from annotation.dataset.lines import JSON_TEXT
from common.tables.json import in_one_line

OF_STUDY: dict[str, Any] = {"source_after": False}
OF_RULE = {"spending": "", "threshold": None, "run": ""}
OF_TABLES: dict[str, dict[str, Any]] = {JUDGMENTS.name: {"source_read": None}}
_TEXT = json.encoder.encode_basestring


def brought_up(folder: Path, said: dict[str, Any], to: Path) -> dict[str, Any]:
    """Write a data set of version 1 into the folder `to` in the form of this version; return its study.json.

    Without Parquet, which nothing is read from. Lines keep their numbers. Raises `BadInput` with file and
    line for one that is no text, or that must be brought up and is no JSON object.
    """
    now = {**OF_STUDY, **said, "version": VERSION}
    if isinstance(rule := said.get("stopping"), dict):
        now["stopping"] = {**OF_RULE, **rule}
    to.joinpath("data").mkdir(parents=True)
    to.joinpath(STUDY).write_text(json.dumps(now, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    for table in TABLES:
        with to.joinpath(table.path).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_lines(folder, table))
    described = package(now, measured(to))
    to.joinpath(NAME).write_text(json.dumps(described, ensure_ascii=False), encoding="utf-8")
    return now


def _lines(folder: Path, table: Table) -> Iterator[str]:
    added = OF_TABLES.get(table.name, {})
    names = [column.name for column in table.columns]
    with (folder / table.path).open("rb") as file:
        for number, data in enumerate(file, 1):
            if not added and table is not RECORD:
                yield row_text(table, number, data)
                continue
            fields = added | row_fields(table, number, data)
            if table is RECORD and isinstance(fields.get("data"), dict):
                fields["data"].pop("file", None)
            known = {name: fields[name] for name in names if name in fields}
            told = (f"{_TEXT(name)}: {_written(value)}" for name, value in {**known, **fields}.items())
            yield in_one_line(f"{{{', '.join(told)}}}\n")


def _written(value: Any) -> str:
    return _TEXT(value) if isinstance(value, str) else JSON_TEXT(value)
