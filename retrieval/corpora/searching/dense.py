"""A search of a corpus by the vectors of an encoder: encoded once, kept in the data folder, exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from django.conf import settings as site

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.models import Corpus, TopicVersion
from retrieval.corpora.searching import indexes
from retrieval.corpora.searching.plans import DensePlan
from retrieval.corpora.searching.searches import Noticed, Searched
from retrieval.dense import checkpoints
from retrieval.engine.corpora import needs
from retrieval.engine.corpora.index import mask_digest
from retrieval.engine.corpora.searching import TIES
from retrieval.engine.dense import ranker as dense
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.dense.progress import EncodingProgress
from retrieval.engine.nearest import kept, searching
from retrieval.engine.ranking import rankers

if TYPE_CHECKING:
    from retrieval.engine.dense.encoder import Encoder
    from retrieval.models import Checkpoint

SCORES = "dot product in float64, of queries as float32 and documents as float16"


class DenseSearch:
    """A search by vectors: opens the encoders and the vectors once, then compares all topics in one go.

    Args:
        corpus: Ready.
        plan: What to do.
        progress: Called while documents are encoded, where they are not yet.

    Raises:
        BadInput: the checkpoint is not there or has changed, there is no such GPU or genre, or no room for
            the vectors.
    """

    def __init__(self, corpus: Corpus, plan: DensePlan, progress: Progress = silent) -> None:
        self.corpus, self.plan = corpus, plan
        self._mask, self._subset = plan.documents.mask(corpus), plan.documents.name
        self._encoder, row = _encoder(plan)
        self._settings = self._encoder.settings
        self._by = {
            "checkpoint": row.sha256,
            "settings": self._settings.named(),
            "precision": self._encoder.precision,
            "device": self._encoder.device.type,
        }
        self._name = row.slug
        self.kept = self._kept(progress)
        self.made_with = {"library": dense.versions(), "numpy": np.__version__}

    def search_all(self, topics: Sequence[TopicVersion], progress: Progress = silent) -> Iterator[Searched]:
        """Yield what is found for each topic, in their order. Raises `BadField` for a topic without words."""
        texts = [self.plan.query_text(topic) for topic in topics]
        for topic, text in zip(topics, texts, strict=True):
            if not text:
                raise BadField(
                    "fields",
                    f"The topic {topic.topic.external_id} has nothing in {', '.join(self.plan.fields)}; "
                    "search by other fields, or write it.",
                )
        found = searching.nearest(
            self.kept.vectors,
            self._encoder.contexts(texts),
            self.plan.depth,
            rows=None if self._mask is None else np.flatnonzero(self._mask),
            device=self._by["device"],
            progress=progress,
        )
        for topic, each in zip(topics, found, strict=True):
            yield Searched(topic, list(zip(each.numbers.tolist(), each.scores.tolist(), strict=True)))

    def scores(self, topics: Sequence[tuple[TopicVersion, Sequence[int]]]) -> list[list[float]]:
        """Return the scores of some documents of each topic, by their numbers, as a search has them."""
        queries = self._encoder.contexts([self.plan.query_text(topic) for topic, _ in topics])
        vectors = self.kept.vectors
        return [
            (np.asarray(vectors[list(numbers)], dtype=np.float64) @ query.astype(np.float64)).tolist()
            for query, (_, numbers) in zip(queries, topics, strict=True)
        ]

    def describe(self) -> dict[str, Any]:
        """Return all that a run stores to be repeatable."""
        manifest = self.kept.manifest
        number = manifest.documents if self._mask is None else int(np.count_nonzero(self._mask))
        return {
            "dense": {"name": self._name, **self._by},
            "vectors": {"width": manifest.width, "texts_sha256": manifest.texts_sha256, "cut": manifest.cut},
            "subset": {"name": self._subset, "documents": number, "mask_sha256": mask_digest(self._mask)},
            "scores": SCORES,
            "ties": TIES,
        }

    def notes(self, noticed: Noticed) -> list[str]:
        """Return how many documents are longer than the encoder reads, and where memory is short."""
        manifest, most = self.kept.manifest, self._settings.quotation_tokens
        said = []
        if manifest.cut:
            said.append(
                f"{counted(manifest.cut, 'document')} of {manifest.documents:,} reached the {most:,} tokens "
                "that the encoder reads; what stands behind them was not read."
            )
        if needs.of_vectors(manifest.documents, manifest.width) > needs.memory():
            said.append(needs.vectors_sentence(manifest.documents, manifest.width))
        return said

    def _kept(self, progress: Progress) -> kept.Kept:
        folder = Path(site.DATA_DIR, "vectors", indexes.key_of(self.corpus, kept.FORMAT, self._by))
        if not folder.exists():
            number, width = self.corpus.n_documents, self._encoder.width
            sentence = needs.vectors_sentence(number, width)
            indexes.check_room(folder, needs.of_vectors(number, width), sentence)
            encode = _Encode(self._encoder, number, progress)
            try:
                kept.build(
                    folder,
                    lambda first: indexes.texts_from(self.corpus, first),
                    number,
                    width,
                    encode,
                    {"corpus": self.corpus.slug, **self._by},
                    encode.told,
                )
            except OSError as error:
                raise BadInput(
                    f'The vectors of "{self.corpus.slug}" cannot be written: {error.strerror or error}; make '
                    "room, then run the command again: it goes on from here."
                ) from None
        return kept.opened(folder)


class _Encode:
    """Encodes documents, and says after each batch how far it is in all of them."""

    def __init__(self, encoder: Encoder, number: int, progress: Progress) -> None:
        self._encoder, self._number, self._progress = encoder, number, progress
        self._done = 0

    def told(self, done: int, of: int, stage: str) -> None:
        self._done = done
        self._progress(done, of, stage)

    def __call__(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        settings = self._encoder.settings
        ids = self._encoder.tokeniser.quotations(texts, settings)
        vectors = self._encoder.encode("quotation", ids, self._tell)
        most = settings.quotation_tokens
        return vectors, np.array([most != dense_settings.ALL and each.size >= most for each in ids])

    def _tell(self, step: EncodingProgress) -> None:
        self._progress(self._done + step.texts, self._number, "encoding, documents")


def expected(corpus: Corpus, plan: DensePlan) -> str:
    """Return in a sentence what the vectors of a corpus need of disk and memory. Raises as `DenseSearch`."""
    return needs.vectors_sentence(corpus.n_documents, _encoder(plan)[0].width)


def _encoder(plan: DensePlan) -> tuple[Encoder, Checkpoint]:
    """Return the encoders of a plan, which this process keeps, and the model they are of."""
    ranker = rankers.get(plan.ranker)
    given = rankers.complete(ranker, {"checkpoint": plan.checkpoint, "precision": plan.precision})
    asked, row = checkpoints.freeze(ranker, given, checkpoints.PRECISION[checkpoints.queue_for(ranker)])
    assert row  # noqa: S101 - this ranker takes a checkpoint
    chosen = dense_settings.checked(row.settings)
    return dense.opened(row.place, row.sha256, chosen, str(asked["precision"]), site.DEVICE), row
