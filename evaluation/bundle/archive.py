"""The file itself: a zip that is written byte for byte alike, and read as if somebody hostile had made it."""

from __future__ import annotations

import hashlib
import re
import shutil
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from common.errors import BadInput

MANIFEST, SIGNATURE, KEY = "manifest.json", "manifest.sig", "key.pem"
SEAL = (MANIFEST, SIGNATURE, KEY)
"""What the manifest does not list: itself, its signature, and the public key."""
MOST_SEAL = 16 * 2**20
"""Bytes of a part of the seal."""
MOST_PARTS = 20_000
MOST_BYTES = 64 * 2**30
LOOSELY, MOST_RATIO = 64 * 2**20, 200
"""Up to 64 MiB unpack to whatever they are; more than that to at most 200 times the size of the file.
JSON Lines of judgments shrink to a thirtieth, zeros to a thousandth."""
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
CHUNK = 2**20
EPOCH = (1980, 1, 1, 0, 0, 0)
ENCRYPTED = 0x1

Sizes = Mapping[str, int]


def write(out: IO[bytes], parts: Iterable[tuple[str, Path | bytes]]) -> None:
    """Write the parts in the order in which they come; the same parts give the same bytes."""
    with ZipFile(out, "w") as made:
        for name, content in parts:
            info = ZipInfo(name, EPOCH)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            info.create_system = 3
            info.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
            with made.open(info, "w") as part:
                if isinstance(content, bytes):
                    part.write(content)
                else:
                    with content.open("rb") as file:
                        shutil.copyfileobj(file, part, CHUNK)


def sha256(content: Path | bytes) -> str:
    """Return the digest in hexadecimal digits."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Archive:
    """A bundle that is opened for reading: nothing of it is unpacked before its list of parts is sound."""

    def __init__(self, opened: ZipFile, parts: dict[str, ZipInfo]) -> None:
        self._opened, self._parts = opened, parts

    @property
    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of every part, as the zip says it."""
        return {name: info.file_size for name, info in self._parts.items()}

    def read(self, name: str) -> bytes:
        """Return a part of the seal. Raises BadInput where it is missing, too large or broken."""
        if name not in self._parts:
            raise BadInput(f"{name} is missing: this is no bundle, or not all of one.")
        if self._parts[name].file_size > MOST_SEAL:
            raise BadInput(f"{name} has more than {MOST_SEAL:,} bytes: no bundle has such a one.")
        return b"".join(self._chunks(name))

    def unpack(self, name: str, folder: Path) -> str:
        """Write a part below the folder, and return the sha256 of what was written."""
        digest, path = hashlib.sha256(), folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            for chunk in self._chunks(name):
                digest.update(chunk)
                file.write(chunk)
        return digest.hexdigest()

    def _chunks(self, name: str) -> Iterator[bytes]:
        """Yield what a part holds; it is refused as soon as it is more than was announced."""
        info, left = self._parts[name], self._parts[name].file_size
        try:
            with self._opened.open(info) as part:
                while chunk := part.read(CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise BadInput(f"{name} unpacks to more bytes than the file says.")
                    yield chunk
        except (BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise BadInput(f"{name} cannot be unpacked: {error}.") from None
        if left:
            raise BadInput(f"{name} unpacks to {left:,} bytes fewer than the file says.")


@contextmanager
def reading(path: Path) -> Iterator[Archive]:
    """Open a bundle. Raises BadInput, with what is wrong, for a file that is none or that does harm."""
    try:
        with ZipFile(path) as opened:
            yield Archive(opened, _sound(opened, path.stat().st_size))
    except (BadZipFile, UnicodeDecodeError, NotImplementedError) as error:
        raise BadInput(f"{path.name} is no zip file that can be read: {error}.") from None
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror or error}.") from None


def _sound(opened: ZipFile, size: int) -> dict[str, ZipInfo]:
    """Return the parts by name, when each is such as a bundle has."""
    infos = opened.infolist()
    if len(infos) > MOST_PARTS:
        raise BadInput(f"{len(infos):,} parts are too many: a bundle has at most {MOST_PARTS:,}.")
    parts: dict[str, ZipInfo] = {}
    folded: dict[str, str] = {}
    for info in infos:
        for wrong, sentence in _WRONG:
            if wrong(info):
                raise BadInput(f"{_shown(info.orig_filename)}: {sentence}.")
        if info.filename.lower() in folded:
            other = folded[info.filename.lower()]
            also = "" if other == info.filename else f" ({other} and {info.filename})"
            raise BadInput(f"{info.filename} stands in the file twice{also}.")
        folded[info.filename.lower()] = info.filename
        parts[info.filename] = info
    total = sum(info.file_size for info in infos)
    if total > min(MOST_BYTES, max(LOOSELY, MOST_RATIO * size)):
        raise BadInput(
            f"{size:,} bytes would unpack to {total:,}: no bundle shrinks so far, so nothing is unpacked."
        )
    if opened.comment or min((info.header_offset for info in infos), default=0):
        raise BadInput("The file holds more than its parts: something stands before or behind them.")
    return parts


_WRONG: tuple[tuple[Callable[[ZipInfo], object], str], ...] = (
    (
        lambda info: info.orig_filename != info.filename or not NAME.fullmatch(info.filename),
        "a part’s name has only letters A to z, digits, “.”, “_”, “-” and “/”, and leads to no folder above",
    ),
    (lambda info: len(info.filename) > 200, "a part’s name has at most 200 characters"),
    (lambda info: info.flag_bits & ENCRYPTED, "it is encrypted, and no part of a bundle is"),
    (
        lambda info: stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG),
        "it is a link or a device, and a bundle holds files alone",
    ),
    (lambda info: info.compress_type not in (ZIP_STORED, ZIP_DEFLATED), "it is packed in an unknown way"),
)


def _shown(name: str) -> str:
    """Return a name of which nothing steers a terminal."""
    return ascii(name[:80])
