"""Evidence search: a claim in, the passages of a book that stand nearest to it out.

The same rankers and the same tie rule as in a job, over all passages of one length. BM25 looks for a claim
in its own words, so a claim none of whose words the book knows is refused in a sentence and not answered
with the book's first passages. A ranker that encodes passages uses the vectors that are kept of them, of
whatever device and precision; a book that is quickly encoded is encoded at once, any other needs a worker
first. The claim is encoded here, on the CPU: the first such search of a process loads torch and the model.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

from common.errors import BadInput
from common.wording import counted
from retrieval.dense import checkpoints, encoding_jobs
from retrieval.engine.dense.progress import EncodingProgress
from retrieval.engine.ranking import order, rankers
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import words
from retrieval.jobs import status
from retrieval.models import Book
from retrieval.search import patience
from retrieval.words import freezing

SIZES = encoding_jobs.SIZES
MOST = 200
LONGEST_CLAIM = 10_000
PRECISION = "fp32"
"""In which a claim is encoded."""

LONGEST_ENCODING = 4.0
"""Seconds that the passages of a book may take while somebody waits for the page."""
LONGEST_WAIT = 8.0
"""Seconds that a search with encoders may take before it is told to ask again: a page gives up after 30."""

_encoding = ThreadPoolExecutor(1, thread_name_prefix="encoding")
"""One search at a time loads a model or encodes, and goes on when nobody waits for it any longer."""
_unanswered: OrderedDict[Hashable, Future[order.Scores]] = OrderedDict()
"""Searches that took too long to wait for: whoever asks the same again gets what has become of them."""
MOST_UNANSWERED = 32


class NotEncoded(BadInput):
    """Raised where the passages would take too long to encode while somebody waits."""


class NotLoaded(BadInput):
    """Raised while the model is loaded or another search runs: ask again."""


class Hit(NamedTuple):
    """A passage found.

    first, size: its place: first sentence, from 0, and how many.
    rank: among all passages of its length, from 1.
    score: by the ranker.
    text: its words.
    heading: of the chapter it stands in; empty without.
    """

    first: int
    size: int
    rank: int
    score: float
    text: str
    heading: str


def search(
    book: Book,
    claim: str,
    *,
    ranker: str = "bm25",
    size: int = 1,
    k: int = 20,
    parameters: Mapping[str, object] | None = None,
    overlapping: bool = False,
) -> list[Hit]:
    """Return the `k` best passages of `size` sentences for a claim, best first; fewer where fewer have a
    score.

    Passages that share a sentence with a better hit are left out unless `overlapping`; ranks count them all
    the same. What the ranker does not rank is no hit, nor what shares nothing with the claim
    (`rankers.Sharing`). The first search of a book, length, ranker and parameters prepares an index, which
    later ones find in memory.

    `ranker`: `bm25`, `bm25 k1=1.2`, or `dense:NAME` with the name of a checkpoint.

    Raises:
        BadInput: the claim has no word, none the book knows, or is too long; size or k is out of range, the
            book is shorter than size; the ranker, checkpoint or table of words is unknown, or a
            parameter is wrong.
        TooLong: the ranker takes longer for this claim than one should wait.
        NotEncoded: no vectors are kept of these passages, and making them takes long.
        NotLoaded: it takes longer than one should wait; asked again soon, it will be faster.
    """
    chosen, model = checkpoints.parse_ranker(ranker)
    _check(book, claim, size, k)
    values = rankers.complete(chosen, {**model, **(parameters or {})})
    bounds = book.bounds()
    texts = passages.texts(book.text, bounds, size)
    of = (book.sha256, hash(tuple(bounds)), size)
    frozen = freezing.freeze(chosen, values, PRECISION)
    if checkpoints.KIND in chosen.parameters:
        scores = _encoded(chosen, frozen.parameters, texts, claim, of)
    else:
        key = index_key(chosen, frozen.parameters, frozen.tables, of)
        given = freezing.opened(chosen, frozen.parameters, words=frozen.tables)
        scores = patience.scores(chosen, given, texts, claim, key)
        _check_found(book, chosen, scores)
    titles = _Titles(book)
    return [
        Hit(first, size, rank, float(scores[first]), texts[first], titles.above(bounds[first][0]))
        for rank, first in _best(scores, size, k, overlapping=overlapping, nothing=_nothing(chosen))
    ]


def index_key(
    ranker: rankers.Ranker, values: Mapping[str, Any], words: Mapping[str, str], of: Hashable
) -> Hashable:
    """Return the key of an index: ranker, complete parameters, sha256 of tables of words, and passages."""
    return ranker.slug, tuple(sorted(values.items())), tuple(sorted(words.items())), of


def _encoded(
    ranker: rankers.Ranker, values: Mapping[str, Any], texts: Sequence[str], claim: str, of: Hashable
) -> order.Scores:
    """Return the scores (n_passages,) of a ranker that encodes; `of` tells these passages from all others."""
    given = freezing.opened(ranker, values, progress=_patient(time.monotonic))
    given[checkpoints.KIND] = replace(given[checkpoints.KIND], device="cpu", borrow=True)

    def scored() -> order.Scores:
        scores: order.Scores = ranker.prepare(texts, given).scores([claim])[0]
        return scores

    key = (ranker.slug, tuple(sorted(values.items())), of, claim)
    asked = _unanswered.pop(key, None) or _encoding.submit(scored)
    try:
        return asked.result(LONGEST_WAIT)
    except TimeoutError:
        _unanswered[key] = asked
        while len(_unanswered) > MOST_UNANSWERED:
            _unanswered.popitem(last=False)[1].cancel()
        raise NotLoaded(
            "The model is being loaded, or is at work on another search. Each web process loads it once, "
            "which takes some seconds, or longer where the machine is busy."
        ) from None


def _patient(clock: Callable[[], float]) -> Callable[[EncodingProgress], None]:
    """Receive the encoder's progress, and raise as soon as it can be seen to take too long."""
    first: list[tuple[float, EncodingProgress]] = []

    def tell(step: EncodingProgress) -> None:
        if step.verb != "Encoding":
            return
        now = clock()
        if not first:
            first.append((now, step))
            return
        began, since = first[0]
        rate = (step.tokens - since.tokens) / max(now - began, 1e-6)
        left = (step.of_tokens - step.tokens) / rate
        if now - began + left > LONGEST_ENCODING:
            raise NotEncoded(
                f"The {step.of_texts:,} passages have not been encoded by this ranker yet; it would take "
                f"about {status.duration(left)} here."
            )

    return tell


