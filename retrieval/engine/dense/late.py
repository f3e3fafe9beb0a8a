"""Late interaction: each word of the context is compared with the nearest word of the passage.

    score(context, passage) = Σ_i max_j c_i · p_j        c_i, p_j: vectors of tokens, each of length 1

Khattab and Zaharia 2020, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
Interaction over BERT", section 3 (MaxSim). A token's vector is its last state, multiplied by the matrix
`linear.weight` where the checkpoint's weights have one, as ColBERT's have. Passages leave out the vectors
of punctuation, as in the paper, unless `punctuation` is keep; contexts keep all. The marker tokens that
ColBERT puts before texts and the mask tokens it fills short queries with are not added: RELiC's contexts
are long (Thai et al. 2022 give ColBERT one sentence either side).

Token vectors of distinct passages are kept as float16 (`dense_vectors`), read where they lie and compared
in blocks: memory is one block, however long the book. Where a passage's vectors begin follows from its
tokens, so only the vectors are kept. Scores are exact, and the same bits alone and in company; passages
that read the same have the same score.

This module loads neither torch nor transformers; preparing an index does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import ranker
from retrieval.engine.dense import vectors as dense_vectors
from retrieval.engine.dense.progress import EncodingProgress, Tell
from retrieval.engine.dense.settings import PRECISIONS
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Positions, Scores

if TYPE_CHECKING:
    from retrieval.engine.dense.encoder import Encoder
    from retrieval.engine.dense.tokens import Ids

Matrix = npt.NDArray[np.float32]
BLOCK = 8192
"""Token vectors compared at once: 25 MB of 768 numbers each, and as much again of products."""
PROJECTION = "linear.weight"
TINY = 1e-12


class TokenVectors:
    """Encodes texts as matrices of token vectors, with one side of a checkpoint's encoders."""

    def __init__(self, encoder: Encoder, which: str, matrix: Matrix | None) -> None:
        self.encoder, self.which, self.matrix = encoder, which, matrix

    @property
    def width(self) -> int:
        """Return how many numbers a vector has."""
        return self.encoder.width if self.matrix is None else len(self.matrix)

    def encode(
        self,
        ids: Sequence[Ids],
        put: dense_vectors.Put,
        begins: Sequence[int],
        dropped: npt.NDArray[np.bool_] | None = None,
        tell: Tell | None = None,
    ) -> None:
        """Call `put` with the vectors of each text at its place of `begins`, without `dropped` tokens."""

        def keep(places: Positions, output: Any, mask: Any) -> None:
            states = output.last_hidden_state.float().cpu().numpy()
            for at, row in zip(places.tolist(), states, strict=True):
                own = row[: ids[at].size]
                put(begins[at], self._unit(own if dropped is None else own[~dropped[ids[at]]]))

        self.encoder.run(self.which, ids, keep, tell)

    def _unit(self, states: Matrix) -> Matrix:
        found = states if self.matrix is None else states @ self.matrix.T
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), TINY))


