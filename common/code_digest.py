"""Which code computed a result: a digest of its source files, which is there without version control."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def source_files(*modules: ModuleType) -> list[Path]:
    """Return the files of these modules; a package stands for every module in it, at any depth."""
    files: set[Path] = set()
    for module in modules:
        folders = map(Path, getattr(module, "__path__", ()))
        files.update(file for folder in folders for file in folder.rglob("*.py"))
        files.add(Path(module.__file__ or ""))
    return sorted(files)


def code_digest(*modules: ModuleType) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the modules' paths and sources."""
    digest = hashlib.sha256()
    for file in source_files(*modules):
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
