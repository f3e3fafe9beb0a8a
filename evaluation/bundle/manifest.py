"""What a bundle says of itself: the study, who signs, by what code its numbers were computed, and each part
with its size and sha256. The signature is over its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from common import strict_json
from common.errors import BadInput
from common.tables import json
from evaluation.bundle.archive import MANIFEST

VERSION = 1
HEX = set("0123456789abcdef")


class Part(NamedTuple):
    """A file of the bundle: its name, its size in bytes, its sha256 in hexadecimal digits."""

    name: str
    size: int
    sha256: str


class Manifest(NamedTuple):
    """The manifest as values.

    slug, title, task: of the study.
    signer: how whoever signed calls themselves, may be empty; fingerprint: of their key.
    computed: when the report was made; resamples, weighting: how.
    licence: of the data set.
    release, measures, sources: of the code: its number, the version that the report prints, and a digest of
        all its sources.
    parts: all files but those of the seal.
    """

    slug: str
    title: str
    task: str
    signer: str
    fingerprint: str
    computed: datetime
    resamples: int
    weighting: str
    licence: str
    release: str
    measures: str
    sources: str
    parts: tuple[Part, ...]


def written(found: Manifest) -> bytes:
    """Return the manifest as the file that is signed."""
    data = {
        "bundle_version": VERSION,
        "study": {"slug": found.slug, "title": found.title, "task": found.task},
        "signer": {"name": found.signer, "key": found.fingerprint},
        "report": {
            "computed": found.computed.isoformat(),
            "resamples": found.resamples,
            "weighting": found.weighting,
        },
        "licence": found.licence,
        "code": {"release": found.release, "measures": found.measures, "sources": found.sources},
        "parts": [{"name": each.name, "bytes": each.size, "sha256": each.sha256} for each in found.parts],
    }
    return json.written(data).encode()


def read(content: bytes) -> Manifest:
    """Return what the file says. Raises BadInput, with the field, where it is none of this version."""
    data = _loaded(content)
    if data.get("bundle_version") != VERSION:
        raise BadInput(
            f"{MANIFEST}: bundle_version must be {VERSION}: another version of Variorum reads this bundle."
        )
    study, signer, report, code = (_object(data, name) for name in ("study", "signer", "report", "code"))
    return Manifest(
        slug=_text(study, "study.slug"),
        title=_text(study, "study.title"),
        task=_text(study, "study.task"),
        signer=_text(signer, "signer.name"),
        fingerprint=_text(signer, "signer.key"),
        computed=_moment(report, "report.computed"),
        resamples=_count(report, "report.resamples", 1),
        weighting=_text(report, "report.weighting"),
        licence=_text(data, "licence"),
        release=_text(code, "code.release"),
        measures=_text(code, "code.measures"),
        sources=_text(code, "code.sources"),
        parts=_parts(data.get("parts")),
    )


def _loaded(content: bytes) -> Mapping[str, Any]:
    try:
        data = strict_json.loads(content.decode(), _refuse("twice"), _refuse("as a number"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{MANIFEST} is no JSON that can be read: {error}.") from None
    if not isinstance(data, dict):
        raise BadInput(f"{MANIFEST} is no object.")
    return data


def _refuse(how: str) -> Callable[[str], Any]:
    def refuse(what: str) -> Any:
        raise ValueError(f"{what[:40]!r} stands there {how}")

    return refuse


def _object(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    if not isinstance(found, dict):
        raise BadInput(f"{MANIFEST}: {name} must be an object.")
    return found


def _text(data: Mapping[str, Any], path: str) -> str:
    found = data.get(path.rpartition(".")[2])
    if not isinstance(found, str) or len(found) > 1000:
        raise BadInput(f"{MANIFEST}: {path} must be a text.")
    return found


def _count(data: Mapping[str, Any], path: str, least: int) -> int:
    found = data.get(path.rpartition(".")[2])
    if not isinstance(found, int) or isinstance(found, bool) or not least <= found < 2**63:
        raise BadInput(f"{MANIFEST}: {path} must be a whole number from {least}.")
    return found


def _moment(data: Mapping[str, Any], path: str) -> datetime:
    try:
        found = datetime.fromisoformat(_text(data, path))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise BadInput(f"{MANIFEST}: {path} must be a time with its zone, as 2026-03-01T12:00:00+00:00.")
    return found


def _parts(found: Any) -> tuple[Part, ...]:
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadInput(f"{MANIFEST}: parts must be a list of objects.")
    parts = []
    for number, each in enumerate(found, 1):
        where = f"parts.{number}"
        digest = _text(each, f"{where}.sha256")
        if len(digest) != 64 or not HEX.issuperset(digest):
            raise BadInput(f"{MANIFEST}: {where}.sha256 must be 64 hexadecimal digits.")
        parts.append(Part(_text(each, f"{where}.name"), _count(each, f"{where}.bytes", 0), digest))
    names = [each.name for each in parts]
    if len(set(names)) < len(names):
        raise BadInput(f"{MANIFEST}: {strict_json.first_repeated(names)} stands among the parts twice.")
    return tuple(parts)
