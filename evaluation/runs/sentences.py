"""What a report on runs says in words."""

from __future__ import annotations

from collections.abc import Iterator

from common.wording import counted
from evaluation.metrics.ranking.compared import Difference
from evaluation.metrics.ranking.order import STORED, TREC_EVAL
from evaluation.metrics.ranking.pools import BARELY, ENOUGH, HOLE_DEPTH
from evaluation.runs.report import RunsReport
from evaluation.values.wording import digits, listed, percent, probability

ORDER = {
    TREC_EVAL: "by score, equal scores by document id descending, as in trec_eval; the rank column is "
    "passed over where there are scores",
    STORED: "that in which the runs are stored, which every file written of them keeps",
}
"""By rule of ties."""
SHOWN = 5
"""So many topics are named."""


def value(number: float) -> str:
    """With three digits, as papers print measures of retrieval."""
    return digits(number, 3)


def interval(low: float | None, high: float | None) -> str:
    """Empty where there is none."""
    return "" if low is None or high is None else f"[{value(low)}, {value(high)}]"


def notes(report: RunsReport) -> Iterator[str]:
    """What one must know to read the tables."""
    judged = report.judged
    yield from report.about
    yield (
        f"Relevant is a grade of {judged.level} or more on a scale to {judged.most}. nDCG has linear gain, "
        "nDCG-exp 2^grade − 1; neither asks for that level, nor do RBP and judged@k."
    )
    yield f"{counted(len(judged.topics), 'topic')}; the order is {ORDER[report.ties]}."
    if report.residual is not None:
        yield (
            f"{counted(report.residual, 'judgment')} left out, because a run took feedback from their "
            "documents; no run is measured on these (residual corpus)."
        )
    if judged.without_relevant:
        named = _topics(judged.without_relevant)
        yield f"Left out, because no document is relevant to them: {named}."
    for run in report.runs:
        yield from _of_run(run.name, run.evaluated.missing, run.evaluated.unjudged, run.contradicted)
        if run.evaluated.tied:
            yield f"{run.name}: equal scores in {counted(len(run.evaluated.tied), 'topic')}."
        if run.reworded:
            yield f"{run.name} searched {counted(run.reworded, 'topic')} in a wording that was changed since."
    yield (
        f"Intervals are {100 * report.level:.0f} %, from {report.resamples:,} resamples of the topics "
        f"(seed {report.seed}); where all topics say the same, Wilson’s."
    )
    if report.compared:
        n = len(report.compared)
        yield f"p (Holm) is corrected for {counted(n, 'comparison')}, all those of this report."


def _of_run(
    name: str, missing: tuple[str, ...], unjudged: tuple[str, ...], contradicted: int
) -> Iterator[str]:
    if missing:
        yield f"{name} has no document for {_topics(missing)}, which count 0."
    if unjudged:
        yield f"{name}: {counted(len(unjudged), 'topic')} without judgments passed over."
    if contradicted:
        yield f"{name}: the rank column contradicts the scores in {counted(contradicted, 'topic')}."


def warnings(report: RunsReport) -> Iterator[str]:
    """Programs that judged, and runs of which too little was judged."""
    if report.simulated:
        yield report.simulated
    for run in report.runs:
        found = run.holes
        if found is None or not found.few:
            continue
        said = f"Of the first {HOLE_DEPTH} documents of {run.name} only {percent(found.judged)} % were judged"
        if found.too_few:
            yield (
                f"{said}, less than {percent(BARELY)} %: compare it by bpref or by RBP with its residual "
                "alone."
            )
        else:
            yield f"{said}, less than {percent(ENOUGH)} %: its values are lower bounds."
    if report.not_compared:
        yield (
            f"Not compared, because too little of them was judged and neither bpref nor the residual of RBP "
            f"was asked for: {listed(report.not_compared)}."
        )


def lowered(report: RunsReport) -> Iterator[str]:
    """A sentence for every measure that a run lowers on average."""
    for each in report.compared:
        if each.paired.difference < 0 and each.n_lowered:
            yield _lowered(each)


def _lowered(each: Difference) -> str:
    paired, of = each.paired, counted(each.n_topics, "topic")
    mean = f"{value(paired.difference)} {interval(paired.low, paired.high)}".rstrip()
    return (
        f"{paired.name} lowered {each.measure.label} on {each.n_lowered} of {of} and raised it on "
        f"{each.n_raised}, against {paired.against}: mean difference {mean}, p (Holm) "
        f"{probability(paired.p_holm)}."
    )


def _topics(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    shown = ", ".join(names[:SHOWN])
    return f"{counted(len(names), 'topic')} ({shown}{more})"
