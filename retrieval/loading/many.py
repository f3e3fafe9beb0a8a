"""Search many sources for many books in one job, pair by pair: each pair is whole, and none is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from common.errors import BadInput
from common.wording import counted
from retrieval.jobs import child_process, queue, status
from retrieval.jobs.attempts import LeaseLost
from retrieval.loading.quotations import SearchResult, search
from retrieval.models import Book, Comparison, LoadingJob, Source

MOST = 2000
"""Pairs of one job."""
COUNTED = ("new", "known", "set_aside", "n_dropped")
"""What of its pairs a job sums up."""


class Pairs(NamedTuple):
    """The pairs of a choice of sources and books.

    wanted: slugs of source and book, in the order in which they are searched.
    two_languages: how many are left out because the two are not in one language.
    known: how many are left out because this version of the program has searched them.
    """

    wanted: list[tuple[str, str]]
    two_languages: int
    known: int


class PairFound(NamedTuple):
    """What came of one pair.

    source, book: their slugs.
    new, known: excerpts stored now, and there before.
    set_aside: how many of the known ones staff had rejected.
    dropped: how many quotations were dropped, by reason.
    refusal: why the pair was not searched; empty where it was.
    """

    source: str
    book: str
    new: int = 0
    known: int = 0
    set_aside: int = 0
    dropped: dict[str, int] = {}
    refusal: str = ""

    @property
    def found(self) -> int:
        """How many quotations there are."""
        return self.new + self.known

    @property
    def n_dropped(self) -> int:
        """How many were dropped, for any reason."""
        return sum(self.dropped.values())


def pairs(sources: Iterable[Source], books: Sequence[Book], *, again: bool = False) -> Pairs:
    """Return which pairs of a choice are to be searched; sources without a text have none.

    `again`: also those that this version has searched already. Their result would be the same.

    Raises:
        BadInput: none is left, or there are too many for one job.
    """
    done = Comparison.objects.filter(code_version=queue.code_version())
    known = set() if again else set(done.values_list("source__slug", "book__slug"))
    wanted, foreign, before = [], 0, 0
    for source in sources:
        for book in books:
            if _primary(source.language) != _primary(book.language):
                foreign += 1
            elif (source.slug, book.slug) in known:
                before += 1
            else:
                wanted.append((source.slug, book.slug))
    found = Pairs(wanted, foreign, before)
    if not wanted:
        raise BadInput(" ".join(["There is no pair to search.", *left_out(found), *_advice(found)]))
    if len(wanted) > MOST:
        raise BadInput(
            f"These are {len(wanted):,} pairs of source and book; a job takes at most {MOST:,}. Choose fewer "
            "sources or books, and launch several jobs."
        )
    return found


def left_out(found: Pairs) -> list[str]:
    """Return in sentences which pairs were left out, and why."""
    said = []
    if found.two_languages:
        said.append(f"{counted(found.two_languages, 'pair')} left out: in two languages.")
    if found.known:
        said.append(f"{counted(found.known, 'pair')} left out: this version has searched them already.")
    return said


def results(job: LoadingJob) -> list[PairFound]:
    """Return what came of the pairs that are done, in the order of the job."""
    return [PairFound(*row) for row in job.pairs.order_by("number").values_list(*PairFound._fields)]


def run(job: LoadingJob, watch: Callable[[], object]) -> None:
    """Search every pair that is not done yet; each is stored with the job's progress, in one transaction.

    `watch`: called every now and then; what it raises ends the search. A pair that cannot be searched, or
    takes longer than one may, is told as such, and the next one begins.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; the pairs that are done stay.
    """
    wanted = job.facts["pairs"]
    job.total = len(wanted)
    while (number := job.pairs.count()) < job.total:
        source_slug, book_slug = wanted[number]
        source = Source.objects.filter(slug=source_slug).first()
        book = Book.objects.filter(slug=book_slug).first()
        refusal = "It was deleted meanwhile."
        if source is not None and book is not None:
            job.stage = f"{source} on {book}"
            watch()
            refusal = _searched(job, source, book, watch)
        if refusal:
            _keeper(job)(PairFound(source_slug, book_slug, refusal=refusal))


def _searched(job: LoadingJob, source: Source, book: Book, watch: Callable[[], object]) -> str:
    """Search one pair and keep what was found; return why not where it could not be done."""
    keep = _keeper(job)

    def told(done: int, total: int, stage: str) -> None:
        watch()

    def ended(found: SearchResult) -> None:
        counts = (found.new, found.known, found.set_aside)
        keep(PairFound(source.slug, book.slug, *counts, dict(found.dropped.most_common())))

    try:
        with child_process.ChildProcess(settings.LOADING_SECONDS, watch) as compute:
            search(book, source, told, compute=compute, also=ended)
    except child_process.TimeLimitReached:
        return (
            f"It took longer than {status.duration(settings.LOADING_SECONDS)}, the longest a pair may take."
        )
    except (BadInput, child_process.ChildDied) as error:
        return str(error)
    return ""


def _keeper(job: LoadingJob) -> Callable[[PairFound], None]:
    """Return what stores the next pair with the progress: the same row where a transaction is repeated."""
    number, before = job.pairs.count(), Counter(job.counts)

    def keep(found: PairFound) -> None:
        counts = {name: before[name] + getattr(found, name) for name in COUNTED}
        with transaction.atomic():
            job.pairs.update_or_create(number=number, defaults=found._asdict())
            if not queue.renew_lease(job, number + 1, counts=counts, total=job.total):
                raise LeaseLost

    return keep


def _advice(found: Pairs) -> list[str]:
    return ["Ask for them again to search them once more."] if found.known else []


def _primary(language: str) -> str:
    return language.split("-")[0].lower()
