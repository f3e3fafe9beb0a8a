"""What RELiC's tables of rankings share: the study's candidate job, its columns, its cells."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import Study
from common.errors import BadInput
from common.tables.table import Cell, Column
from evaluation.ranking.tables import GRID, group_row
from evaluation.ranking.values import Group, RankReport
from retrieval.models import CandidateJob, Status

RECALLS = tuple(slug for slug in GRID if slug.startswith("recall_at_"))
MEAN_RANK = "mean_rank"
NEEDS = "a study whose items were made by a candidate job that has ranked a book’s passages"


def missing(study: Study) -> str:
    """Return why the study has no ranking."""
    if study.job is None:
        return "Its items were not made by a candidate job, so no ranking of passages belongs to them."
    if study.job.status != Status.DONE:
        return f"Its candidate job {study.job.pk} is not done."
    return ""


def job_of(study: Study) -> CandidateJob:
    """Return the job that the items come of. Raises `BadInput` where there is none."""
    if study.job is None:
        raise BadInput(missing(study))
    return study.job


def columns(rank: str) -> tuple[Column, ...]:
    """Recalls under their common head, and the mean rank, called ``rank``."""
    recalls = (Column(each, each.rpartition("_")[2], group="Recall@k (↑)") for each in RECALLS)
    return (*recalls, Column(MEAN_RANK, rank))


def cells(group: Group) -> tuple[Cell, ...]:
    """The numbers of those columns, their intervals below."""
    named = dict(zip(GRID, group_row(group).cells[2:], strict=False))
    return tuple(named[slug] for slug in (*RECALLS, MEAN_RANK))


def dashes(words: str) -> tuple[Cell, ...]:
    """The same columns where nothing was ranked."""
    return tuple(Cell(words) for _ in (*RECALLS, MEAN_RANK))


def how(found: RankReport, of: str = "each value") -> str:
    """How the intervals below these were made."""
    return (
        f"Below {of} is its {100 * found.level:.0f} % interval, a percentile bootstrap over excerpts with "
        f"{found.resamples:,} resamples (seed {found.seed}); Wilson’s where a "
        "share is the same in all of them."
    )


def definitions(groups: Sequence[Group]) -> str:
    """What recall and mean rank are, once."""
    lines = [groups[0].line(RECALLS[0]), groups[0].line(MEAN_RANK)]
    return " ".join(f"{each.label}: {each.definition}" for each in lines if each)
