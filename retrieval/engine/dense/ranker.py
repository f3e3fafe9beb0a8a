"""Dense retrieval: a context and a quotation are near when their vectors are.

    score(context, passage) = f(context) · g(passage)          f, g: two encoders of one checkpoint

Thai, Chang, Krishna and Iyyer 2022, "RELiC: Retrieving Evidence for Literary Claims", section 3.2
(dense-RELiC); Karpukhin et al. 2020 (DPR) for the two encoders and in-batch training. The passages of
a book are encoded once and kept as float16 (`dense_vectors`); scores are always of the kept, rounded
vectors, so that a job gives the same rows whether it found them or made them.

This module loads neither torch nor transformers; preparing an index does.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput, needs_model_packages
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import vectors as dense_vectors
from retrieval.engine.dense.progress import Tell
from retrieval.engine.dense.settings import PRECISIONS, Settings
from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.order import Positions, Scores

if TYPE_CHECKING:
    from retrieval.engine.dense.encoder import Encoder

# Read by torch's OpenMP when torch is loaded. Threads that spin while they wait make encoding several times
# slower where other work shares the cores, as web, worker and tests do.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

Matrix = npt.NDArray[np.float32]
FAITHFUL = Settings()
BLOCK = 256
_MADE_BY = [(precision, device) for precision in PRECISIONS for device in ("cuda", "cpu")]


@dataclass(frozen=True)
class Checkpoint:
    """A model that an installation allows.

    folder: where it is.
    sha256: the fingerprint the folder must have.
    settings: how its encoders are used.
    device: "cpu", "cuda", or "auto" for the GPU where there is one.
    vectors: the folder that keeps vectors of passages, None to keep none.
    borrow: whether vectors made in another precision or on another device will do, as for somebody who waits.
    progress: called while passages are encoded; it may raise to stop that.
    """

    folder: Path
    sha256: str
    settings: Settings = FAITHFUL
    device: str = "auto"
    vectors: Path | None = None
    borrow: bool = False
    progress: Tell | None = field(default=None, compare=False)


@lru_cache(maxsize=2)
def opened(folder: Path, sha256: str, settings: Settings, precision: str, device: str) -> Encoder:
    """Return the encoders of a folder, kept in this process for the next passage length.

    Raises:
        BadInput: the folder is not what was allowed, is unsafe or unfit, or there is no such device.
    """
    found = dense_folder.fingerprint(folder)
    if found != sha256:
        raise BadInput(
            f"The checkpoint in {folder.name} has changed: its sha256 begins with {found[:12]}, "
            f"but {sha256[:12]} is what was added; add it again under another name to use it."
        )
    with needs_model_packages():
        from retrieval.engine.dense.encoder import Encoder

    return Encoder(folder, settings, precision=precision, asked=device)


class DenseIndex:
    """The vectors of a book's distinct passages, searched by text.

    Args:
        encoder: Encodes queries.
        vectors: (n_distinct, width).
        which: (n_passages,), the distinct passage that each one is.
    """

    def __init__(self, encoder: Encoder, vectors: Matrix, which: Positions) -> None:
        self.encoder, self.vectors, self.which = encoder, vectors, which

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return scores (n_queries, n_passages), one query at a time: the same bits in whatever company.

        A product of matrices adds up its last rows in another order than the others, on each processor in
        its own. So each text is compared once, and passages that read the same tie wherever they stand.
        """
        rows = [(self.vectors @ context)[self.which] for context in self.encoder.contexts(queries)]
        return np.array(rows, dtype=np.float64).reshape(len(queries), len(self.which))


def nearest(contexts: Matrix, vectors: Matrix, k: int) -> Positions:
    """Return the best `k` rows of `vectors` (n, d) for each context (q, d) by dot product, (q, min(k, n)).

    Exact; ties go to the earlier row. In memory are the scores of `BLOCK` contexts: BLOCK · n · 4 bytes.
    For notebooks, and held against faiss by `benchmarks.dense`: pages and jobs need the score of every row.
    """
    found = [
        order.tops(contexts[start : start + BLOCK] @ vectors.T, k) for start in range(0, len(contexts), BLOCK)
    ]
    return np.concatenate(found) if found else np.empty((0, min(k, len(vectors))), dtype=np.int64)


