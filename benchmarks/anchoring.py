"""How often the intervals of a validated machine hold the true value, and how wide they are.

    python -m benchmarks.anchoring [meter | powered] [--studies 1000] [--seed 1]

*powered*: 35 topics of 100 items, people's grades 55 / 20 / 12 / 8 / 5 %, a machine that is good, lenient or
poor, a sample of 40, 20 or 10 %. Each cell is the share of simulated studies whose 95 % interval holds the
true value of its items, the mean half width, and on how many judged items that count people and the machine
differ in the mean: of a simple random sample without a machine, and of the prediction-powered estimate with
strata of topic × machine's grade or of machine's grade × first ranks. A cell's studies are of 20 lists of
items in turn, as how rare an error is hangs on the list. Below the table the prediction-powered cells stand
in two groups, by what an interval claims: *95 %* (as many as .93 to .97 of the intervals must hold the true
value) and *at least 95 %* (.93 or more), each bound with two standard errors of the cell's coverage. A cell
belongs where the mean of the number lies by which an interval says its claim; intervals are counted by their
own claims, too.

*meter*: four readers who agree with the machine on 77 % of the items, and who give up a known share of their
disagreements when its grade is there first. Printed are means, coverage and half width of the shift, coverage
of the pull, and how often the shift is found.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.graded_lists import GRADES, Generator, drawn, strata, world
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.validation.anchoring import Arm, Meter, Readings, meter
from evaluation.metrics.validation.estimands import MOST_ADDED, Estimand, estimated
from evaluation.metrics.validation.prediction_powered import powered

LISTS = 20
MACHINES = ("good", "lenient", "poor")


LOW, HIGH = 0.93, 0.97
"""What 95 % may mean."""
FEWEST = 100
"""Printed intervals below which a cell's coverage says nothing."""
NAMES = ("mean grade", "P@10", "P@10 A − B", "DCG@10", "share of the highest grade", "agreement")


class Cell(NamedTuple):
    """``cover``: share of the printed intervals that hold the true value; ``width``: their mean half width;
    ``without``: share of studies without an interval; ``errors``: judged items that count on which people and
    the machine differ, in the mean; ``added``: share of the variance that was added for errors not seen, in
    the mean of the printed; ``printed``: their number; ``claims``: of those that claim 95 % and of those that
    claim at least as much, how many hold the true value, and how many there are."""

    cover: float
    width: float
    without: float
    errors: float
    added: float
    printed: int
    claims: tuple[tuple[int, int], tuple[int, int]]

    @property
    def conservative(self) -> bool:
        """Whether its intervals claim at least 95 %, by their mean."""
        return self.added > MOST_ADDED

    @property
    def within(self) -> bool:
        """Whether the coverage is what the claim says, up to two standard errors of it."""
        high = 1.0 if self.conservative else HIGH
        return LOW - two_errors(LOW, self.printed) <= self.cover <= high + two_errors(high, self.printed)

    @property
    def worded(self) -> str:
        if self.without == 1:
            return "–"
        odd = f" ({self.without:.0%} without)" if self.without else ""
        mark = "≥ " if self.conservative else ""
        return f"{mark}{self.cover:.3f} / ±{self.width:.4f} / {self.errors:.0f}{odd}"


def two_errors(share: float, n: int) -> float:
    """Two standard errors of a share of ``n``."""
    return 2 * float((share * (1 - share) / n) ** 0.5)


