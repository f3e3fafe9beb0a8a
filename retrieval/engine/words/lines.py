"""The lines of a file on words: plain or gzip, as bytes, with their numbers; damage is refused."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from common.errors import BadInput
from common.progress import Progress, silent

GZIP, ZIP, BOM = b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
LONGEST_LINE = 2**20
"""Bytes: vectors of 4,096 numbers, each of 20 characters, take 80 kB."""
TOLD_EVERY = 1_000
"""Lines between two words of progress."""
KB = 1_000


class Line(NamedTuple):
    """One line of a file.

    number: from 1.
    text: without the end of the line.
    ended: whether there was one: a last line without may have been cut.
    """

    number: int
    text: bytes
    ended: bool


def lines(path: Path, progress: Progress = silent) -> Iterator[Line]:
    """Yield the lines of a file. Only the line feed ends a line: words may hold any other white space.

    `progress` is told how many kB of the file are read, of how many.

    Raises:
        BadInput: the file cannot be read, is an archive or damaged, or a line is far too long.
    """
    number = 0
    try:
        with path.open("rb") as raw:
            total = path.stat().st_size // KB + 1
            for number, text in enumerate(_raw_lines(raw, path.name), start=1):
                if number % TOLD_EVERY == 1:
                    progress(min(raw.tell() // KB, total), total, "Reading kB")
                yield Line(number, text.rstrip(b"\r\n"), text.endswith(b"\n"))
            progress(total, total, "Reading kB")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise BadInput(f"{path.name} is damaged after line {number}: fetch it again, whole.") from None
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror or error}.") from None


def decoded(line: Line, path: Path) -> str:
    """Return a line as text. Raises `BadInput` where it is not UTF-8."""
    try:
        return line.text.decode()
    except UnicodeDecodeError:
        raise BadInput(f"Line {line.number} of {path.name} is not UTF-8: save the file as UTF-8.") from None


def _raw_lines(raw: IO[bytes], name: str) -> Iterator[bytes]:
    begin = raw.read(4)
    raw.seek(0)
    if begin == ZIP:
        raise BadInput(f"{name} is a zip archive: unpack it, and give the file that lies in it.")
    if begin[:2] in UTF_16:
        raise BadInput(f"{name} is not UTF-8: save it as UTF-8.")
    file = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if begin[:2] == GZIP else raw
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise BadInput(
                f"Line {number} of {name} has more than {LONGEST_LINE:,} bytes: it is no text file of words."
            )
        yield text.removeprefix(BOM) if number == 1 else text