class LateIndex:
    """The token vectors of a book's distinct passages, searched by text.

    Args:
        contexts: Encodes queries.
        vectors: (tokens, width), the passages' one behind the other.
        begins: (n + 1,), where each distinct passage's vectors begin, and where the last one's end.
        which: (n_passages,), the distinct passage that each one is.
    """

    def __init__(
        self,
        contexts: TokenVectors,
        vectors: dense_vectors.Stored,
        begins: Positions,
        which: Positions,
        tell: Tell | None = None,
    ) -> None:
        self.contexts, self.vectors, self.begins, self.which = contexts, vectors, begins, which
        self._tell = tell

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return scores (n_queries, n_passages)."""
        encoder = self.contexts.encoder
        ids = encoder.tokeniser.contexts(queries, encoder.settings)
        asked = [self._query(each) for each in ids]
        found = np.empty((len(queries), len(self.begins) - 1), dtype=np.float64)
        for first, stop in self._blocks():
            low, high = int(self.begins[first]), int(self.begins[stop])
            block = self.vectors[low:high].astype(np.float32)
            for row, query in enumerate(asked):
                best = np.maximum.reduceat(block @ query.T, self.begins[first:stop] - low, axis=0)
                found[row, first:stop] = best.sum(axis=1, dtype=np.float64)
            if self._tell:
                self._tell(
                    EncodingProgress("Comparing", stop, len(self.begins) - 1, high, int(self.begins[-1]))
                )
        return found[:, self.which]

    def _query(self, ids: Ids) -> Matrix:
        found = np.empty((ids.size, self.contexts.width), dtype=np.float32)

        def put(first: int, rows: Matrix) -> None:
            found[first : first + len(rows)] = rows

        self.contexts.encode([ids], put, [0])
        return found

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """First and stop of the passages of each block, the same for all queries."""
        first, number = 0, len(self.begins) - 1
        while first < number:
            stop = int(np.searchsorted(self.begins, self.begins[first] + BLOCK, side="right")) - 1
            stop = max(first + 1, stop)
            yield first, stop
            first = stop


class LateRanker:
    """MaxSim over the token vectors of two encoders."""

    slug = "late"
    label = "Late interaction (ColBERT’s MaxSim)"
    queue: rankers.Queue = "gpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        "checkpoint": rankers.Named("checkpoint"),
        "precision": rankers.OneOf("auto", ("auto", *PRECISIONS)),
        "punctuation": rankers.OneOf("drop", ("drop", "keep")),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: the only checkpoint, the device's precision, punctuation dropped."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> LateIndex:
        """Encode the distinct passages, or read their token vectors from disk.

        Raises:
            BadInput: as the ranker dense; the checkpoint's projections do not fit.
        """
        checkpoint, encoder, values = ranker.loaded(self, passages, parameters)
        contexts, quotations = _sides(encoder, checkpoint.folder)
        texts, which = ranker.distinct(passages)
        ids = encoder.tokeniser.quotations(texts, encoder.settings)
        dropped = encoder.tokeniser.punctuation() if values["punctuation"] == "drop" else None
        sizes = [each.size if dropped is None else int((~dropped[each]).sum()) for each in ids]
        begins = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        shape = (int(begins[-1]), quotations.width)

        def make(put: dense_vectors.Put) -> None:
            quotations.encode(ids, put, begins.tolist(), dropped, checkpoint.progress)

        place = ranker.kept_at(encoder, checkpoint, texts, of="tokens", punctuation=values["punctuation"])
        vectors = (
            dense_vectors.in_memory(shape, make) if place is None else dense_vectors.fill(place, shape, make)
        )
        return LateIndex(contexts, vectors, begins, which, checkpoint.progress)

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "torch, transformers",
            "version": ranker.versions(),
            "variant": "late interaction (MaxSim), token vectors kept as float16, exact search",
            "tokeniser": "the checkpoint's own",
        }


def places(checkpoint: ranker.Checkpoint, distinct: Sequence[str]) -> list[Path]:
    """Return every file in which token vectors of the texts by that checkpoint may be."""
    return [
        place
        for punctuation in ("drop", "keep")
        for place in ranker.places(checkpoint, distinct, of="tokens", punctuation=punctuation)
    ]


def _sides(encoder: Encoder, folder: Path) -> tuple[TokenVectors, TokenVectors]:
    """The encoders of contexts and of quotations, whose vectors can be compared."""
    if not encoder.has_tokens:
        raise BadInput(f"{folder.name} gives one vector a text and none a token; rank with it by dense.")
    contexts, quotations = (
        TokenVectors(encoder, each, _matrix(folder, each)) for each in dense_folder.TOWERS
    )
    for side in (contexts, quotations):
        if side.matrix is not None and side.matrix.shape[1] != encoder.width:
            raise BadInput(f"{PROJECTION} of {folder.name} does not fit states of {encoder.width} numbers.")
    if contexts.width != quotations.width:
        raise BadInput(
            f"Token vectors of {folder.name} have {contexts.width} numbers in contexts, but "
            f"{quotations.width} in quotations: one side's {PROJECTION} is missing or of another size."
        )
    return contexts, quotations


def _matrix(folder: Path, which: str) -> Matrix | None:
    """The matrix (d, width) that token states are multiplied by, if that side has one."""
    from safetensors import safe_open

    # As tensors of torch, since numpy has no bfloat16.
    with safe_open(dense_folder.tower(folder, which) / dense_folder.WEIGHTS, framework="pt") as weights:
        if PROJECTION not in weights.keys():  # noqa: SIM118 - no mapping
            return None
        return np.asarray(weights.get_tensor(PROJECTION).float().numpy(), dtype=np.float32)


rankers.register(LateRanker())