def powered_cells(machine: str, share: float, how: str, studies: int, seed: int) -> list[Cell]:
    """A cell for each estimand. Without strata the machine is not used: a simple random sample."""
    draw = np.random.default_rng(seed)
    rows: list[list[tuple[float, ...]]] = []
    for study in range(studies):
        if study % max(1, studies // LISTS) == 0:
            items = world(machine, int(draw.integers(2**40)))
            h, each = strata(items, how), items.estimands()
        s = drawn(h, share, draw)
        rows.append([_held(one, h, s, how) for one in each])
    return [_cell(row) for row in np.array(rows).transpose(1, 0, 2)]


def _held(one: Estimand, h: IntArray, s: BoolArray, how: str) -> tuple[float, ...]:
    """Whether the interval is printed and holds the true value, its half width, the errors seen, and the
    share of its variance that was added for others."""
    c = one.coefficients
    errors = float((s & (c != 0) & (one.human != one.machine)).sum())
    if how == "none":
        plain = powered(c * one.human, c * one.machine, h, s, tuning=0.0)
        low, high, printed, added = plain.low, plain.high, True, plain.added
    else:
        made = estimated(one, h, s, set_apart="first ranks" in how)
        low, high, added, printed = 0.0, 0.0, 0.0, not made.reason
        if made.powered:
            low, high, added = made.powered.low, made.powered.high, made.powered.added
    return printed, low <= float(c @ one.human) <= high, (high - low) / 2, errors, added


def _cell(rows: FloatArray) -> Cell:
    printed, held, half, errors, added = rows.T
    kept = printed > 0
    nothing = float("nan")
    if not kept.any():
        return Cell(nothing, nothing, 1.0, float(errors.mean()), nothing, 0, ((0, 0), (0, 0)))
    groups = (kept & (added <= MOST_ADDED), kept & (added > MOST_ADDED))
    plain, wider = ((int(held[each].sum()), int(each.sum())) for each in groups)
    means = (float(each.mean()) for each in (held[kept], half[kept], ~kept, errors, added[kept]))
    return Cell(*means, int(kept.sum()), (plain, wider))


class Design(NamedTuple):
    """A cell of the meter: ``n`` readings, the parts of the ``arms``, and of each reader the ``pull``."""

    name: str
    n: int
    arms: tuple[float, float, float]
    pulls: tuple[float, ...]


DESIGNS = (
    Design("1,400, 20/40/40 %", 1400, (0.2, 0.4, 0.4), (0.3,) * 4),
    Design("1,400, thirds", 1400, (1 / 3, 1 / 3, 1 / 3), (0.3,) * 4),
    Design("1,400, pulls .075 to .525", 1400, (0.2, 0.4, 0.4), (0.075, 0.225, 0.375, 0.525)),
    Design("1,400, no pull", 1400, (0.2, 0.4, 0.4), (0.0,) * 4),
    Design("350, 20/40/40 %", 350, (0.2, 0.4, 0.4), (0.3,) * 4),
)
AGREEMENT = 0.77


def readings(design: Design, draw: Generator) -> Readings:
    """One study: readings in arms by lot within reader and machine's grade."""
    machine = draw.choice(len(GRADES), size=design.n, p=GRADES)
    reader = np.arange(design.n) % len(design.pulls)
    off = draw.integers(1, len(GRADES), design.n)
    own = np.where(draw.random(design.n) < AGREEMENT, machine, (machine + off) % len(GRADES))
    arm = arms(reader * len(GRADES) + machine, design.arms, draw)
    swallowed = (arm == Arm.PREFILLED) & (draw.random(design.n) < np.array(design.pulls)[reader])
    grade = np.where(swallowed, machine, own)
    return Readings(arm, reader, machine, (grade == machine).astype(np.float64), grade, machine)


def arms(cell: IntArray, parts: Sequence[float], draw: Generator) -> IntArray:
    """(M,) arms in turn, in an order drawn for each cell."""
    order = np.lexsort((draw.random(len(cell)), cell))
    counts = np.rint(np.array(parts) * 15).astype(np.int64)
    block = draw.permutation(np.repeat(np.arange(3), counts))
    found = np.empty(len(cell), dtype=np.int64)
    found[order] = np.resize(block, len(cell))
    return found


def true_shift(design: Design) -> float:
    return float(np.mean(design.pulls)) * (1 - AGREEMENT)


def true_grade_shift(design: Design, machine: IntArray) -> float:
    """The same of grades, on a study's own items: what is swallowed moves the grade to the machine's."""
    off = np.arange(1, len(GRADES))
    moved = [np.mean(grade - (grade + off) % len(GRADES)) for grade in range(len(GRADES))]
    return true_shift(design) * float(np.mean(np.array(moved)[machine]))


def meters(design: Design, studies: int, seed: int) -> Iterator[tuple[Meter, float]]:
    """The meter of each study, and the true shift of grades in it."""
    draw = np.random.default_rng(seed)
    for _ in range(studies):
        one = readings(design, draw)
        yield meter(one), true_grade_shift(design, one.machine)


def meter_cells(design: Design, studies: int, seed: int) -> dict[str, float]:
    """Means, coverage and half widths over the simulated studies."""
    made = list(meters(design, studies, seed))
    rows = [_row(each) for each, _ in made]
    found: FloatArray = np.array(rows, dtype=np.float64)
    mean, low, high, pooled_low, pooled_high, pull_low, pull_high, grade_low, grade_high = found.T
    shift, pull = true_shift(design), float(np.mean(design.pulls))
    grade = np.array([value for _, value in made])

    def cover(below: FloatArray, above: FloatArray, value: float | FloatArray) -> float:
        return float(((below <= value) & (value <= above)).mean())

    return {
        "shift": float(mean.mean()),
        "cover": cover(low, high, shift),
        "±": float((high - low).mean() / 2),
        "pooled cover": cover(pooled_low, pooled_high, shift),
        "pooled ±": float((pooled_high - pooled_low).mean() / 2),
        "pull cover": cover(pull_low, pull_high, pull),
        "pull ±": float((pull_high - pull_low).mean() / 2),
        "grade cover": cover(grade_low, grade_high, grade),
        "found": float((low > 0).mean()),
    }


def _row(each: Meter) -> tuple[float | None, ...]:
    grade = each.grade or each.agreement
    ends = (each.agreement, each.pooled, each.pull, grade)
    return (each.agreement.difference, *(end for one in ends for end in (one.low, one.high)))


def print_powered(studies: int, seed: int) -> None:
    made: list[Cell] = []
    print("sample | strata | machine | " + " | ".join(NAMES) + "\n" + " | ".join(["---"] * (3 + len(NAMES))))
    for share in (0.4, 0.2, 0.1):
        for how in ("none", "topic × grade", "grade × first ranks"):
            for machine in MACHINES[:1] if how == "none" else MACHINES:
                cells = powered_cells(machine, share, how, studies, seed)
                made += cells if how != "none" else []
                print(
                    f"{share:.0%} | {how} | {machine} | {' | '.join(each.worded for each in cells)}",
                    flush=True,
                )
    told = [each for each in made if each.printed >= FEWEST]
    for conservative in (False, True):
        print(group_in_words([each for each in told if each.conservative == conservative], conservative))
    for at, claim in enumerate(CLAIMS):
        held, n = (sum(each.claims[at][part] for each in made) for part in range(2))
        print(f"Intervals that claim {claim}: {n:,}, {held / max(1, n):.3f} hold the true value.")


CLAIMS = ("95 %", "at least 95 %")


def group_in_words(cells: Sequence[Cell], conservative: bool) -> str:
    """How many cells of one claim keep it, and how far the others are from it."""
    bound = f"{LOW} or more" if conservative else f"{LOW} to {HIGH}"
    if not cells:
        return f"No cell claims {CLAIMS[conservative]}."
    ends = [each.cover for each in cells]
    exact = sum(LOW <= each <= (1 if conservative else HIGH) for each in ends)
    within = sum(each.within for each in cells)
    return (
        f"Cells that claim {CLAIMS[conservative]} ({bound}): {len(cells)}, of which {exact} are within and "
        f"{within} up to two standard errors; {min(ends):.3f} to {max(ends):.3f}, mean "
        f"{sum(ends) / len(ends):.3f}."
    )


def print_meter(studies: int, seed: int) -> None:
    for number, design in enumerate(DESIGNS):
        cells = meter_cells(design, studies, seed)
        if not number:
            print("readings, arms | " + " | ".join(cells) + "\n" + " | ".join(["---"] * (len(cells) + 1)))
        print(f"{design.name} | " + " | ".join(f"{value:.3f}" for value in cells.values()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print coverage and widths of both meters.")
    parser.add_argument("what", nargs="?", choices=["meter", "powered"], help="default: both")
    parser.add_argument("--studies", type=int, default=1000, help="simulated for each cell")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = time.perf_counter()
    if options.what != "powered":
        print_meter(options.studies, options.seed)
    if options.what != "meter":
        print_powered(options.studies, options.seed)
    print(f"{options.studies:,} studies a cell, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
