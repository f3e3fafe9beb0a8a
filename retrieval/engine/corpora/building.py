"""Build the index of a corpus on disk, from a stream of its texts.

    first pass    texts to blocks of counts, in a folder beside the index's (`blocks`)
    second pass   blocks to the index's files, in the order of the terms (`merging`)
    last          the manifest; then the folder is moved into its place, whole

Nothing is readable before. A build that was interrupted goes on after its last block if it is started again
with the same settings and source, and begins anew otherwise. Memory does not grow with the documents but for
the vocabulary and 4 bytes a document.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.corpora import blocks, manifest, merging
from retrieval.engine.corpora.blocks import BlockWriter
from retrieval.engine.corpora.manifest import Manifest
from retrieval.engine.corpora.stemming import SNOWBALL
from retrieval.engine.corpora.tokenising import Tokeniser, TokenSettings

Texts = Callable[[int], Iterable[str]]
"""Called with a document's number; gives the texts of that document and all later ones, in order."""
_BEGUN = "begun.json"
LOOKS = 0.25
"""Seconds between two looks at what another process makes."""


def build(
    folder: Path,
    texts: Texts,
    number: int,
    *,
    settings: TokenSettings | None = None,
    source: Mapping[str, Any] | None = None,
    progress: Progress = silent,
    block_tokens: int = blocks.TOKENS,
) -> Manifest:
    """Build an index in `folder`, and return its manifest; one of the same that is there already is taken.

    Where another process is building it this one waits: it takes what that has made, or goes on after its
    last block where it was stopped.

    texts: gives the texts, from any document on; each is what is searched of the document, its title too.
    number: how many documents there are.
    settings: what makes terms of texts; the default keeps every word.
    source: what the texts are, stored as it is: any JSON, such as the slug and the digest of the corpus.
    progress: called after each block with documents counted, then with postings written, and while this waits
        for another process. It may raise to interrupt the build, which goes on from there when it is started
        again.
    block_tokens: a block ends with the document that reaches so many words.

    Raises:
        BadInput: something else is in the folder, there is no document or no term, or `texts` gave more or
            fewer than `number`.
    """
    settings, source = settings or TokenSettings(), dict(source or {})
    with turn(folder, partial(progress, 0, number)) as ours:
        if not ours:
            return _taken(folder, settings, source)
        staging = staged(folder)
        _begin(staging, {"format": manifest.FORMAT, "settings": settings.as_json(), "source": source})
        writer = BlockWriter(staging / "blocks", Tokeniser(settings), block_tokens)
        _count(writer, texts, number, progress)
        made = _merge(staging, writer, settings, source, progress)
        os.replace(staging / "index", folder)
        blocks.synced(folder.parent)
        shutil.rmtree(staging)
    return made


def staged(folder: Path) -> Path:
    """Return the folder in which an index is built before it is moved to `folder`; it may be deleted."""
    return folder.with_name(f"{folder.name}.building")


def _count(writer: BlockWriter, texts: Texts, number: int, progress: Progress) -> None:
    """The first pass, or what is left of it."""
    stage = "Counting words"
    progress(writer.reached.documents, number, stage)
    if writer.reached.documents < number:
        for reached in writer.write(texts(writer.reached.documents)):
            progress(reached.documents, number, stage)
    reached = writer.reached
    if reached.documents != number:
        shutil.rmtree(writer.folder)
        raise BadInput(
            f"The corpus has {number:,} documents and {reached.documents:,} came; "
            "load it again, then build its index anew."
        )
    if not reached.documents:
        raise BadInput("There is no document to index; a corpus needs at least one.")
    if not reached.terms:
        raise BadInput("No document has a term; a corpus needs at least one word that is no stop word.")


def _merge(
    staging: Path, writer: BlockWriter, settings: TokenSettings, source: dict[str, Any], progress: Progress
) -> Manifest:
    """The second pass, and the manifest."""
    folder, reached = staging / "index", writer.reached
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    files = merging.merge(blocks.folders(writer.folder), writer.terms, reached, folder, progress)
    made = Manifest(
        documents=reached.documents,
        terms=reached.terms,
        postings=reached.postings,
        tokens=reached.tokens,
        settings=settings,
        source=source,
        texts_sha256=reached.digest,
        made_with={"python": platform.python_version(), "numpy": np.__version__, "snowball": SNOWBALL},
        files=files,
    )
    made.write(folder)
    blocks.synced(folder / manifest.NAME)
    blocks.synced(folder)
    return made


def _begin(staging: Path, what: dict[str, Any]) -> None:
    """Keep what an earlier build left if it was of the same; delete it otherwise."""
    begun, text = staging / _BEGUN, json.dumps(what, sort_keys=True)
    if not begun.exists() or begun.read_text(encoding="utf-8") != text:
        shutil.rmtree(staging / "blocks", ignore_errors=True)
        begun.write_text(text, encoding="utf-8")
        blocks.synced(begun)


def _taken(folder: Path, settings: TokenSettings, source: Mapping[str, Any]) -> Manifest:
    """Return the manifest of an index that is there. Raises `BadInput` where it is of something else."""
    found = manifest.read(folder)
    if (found.settings, found.source) != (settings, source):
        raise BadInput(f"There is another index in {folder.name}; delete it to build this one.")
    return found


@contextmanager
def turn(folder: Path, waiting: Callable[[str], object]) -> Iterator[bool]:
    """Hold the staging folder of something for this process alone, once no other has it; yield whether it is
    to be made: where another process has moved what it made to `folder`, it is not.

    Args:
        folder: Where it will be.
        waiting: Called every `LOOKS` seconds in which another process has it; it may raise to wait no more.
    """
    while not folder.exists():
        handle = _locked(staged(folder), waiting)
        if handle is not None:
            try:
                # It may have been made since the first look.
                yield not folder.exists()
            finally:
                os.close(handle)
            return
    yield False


def _locked(staging: Path, waiting: Callable[[str], object]) -> int | None:
    """Return a handle that holds the folder; None where that was moved or deleted meanwhile."""
    staging.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        handle = os.open(staging, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting("Waiting: another process makes this")
                time.sleep(LOOKS)
        if staging.exists() and os.path.samestat(os.fstat(handle), staging.stat()):
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None
