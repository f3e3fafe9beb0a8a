"""The parameters of a candidate pool: how many passages, and which rankings are fused in which way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from common.errors import BadInput
from retrieval.dense import checkpoints
from retrieval.engine.dense.progress import Tell
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.indexing import Ranking
from retrieval.words import freezing

if TYPE_CHECKING:
    from retrieval.models import CandidateJob

SMALLEST, LARGEST = 10, 200
METHODS = ("rrf", "alternating")
MOST_RANKINGS = 5
RANKS = "ranks"
"""Beside the scores of a pool that fuses rankings: the rank of the passage in each of them."""


def checked(ranker: rankers.Ranker, own: Mapping[str, Any], given: Any) -> dict[str, Any] | None:
    """Return the complete parameter `pool` of a job; None for a job that keeps negatives.

    A number is the size alone. In full: `size` 10-200; `method`, how several rankings become one, rrf or
    alternating; `with`, the rankings beside the job's own, each `{"ranker": …}` and its parameters.

    Args:
        own: The job's own ranking: the complete parameters of `ranker`.

    Raises:
        BadInput: a name is unknown, a value is out of range, or a ranking is there twice.
    """
    if given is None:
        return None
    asked = {"size": given} if isinstance(given, int) else given
    if not isinstance(asked, Mapping):
        raise BadInput(f"The parameter pool is {given!r:.40}; it must be a number, or size, method and with.")
    for name in asked:
        if name not in ("size", "method", "with"):
            raise BadInput(f"A pool has no {name!r}; it has: size, method, with.")
    method = asked.get("method", METHODS[0])
    if method not in METHODS:
        raise BadInput(f"The method of the pool is {method!r:.40}; choose one of: {', '.join(METHODS)}.")
    others = asked.get("with", [])
    if not isinstance(others, Sequence) or isinstance(others, str):
        raise BadInput(f"What the pool is fused with is {others!r:.40}; it must be a list of rankings.")
    if len(others) >= MOST_RANKINGS:
        raise BadInput(f"The pool fuses {len(others) + 1} rankings; at most {MOST_RANKINGS} are fused.")
    fused = [_ranking(each) for each in others]
    every = [{"ranker": ranker.slug, **own}, *fused]
    for place, each in enumerate(every):
        if each in every[:place]:
            raise BadInput(f"The pool fuses {ranking_label(each)} twice; give each ranking once.")
    return {"size": _size(asked.get("size")), "method": method, "with": fused}


def parse_ranking(text: str) -> dict[str, Any]:
    """Read `bm25 k1=1.2 b=0.75` as a ranking for `with`.

    Raises:
        BadInput: a part is not NAME=VALUE.
    """
    slug, *parts = text.split() or [""]
    return {"ranker": slug, **rankers.settings(parts)}


def rankings(job: CandidateJob, progress: Tell | None = None) -> list[Ranking]:
    """Return what the job ranks by: its own ranker, under its slug, then what its pool is fused with.

    `progress` is told how far rankers that encode have come.

    Raises:
        BadInput: this installation does not know a ranker, or has not got what it was frozen with.
    """
    own = rankers.get(job.ranker)
    values = freezing.opened(own, _own(job), checkpoint=job.checkpoint, words=job.words, progress=progress)
    found = [Ranking(own.slug, own, values)]
    for each in _others(job.parameters):
        other = rankers.get(each["ranker"])
        values = {name: value for name, value in each.items() if name != "ranker"}
        sha256 = checkpoint_digests(job).get(str(each.get(checkpoints.KIND)), "")
        opened = freezing.opened(other, values, checkpoint=sha256, words=job.words, progress=progress)
        found.append(Ranking(ranking_label(each), other, opened))
    return found


def checkpoint_digests(job: CandidateJob) -> dict[str, str]:
    """Return the sha256 of every checkpoint that the job ranks with, by name, as it was when submitted."""
    # Jobs from before every one was kept have the first one's only.
    named = job.parameters.get(checkpoints.KIND)
    known = {str(named): job.checkpoint} if named and job.checkpoint else {}
    return {**known, **(job.parameters.get("pool") or {}).get("checkpoints", {})}


def versions(ranker: rankers.Ranker, asked: Mapping[str, Any]) -> dict[str, str]:
    """Return library, version, variant and tokeniser of every ranker of a job, each once."""
    every = [ranker, *(rankers.get(each["ranker"]) for each in _others(asked))]
    told: dict[str, dict[str, None]] = {}
    for each in every:
        for name, value in each.describe().items():
            told.setdefault(name, {})[value] = None
    return {name: "; ".join(values) for name, values in told.items()}


class Frozen(NamedTuple):
    """What a job keeps of the rankings it was asked for.

    parameters: complete, with every name and precision written out.
    checkpoint: the sha256 of the first model; empty without one.
    words: the sha256 of every table of words, by kind and name.
    """

    parameters: dict[str, Any]
    checkpoint: str
    words: dict[str, str]


def freeze(ranker: rankers.Ranker, asked: Mapping[str, Any]) -> Frozen:
    """Return the complete parameters as a job keeps them, with what their names stand for today.

    Raises:
        BadInput: a ranking needs a checkpoint or a table of words that is not there.
    """
    precision = checkpoints.PRECISION[queue_for(ranker, asked.get("pool"))]
    own = freezing.freeze(ranker, asked, precision)
    others = [freezing.freeze(rankers.get(each["ranker"]), each, precision) for each in _others(asked)]
    models = [each.checkpoint for each in (own, *others) if each.checkpoint]
    written = own.parameters
    if written.get("pool"):
        known = {each.slug: each.sha256 for each in models}
        written["pool"] = {**written["pool"], "with": [each.parameters for each in others]} | (
            {"checkpoints": known} if known else {}
        )
    words = {key: sha256 for each in (own, *others) for key, sha256 in each.tables.items()}
    return Frozen(written, models[0].sha256 if models else "", words)


def fusion_in_words(job: CandidateJob) -> list[str]:
    """Return the rankings that the job fuses, in words; empty where it keeps the order of one ranker."""
    others = _others(job.parameters)
    return [ranking_label({"ranker": job.ranker, **_own(job)}), *map(ranking_label, others)] if others else []


def ranking_label(ranking: Mapping[str, Any]) -> str:
    """Return the name of a ranking among a candidate's scores: `bm25 b=0.75 k1=1.2`."""
    values = [
        f"{name}={value}" if isinstance(value, str) else f"{name}={value:g}"
        for name, value in sorted(ranking.items())
        if name != "ranker" and value != ""
    ]
    return " ".join([ranking["ranker"], *values])


def queue_for(ranker: rankers.Ranker, pool: Mapping[str, Any] | None) -> rankers.Queue:
    """Return `gpu` where a ranker runs best there and VARIORUM_DEVICE says there is one; else `cpu`."""
    others = [rankers.get(each["ranker"]) for each in (pool or {}).get("with", ())]
    return checkpoints.queue_for(ranker, *others)


def _others(asked: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the rankings that a job's pool is fused with."""
    found: Sequence[Mapping[str, Any]] = (asked.get("pool") or {}).get("with", ())
    return found


def _own(job: CandidateJob) -> dict[str, Any]:
    return {name: job.parameters[name] for name in rankers.get(job.ranker).parameters}


def _size(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and SMALLEST <= value <= LARGEST:
        return value
    raise BadInput(
        f"The size of the pool is {value!r:.40}; it must be a whole number from {SMALLEST} to {LARGEST}."
    )


def _ranking(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not isinstance(given.get("ranker"), str):
        raise BadInput(f"A ranking to fuse is {given!r:.40}; it must name its ranker.")
    ranker = rankers.get(given["ranker"])
    values = {name: value for name, value in given.items() if name != "ranker"}
    return {"ranker": ranker.slug, **rankers.complete(ranker, values)}
