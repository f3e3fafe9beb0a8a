"""Which files of the data directory belong in a backup: what nobody could make again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from retrieval.models import Checkpoint

FOLDERS = ("checkpoints", "training", "uploads", "words")
"""Left out: collected files, vectors and indexes, which are made again, and what says who runs."""


def kept() -> Iterator[Path]:
    """Yield the files to back up, in one order. Links are not followed."""
    for folder in FOLDERS:
        found = (Path(settings.DATA_DIR) / folder).rglob("*")
        yield from sorted(each for each in found if each.is_file() and not each.is_symlink())


def elsewhere() -> list[str]:
    """Return, in sentences, which registered checkpoints lie outside the data directory."""
    home = Path(settings.DATA_DIR).resolve()
    return [
        f"The checkpoint {each.slug} lies in {each.place}, outside the data directory: back it up yourself."
        for each in Checkpoint.objects.order_by("slug")
        if not each.place.resolve().is_relative_to(home)
    ]


def occupied() -> list[str]:
    """Return the names of what lies in the data directory and a restored backup would be mixed with."""
    home = Path(settings.DATA_DIR)
    return sorted(name for name in FOLDERS if any((home / name).glob("*")))
