"""Runs compared with a base, part by part; a part may have been computed before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from common.errors import BadField
from evaluation.metrics.ranking.compared import Difference, difference, together
from evaluation.metrics.ranking.evaluated import Evaluated
from evaluation.metrics.ranking.measures import RunMeasure
from evaluation.metrics.ranking.pools import Holes

Found = TypeVar("Found")


class Part(Protocol):
    """Gives a part of a report by its name: computed, or as it was kept when it was computed before."""

    def __call__(self, name: str, kind: Any, compute: Callable[[], Found], /) -> Found: ...


def direct(name: str, kind: Any, compute: Callable[[], Found], /) -> Found:
    """Compute the part: nothing is kept."""
    return compute()


def compared_with(
    runs: Sequence[tuple[Evaluated, Holes | None]],
    base: str,
    measures: Sequence[RunMeasure],
    seed: int,
    resamples: int,
    part: Part,
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return the comparisons of measured runs with their base, and the runs that are left out of them.

    Where less than BARELY of the first ten was judged, only measures that know of holes may compare: without
    one of them the run is left out.
    """
    if not base:
        return (), ()
    knows = any(one.slug == "bpref" or one.slug.startswith("residual") for one in measures)
    without = [run.name for run, holes in runs if holes and holes.too_few and not knows]
    if base in without:
        return (), tuple(without)
    kept = {run.name: run for run, _ in runs if run.name not in without}
    found = [
        part(
            f"{name} compared with {base}",
            tuple[Difference, ...],
            partial(difference, run, kept[base], seed, resamples),
        )
        for name, run in kept.items()
        if name != base
    ]
    return together(found), tuple(without)


def refuse_no_base(base: str, names: Sequence[str]) -> None:
    """Raise `BadField` for a base that is none of the runs."""
    if base and base not in names:
        raise BadField("base", f"There is no run {base!r} to compare with; there are {', '.join(names)}.")
