"""The tables of a validation sample, the same on the page and in every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from common.tables.table import About, Cell, Row, Table, table
from evaluation.metrics.validation.anchoring import PartShift, Shift
from evaluation.metrics.validation.estimands import Estimated
from evaluation.validation.compute import Validation
from evaluation.validation.sentences import ARMS, claim, of_all, tau, value
from evaluation.values.tables import column, named
from evaluation.values.wording import MINUS, NONE, digits, headed, percent, probability

AGREEMENT_SLUG = "agreement_with_machine"
"""It has no value of the machine alone, which agrees with itself."""
AGREEMENT = (
    "agreement with the machine, pooled",
    "agreement, blind answers alone",
    "check: first answers of revealed − blind",
    "grade",
    "distance from the machine’s grade",
)


def estimates(found: Validation) -> Table:
    """An estimand a row."""
    judged = "topics judged" if found.n_topics else "judged"
    columns = (
        named("estimate"),
        *map(column, ("value", "95 % interval", "machine alone", "λ", judged, "saved")),
    )
    caption = "On all items: people’s sample and the machine together, and the machine alone beside it."
    once = of_all(found) if found.n_topics else ""
    rows = (_estimate(one, once) for one in found.estimates)
    return table(columns, rows, title="On all items", caption=caption)


def _estimate(one: Estimated, once: str) -> Row:
    """A row; without a note that is said ``once`` for all."""
    alone = one.estimand.slug != AGREEMENT_SLUG
    made, shown = one.powered, one.powered is not None and not one.reason
    return Row(
        (
            Cell(headed(one.estimand.label), one.estimand.slug),
            Cell(
                value(one, made.value) if made else NONE,
                made.value if made else None,
                note="" if once else one.reason or one.note,
            ),
            Cell(
                f"[{value(one, made.low)}, {value(one, made.high)}]" if made and shown else "",
                # It claims more than its heading: a note below says what that means.
                below=claim(one).partition(" (")[0] if one.conservative else "",
            ),
            Cell(value(one, one.machine_alone), one.machine_alone) if alone else Cell(NONE),
            Cell(digits(made.tuning, 2) if made else NONE, made.tuning if made else None),
            Cell(f"{one.n_counting:,}", one.n_counting),
            Cell(NONE if one.saved is None else f"{one.saved:,}".replace("-", MINUS), one.saved),
        ),
        name=one.estimand.slug,
        about=About(one.estimand.definition),
    )


def shifts(found: Validation) -> Table | None:
    """Readers who saw the machine's answer first, against those who did not."""
    if found.meter is None:
        return None
    one = found.meter
    rows = [
        _shift(label, each, share)
        for label, each, share in zip(
            AGREEMENT,
            (one.pooled, one.agreement, one.carry_over, one.grade, one.distance),
            (True, True, True, False, False),
            strict=True,
        )
        if each is not None
    ]
    columns = (
        named("what"),
        *map(column, ("blind", "shown", "difference", "95 % interval", "p", "blind n", "shown n")),
    )
    caption = "Shown − blind, strata weighed by their readings; shares in points of a hundred."
    return table(columns, rows, title="The anchoring meter", caption=caption)


def _shift(label: str, each: Shift, share: bool = True) -> Row:
    def worded(number: float | None) -> str:
        if number is None:
            return NONE
        return percent(number) if share else digits(number, 3)

    ends = "" if each.low is None else f"[{worded(each.low)}, {worded(each.high)}]"
    return Row(
        (
            Cell(headed(label), label),
            Cell(worded(each.blind), each.blind),
            Cell(worded(each.shown), each.shown),
            Cell(worded(each.difference), each.difference),
            Cell(ends),
            Cell(NONE if each.p is None else probability(each.p), each.p),
            Cell(f"{each.n_blind:,}", each.n_blind),
            Cell(f"{each.n_shown:,}", each.n_shown),
        )
    )


def parts(title: str, names: Sequence[str], found: Sequence[PartShift]) -> Table | None:
    """The shift of agreement by reader or by grade; None without any."""
    rows = []
    for each in found:
        name = names[each.part] if each.part < len(names) else str(each.part)
        row = _shift(name, each.shift)
        p = probability(each.p_holm) if each.p_holm is not None else "no verdict"
        rows.append(row._replace(cells=(Cell(name), *row.cells[1:5], Cell(p, each.p_holm), *row.cells[6:])))
    columns = (
        named("part"),
        *map(column, ("blind", "shown", "difference", "95 % interval", "p, Holm", "blind n", "shown n")),
    )
    return (
        table(columns, rows, title=title, caption="Agreement with the machine, in points.") if rows else None
    )


def systems(found: Validation) -> Table | None:
    """Runs under both arms; None with fewer than two."""
    if found.ranks is None:
        return None
    columns = (named("run"), column(f"P@{found.k}, blind"), column(f"P@{found.k}, shown first"))
    values = zip(found.runs, found.ranks.blind.tolist(), found.ranks.shown.tolist(), strict=True)
    rows = [
        Row((Cell(name), Cell(digits(one, 3), one), Cell(digits(other, 3), other)))
        for name, one, other in values
    ]
    caption = (
        f"Kendall’s τ of both orders {tau(found.ranks.tau)}; at half size {tau(found.ranks.same_size)}, of "
        f"random halves of the blind readings {tau(found.ranks.halves)}. Bootstrap over "
        f"{found.ranks.n_topics} topics."
    )
    return table(columns, rows, title="The order of runs", caption=caption)


def confusion(found: Validation) -> Table | None:
    """People and machine over all items, from the weighted sample."""
    if found.kappa is None:
        return None
    one = found.kappa
    columns = (named("people said"), *map(column, found.labels))
    rows = [
        Row((Cell(label), *(Cell(f"{percent(part)} %", part) for part in row)))
        for label, row in zip(found.labels, one.confusion.tolist(), strict=True)
    ]
    kappa = "" if one.value is None else f" Quadratic weighted κ {digits(one.value, 3)}"
    if kappa and one.low is not None and one.high is not None:
        kappa += f" [{digits(one.low, 3)}, {digits(one.high, 3)}]."
    caption = f"Columns: what the machine said. Shares of all items, estimated from the sample.{kappa}"
    return table(columns, rows, title="People and machine, grade by grade", caption=caption)


def arms(found: Validation) -> Table:
    rows = [Row((Cell(headed(ARMS[arm])), Cell(f"{n:,}", n))) for arm, n in found.arms]
    return table((named("machine’s answer"), column("readings")), rows, title="Readings")


def all_tables(found: Validation) -> Iterator[Table]:
    """Every table in order; none where there is a problem."""
    if found.problem:
        return
    grades = found.labels
    by_reader = parts("By reader", found.readers, found.meter.readers) if found.meter else None
    by_grade = (
        parts("By the machine’s grade", grades, found.meter.grades)
        if found.meter and found.one_number
        else None
    )
    first = (estimates(found), confusion(found), arms(found), shifts(found))
    made = (*first, by_reader, by_grade, systems(found))
    yield from (each for each in made if each is not None)
