"""Whether a folder is what its datapackage.json describes; if not, which file, line and field is another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

from annotation.dataset.columns import IS, TABLES, VERSION, Table
from annotation.dataset.describing.package import NAME, PIECE, STUDY, digest_of
from annotation.dataset.lines import JSON_TEXT, JSON_TYPES, lines
from annotation.dataset.parquet import rows_of
from annotation.export.machine_seen import moment
from annotation.items.lines import json_object
from annotation.tasktypes.base import is_storable
from common.errors import BadInput

ELSE = "Take the data set as it was written."


def wrong(file: str, line: int, field: str, sentence: str) -> BadInput:
    """Return a refusal that names file, line and field."""
    return BadInput(f"{file}, line {line}, field “{field}”: {sentence}")


def check(folder: Path) -> tuple[dict[str, Any], str]:
    """Return what study.json says, and the sha256 of datapackage.json, of a folder that is as it was written.

    Raises `BadInput` with the first file, line and field that is not.
    """
    if not (folder / NAME).is_file():
        raise BadInput(f"{folder}: is no data set, it has no {NAME}.")
    data = (folder / NAME).read_bytes()
    described = object_of(NAME, data)
    version = version_of(described)
    told = {each["path"]: each for name in ("resources", "files") for each in listed(described, name)}
    if missing := [path for path in (STUDY, *(each.path for each in TABLES)) if path not in told]:
        raise BadInput(f"{NAME}, field “resources”: {missing[0]} is not described. {ELSE}")
    whole = {path for path in told if not (folder / path).is_file() or changed(folder / path, told[path])}
    if STUDY in whole:
        refuse_study(folder, object_in(described, "study"))
    for table in TABLES:
        # Which value is another can be said of tables with the columns of today.
        if table.path in whole and version == VERSION:
            refuse_table(folder, table, table.parquet in told and table.parquet not in whole)
    for path in sorted(map(str, whole)):
        refuse_file(
            folder, path, "is not as it was written: its sha256 is another than datapackage.json says."
        )
    return object_of(STUDY, (folder / STUDY).read_bytes()), sha256(data).hexdigest()


def version_of(described: Mapping[str, Any]) -> int:
    """Return the version that datapackage.json tells. Raises `BadInput` for one that is not read here."""
    told = described.get("variorum")
    version = told.get("data_set") if isinstance(told, dict) else None
    if type(version) is not int or version < 1:
        raise BadInput(f"{NAME}, field “variorum”: this is no data set of a version from 1 to {VERSION}.")
    if version > VERSION:
        raise BadInput(
            f"{NAME}, field “variorum”: version {version} is of a later release; this one reads "
            f"versions up to {VERSION}. Update Variorum first."
        )
    return version


def listed(described: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the files that datapackage.json lists in a field. Raises `BadInput` for one elsewhere."""
    found = described.get(name)
    if not isinstance(found, list):
        raise BadInput(f"{NAME}, field “{name}”: must be a list. {ELSE}")
    for number, each in enumerate(found, 1):
        path = each.get("path") if isinstance(each, dict) else None
        if not isinstance(path, str) or not is_storable(path) or {"", ".", ".."} & set(path.split("/")):
            raise BadInput(f"{NAME}, field “{name}”: path {number} must lead to a file in the folder. {ELSE}")
    return found


