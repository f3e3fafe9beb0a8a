"""What the lines of every file of items have in common, and how strictly they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import IO, Any, NoReturn, TypeVar

from annotation.models import Kind
from annotation.tasktypes import passage
from common import strict_json
from common.errors import BadInput

LONGEST_ID, LONGEST_EXPLANATION = 200, 10_000
LONGEST_LINE = 16 * 2**20
"""Bytes of one line, which stands in memory as a whole."""
KINDS = tuple(Kind.values)
BOM = b"\xef\xbb\xbf"
Source = bytes | IO[bytes]
"""A file of lines: its bytes, or an open file that can be read from its beginning more than once."""
Line = tuple[str, dict[str, Any]]
"""A line's place in the file, and its object."""
T = TypeVar("T")


def begun(source: Source) -> IO[bytes]:
    """Return a source as a file that stands at its beginning, behind the mark that some editors put there."""
    file = BytesIO(source) if isinstance(source, bytes) else source
    file.seek(0)
    if file.read(len(BOM)) != BOM:
        file.seek(0)
    return file


def json_lines(source: Source, name: str, *, nan: bool = False) -> Iterator[Line]:
    """Yield each line's place in the file and its object; empty lines are skipped.

    `nan`: NaN and Infinity are read as numbers, for a reader that says in which field they stand.

    Raises `BadInput` for a line that is no JSON object, or longer than `LONGEST_LINE`.
    """
    for line in lines_or_complaints(source, name, nan=nan):
        if isinstance(line, BadInput):
            raise line
        yield line


def lines_or_complaints(source: Source, name: str, *, nan: bool = False) -> Iterator[Line | BadInput]:
    """Yield what `json_lines` does, and in the place of a wrong line what is wrong with it.

    The last is of a line that is no text or has no end: then it is the file that is wrong.
    """
    # Line by line: a file may hold a million, and its text would stand in memory beside it.
    file, number = begun(source), 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        where = f"{name}, line {number}"
        if len(raw) > LONGEST_LINE:
            yield BadInput(
                f"{where}: is longer than {LONGEST_LINE >> 20} MB. Each line is one item: is the end of a "
                "line missing?"
            )
            return
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            yield BadInput(f"{where}: is not UTF-8 text. Save the file as UTF-8.")
            return
        if not line.strip():
            continue
        try:
            yield where, json_object(line.removesuffix("\n"), where, float if nan else None)
        except BadInput as error:
            yield error


def each_read(
    lines: Iterable[Line | BadInput], read: Callable[[str, dict[str, Any]], Iterable[T]]
) -> Iterator[T | BadInput]:
    """Yield what is read of each line, and in the place of a wrong one what is wrong with it."""
    for line in lines:
        if isinstance(line, BadInput):
            yield line
            continue
        try:
            found = list(read(*line))
        except BadInput as error:
            yield error
        else:
            yield from found


def json_object(line: str, where: str, no_number: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """Read one line as a JSON object. Raises `BadInput` where it is none, or holds NaN or Infinity, unless
    `no_number` makes something of these.
    """
    try:
        fields = strict_json.loads(line, _twice, no_number or _no_number)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: is not JSON ({error}). Each line is one object.") from None
    if not isinstance(fields, dict):
        raise BadInput(f"{where}: must be a JSON object, one item a line.")
    return fields


def _twice(name: str) -> NoReturn:
    raise ValueError(f"the field {name!r:.60} stands twice")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def kind_of(fields: dict[str, Any], where: str) -> str:
    """Return the kind of item that a line names, work without a name. Raises `BadInput`."""
    kind = fields.get("kind", Kind.WORK)
    if kind not in KINDS:
        raise BadInput(f"{where}, field “kind”: must be one of {', '.join(KINDS)}.")
    return str(kind)


def provenance_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return what a line holds beside the payload: `id`, and `explanation`, which is shown after practice."""
    found = {}
    for name, longest in (("id", LONGEST_ID), ("explanation", LONGEST_EXPLANATION)):
        if fields.get(name) is not None:
            passage.check_text(fields[name], name, longest)
            found[name] = fields[name]
    return found