class DenseRanker:
    """Two encoders and the dot product of their vectors."""

    slug = "dense"
    label = "Dense encoders"
    queue: rankers.Queue = "gpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        "checkpoint": rankers.Named("checkpoint"),
        "precision": rankers.OneOf("auto", ("auto", *PRECISIONS)),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: the only checkpoint there is, in the precision of the device."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> DenseIndex:
        """Encode the passages, or read their vectors from disk.

        Raises:
            BadInput: a parameter is wrong, `checkpoint` is no `Checkpoint`, there is no passage.
        """
        checkpoint, encoder, _ = loaded(self, passages, parameters)
        texts, which = distinct(passages)
        vectors = _vectors(encoder, checkpoint, passages, texts, which)
        return DenseIndex(encoder, vectors[_firsts(which)].astype(np.float32), which)

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "torch, transformers",
            "version": versions(),
            "variant": "two encoders, vectors kept as float16, exact search",
            "tokeniser": "the checkpoint's own",
        }


def loaded(
    ranker: rankers.Ranker, passages: Sequence[str], parameters: Mapping[str, object]
) -> tuple[Checkpoint, Encoder, dict[str, Any]]:
    """Return what `prepare` of a ranker that encodes needs: checkpoint, encoders, and its complete
    parameters.

    Raises:
        BadInput: as `prepare`.
    """
    given = dict(parameters)
    checkpoint = given.pop("checkpoint", None)
    values = rankers.complete(ranker, given)
    if not isinstance(checkpoint, Checkpoint):
        raise BadInput(f"The ranker {ranker.slug} needs a checkpoint; add one with manage.py add_checkpoint.")
    if not len(passages):
        raise BadInput("There is no passage to rank; a book needs at least one sentence.")
    precision = "fp32" if values["precision"] == "auto" else str(values["precision"])
    encoder = opened(checkpoint.folder, checkpoint.sha256, checkpoint.settings, precision, checkpoint.device)
    return checkpoint, encoder, values


def kept_at(encoder: Encoder, checkpoint: Checkpoint, texts: Sequence[str], **what: Any) -> Path | None:
    """Return the file of the texts' vectors by these encoders, or None where nothing is stored."""
    if checkpoint.vectors is None:
        return None
    own, *others = _places(checkpoint, texts, [(encoder.precision, encoder.device.type), *_MADE_BY], what)
    if checkpoint.borrow and not dense_vectors.readable(own):
        return next((other for other in others if dense_vectors.readable(other)), own)
    return own


def places(checkpoint: Checkpoint, texts: Sequence[str], **what: Any) -> list[Path]:
    """Return every file in which vectors of the texts by that checkpoint may be, whatever made them."""
    return _places(checkpoint, texts, _MADE_BY, what)


def _places(
    checkpoint: Checkpoint, texts: Sequence[str], made_by: Iterable[tuple[str, str]], what: dict[str, Any]
) -> list[Path]:
    if checkpoint.vectors is None:
        return []
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}\0{text}".encode())
    of = {"texts": digest.hexdigest(), "checkpoint": checkpoint.sha256}
    settings = checkpoint.settings.named()
    return [
        dense_vectors.path(
            checkpoint.vectors, **of, settings=settings, precision=precision, device=device, **what
        )
        for precision, device in made_by
    ]


def distinct(passages: Sequence[str]) -> tuple[list[str], Positions]:
    """Return the texts without repetitions, and (n_passages,) which of them each passage is.

    A text in two batches would get two vectors that differ in their last bits, and no tie.
    """
    places: dict[str, int] = {}
    which = [places.setdefault(text, len(places)) for text in passages]
    return list(places), np.array(which, dtype=np.int64)


def _firsts(which: Positions) -> Positions:
    """Return (n_distinct,), the first passage of each distinct text."""
    return np.asarray(np.unique(which, return_index=True)[1], dtype=np.int64)


def _vectors(
    encoder: Encoder, checkpoint: Checkpoint, passages: Sequence[str], texts: Sequence[str], which: Positions
) -> npt.NDArray[np.float16]:
    """Of every passage (n_passages, width), as they are kept."""

    def make() -> Matrix:
        return encoder.quotations(texts, checkpoint.progress)[which]

    place = kept_at(encoder, checkpoint, passages)
    if place is None:
        return make().astype(np.float16)
    return dense_vectors.get(place, (len(passages), encoder.width), make)


def versions() -> str:
    """Return the versions of the libraries that encode."""
    return ", ".join(_version(name) for name in ("torch", "transformers"))


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


rankers.register(DenseRanker())
