"""What the commands of this app share: where what they made is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.management.base import BaseCommand, CommandError

from annotation.management.commands.export import write

if TYPE_CHECKING:
    from common.pictures.paper import Drawn

PICTURES = ("svg", "png", "pdf")
"""Formats of pictures for print."""


def give(command: BaseCommand, pieces: Iterable[str], output: Path | None) -> None:
    """To the terminal, or to a file that appears when it is whole."""
    if output is None:
        for piece in pieces:
            command.stdout.write(piece, ending="")
        return
    write(output, pieces)
    command.stderr.write(f"Wrote {output}.")


@contextmanager
def needing_matplotlib() -> Iterator[None]:
    """Say what to install where it is missing: it is large, optional, and only pictures for print need it."""
    try:
        yield
    except ImportError as error:
        if error.name != "matplotlib":
            raise
        raise CommandError(
            "Figures need matplotlib: python -m pip install -r requirements-figures.txt"
        ) from None


def written(folder: Path, drawn: Iterable[Drawn], form: str) -> list[Path]:
    """Write pictures into a folder, a file each, and return the files."""
    files = {folder / f"{each.name}.{form}": each.data for each in drawn}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in files.items():
            path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{folder}: cannot be written ({error.strerror}).") from error
    return list(files)
