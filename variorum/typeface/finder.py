"""Where Django finds the faces, whether files are collected or served as they are in development."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.files.storage import FileSystemStorage

from variorum.typeface import subsets

PREFIX = "annotation/fonts"


class TypefaceFinder(FileSystemFinder):
    """Finds faces below `annotation/fonts/`, beside the style sheet that names them; makes them if needed.

    They are made into the folder `typeface` of the data directory, some seconds the first time.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.folder = settings.DATA_DIR / "typeface"
        storage = FileSystemStorage(location=self.folder)
        storage.prefix = PREFIX  # type: ignore[attr-defined]
        self.locations = [(PREFIX, str(self.folder))]
        self.storages = {str(self.folder): storage}

    def check(self, **kwargs: Any) -> list[Any]:
        """Return no faults: there is no setting of it that could be wrong."""
        return []

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        """Yield every face, for collecting."""
        subsets.make(self.folder)
        yield from super().list(ignore_patterns)

    def find(self, path: str, *args: Any, **kwargs: Any) -> Any:
        """Return where one lies, for development."""
        if path.startswith(f"{PREFIX}/"):
            subsets.make(self.folder)
        return super().find(path, *args, **kwargs)
