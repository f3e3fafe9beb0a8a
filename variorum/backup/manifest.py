"""What a backup says of itself: when, by which version, what is in it, and the SHA-256 of each part."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from common.errors import BadInput

FORM = "variorum backup 1"


@dataclass
class Manifest:
    """The manifest.

    form: name and version of this form.
    version: of the program that wrote the backup.
    taken: the instant of the snapshot, ISO 8601, UTC.
    database: sqlite or postgresql.
    migrations: the last one of each app, as `app.name`.
    rows: rows by table.
    head: the head of the record's chain at that instant.
    keys: how keys are in it: "none" or "encrypted".
    parts: by name, size in bytes and SHA-256.
    missing: what belongs to the installation and is not in it, in sentences.
    """

    version: str
    taken: str
    database: str
    migrations: list[str]
    head: str
    form: str = FORM
    keys: str = "none"
    rows: dict[str, int] = field(default_factory=dict)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def as_json(self) -> bytes:
        """Return the manifest as a file."""
        return (json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def read(data: bytes, name: str) -> Manifest:
    """Return the manifest of a backup. Raises `BadInput` for what is none."""
    try:
        said = json.loads(data)
        found = Manifest(**said)
        parts = found.parts.values()
        for value in (found.migrations, found.missing, list(found.rows.keys())):
            if type(value) is not list or {type(each) for each in value} - {str}:
                raise TypeError
        if not all({"bytes", "sha256"} <= set(each) for each in parts):
            raise TypeError
    except (ValueError, TypeError, AttributeError):
        raise BadInput(f"{name} is no backup: its manifest cannot be read.") from None
    if found.form != FORM:
        raise BadInput(f"{name} is of the form {found.form!r}; this version reads {FORM!r}.")
    return found
