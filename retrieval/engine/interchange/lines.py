"""A file read line by line: never more than one line of it at a time."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from common.errors import BadInput

LONGEST_LINE = 16 * 2**20
"""Bytes of a line: a document of two million words fits; a file without line breaks does not fill memory."""
BLOCK = 2**16
"""Bytes that `whole_lines` gives at once, if no line is longer."""
_POINTER = b"version https://git-lfs.github.com/spec"
_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks with which files in UTF-16 begin, and no text in UTF-8 does."""


class Line(NamedTuple):
    """One line of a file.

    number: from 1.
    text: without its line break.
    end: bytes of the (unpacked) file up to and with this line.
    """

    number: int
    text: str
    end: int


def printable(path: Path) -> str:
    """Return the name of a file in characters that every terminal and every table can hold."""
    return path.name.encode("utf-8", "backslashreplace").decode()


Wrong = Callable[[int, str], BadInput]
"""Makes the error that is raised for a line, from its number and from what is wrong with it."""


def wrong_in(name: str) -> Wrong:
    """Return the function that says what is wrong in this file."""

    def wrong(number: int, sentence: str) -> BadInput:
        return BadInput(f"{name}, line {number:,}: {sentence}")

    return wrong


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked where its name ends in .gz.

    Raises:
        BadInput: it cannot be read, or is a pointer to a file kept elsewhere.
    """
    _check_kind(path)
    try:
        packed = path.suffix == ".gz"
        with cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb") as stream:
            if stream.read(len(_POINTER)) == _POINTER:
                raise BadInput(
                    f"{printable(path)} is no data but a Git-LFS pointer to them: fetch the file itself "
                    "(git lfs pull)."
                )
            stream.seek(0)
            yield stream
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise _not_whole(printable(path), error) from None
    except OSError as error:
        raise _unreadable(path, error) from None


def sha256(path: Path) -> str:
    """Return the digest of a file as it is on disk. Raises `BadInput` where it cannot be read."""
    _check_kind(path)
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from None


def _check_kind(path: Path) -> None:
    """Raise `BadInput` for a pipe or a device: whoever waits for the end of one may wait for ever."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise BadInput(f"{printable(path)} cannot be read: it is a pipe or a device; a file was expected.")


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"{printable(path)} cannot be read: {error.strerror or error}.")


def _not_whole(name: str, error: Exception) -> BadInput:
    return BadInput(f"{name} is not a whole gzip file: {error}.")


def position(stream: IO[bytes]) -> int:
    """Return how many bytes of the file on disk are read: of a packed one, packed bytes."""
    on_disk: IO[bytes] = getattr(stream, "fileobj", None) or stream
    return on_disk.tell()


def lines(stream: IO[bytes], name: str, *, begin: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the lines of a stream; blank ones too.

    Line breaks are \\n and \\r\\n alone: U+2028 is allowed within a JSON string.

    Args:
        stream: Open for reading at its beginning.
        name: Of the file, for errors.
        begin: Bytes to pass over: the `end` of the last line that was read before.
        number: The number of that line.

    Raises:
        BadInput: a line is not UTF-8, holds a null character, or is longer than `LONGEST_LINE`; or the packed
            file is not whole.
    """
    wrong = wrong_in(name)
    stream.seek(begin)
    end = begin
    while raw := _read(lambda: stream.readline(LONGEST_LINE + 1), name):
        number += 1
        if len(raw) > LONGEST_LINE:
            raise wrong(number, f"longer than {LONGEST_LINE // 2**20} MB; one line a document was expected.")
        end += len(raw)
        body = raw.removeprefix(_MARK) if number == 1 else raw
        yield Line(number, _text(body.rstrip(b"\r\n"), number, wrong), end)


def whole_lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield what is left of a stream, so many whole lines at a time as come to about `BLOCK` bytes.

    Raises:
        BadInput: the packed file is not whole.
    """

    def some() -> bytes:
        raw = stream.read(BLOCK)
        return raw if raw.endswith(b"\n") else raw + stream.readline(LONGEST_LINE + 1)

    while raw := _read(some, name):
        yield raw


def _read(some: Callable[[], bytes], name: str) -> bytes:
    try:
        return some()
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise _not_whole(name, error) from None


def _looks_like_utf_16(raw: bytes) -> bool:
    """Return whether every second byte is null, as in Latin letters of UTF-16 without a mark."""
    return len(raw) >= 4 and (not any(raw[::2]) or not any(raw[1::2]))


def _text(raw: bytes, number: int, wrong: Wrong) -> str:
    if number == 1 and (raw.startswith(UTF_16) or _looks_like_utf_16(raw)):
        raise wrong(number, "the file is UTF-16; save it as UTF-8.")
    if b"\0" in raw:
        raise wrong(number, "holds a null character; text was expected.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong(
            number, f"byte {error.start + 1} is not UTF-8 (0x{raw[error.start]:02x}); save the file as UTF-8."
        ) from None
