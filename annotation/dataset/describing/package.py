"""datapackage.json: the files of a data set, their digests, and what each column holds (Frictionless v1)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from annotation.dataset.columns import TABLES, VERSION, Column, Table
from annotation.dataset.lines import JSON_TEXT

NAME = "datapackage.json"
STUDY = "study.json"
PIECE = 2**20
MEDIA = {".jsonl": "application/x-ndjson", ".parquet": "application/vnd.apache.parquet",
         ".json": "application/json", ".md": "text/markdown", ".txt": "text/plain"}  # fmt: skip


class Written(NamedTuple):
    """A file that was written: its size in bytes, its sha256, and of a table its rows."""

    bytes: int
    sha256: str
    rows: int = 0


def package(said: Mapping[str, Any], files: Mapping[str, Written]) -> dict[str, Any]:
    """Return the description of a data set; `said`: what study.json says, `files`: the others, by path."""
    found: dict[str, Any] = {
        "profile": "data-package",
        "name": said["slug"],
        "title": said["title"],
        "description": f"A study of the task “{said['task_label']}”: {said['asks']}",
        "version": "1.0.0",
        "variorum": {"data_set": VERSION, "task": said["task"], "measure": said["measure"]},
    }
    if said["licence"]:
        found["licenses"] = [licence(said["licence"])]
    # A table without a line is a file among the others: readers of JSON lines take an empty one for a fault.
    shown = [each for each in TABLES if files[each.path].rows]
    found["resources"] = [table(each, files[each.path]) for each in shown]
    others = {path: each for path, each in files.items() if path not in {one.path for one in shown}}
    found["files"] = [{"path": path, **digest(others[path])} for path in sorted(others)]
    found["study"] = {name: digest_of(value) for name, value in said.items()}
    return found


def licence(name: str) -> dict[str, str]:
    """Return a licence as packages name it."""
    return {"name": name, "path": f"https://spdx.org/licenses/{name}.html"}


def digest(file: Written) -> dict[str, Any]:
    """Return what tells whether a file is as it was written."""
    return {"bytes": file.bytes, "hash": f"sha256:{file.sha256}"}


def digest_of(value: Any) -> str:
    """Return a digest of a JSON value, the same in whatever order its keys stand."""
    return sha256(JSON_TEXT(value).encode()).hexdigest()


def table(each: Table, file: Written) -> dict[str, Any]:
    """Return a table as a tabular resource with its schema."""
    schema: dict[str, Any] = {"fields": [field(column) for column in each.columns]}
    if each.key:
        schema["primaryKey"] = list(each.key)
    return {
        "profile": "tabular-data-resource",
        "name": each.name,
        "path": each.path,
        "description": each.meaning,
        "format": "jsonl",
        "mediatype": MEDIA[".jsonl"],
        "encoding": "utf-8",
        **digest(file),
        "rows": file.rows,
        "dialect": {"json": {"keyed": True}},
        "schema": schema,
    }


def field(column: Column) -> dict[str, Any]:
    """Return a column as a field of a schema."""
    found: dict[str, Any] = {
        "name": column.name,
        "type": column.type,
        "description": column.meaning[0].upper() + column.meaning[1:] + ".",
    }
    if column.type == "datetime":
        found["format"] = "any"
    return (
        {**found, "constraints": {"required": True}} if column.needed and column.type != "string" else found
    )


def measured(folder: Path) -> dict[str, Written]:
    """Return what the files beside datapackage.json are, by path."""
    tables = {each.path for each in TABLES}
    found = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name, digest, size, n = path.relative_to(folder).as_posix(), sha256(), 0, 0
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                size, n = size + len(piece), n + piece.count(b"\n")
        found[name] = Written(size, digest.hexdigest(), n if name in tables else 0)
    found.pop(NAME, None)
    return found
