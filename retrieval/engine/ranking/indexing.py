"""The indices of a job: one for each ranking and passage length; nothing is read twice needlessly.

Most of the time of an index goes into reading and counting words. A ranker that counts (see
`rankers.Counting`) reads the sentences of a book once, for all lengths and all settings of its parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, overload

from retrieval.engine.ranking.rankers import Counting, Index, Ranker
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Span

ALL = 0
"""What `watch` is told where sentences are read for all lengths at once."""

Watch = Callable[[Sequence[str], int], Sequence[str]]


class Watched(Sequence[str]):
    """Texts as a sequence that calls `say` before it gives any: a job keeps its lease while they are read.

    A slow machine may index for longer than a lease, or rank a few queries for longer, and a ranker that
    hangs must lose it: only reading tells the two apart.
    """

    def __init__(self, texts: Sequence[str], say: Callable[[], None]) -> None:
        self._texts, self.say = texts, say

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        self.say()
        return self._texts[index]


class Ranking(NamedTuple):
    """A ranker as a job uses it.

    label: what its scores are called among a job's.
    ranker: the ranker.
    parameters: as its `prepare` takes them.
    """

    label: str
    ranker: Ranker
    parameters: Mapping[str, object]


class SizeIndices(NamedTuple):
    """Everything to rank passages of one length with.

    size: sentences of a passage.
    texts: of all passages of that length, by position.
    indices: one for each ranking.
    """

    size: int
    texts: Sequence[str]
    indices: list[Index]


def by_size(
    text: str,
    sentences: Sequence[Span],
    sizes: Collection[int],
    rankings: Sequence[Ranking],
    watch: Watch = lambda texts, size: texts,
) -> Iterator[SizeIndices]:
    """Yield the indices of each length of `sizes`, ascending, each made when it is asked for.

    `watch` is given the texts that are about to be read and the length they are read for, or `ALL`, and
    gives back what is read in their place.

    Raises:
        BadInput: what a ranker's `prepare` refuses.
    """
    wanted = sorted(set(sizes))
    settings = Counter(each.ranker.slug for each in rankings)
    counted: dict[str, Iterator[tuple[int, Any]]] = {}
    if len(wanted) > 1 and wanted[-1] <= len(sentences) and adds_up(text, sentences):
        for slug, ranker in {each.ranker.slug: each.ranker for each in rankings}.items():
            if isinstance(ranker, Counting):
                alone = ranker.count(watch(passages.texts(text, sentences, 1), ALL))
                counted[slug] = enumerate(ranker.windows(alone, wanted[-1]), start=1)
    for size in wanted:
        texts = passages.texts(text, sentences, size)
        at_hand = {slug: next(each for at, each in counts if at == size) for slug, counts in counted.items()}
        indices = []
        for _, ranker, parameters in rankings:
            slug = ranker.slug
            if isinstance(ranker, Counting) and (slug in at_hand or settings[slug] > 1):
                if slug not in at_hand:
                    at_hand[slug] = ranker.count(watch(texts, size))
                indices.append(ranker.weigh(at_hand[slug], parameters))
            else:
                indices.append(ranker.prepare(watch(texts, size), parameters))
        yield SizeIndices(size, texts, indices)


def adds_up(text: str, sentences: Sequence[Span]) -> bool:
    """Return whether the words of every passage are those of its sentences, one after the other.

    They are not where two sentences meet within a word. The lower case of a capital sigma depends on the
    letters around it, so a text that has one is not taken for additive either.
    """
    if "Σ" in text:
        return False
    return not any(
        here[1] == following[0] and _of_a_word(text[here[1] - 1]) and _of_a_word(text[following[0]])
        for here, following in pairwise(sentences)
        if 0 < following[0] < len(text)
    )


def _of_a_word(character: str) -> bool:
    return character.isalnum() or character in "'’"
