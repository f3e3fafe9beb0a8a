"""What an index of some size needs of disk and memory, before it is built."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from common.wording import counted

POSTING = 5
"""Bytes of a posting: number of the document, and a count that fits one byte, as nearly all do."""
TERM = 40
"""Bytes of a term on disk: its letters, where they begin, where its postings begin, and room to spare."""
TERM_IN_MEMORY = 300
"""Bytes of a term while an index is built."""
BUILDING = 200 * 10**6
"""Bytes that a build takes whatever the size of the corpus."""
DOCUMENT = 4
SEARCHED = 16
"""Bytes of a document in a `Searcher`: its score and its norm."""
WORD_HELD = 150
"""Bytes of a word of documents that are held in memory: its letters, its counts and what is made of them."""
DOCUMENT_HELD = 500
"""Bytes of such a document beside its words."""
_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True)
class Needs:
    """What an index needs, in bytes.

    documents: how many it has.
    disk: of the index.
    disk_while_built: of the index and of the blocks it is made of.
    memory_to_build: of the process that builds it.
    memory_to_search: for all pages of the index and a searcher; with less it works, and reads from the disk.
    """

    documents: int
    disk: int
    disk_while_built: int
    memory_to_build: int
    memory_to_search: int

    def sentence(self, machine: int | None = None) -> str:
        """Return the needs in one sentence, beside the machine's memory in bytes; None asks the system."""
        has = memory() if machine is None else machine
        verb = "needs" if self.documents == 1 else "need"
        return (
            f"{counted(self.documents, 'document')} {verb} about {size(self.disk)} of disk "
            f"({size(self.disk_while_built)} while the index is built) and "
            f"{size(self.memory_to_search)} of memory to search quickly; this machine has {size(has)}"
            + (": searches will wait for the disk." if self.memory_to_search > has else ".")
        )


def of(documents: int, postings: int, terms: int) -> Needs:
    """Return what an index with so many documents, postings and terms needs."""
    disk = documents * DOCUMENT + postings * POSTING + terms * TERM
    return Needs(
        documents=documents,
        disk=disk,
        disk_while_built=2 * disk,
        memory_to_build=BUILDING + documents * DOCUMENT + terms * TERM_IN_MEMORY,
        memory_to_search=disk + documents * SEARCHED,
    )


def expected(documents: int, words: float) -> Needs:
    """Return what an index needs of documents that have so many words on average.

    Of 130 words some 100 are different (90 to 110 were measured), and a longer text repeats itself more: the
    number of different words grows with the power 0.95 of the length. The vocabulary is taken as 44 times the
    root of all words (Heaps' law), which novels stay below.
    """
    return of(documents, round(documents * words**0.95), round(44 * (documents * words) ** 0.5))


def of_vectors(documents: int, width: int) -> int:
    """Return the bytes, on disk and in memory, of vectors of so many numbers, kept as float16."""
    return documents * width * 2


def vectors_sentence(documents: int, width: int, machine: int | None = None) -> str:
    """Return in one sentence what such vectors need, beside the machine's memory in bytes; None asks the
    system.
    """
    has = memory() if machine is None else machine
    needed = of_vectors(documents, width)
    verb = "needs" if documents == 1 else "need"
    return (
        f"{counted(documents, 'document')} {verb} {size(needed)} of disk for vectors of {width:,} numbers, "
        f"and as much memory to be compared quickly; this machine has {size(has)}"
        + (": comparing will wait for the disk." if needed > has else ".")
    )


def of_texts(documents: int, words: int, block: int) -> int:
    """Return about how many bytes a ranker needs that holds the documents in memory, and so many queries'
    scores of each.
    """
    return words * WORD_HELD + documents * (DOCUMENT_HELD + 8 * block)


def texts_sentence(documents: int, words: int, block: int, machine: int | None = None) -> str:
    """Return in one sentence what such a ranker needs, beside the machine's memory in bytes; None asks the
    system.
    """
    has = memory() if machine is None else machine
    verb = "needs" if documents == 1 else "need"
    return (
        f"{counted(documents, 'document')} with {counted(words, 'word')} {verb} about "
        f"{size(of_texts(documents, words, block))} of memory while they are ranked, all at once; this "
        f"machine has {size(has)}."
    )


def memory() -> int:
    """Return the bytes of memory of this machine, or of the container it runs in."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _LIMIT.read_text(encoding="ascii").strip() if _LIMIT.is_file() else "max"
    return whole if limit == "max" else min(whole, int(limit))


def size(number: int) -> str:
    """Return a number of bytes in words, to the megabyte."""
    return f"{number / 1e9:,.1f} GB" if number >= 10**9 else f"{max(1, round(number / 1e6)):,} MB"
