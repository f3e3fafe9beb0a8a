"""A candidate job's report: where the ranker put the right passages, overall, by length and by context.

What RELiC prints in Table 3 (recall@k, mean rank, accuracy on the proxy task, the random row, by L/R) and in
Table A9 (by length of the quotation), each number with its interval and the queries behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.utils import timezone

from common.errors import BadInput
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.means import means
from evaluation.metrics.common.paired import comparisons
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.ranking.gold_ranks import MEAN_RANK, GoldRanks, estimates, recall_at
from evaluation.ranking.contexts import ContextRanks, Progress, by_context
from evaluation.ranking.ranked import Ranked, options, ranked
from evaluation.ranking.values import Compared, Group, RankLine, RankReport
from evaluation.report.compute import code_version
from retrieval.candidates.outcome import checkpoints_in_words, words_in_words
from retrieval.candidates.pooling import fusion_in_words
from retrieval.engine.ranking.pools import BEYOND, beyond
from retrieval.models import CandidateJob, Status

PROXY = "proxy_accuracy"
PROXY_DEFINITION = (
    "Share of excerpts whose right passage the ranker scores above the job's other candidates; "
    "of t options that share the first place each counts 1/t."
)
LONGEST = 5
"""Sentences: RELiC's longest quotation, and the last row of Table A9; longer ones share a row."""
COMPARED = (recall_at(1), recall_at(10), MEAN_RANK)


def rank_report(
    job: CandidateJob,
    *,
    resamples: int = RESAMPLES,
    contexts: bool = False,
    against: Sequence[CandidateJob] = (),
    cutoff: int = BEYOND,
    progress: Progress | None = None,
    now: datetime | None = None,
) -> RankReport:
    """The report of what a job has stored so far.

    ``contexts``: rank again with less context, which costs a query an excerpt and context; ``progress`` is
    called with (excerpts done, all) meanwhile. ``against``: other jobs on the same book, compared on the
    excerpts they share. ``now`` is printed as the time of computing. The job's seed draws the resamples.
    Raises BadInput where the ranker cannot rank again, or ``against`` has no excerpt in common.
    """
    seed, known = job.seed % 2**64, options(job)
    found = ranked(job, known)
    again = by_context(job, known, progress=progress) if contexts and known else ()
    groups = _stored_groups(found, seed, resamples) if known else ()
    compared = _against(job, found, against, seed, resamples) if known else ()
    return RankReport(
        job=job.pk,
        book=job.book.slug,
        title=" ".join(job.book.title.split()),
        ranker=job.ranker,
        parameters=job.parameters,
        fused=tuple(fusion_in_words(job)),
        fused_by=str(job.parameters["pool"]["method"]) if fusion_in_words(job) else "",
        made_with=job.made_with,
        models=tuple(checkpoints_in_words(job)),
        words=tuple(words_in_words(job)),
        job_version=job.code_version,
        status=job.status,
        n_excerpts=len(known),
        n_wanted=job.total,
        n_alone=int(np.isnan(found.won).sum()),
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        computed=now or timezone.now(),
        version=code_version(),
        groups=groups + tuple(context_group(each, found.n_options, seed, resamples) for each in again),
        compared=compared + _between_contexts(again, seed, resamples),
        cutoff=cutoff,
        n_beyond=len(beyond(found.ranks.highest, cutoff)),
        n_changed=sum(each.n_changed for each in again) if again else None,
        problem="" if known else _nothing(job),
    )


def _nothing(job: CandidateJob) -> str:
    if job.status == Status.DONE:
        return f"Job {job.pk} has no candidates: no excerpt of the book has a place in it."
    return f"Job {job.pk} has no candidates yet: it is {job.get_status_display().lower()}."


def _stored_groups(found: Ranked, seed: int, resamples: int) -> tuple[Group, ...]:
    whole = _group("all", "all", found.ranks, found.won, found.n_options, seed, resamples)
    lengths: list[Group] = []
    kinds = np.minimum(found.sizes, LONGEST + 1)
    for size in np.unique(kinds).tolist():
        part = found.take(np.flatnonzero(kinds == size))
        label = "1 sentence" if size == 1 else f"{size} sentences" if size <= LONGEST else f"{size} or more"
        lengths.append(_group("length", label, part.ranks, part.won, part.n_options, seed, resamples))
    return (whole, *lengths)


def context_group(each: ContextRanks, n_options: IntArray, seed: int, resamples: int) -> Group:
    """The numbers of one context's ranks."""
    group = _group("context", each.label, each.ranks, each.won, n_options, seed, resamples)
    return group._replace(n_empty=each.n_empty)


def _group(
    kind: str,
    label: str,
    ranks: GoldRanks,
    won: FloatArray,
    n_options: IntArray,
    seed: int,
    resamples: int,
) -> Group:
    lines = [
        RankLine(
            each.measure.slug,
            each.measure.label,
            each.measure.share,
            each.measure.definition,
            each.measure.formula,
            each.measure.source,
            each.mean,
            each.random,
        )
        for each in estimates(ranks, seed, resamples)
    ]
    lines.append(_proxy(won, n_options, seed, resamples))
    mean_candidates = float(ranks.candidates.mean())
    return Group(kind, label, ranks.n_queries, mean_candidates, ranks.n_tied, 0, tuple(lines))


def _proxy(won: FloatArray, n_options: IntArray, seed: int, resamples: int) -> RankLine:
    """The proxy task over the excerpts that have a negative."""
    entering = ~np.isnan(won)
    (estimate,) = means(won[entering][None, :], seed, resamples)
    random = float((1 / n_options[entering]).mean()) if entering.any() else None
    formula = "mean_i [gold_i is best] / |options that share the best score|"
    source = "Thai et al. 2022, section 4 and Table 3"
    return RankLine(PROXY, "proxy-task accuracy", True, PROXY_DEFINITION, formula, source, estimate, random)


def _between_contexts(again: Sequence[ContextRanks], seed: int, resamples: int) -> tuple[Compared, ...]:
    """Every context against the job's own."""
    if not again:
        return ()
    own = next(each.label for each in again if each.own)
    found = [
        Compared(
            measure.slug,
            measure.label,
            measure.share,
            comparisons({each.label: measure.per_query(each.ranks) for each in again}, own, seed, resamples),
        )
        for measure in COMPARED
    ]
    entering = ~np.isnan(again[0].won)
    if entering.any():
        shares = {each.label: each.won[entering] for each in again}
        rows = comparisons(shares, own, seed, resamples)
        found.append(Compared(PROXY, "proxy-task accuracy", True, rows))
    return tuple(found)


def _against(
    job: CandidateJob, found: Ranked, others: Sequence[CandidateJob], seed: int, resamples: int
) -> tuple[Compared, ...]:
    """Other jobs minus this one, on the excerpts that all of them have ranked."""
    if not others:
        return ()
    theirs = {f"job {other.pk}": ranked(other) for other in others}
    shared = found.keys
    for name, other in theirs.items():
        shared = np.intersect1d(shared, other.keys)
        if not shared.size:
            raise BadInput(
                f"Job {job.pk} and {name} have no excerpt in common, so they cannot be compared; "
                "choose jobs on the same book."
            )
    every = {f"job {job.pk}": found, **theirs}
    ranks = {name: each.ranks.take(np.isin(each.keys, shared)) for name, each in every.items()}
    return tuple(
        Compared(
            measure.slug,
            measure.label,
            measure.share,
            comparisons(
                {name: measure.per_query(each) for name, each in ranks.items()},
                f"job {job.pk}",
                seed,
                resamples,
            ),
        )
        for measure in COMPARED
    )
