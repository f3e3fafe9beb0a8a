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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
    """Build an index in `folder`, which must not be there yet, and return its manifest.

    texts: gives the texts, from any document on; each is what is searched of the document, its title too.
    number: how many documents there are.
    settings: what makes terms of texts; the default keeps every word.
    source: what the texts are, stored as it is: any JSON, such as the slug and the digest of the corpus.
    progress: called after each block with documents counted, then with postings written. It may raise to
        interrupt the build, which goes on from there when it is started again.
    block_tokens: a block ends with the document that reaches so many words.

    Raises:
        BadInput: the folder is there, another process is building it, there is no document or no term, or
            `texts` gave more or fewer than `number`.
    """
    settings, source = settings or TokenSettings(), dict(source or {})
    if folder.exists():
        raise BadInput(f"There is something at {folder.name} already; delete it to build the index again.")
    staging = staged(folder)
    staging.mkdir(parents=True, exist_ok=True)
    with alone(staging, folder):
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


@contextmanager
def alone(staging: Path, folder: Path) -> Iterator[None]:
    """Hold the staging folder of something for this process alone.

    Raises:
        BadInput: another process has it, or has just moved what it made to `folder`.
    """
    handle = os.open(staging, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"Another process is building {folder.name}; wait until it is done.") from None
        # It may have been built, and the folder that was locked deleted, since the first look.
        if folder.exists() or not staging.exists() or not os.path.samestat(os.fstat(handle), staging.stat()):
            raise BadInput(f"Another process has just built {folder.name}; use what it built.")
        yield
    finally:
        os.close(handle)
