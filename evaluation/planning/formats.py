"""A plan as tables, in every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Block, Cell, Document, Points, Records, Row, Table, table
from evaluation.planning.assumptions import ASKED, CHOICES, RUBRIC, Assumptions
from evaluation.planning.plan import Plan
from evaluation.planning.powers import FINDING, Power
from evaluation.planning.widths import HARDNESS, Width
from evaluation.values.tables import column, named
from evaluation.values.wording import counted, digits, percent

COLUMNS = ("part", "name", "value", "half_width", "power", "items", "upper_bound", "definition", "assumes")
SHARES = (
    "individual_accuracy",
    "majority_accuracy",
    "observed_overlap",
    "exact_agreement",
    "observed_agreement",
)
"""Ends of the slugs of what is printed as percent."""
PER_CENT = 100


def summary(found: Plan) -> Iterator[str]:
    """What it takes, in sentences."""
    assumed = found.assumed
    yield (
        f"{counted(assumed.items, 'item', 'items').capitalize()} × "
        f"{counted(assumed.readers, 'reader', 'readers')} = {found.answers:,} answers: "
        f"{_hours(found.hours)} at {assumed.seconds:g} seconds an answer"
        + (f", {found.cost:,.2f} at {assumed.hourly:g} an hour." if found.cost is not None else ".")
    )
    first = found.widths[0]
    bound = "at most " if first.bound else ""
    yield (
        f"{first.label[:1].upper()}{first.label[1:]} will be known to {bound}± {_points(first, first.half)}; "
        f"for ± {_points(first, assumed.width / PER_CENT)} {bound}{first.needed:,} items are needed."
    )


def _hours(hours: float) -> str:
    return f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"


def _points(one: Width, half: float) -> str:
    return f"{PER_CENT * half:.1f} points" if one.slug.endswith(SHARES) else digits(half, 3)


def widths(found: Plan) -> Table:
    """A number a row with its interval to come."""
    wanted = found.assumed.width / PER_CENT
    columns = (
        named("number"),
        column("expected"),
        column("± at planned", f"± with {found.assumed.items:,} items", "half_width"),
        column("items needed", f"Items for ± {PER_CENT * wanted:g} points or {digits(wanted, 3)}", "items"),
        named("definition")._replace(prose=True),
    )
    caption = f"Half of the 95 % interval over {found.over}." + (
        " ≤: upper bounds, because more readers are planned than the pilot had."
        if any(one.bound for one in found.widths)
        else ""
    )
    rows = [_width(one) for one in found.widths]
    return table(columns, rows, title="How exactly numbers will be known", caption=caption)


def _width(one: Width) -> Row:
    share, bound = one.slug.endswith(SHARES), "≤ " if one.bound else ""
    return Row(
        (
            Cell(one.label, one.slug),
            Cell(percent(one.value) if share else digits(one.value, 3), one.value),
            Cell(f"{bound}{_points(one, one.half)}", one.half),
            Cell(f"{bound}{one.needed:,}", one.needed),
            Cell(one.definition),
        )
    )


def assumes(found: Plan) -> tuple[str, ...]:
    """What the numbers stand upon, each sentence once."""
    told = [one.assumes for one in found.widths]
    if found.pilot and found.assumed.answers == CHOICES:
        told.append(f"Power: {HARDNESS}")
    return tuple(dict.fromkeys(told))


def powers(found: Plan) -> Table | None:
    """A comparison a row; None where answers are neither right nor wrong."""
    columns = (
        named("comparison"),
        column("power", f"Power with {found.assumed.items:,} items"),
        column("items needed", "Items for 80 % power", "items"),
        named("definition and assumptions", name="definition")._replace(prose=True),
    )
    rows = [_power(one) for one in found.powers]
    caption = f"Power: the chance to find the difference in accuracy, if it is there. {FINDING}"
    return table(columns, rows, title="Which differences will be found", caption=caption) if rows else None


def _power(one: Power) -> Row:
    needed = "–" if one.power is None else "over 20,000" if one.needed is None else f"{one.needed:,}"
    return Row(
        (
            Cell(one.label, one.slug),
            Cell("–" if one.power is None else percent(one.power), one.power, note=one.reason),
            Cell(needed, one.needed),
            Cell(f"{one.definition} {one.assumes}"),
        )
    )


def typed(assumed: Assumptions) -> Iterator[tuple[str, str]]:
    """The assumptions that the plan reads, by name, as people type them."""
    for name, one in ASKED.items():
        value = getattr(assumed, name)
        if value is not None and one.of(assumed.answers):
            yield name, f"{value:.10g}"


def document(found: Plan) -> Document:
    """For a terminal or a note."""
    assumed = tuple(f"{ASKED[name].label}: {value}" for name, value in typed(found.assumed))
    tables = [made for made in (widths(found), powers(found)) if made]
    blocks: tuple[Block, ...] = (
        Points(tuple(summary(found))),
        *tables,
        Points(assumes(found), "What is assumed"),
        Points(assumed, "Typed in"),
        Points(found.notes, "How to read it"),
    )
    what = "a rubric" if found.assumed.answers == RUBRIC else found.assumed.answers
    return Document(f"Plan of a study of {what}", blocks)


def data(found: Plan) -> dict[str, Any]:
    """For scripts: shares and powers from 0 to 1."""
    return {
        "assumed": asdict(found.assumed),
        "pilot": found.pilot.slug if found.pilot else None,
        "answers": found.answers,
        "hours": found.hours,
        "cost": found.cost,
        "widths": [one._asdict() for one in found.widths],
        "powers": [one._asdict() for one in found.powers],
        "notes": list(found.notes),
    }


def records(found: Plan) -> Records:
    """A number, a comparison or a total a row."""
    rows: list[dict[str, Any]] = [
        {"part": "width", "name": one.slug, "value": one.value, "half_width": one.half, "items": one.needed}
        | {"upper_bound": one.bound, "definition": one.definition, "assumes": one.assumes}
        for one in found.widths
    ]
    rows += [
        {"part": "power", "name": one.slug, "power": one.power, "items": one.needed}
        | {"definition": one.definition, "assumes": one.assumes}
        for one in found.powers
    ]
    for name in ("answers", "hours", "cost"):
        rows.append({"part": "total", "name": name, "value": getattr(found, name)})
    return Records(COLUMNS, rows)


def paper(found: Plan) -> Paper:
    """For a paper: the widths without their prose, which the caption sums up."""
    made = widths(found)
    short = table(made.columns[:-1], [Row(row.cells[:-1]) for row in made.rows])
    caption = (
        f"Expected precision with {found.assumed.items:,} items and {found.assumed.readers} readers each. "
        f"{made.caption}"
    )
    return Paper(short._replace(caption=caption), "plan")


FORMATS = formats(document, data, records, paper)
"""A plan in every format, by name."""
