"""A file that was sent with a form, as a path that loading can read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from django.template.defaultfilters import filesizeformat

from common.errors import BadField, BadInput

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

LARGEST_FILE = 5 * 2**20
"""Bytes: some ten thousand topics. The commands take larger files."""
LONGEST_NAME = 60
"""Characters of the name of a file, the last: with more a folder may not take it."""


@contextmanager
def as_path(upload: UploadedFile[bytes], command: str) -> Iterator[Path]:
    """Give a file under its name while it is read; what is wrong in it is said beside the field `file`.

    Raises:
        BadField: it is packed, or larger than `LARGEST_FILE`; `command` names what takes larger ones.
    """
    if str(upload.name).endswith(".gz"):
        raise BadField("file", "The file is packed: unpack it first. The command reads packed files.")
    if upload.size and upload.size > LARGEST_FILE:
        raise BadField(
            "file",
            f"The file has {filesizeformat(upload.size)}; at most {filesizeformat(LARGEST_FILE)} are taken "
            f"here. The command {command} takes larger ones.",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(str(upload.name)).name[-LONGEST_NAME:]
        path.write_bytes(upload.read())
        try:
            yield path
        except BadField:
            raise
        except BadInput as error:
            raise BadField("file", str(error)) from None
