"""Several rankers on the same excerpts of a book: RELiC's Table 3, with intervals and paired tests.

Each ranker is asked with each context; nothing is stored. The proxy task is that of a job: which of its wrong
passages stand beside the gold, so that all rankers choose among the same options. In RELiC they are BM25's,
which is why BM25 itself must fail on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from common.errors import BadInput
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.common.paired import comparisons
from evaluation.ranking.contexts import CONTEXTS, Context, ContextRanks, by_context
from evaluation.ranking.ranked import Options, options
from evaluation.ranking.report import COMPARED, PROXY, context_group
from evaluation.ranking.values import Compared, Group
from retrieval.candidates import parameters, pooling
from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers
from retrieval.models import Book, CandidateJob, Excerpt, Status

WITHOUT_RANK = 1
FULL: Context = (4, 4)
Progress = Callable[[str, int, int], None]


class RankerTable(NamedTuple):
    """Rankers beside each other on one book.

    ``book``, ``title``: its slug and its title.
    ``n_excerpts``: of the book in use.
    ``proxy``: the job whose wrong passages are the options, or None.
    ``rows``: one for each ranker and context.
    ``compared``: paired comparisons with the first ranker at the full context.
    ``notes``: what must be known to read them.
    """

    book: str
    title: str
    n_excerpts: int
    proxy: int | None
    rows: tuple[Group, ...]
    compared: tuple[Compared, ...]
    notes: tuple[str, ...]


def compare(
    book: Book,
    specs: Sequence[str],
    *,
    contexts: Sequence[Context] = CONTEXTS,
    proxy: CandidateJob | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> RankerTable:
    """The table for rankers such as ``bm25 b=0.5`` and ``dense:NAME``, the name of a checkpoint.

    ``progress`` is called with (ranker, excerpts done, all). Raises BadInput for an unknown ranker,
    checkpoint or table of words, one that is there twice, a book without excerpts, and a proxy job on
    another book.
    """
    jobs = _jobs(book, specs)
    chosen = _options(book, proxy)
    numbers = np.array([len(chosen[key].firsts) for key in sorted(chosen)], dtype=np.int64)
    found: dict[str, tuple[ContextRanks, ...]] = {}
    for name, job in jobs.items():

        def told(done: int, total: int, name: str = name) -> None:
            if progress:
                progress(name, done, total)

        found[name] = by_context(job, chosen, contexts, told)
    rows = [
        context_group(each, numbers, seed, resamples)._replace(label=f"{name} {each.label}")
        for name, ranked in found.items()
        for each in ranked
    ]
    full = {name: each for name, ranked in found.items() for each in ranked if each.own}
    return RankerTable(
        book.slug,
        " ".join(book.title.split()),
        len(chosen),
        proxy.pk if proxy else None,
        tuple(rows),
        _compared(full, seed, resamples),
        _notes(jobs),
    )


def latest_proxy(book: Book) -> CandidateJob | None:
    """The last finished BM25 job on the book that kept negatives, as in the paper."""
    done = CandidateJob.objects.filter(book=book, ranker="bm25", status=Status.DONE)
    return next((job for job in done.order_by("-pk") if not job.parameters.get("pool")), None)


def _jobs(book: Book, specs: Sequence[str]) -> dict[str, CandidateJob]:
    """A job for each ranker, which is not stored."""
    found: dict[str, CandidateJob] = {}
    for spec in specs:
        ranker, own = checkpoints.parse_ranker(spec)
        given = {"left": FULL[0], "right": FULL[1], **own}
        asked, sha256, words = pooling.freeze(ranker, parameters.checked(ranker, given))
        if spec in found:
            raise BadInput(f"The ranker {spec} is there twice; give each once.")
        found[spec] = CandidateJob(
            book=book, ranker=ranker.slug, parameters=asked, checkpoint=sha256, words=words
        )
    return found


def _options(book: Book, proxy: CandidateJob | None) -> dict[int, Options]:
    """Each excerpt in use, with the wrong passages of the proxy job where it has some."""
    if proxy is not None and proxy.book_id != book.pk:
        raise BadInput(f"Job {proxy.pk} is on another book; its wrong passages are not in {book.slug}.")
    known = options(proxy) if proxy else {}
    rows = Excerpt.objects.in_use().filter(book=book, first__isnull=False).order_by("pk")
    found = {}
    for key, first, size in rows.values_list("pk", "first", "size"):
        alone = Options(int(size or 1), WITHOUT_RANK, (int(first or 0),), (float("nan"),))
        found[key] = known.get(key, alone)
    if not found:
        raise BadInput(f"The book {book.slug!r} has no excerpt in use; find its excerpts first.")
    return found


def _compared(full: Mapping[str, ContextRanks], seed: int, resamples: int) -> tuple[Compared, ...]:
    """Every ranker minus the first, at the full context."""
    first = next(iter(full))
    found = [
        Compared(
            measure.slug,
            measure.label,
            measure.share,
            comparisons(
                {name: measure.per_query(each.ranks) for name, each in full.items()}, first, seed, resamples
            ),
        )
        for measure in COMPARED
    ]
    entering = ~np.isnan(full[first].won)
    if entering.any():
        shares = {name: each.won[entering] for name, each in full.items()}
        rows = comparisons(shares, first, seed, resamples)
        found.append(Compared(PROXY, "proxy-task accuracy", True, rows))
    return tuple(found)


def _notes(jobs: Mapping[str, CandidateJob]) -> tuple[str, ...]:
    """What each ranker was, in words."""
    told = []
    for name, job in jobs.items():
        own: dict[str, Any] = {key: job.parameters[key] for key in rankers.get(job.ranker).parameters}
        said = ", ".join(f"{key} {value}" for key, value in own.items() if value != "")
        model = checkpoints.get_or_none(str(own.get(checkpoints.KIND, "")))
        toy = model is not None and model.toy
        made = "; a toy model, whose numbers say nothing about dense retrieval" if toy else ""
        sha = f"; checkpoint sha256 {job.checkpoint[:12]}…" if job.checkpoint else ""
        sha += "".join(f"; {key} sha256 {digest[:12]}…" for key, digest in sorted(job.words.items()))
        told.append(f"{name}: {said}{sha}{made}.")
    return tuple(told)
