"""The index of a corpus in the data folder, built when it is first needed; and subsets of its documents."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings as site

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.corpora.models import Corpus, Document
from retrieval.corpora.searching.filters import Filter
from retrieval.engine.corpora import building, needs
from retrieval.engine.corpora.index import CorpusIndex, Subset, subset, whole
from retrieval.engine.corpora.tokenising import TokenSettings

AT_ONCE = 5_000


def opened(corpus: Corpus, settings: TokenSettings | None = None, progress: Progress = silent) -> CorpusIndex:
    """Return the index of a corpus; where it is not there yet it is built, and goes on after an interruption.

    Args:
        corpus: Ready.
        settings: What makes terms of texts.
        progress: Called with the documents that are counted, then with the postings written, and while
            another process builds it.

    Raises:
        BadInput: the disk is too small for it.
    """
    settings = settings or TokenSettings()
    folder = folder_of(corpus, settings)
    if not folder.exists():
        wanted = needs.expected(corpus.n_documents, corpus.n_words / corpus.n_documents)
        check_room(folder, wanted.disk_while_built, wanted.sentence())
        try:
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            building.build(
                folder,
                lambda first: texts_from(corpus, first),
                corpus.n_documents,
                settings=settings,
                source={"corpus": corpus.slug, "sha256": corpus.sha256, "recipe": corpus.recipe},
                progress=progress,
            )
        except OSError as error:
            raise BadInput(
                f'The index of "{corpus.slug}" cannot be written: {error.strerror or error}; make room, then '
                "run the command again: it goes on from here."
            ) from None
    return CorpusIndex(folder)


def folder_of(corpus: Corpus, settings: TokenSettings) -> Path:
    """Return where the index of these documents under these settings is, or will be."""
    return Path(site.DATA_DIR, "indexes", key_of(corpus, settings.as_json()))


def key_of(corpus: Corpus, *more: Any) -> str:
    """Return the name of a folder for what is made of these documents and of what else is said."""
    what = json.dumps([corpus.sha256, corpus.recipe, corpus.n_documents, *more], sort_keys=True)
    return f"{corpus.slug}-{hashlib.sha256(what.encode()).hexdigest()[:16]}"


def expected(corpus: Corpus) -> str:
    """Return in a sentence what an index of the corpus needs of disk and memory."""
    return needs.expected(corpus.n_documents, corpus.n_words / corpus.n_documents).sentence()


def searched_text(title: str, text: str) -> str:
    """Return what is searched of a document: its title, where it has one, and its text."""
    return f"{title}\n{text}" if title else text


def texts_from(corpus: Corpus, first: int) -> Iterator[str]:
    """Yield what is searched of each document, in order, from the document of this number."""
    last = corpus.n_documents
    for start in range(first, last, AT_ONCE):
        rows = Document.objects.filter(
            corpus=corpus, number__gte=start, number__lt=min(start + AT_ONCE, last)
        ).order_by("number")
        for title, text in rows.values_list("title", "text"):
            yield searched_text(title, text)


def texts_of(corpus: Corpus, numbers: Sequence[int]) -> list[str]:
    """Return what is searched of the documents of these numbers, in that order."""
    rows = Document.objects.filter(corpus=corpus, number__in=numbers)
    found = {
        number: searched_text(title, text)
        for number, title, text in rows.values_list("number", "title", "text")
    }
    return [found[number] for number in numbers]


def ids_of(corpus: Corpus, numbers: Sequence[int]) -> list[str]:
    """Return the ids of the documents of these numbers, in that order."""
    found = dict(
        Document.objects.filter(corpus=corpus, number__in=numbers).values_list("number", "external_id")
    )
    return [found[number] for number in numbers]


def subset_of(corpus: Corpus, index: CorpusIndex, wanted: Filter) -> Subset:
    """Return the documents that are wanted. Raises `BadField` as `Filter.mask`."""
    mask = wanted.mask(corpus)
    return whole(index) if mask is None else subset(index, mask, wanted.name)


def check_room(folder: Path, disk: int, sentence: str) -> None:
    """Refuse to make a folder for which the data folder's disk has no room, what is there of it counted.

    Args:
        folder: Will be made in steps, beside its place.
        disk: Bytes it needs.
        sentence: Says what it needs.

    Raises:
        BadInput: the sentence, and what is left.
    """
    written = sum(each.stat().st_size for each in building.staged(folder).rglob("*") if each.is_file())
    # It is made when the first file is written to it; until then its disk is that of what it will lie in.
    there = next(each for each in (site.DATA_DIR, *site.DATA_DIR.parents) if each.exists())
    free = shutil.disk_usage(there).free
    if disk > free + written:
        raise BadInput(f"{sentence} Its data folder has {needs.size(free)} left; make room first.")
