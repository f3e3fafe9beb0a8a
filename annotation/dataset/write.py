"""A study → a data set: a folder that appears when it is whole, or a zip file that is sent as it is made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.contrib.auth.models import User

from annotation.dataset.files import files
from annotation.models import Study
from annotation.record.exporting import note_export
from common.errors import BadInput

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def write_dataset(study: Study, folder: Path, *, licence: str = "", parquet: bool = True) -> None:
    """Write a study as a data set into a folder that is empty or absent; it appears when it is whole.

    The same state of a study gives the same bytes. `licence`: an SPDX id. `parquet`: with the tables as
    Parquet. Raises `BadInput` for a folder that holds something, or cannot be written.
    """
    folder = folder.absolute()
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput(f"{folder}: holds something already; name a folder that is empty, or a new one.")
        part.mkdir(parents=True)
        for path, pieces in files(study, licence, parquet=parquet):
            target = part / path
            target.parent.mkdir(exist_ok=True)
            with target.open("wb") as file:
                file.writelines(pieces)
        part.replace(folder)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written ({error.strerror}).") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def record_export(study: Study, *, by: User | None, licence: str) -> None:
    """Note in the record that a data set was made."""
    note_export(study, by=by, format="dataset", licence=licence)


class Sent(RawIOBase):
    """What a zip file is written to: it keeps what was written until that is taken."""

    def __init__(self) -> None:
        self.held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: ReadableBuffer, /) -> int:
        self.held.append(bytes(piece))
        return len(self.held[-1])

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        found = b"".join(self.held)
        self.held.clear()
        return found


def zipped(study: Study, *, licence: str = "", parquet: bool = True) -> Iterator[bytes]:
    """Yield a data set as a zip file, as it is made: the first bytes come before the first rows."""
    sent = Sent()
    with ZipFile(sent, "w", ZIP_DEFLATED) as archive:
        for path, pieces in files(study, licence, parquet=parquet):
            about = ZipInfo(f"{study.slug}/{path}")
            about.compress_type, about.external_attr = ZIP_DEFLATED, 0o644 << 16
            with archive.open(about, "w", force_zip64=True) as file:
                # The head of a file leaves before its rows are read: who waits sees the download begin.
                yield sent.taken()
                for piece in pieces:
                    file.write(piece)
                    if found := sent.taken():
                        yield found
    yield sent.taken()
