"""ro-crate-metadata.json: the data set as an RO-Crate 1.1 (https://w3id.org/ro/crate/1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from annotation.dataset.columns import TABLES
from annotation.dataset.describing.package import MEDIA, Written

NAME = "ro-crate-metadata.json"
SPEC = "https://w3id.org/ro/crate/1.1"


def crate(said: Mapping[str, Any], files: Mapping[str, Written]) -> dict[str, Any]:
    """Return the metadata; `said`: what study.json says."""
    meanings = {path: each.meaning for each in TABLES for path in (each.path, each.parquet)}
    parts = [part(path, files[path], meanings.get(path, "")) for path in sorted(files)]
    about: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": said["title"],
        "description": f"A study of the task “{said['task_label']}”: {said['asks']}",
        "datePublished": (said["closed"] or said["opened"] or said["created"])[:10],
        "hasPart": [{"@id": each["@id"]} for each in parts],
    }
    graph: list[dict[str, Any]] = [
        {"@id": NAME, "@type": "CreativeWork", "conformsTo": {"@id": SPEC}, "about": {"@id": "./"}},
        about,
    ]
    if said["licence"]:
        where = f"https://spdx.org/licenses/{said['licence']}"
        about["license"] = {"@id": where}
        graph.append({"@id": where, "@type": "CreativeWork", "name": said["licence"]})
    else:
        about["license"] = "None was chosen."
    return {"@context": f"{SPEC}/context", "@graph": [*graph, *parts]}


def part(path: str, file: Written, meaning: str) -> dict[str, Any]:
    """Return a file of the crate."""
    found = {
        "@id": path,
        "@type": "File",
        "contentSize": str(file.bytes),
        "encodingFormat": MEDIA[PurePath(path).suffix],
        "sha256": file.sha256,
    }
    return {**found, "description": meaning} if meaning else found
