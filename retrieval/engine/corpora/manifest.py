"""What stands in the manifest of an index: what it was built from, how, and the files that belong to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from common.errors import BadInput
from retrieval.engine.corpora.tokenising import TokenSettings

FORMAT = "corpus-index-1"
"""A change of the files, or of what stands in them, needs another name."""
NAME = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """The description of an index.

    documents: how many; their numbers count from 0 in the order in which they were given.
    terms: different terms.
    postings: pairs of a document and one of its terms.
    tokens: terms of all documents, repeated ones as often as they stand there.
    settings: what made terms of texts.
    source: what the caller says the texts are, such as the corpus and its digest; any JSON.
    texts_sha256: over all texts in their order; `blocks.text_digest` says how.
    made_with: version of each library that wrote the files.
    files: size in bytes and sha256 of each file, by name.
    """

    documents: int
    terms: int
    postings: int
    tokens: int
    settings: TokenSettings
    source: Mapping[str, Any]
    texts_sha256: str
    made_with: Mapping[str, str]
    files: Mapping[str, Mapping[str, Any]]

    @property
    def digest(self) -> str:
        """Return the sha256 of texts, settings and format: equal for indexes that find the same."""
        what = [FORMAT, self.texts_sha256, self.settings.as_json()]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write the manifest into the folder of its index."""
        whole = {"format": FORMAT, **asdict(self), "settings": self.settings.as_json()}
        (folder / NAME).write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read(folder: Path) -> Manifest:
    """Return the manifest of an index.

    Raises:
        BadInput: there is none, it is of another format, or it is damaged.
    """
    try:
        found = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"There is no index in {folder.name}; build it first.") from None
    except ValueError as error:
        raise BadInput(f"{folder.name}/{NAME} is not JSON: {error}; build the index again.") from None
    known = {field.name for field in fields(Manifest)}
    if not isinstance(found, dict) or found.get("format") != FORMAT or known - found.keys():
        raise BadInput(f"{folder.name}/{NAME} does not describe an index {FORMAT}; build the index again.")
    settings = TokenSettings.from_json(found["settings"])
    return Manifest(**{**{name: found[name] for name in known}, "settings": settings})


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Refuse an index of which a file is missing or cut short.

    Raises:
        BadInput: the message names the file.
    """
    for name, said in manifest.files.items():
        size = (folder / name).stat().st_size if (folder / name).is_file() else None
        if size != said["bytes"]:
            what = "is missing" if size is None else f"has {size:,} bytes"
            raise BadInput(
                f"{folder.name}/{name} {what}; it must have {said['bytes']:,} bytes: build the index again."
            )


def check_contents(folder: Path, manifest: Manifest) -> None:
    """Read every file and refuse an index of which one is not as it was written.

    Raises:
        BadInput: the message names the file.
    """
    check_sizes(folder, manifest)
    for name, said in manifest.files.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != said["sha256"]:
                raise BadInput(f"{folder.name}/{name} is not as it was written: build the index again.")
