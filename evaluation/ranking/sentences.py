"""What stands behind a rank report's numbers, in sentences that every rendering prints."""

from __future__ import annotations

from evaluation.ranking.values import RankReport
from evaluation.values.wording import percent
from retrieval.candidates.outcome import ranker_label
from retrieval.models import Status


def summary(report: RankReport) -> tuple[str, ...]:
    """What was ranked by what; the problem where there are no numbers."""
    if report.problem:
        return (report.problem,)
    values = ", ".join(
        f"{name} {value:g}"
        for name, value in report.parameters.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and name not in ("negatives", "size", "left", "right")
    )
    whole = report.of_kind("all")[0]
    by = f"{ranker_label(report.ranker)}{f' ({values})' if values else ''}"
    if report.fused:
        by = f"{len(report.fused)} rankings ({'; '.join(report.fused)}), fused by {report.fused_by},"
    said = [
        f"{by} ranked {whole.mean_candidates:,.1f} passages on "
        f"average for each of {whole.n_queries:,} excerpts on {report.title}, with "
        f"{report.parameters.get('left', '?')} sentences of context before the gap and "
        f"{report.parameters.get('right', '?')} after it."
    ]
    if report.status != Status.DONE:
        said.append(f"The job is not done: {report.n_excerpts:,} of {report.n_wanted:,} excerpts so far.")
    return tuple(said)


def missed(report: RankReport) -> str:
    """How many right passages are ranked beyond the cutoff: what RELiC's second study is made of."""
    share = percent(report.n_beyond / report.n_excerpts)
    return (
        f"The right passage is ranked beyond {report.cutoff:,} in {report.n_beyond:,} of "
        f"{report.n_excerpts:,} excerpts ({share} %): those are the material of RELiC’s second study."
    )


def others(report: RankReport) -> str:
    """What the right passage is compared with in the proxy task."""
    return "the others of its pool" if report.parameters.get("pool") else "the job’s negatives"


def notes(report: RankReport) -> tuple[str, ...]:
    """How the numbers are to be read."""
    if report.problem:
        return ()
    said = [
        missed(report),
        f"Intervals: {100 * report.level:.0f} %, percentile bootstrap over excerpts, "
        f"{report.resamples:,} resamples, seed {report.seed}; Wilson’s where a share is the same in all of "
        "them. Excerpts are taken as independent; several on one passage are not, and make the intervals "
        "somewhat too short.",
        *_models(report),
        *_words(report),
        "Random is exact: the mean over excerpts of what a random order of their own candidates gives.",
        "The job broke ties of its scores when it stored a rank: the earlier passage comes first.",
        f"Proxy task: the right passage against {others(report)}, which are this ranker’s own best wrong "
        "passages; its accuracy on them is low by construction and not comparable with that of another "
        "ranker or of a person.",
    ]
    if report.n_alone:
        said.append(
            f"The proxy task leaves out excerpts for which the rules left no negative: {report.n_alone:,}."
        )
    contexts = report.of_kind("context")
    if contexts:
        said.append(
            "By context: ranked again; where scores tie, each number is its expectation over the ranks the "
            "right passage could have. Ties: "
            + ", ".join(f"{each.label} {each.n_tied:,}" for each in contexts)
            + ". Excerpts without a sentence on that side: "
            + ", ".join(f"{each.label} {each.n_empty:,}" for each in contexts)
            + "."
        )
    if report.n_changed:
        said.append(
            f"In {report.n_changed:,} excerpts the stored rank is not found again: the book, the ranker or "
            "its library is not what the job was made with."
        )
    if report.compared:
        said.append(
            "p: two-sided, paired by excerpt; McNemar’s exact test for 0/1 values, else sign-flip "
            "permutation; p (Holm) is corrected for the comparisons on the same number."
        )
    return tuple(said)


def _models(report: RankReport) -> tuple[str, ...]:
    """Which models encoded the texts."""
    if not report.models:
        return ()
    names = "; ".join(f"{name}, sha256 {sha256}" for name, sha256 in report.models)
    toy = any(name.endswith("(toy model)") for name, _ in report.models)
    warned = " A toy model’s numbers say nothing about dense retrieval." if toy else ""
    return (f"Checkpoints: {names}.{warned}",)


def _words(report: RankReport) -> tuple[str, ...]:
    """What the ranker knew of words."""
    names = "; ".join(f"{name}, sha256 {sha256}" for name, sha256 in report.words)
    return (f"Known of words: {names}.",) if names else ()
