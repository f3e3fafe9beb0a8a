"""What the commands of this app share: where what they made is written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import BaseCommand

from annotation.management.commands.export import write


def give(command: BaseCommand, pieces: Iterable[str], output: Path | None) -> None:
    """To the terminal, or to a file that appears when it is whole."""
    if output is None:
        for piece in pieces:
            command.stdout.write(piece, ending="")
        return
    write(output, pieces)
    command.stderr.write(f"Wrote {output}.")