def _check(book: Book, claim: str, size: int, k: int) -> None:
    lowest, highest = SIZES
    if not lowest <= size <= highest:
        raise BadInput(f"The size is {size}; a passage to search for has {lowest} to {highest} sentences.")
    if not 1 <= k <= MOST:
        raise BadInput(f"The number of hits asked for is {k}; it must be a number from 1 to {MOST}.")
    if len(claim) > LONGEST_CLAIM:
        raise BadInput(
            f"The claim has {len(claim):,} characters; at most {LONGEST_CLAIM:,} can be searched for."
        )
    if not words(claim):
        raise BadInput("The claim has no word; write what the passage should be evidence for.")
    if size > book.n_sentences:
        raise BadInput(
            f"{book.title} has {counted(book.n_sentences, 'sentence')}, so there is no passage of {size}; "
            "choose a smaller size."
        )


def _nothing(ranker: rankers.Ranker) -> float | None:
    return ranker.nothing if isinstance(ranker, rankers.Sharing) else None


def _check_found(book: Book, ranker: rankers.Ranker, scores: order.Scores) -> None:
    if not (scores > order.UNRANKED).any():
        raise BadInput(
            f"{ranker.label} ranks no passage of {book.title} for this claim, as none shares enough with it; "
            "try more of the words the book itself would use."
        )
    if (scores == _nothing(ranker)).all():
        raise BadInput(f"No word of the claim occurs in {book.title}; try words the book itself would use.")


def _best(
    scores: order.Scores, size: int, k: int, *, overlapping: bool, nothing: float | None
) -> Iterator[tuple[int, int]]:
    """Return (rank, position) of the hits, best first; a score of `nothing` is none."""
    found: list[Passage] = []
    for rank, position in enumerate(order.walk(scores), start=1):
        if len(found) == k:
            return
        passage = Passage(position, size)
        if scores[position] == nothing or (not overlapping and any(map(passage.overlaps, found))):
            continue
        found.append(passage)
        yield rank, position


class _Titles:
    """The headings of a book, looked up by offset."""

    def __init__(self, book: Book) -> None:
        self._text = book.text
        self._spans = sorted((int(start), int(end)) for start, end in book.headings)
        self._starts = [start for start, _ in self._spans]

    def above(self, offset: int) -> str:
        """Return the nearest heading before that offset in the text, or an empty text."""
        at = bisect_right(self._starts, offset)
        return " ".join(self._text[slice(*self._spans[at - 1])].split()) if at else ""
