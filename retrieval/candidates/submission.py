"""RELiC's submission file: for each quotation the starts of its best candidates, best first.

    {quote id: [start, start, …]}

Thai et al. (2022) score such a file against the hidden test set: a start counts sentences from 0, a list has
100 of them, and a quotation is found at k where its start is among the first k. The file comes out of a
finished job, whose ranking is made again and kept to its first hundred, or straight out of a file of
RELiC's, also of one that hides the starts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from common.errors import BadInput
from retrieval.candidates import pooling, submitting
from retrieval.engine.ranking import indexing, order, rankers
from retrieval.engine.ranking.indexing import Ranking
from retrieval.engine.text import relic
from retrieval.engine.text.passages import Span
from retrieval.engine.text.tokens import GAP
from retrieval.models import CandidateJob, Excerpt, Status
from retrieval.words import freezing

LISTED = 100
AT_ONCE = 16

Tell = Callable[[int, int], object]


class Asked(NamedTuple):
    """One quotation that is looked for.

    name: its id in the file.
    query: the critic's sentences, with a mark where it stood.
    size: how many sentences it has.
    """

    name: str
    query: str
    size: int


class Searched(NamedTuple):
    """A book with what is looked for in it.

    text, bounds: its text, and where each sentence stands in it.
    asked: the quotations.
    allowed: the starts that may be named, by size; empty where all may.
    """

    text: str
    bounds: Sequence[Span]
    asked: Sequence[Asked]
    allowed: Mapping[int, Sequence[int]]


def of_job(job: CandidateJob, tell: Tell = lambda done, total: None) -> dict[str, list[int]]:
    """Rank the excerpts of a finished job again, as it did, and return the best starts of each.

    An excerpt is named as RELiC's file named it, else by its digest's first 16 digits. `tell` is told how
    many quotations of how many are ranked.

    Raises:
        BadInput: the job is not done, or cannot be ranked again.
    """
    if job.status != Status.DONE:
        state = job.get_status_display().lower()
        raise BadInput(f"Job {job.pk} is not done but {state}; it can be submitted when it is done.")
    left, right = job.parameters["left"], job.parameters["right"]
    excerpts: list[Excerpt] = list(submitting.excerpts_to_rank(job).exclude(size=None).order_by("pk"))
    asked = [
        Asked(each.external_id or each.digest[:16], each.query(left, right), each.size or 0)
        for each in excerpts
    ]
    names = [each.name for each in asked]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(
            f"Two excerpts of job {job.pk} have the id {twice!r:.60}; a submission names each once."
        )
    found = Searched(job.book.text, job.book.bounds(), asked, {})
    return dict(_ranked(found, pooling.rankings(job)[0], tell, 0, len(asked)))


def of_file(
    books: Mapping[str, relic.RelicBook],
    ranker: rankers.Ranker,
    given: Mapping[str, Any],
    *,
    left: int = 4,
    right: int = 4,
    known: Mapping[str, list[int]] | None = None,
    tell: Tell = lambda done, total: None,
) -> Iterator[dict[str, list[int]]]:
    """Yield the best starts of every quotation of the books, a book at a time.

    `given`: the ranker's parameters, defaults for the others; `left`, `right`: sentences of context; `known`:
    what an earlier run found, which is not ranked again.

    Raises:
        BadInput: two books use one id, the context is empty, or the ranker refuses.
    """
    if left == right == 0:
        raise BadInput("The context is empty: left and right are both 0; at least one must be 1 or more.")
    _check_names(books)
    ranking = Ranking(ranker.slug, ranker, freezing.opened(ranker, frozen(ranker, given).parameters))
    total, done = sum(len(book.quotes) for book in books.values()), 0
    for book in books.values():
        have = {name: known[name] for name in book.quotes if known and name in known}
        text, bounds = relic.join(book.sentences)
        asked = [
            Asked(name, _query(quote, left, right), quote.size)
            for name, quote in book.quotes.items()
            if name not in have
        ]
        done += len(have)
        yield have | dict(_ranked(Searched(text, bounds, asked, book.candidates), ranking, tell, done, total))
        done += len(asked)


def frozen(ranker: rankers.Ranker, given: Mapping[str, Any]) -> freezing.Frozen:
    """Return a ranker's parameters, complete, with what their names stand for.

    Raises:
        BadInput: a parameter is wrong, or the checkpoint or a table of words is not there.
    """
    return freezing.freeze(ranker, rankers.complete(ranker, given), "fp32")


def _check_names(books: Mapping[str, relic.RelicBook]) -> None:
    seen: dict[str, str] = {}
    for title, book in books.items():
        for name in book.quotes:
            if name in seen:
                raise BadInput(
                    f"The quote {name!r:.60} stands in {seen[name]!r} and in {title!r}; a submission names "
                    "each quotation once."
                )
            seen[name] = title


def _query(quote: relic.RelicQuote, left: int, right: int) -> str:
    before = [each for each in quote.left if each.strip()]
    after = [each for each in quote.right if each.strip()]
    return " ".join([*before[max(0, len(before) - left) :], GAP, *after[:right]])


def _ranked(
    found: Searched, ranking: Ranking, tell: Tell, done: int, total: int
) -> Iterator[tuple[str, list[int]]]:
    by_size: defaultdict[int, list[Asked]] = defaultdict(list)
    for each in found.asked:
        by_size[each.size].append(each)
    for size, _, indices in indexing.by_size(found.text, found.bounds, by_size, [ranking]):
        allowed = np.array(sorted(found.allowed[size]), dtype=np.int64) if found.allowed else None
        for start in range(0, len(by_size[size]), AT_ONCE):
            some = by_size[size][start : start + AT_ONCE]
            for each, scores in zip(some, indices[0].scores([each.query for each in some]), strict=True):
                if allowed is None:
                    best = order.ranked(scores, LISTED)
                else:
                    best = allowed[order.ranked(scores[allowed], LISTED)]
                yield each.name, best.tolist()
            done += len(some)
            tell(done, total)
