"""The kinds of what is known of words: what rankers and commands call them, how each is written and read.

A kept folder holds `table.tsv`, or `vectors.npy` and `words.txt`; which line of `words.txt` is which row of
the matrix is their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from common.errors import BadInput
from common.progress import Progress
from retrieval.engine.words import table_files
from retrieval.engine.words.remarks import Remarks
from retrieval.engine.words.tables import LemmaTable, StopList, SynonymTable
from retrieval.engine.words.vector_files import Row, VectorFile
from retrieval.engine.words.vectors import WordVectors

MATRIX, WORDS, TABLE = "vectors.npy", "words.txt", "table.tsv"
BLOCK_BYTES = 2**22
"""Of vectors written at once."""

Known = WordVectors | LemmaTable | SynonymTable | StopList


class Counts(NamedTuple):
    """What a file came to.

    words: how many have an entry.
    width: numbers of a vector; 0 of a table.
    remarks: what was left out, in sentences.
    """

    words: int
    width: int
    remarks: list[str]


@dataclass(frozen=True)
class Kind:
    """One kind of what is known of words.

    slug: in commands, addresses and jobs.
    named: as a ranker's parameter names it (`rankers.Named`).
    files: which a kept folder holds.
    write: reads a file as it is given, and writes the files of a kept folder.
    read: reads a kept folder; takes the sha256 of the file it came of.
    """

    slug: str
    named: str
    files: tuple[str, ...]
    write: Callable[[Path, Path, Progress], Counts]
    read: Callable[[Path, str], Known]


def kind(slug: str) -> Kind:
    """Return the kind of that slug. Raises `BadInput`."""
    if slug not in KINDS:
        raise BadInput(f"There is no kind {slug!r:.40} of words; choose one of: {', '.join(KINDS)}.")
    return KINDS[slug]


def _write_vectors(source: Path, folder: Path, progress: Progress) -> Counts:
    file = VectorFile(source, progress)
    words: list[str] = []
    waiting: list[Row] = []
    with (folder / MATRIX).open("wb") as out:
        for word, row in file.rows():
            if not words:
                _write_head(out, (0, file.width))
            words.append(word)
            waiting.append(row)
            if len(waiting) * row.nbytes >= BLOCK_BYTES:
                out.write(np.array(waiting).tobytes())
                waiting = []
        out.write(np.array(waiting, dtype=np.float32).tobytes())
        out.seek(0)
        # numpy leaves room in the head for more rows, so that their number can be put in last.
        _write_head(out, (len(words), file.width))
    _write_lines(folder / WORDS, words)
    return Counts(len(words), file.width, file.remarks.sentences())


def _write_head(out: Any, shape: tuple[int, int]) -> None:
    head = {"descr": np.lib.format.dtype_to_descr(np.dtype("<f4")), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, head)


def _read_vectors(folder: Path, sha256: str) -> WordVectors:
    matrix = np.load(folder / MATRIX, mmap_mode="r", allow_pickle=False)
    return WordVectors(_lines(folder / WORDS), matrix, sha256)


def _write_lemmas(source: Path, folder: Path, progress: Progress) -> Counts:
    remarks = Remarks()
    found = table_files.lemmas(source, remarks, progress)
    return _write_table(folder, (f"{word}\t{lemma}" for word, lemma in found.items()), found, remarks)


def _read_lemmas(folder: Path, sha256: str) -> LemmaTable:
    return LemmaTable(dict(_pairs(folder)), sha256)


def _write_synonyms(source: Path, folder: Path, progress: Progress) -> Counts:
    remarks = Remarks()
    found = table_files.synonyms(source, remarks, progress)
    rows = (f"{word}\t{' '.join(map(str, sorted(groups)))}" for word, groups in found.items())
    return _write_table(folder, rows, found, remarks)


def _read_synonyms(folder: Path, sha256: str) -> SynonymTable:
    return SynonymTable(
        {word: frozenset(map(int, groups.split())) for word, groups in _pairs(folder)}, sha256
    )


def _write_stop_list(source: Path, folder: Path, progress: Progress) -> Counts:
    remarks = Remarks()
    found = table_files.stop_words(source, remarks, progress)
    return _write_table(folder, sorted(found), found, remarks)


def _read_stop_list(folder: Path, sha256: str) -> StopList:
    return StopList(frozenset(_lines(folder / TABLE)), sha256)


def _write_table(
    folder: Path, rows: Iterable[str], found: Mapping[str, Any] | frozenset[str], remarks: Remarks
) -> Counts:
    _write_lines(folder / TABLE, rows)
    return Counts(len(found), 0, remarks.sentences())


def _write_lines(path: Path, rows: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{row}\n" for row in rows)


def _lines(path: Path) -> list[str]:
    # Not `splitlines`: words may hold what it takes for the end of a line.
    return path.read_bytes().decode().split("\n")[:-1]


def _pairs(folder: Path) -> Iterable[tuple[str, str]]:
    for row in _lines(folder / TABLE):
        word, _, value = row.partition("\t")
        yield word, value


KINDS = {
    each.slug: each
    for each in (
        Kind("vectors", "word vectors", (MATRIX, WORDS), _write_vectors, _read_vectors),
        Kind("lemmas", "lemma table", (TABLE,), _write_lemmas, _read_lemmas),
        Kind("synonyms", "synonym table", (TABLE,), _write_synonyms, _read_synonyms),
        Kind("stop-list", "stop list", (TABLE,), _write_stop_list, _read_stop_list),
    )
}
NAMED = {each.named: each for each in KINDS.values()}
"""By the kind of the parameter that names one."""
