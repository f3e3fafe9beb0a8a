"""The files inside an EPUB or a DOCX, read with a limit: a small archive can hold more than a machine has."""

import io
import zipfile
from typing import Self

from common.errors import BadInput

MOST_FILES = 5_000
LARGEST, LARGEST_IN_ALL = 64 * 2**20, 256 * 2**20
"""Bytes of one file and of all that are read; the longest novels are about 4 MB."""


class Archive:
    """A ZIP file. What its directory says of sizes is not believed: reading stops at the limit."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._left = LARGEST_IN_ALL
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise BadInput(f"{name} is a damaged ZIP archive; save or download it again.") from None
        self.names = frozenset(self._zip.namelist())
        if len(self._zip.infolist()) > MOST_FILES:
            raise BadInput(
                f"{name} holds more than {MOST_FILES:,} files, which no book does; it was not read."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, member: str) -> bytes:
        """Return the bytes of a file of the archive.

        Raises:
            BadInput: it is not there, damaged or protected, or larger than any text.
        """
        most = min(LARGEST, self._left)
        try:
            with self._zip.open(member) as file:
                data = file.read(most + 1)
        except KeyError:
            raise BadInput(f"{self.name} holds no {member}, which its format needs; save it again.") from None
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError):
            raise BadInput(f"{self.name}: {member} is damaged or protected; save it again.") from None
        except Exception as error:  # noqa: BLE001 - zlib.error and lzma's have no common ancestor
            raise BadInput(f"{self.name}: {member} cannot be unpacked ({error}); save it again.") from None
        if len(data) > most:
            raise BadInput(
                f"{self.name}: {member} unpacks to more than {most // 2**20} MB, which no text needs; "
                "it was not read."
            )
        self._left -= len(data)
        return data