def object_in(described: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the object in a field of datapackage.json. Raises `BadInput`."""
    found = described.get(name)
    if not isinstance(found, dict):
        raise BadInput(f"{NAME}, field “{name}”: must be an object. {ELSE}")
    return found


def changed(path: Path, told: Mapping[str, Any]) -> bool:
    """Return whether a file has another digest than is told of it."""
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return told.get("hash") != f"sha256:{digest.hexdigest()}"


def refuse_file(folder: Path, path: str, sentence: str) -> None:
    """Raise `BadInput` for a file that is missing or another."""
    raise BadInput(f"{path}: {sentence if (folder / path).is_file() else 'is missing.'} {ELSE}")


def refuse_study(folder: Path, told: Mapping[str, str]) -> None:
    """Raise `BadInput` for a study.json that is another, with the first field that is."""
    if (folder / STUDY).is_file():
        found = (folder / STUDY).read_bytes()
        said = object_of(STUDY, found)
        for field in sorted({*said, *told}):
            if field not in said or told.get(field) != digest_of(said[field]):
                at = line_of(found, field)
                raise wrong(STUDY, at, field, f"is not as it was written. {ELSE}")
    refuse_file(folder, STUDY, "is not as it was written.")


def line_of(data: bytes, field: str) -> int:
    """Return the line on which a field of study.json begins; 1 where it is on none."""
    text = data.decode("utf-8", "replace").split("\n")
    return next((n for n, line in enumerate(text, 1) if line.startswith(f'  "{field}":')), 1)


def refuse_table(folder: Path, table: Table, beside: bool) -> None:
    """Raise `BadInput` for a table that is another: by its Parquet file `beside`, the first value that is."""
    if not (folder / table.path).is_file():
        refuse_file(folder, table.path, "")
    as_read = rows(folder, table)
    stored = rows_of(folder / table.parquet) if beside else iter(())
    for number, (own, row) in enumerate(zip_longest(as_read, stored), 1):
        if not beside:
            continue
        if own is None or row is None:
            more = "is missing here" if own is None else "was not there when it was written"
            raise BadInput(f"{table.path}, line {number}: {more}, as {table.parquet} says. {ELSE}")
        for column, value, kept in zip(table.columns, own, row, strict=True):
            if comparable(column.type, value) != kept_as(column.type, kept):
                raise wrong(
                    table.path, number, column.name, f"is another value than in {table.parquet}. {ELSE}"
                )
    refuse_file(
        folder, table.path, "is not as it was written: its sha256 is another than datapackage.json says."
    )


def comparable(kind: str, value: Any) -> Any:
    """Return a value of a line as it is compared with Parquet's."""
    return None if value is None else JSON_TEXT(value) if kind in JSON_TYPES else value


def kept_as(kind: str, value: Any) -> Any:
    """Return a value of Parquet as it is compared with that of a line."""
    return moment(value) if kind == "datetime" else value


def object_of(name: str, data: bytes) -> dict[str, Any]:
    """Read a file that holds one object. Raises `BadInput`."""
    try:
        return json_object(data.decode(), name)
    except UnicodeDecodeError:
        raise BadInput(f"{name}: is not UTF-8 text. {ELSE}") from None


def rows(folder: Path, table: Table) -> Iterator[Sequence[Any]]:
    """Yield the values of each line of a table, each of its column's type. Raises `BadInput`."""
    with (folder / table.path).open("rb") as file:
        for number, data in enumerate(file, 1):
            yield row(table, number, data)


def row(table: Table, number: int, data: bytes) -> Sequence[Any]:
    """Return the values of one line. Raises `BadInput` with file, line and field."""
    fields = row_fields(table, number, data)
    names = [column.name for column in table.columns]
    if list(fields) != names:
        odd = next((name for name in (*names, *fields) if (name in fields) != (name in names)), names[0])
        raise wrong(
            table.path, number, ascii(odd)[1:-1][:60], f"each line has the fields {', '.join(names)}, once."
        )
    for column in table.columns:
        value = fields[column.name]
        called, is_one = IS[column.type]
        if (value is None and column.needed) or (value is not None and not is_one(value)):
            raise wrong(table.path, number, column.name, f"must be {called}.")
        if isinstance(value, str) and not is_storable(value):
            raise wrong(table.path, number, column.name, "holds NUL or half a character pair.")
    return list(fields.values())


def row_text(table: Table, number: int, data: bytes) -> str:
    """Return one line as text. Raises `BadInput` with file and line."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{table.path}, line {number}: is not UTF-8 text. {ELSE}") from None


def row_fields(table: Table, number: int, data: bytes) -> dict[str, Any]:
    """Return the fields of one line, whichever it has. Raises `BadInput` with file and line."""
    return json_object(row_text(table, number, data), f"{table.path}, line {number}")


def refuse_other(table: Table, number: int, told: str, found: str) -> None:
    """Raise `BadInput` for a line that does not follow from the rest, with the first field that does not."""
    own, other = row(table, number, told.encode()), row(table, number, found.encode())
    for column, value, right in zip(table.columns, own, other, strict=True):
        if value != right:
            shown = (
                next(iter(lines(Table("", "", (column,)), [[right]]))).strip()
                if column.type != "datetime"
                else right
            )
            raise wrong(
                table.path, number, column.name, f"does not follow from the rest, which has {shown:.200}."
            )
    raise BadInput(f"{table.path}, line {number}: is written in another way than a data set is. {ELSE}")
