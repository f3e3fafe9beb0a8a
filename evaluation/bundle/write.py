"""A study, its data set and its report as one signed file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import IO, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User

from annotation.dataset.snapshot import one_state
from annotation.dataset.write import write_dataset
from annotation.models import Event, Study
from common.progress import Progress, silent
from common.tables import json
from evaluation.bundle import archive, keys, manifest
from evaluation.bundle.archive import KEY, MANIFEST, SIGNATURE
from evaluation.bundle.environment import environment, sources
from evaluation.bundle.keys import PublicKey
from evaluation.bundle.manifest import Manifest, Part
from evaluation.bundle.reports import Asked, written
from evaluation.report.compute import code_version

DATA = "dataset/"
ENVIRONMENT, README = "environment.json", "README.md"
TEXT = """# {title}

A bundle of Variorum {release}: the data set of the study “{slug}” (`dataset/`), its report in every format
(`report/`), what it was computed with (`environment.json`), and a signed list of all of that
(`manifest.json`, `manifest.sig`, `key.pem`).

To check it, with Variorum {release} installed (`pip install .` in its sources):

    variorum-verify FILE

This computes every cell of the report again from the data set, and says whose key signed. Its key:

    {fingerprint}
"""


def readme(title: str, slug: str, release: str, fingerprint: str) -> bytes:
    """Return README.md of a bundle."""
    return TEXT.format(title=title, slug=slug, release=release, fingerprint=fingerprint).encode()


class Bundled(NamedTuple):
    """What was written: how many parts, and the fingerprint of the key that signed."""

    parts: int
    fingerprint: str


def write_bundle(
    study: Study,
    out: IO[bytes],
    asked: Asked,
    *,
    licence: str,
    by: User | None,
    progress: Progress = silent,
) -> Bundled:
    """Write the bundle, and note it in the study's record. The same study, time and key give the same bytes.

    Raises BadInput for a weighting that the report does not have, and for a key that cannot be read.
    """
    key = keys.own()
    public = keys.public(key)
    with tempfile.TemporaryDirectory(prefix="variorum-bundle-") as temporary:
        parts = sorted(_made(study, asked, Path(temporary), licence, public, progress), key=itemgetter(0))
        progress(2, 3, "file")
        signed = manifest.written(
            Manifest(
                slug=study.slug,
                title=study.title,
                task=study.task,
                signer=settings.SIGNER,
                fingerprint=public.fingerprint,
                computed=asked.computed,
                resamples=asked.resamples,
                weighting=asked.weighting,
                licence=licence,
                release=settings.VERSION,
                measures=code_version(),
                sources=sources(),
                parts=tuple(_part(name, content) for name, content in parts),
            )
        )
        archive.write(out, ((MANIFEST, signed), (SIGNATURE, key.sign(signed)), (KEY, public.pem), *parts))
    data = {"format": "bundle", "key": public.fingerprint}
    Event.objects.create(study=study, actor=by, verb="export", data=data)
    progress(3, 3, "done")
    return Bundled(len(parts), public.fingerprint)


def _made(
    study: Study, asked: Asked, folder: Path, licence: str, key: PublicKey, progress: Progress
) -> Iterator[tuple[str, Path | bytes]]:
    """Yield all parts but those of the seal; data set and report are of one state of the database."""
    with one_state():
        progress(0, 3, "data set")
        write_dataset(study, folder / DATA, licence=licence, parquet=False)
        progress(1, 3, "report")
        yield from ((name, text.encode()) for name, text in written(study, asked))
        yield ENVIRONMENT, json.written(environment()).encode()
    yield README, readme(study.title, study.slug, settings.VERSION, key.fingerprint)
    yield from _files(folder)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file below the folder with its name in the bundle."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def _part(name: str, content: Path | bytes) -> Part:
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return Part(name, size, archive.sha256(content))
