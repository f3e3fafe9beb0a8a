"""A report computed again from a data set alone, in a database that lives as long as the check."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.apps import apps
from django.db import connection

from annotation.dataset.read import read_dataset
from annotation.dataset.write import write_dataset
from annotation.models import Study
from common.progress import Progress, silent
from evaluation.bundle.reports import Asked, written


def make_tables() -> None:
    """Make the tables of all models, straight from the models, in an empty database."""
    with connection.schema_editor() as editor:
        for model in apps.get_models():
            editor.create_model(model)


def recomputed(data: Path, asked: Asked, progress: Progress = silent) -> tuple[Study, dict[str, str]]:
    """Return the study as it was read, and the files of its report by name.

    Raises BadInput, with file and line, for a data set that cannot be read.
    """
    study = read_dataset(data, None, progress)
    progress(0, 1, "numbers")
    return study, dict(written(study, asked))


def first_unlike(study: Study, data: Path, licence: str) -> str:
    """Return where the data set differs from what is written when it is read in and written out again; empty
    where it does not. What a person may read in one of its files is what the numbers were computed from.
    """
    with tempfile.TemporaryDirectory(prefix="variorum-verify-") as temporary:
        again = Path(temporary) / "data"
        write_dataset(study, again, licence=licence, parquet=False)
        for name in sorted({*_names(data), *_names(again)}):
            if not (again / name).is_file():
                return f"dataset/{name} is no file of such a data set"
            if not (data / name).is_file():
                return f"dataset/{name} is missing"
            if where := _first_line(data / name, again / name):
                return f"dataset/{name}, {where}"
    return ""


def _names(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def _first_line(shipped: Path, again: Path) -> str:
    """Return the first line that differs, with what stands there; empty where none does."""
    with shipped.open("rb") as one, again.open("rb") as other:
        number = 0
        while True:
            number += 1
            mine, theirs = one.readline(), other.readline()
            if mine != theirs:
                return f"line {number}: shipped {_some(mine)}, written again {_some(theirs)}"
            if not mine:
                return ""


def _some(line: bytes) -> str:
    return ascii(line[:200].decode(errors="replace").rstrip("\n")) if line else "nothing"
