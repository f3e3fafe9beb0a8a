"""The report on what makes items hard, as sentences, tables, a picture and every format."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, exp
from typing import Any

from common.pictures.marks import Dot, Dots, Scale, Tick
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Cell, Document, Points, Records, Row, Table, table
from evaluation.beside.sentences import mean
from evaluation.difficulty.report import Difficulty, Lure, Lures
from evaluation.metrics.common.logistic import Effect, Fitted
from evaluation.values.tables import column, named
from evaluation.values.wording import counted, digits, probability

BEGINNING = 70
HOW = (
    "A logistic model of right answers, with a level for each reader and items as clusters; 95 % intervals "
    "by Student’s t over items. The odds of a right answer are multiplied by so much for each unit."
)
OFFERED = "How often such a passage was chosen where it was offered; 95 % intervals over items."


def sentences(found: Difficulty) -> tuple[str, ...]:
    """What was looked at, and what the models say."""
    if found.problem:
        return (found.problem,)
    return tuple(_said(found))


def _said(found: Difficulty) -> Iterator[str]:
    drawn = f", drawn from {found.n_items + found.n_left_out:,}" if found.n_left_out else ""
    yield f"{counted(found.n_items, 'item', 'items').capitalize()} with a known right answer{drawn}."
    for who, fit in models(found):
        yield f"{who}: {_of_model(fit)}"
    if found.unknown:
        yield f"Not known of every item, and in no model: {'; '.join(found.unknown)}."
    if found.machines is None:
        yield "No machine has answered these items: rates stand for people alone."


def models(found: Difficulty) -> list[tuple[str, Fitted]]:
    """The models that there are, by whose answers they are of."""
    both = (("People", found.people), ("Machines", found.machines))
    return [(who, fit) for who, fit in both if fit is not None]


def _of_model(fit: Fitted) -> str:
    of = f"{fit.n_right:,} of {fit.n_answers:,} answers to {counted(fit.n_items, 'item', 'items')} are right"
    if fit.set_aside:
        of += f" ({counted(fit.set_aside, 'reader', 'readers')} always right or always wrong set aside)"
    if fit.problem:
        return f"{of}. {fit.problem}"
    told = [
        f"{one.name} ({'harder' if one.value < 0 else 'easier'})"
        for one in fit.effects
        if one.low > 0 or one.high < 0
    ]
    same = f" The same on all items: {'; '.join(fit.constant)}." if fit.constant else ""
    found = f"the interval leaves out 0 for {'; '.join(told)}" if told else "no feature was shown to matter"
    return f"{of}; {found}.{same}"


def effects(found: Difficulty) -> Table | None:
    """A feature a row, for people and for machines; None without a model."""
    columns = (
        named("answers of"),
        named("feature"),
        *map(column, ("log-odds a unit", "95 % interval", "odds × a unit", "p")),
    )
    rows = [_effect(who, one) for who, fit in models(found) for one in fit.effects]
    return table(columns, rows, title="What makes items hard", caption=HOW) if rows else None


def _effect(who: str, one: Effect) -> Row:
    return Row(
        (
            Cell(who),
            Cell(one.name),
            Cell(digits(one.value, 2), one.value),
            Cell(f"[{digits(one.low, 2)}, {digits(one.high, 2)}]"),
            Cell(digits(exp(one.value), 2), exp(one.value)),
            Cell(probability(one.p), one.p),
        )
    )


def picture(found: Difficulty) -> Dots | None:
    """The effects a standard deviation of each feature, so that they can be compared; None without any."""
    dots = [
        Dot(
            f"{who}: {one.name.partition(',')[0]}",
            f"{digits(one.value * one.spread, 2)} [{digits(one.low * one.spread, 2)}, "
            f"{digits(one.high * one.spread, 2)}]",
            one.value * one.spread,
            one.low * one.spread,
            one.high * one.spread,
            0.0,
        )
        for who, fit in models(found)
        for one in fit.effects
    ]
    if not dots:
        return None
    ends = [abs(end) for each in dots for end in (each.low, each.high) if end is not None]
    most = max(0.5, ceil(2 * max(ends)) / 2)
    ticks = tuple(Tick(at, digits(at, 1)) for at in (-most, -most / 2, 0.0, most / 2, most))
    described = f"{'; '.join(f'{each.label} {each.words}' for each in dots)}."
    title = "Log-odds of a right answer, a standard deviation"
    return Dots("effects", title, described, tuple(dots), Scale(-most, most, ticks))


def lures(found: Difficulty) -> Table | None:
    """A sort of wrong passages a row; None without any."""
    columns = (named("by"), named("wrong passages"), *map(column, ("passages", "people", "machines")))
    rows = [_lures(each) for each in found.lures]
    return table(columns, rows, title="Lures", caption=OFFERED) if rows else None


def _lures(each: Lures) -> Row:
    return Row(
        (
            Cell(each.part),
            Cell(each.group),
            Cell(f"{each.n_passages:,}", each.n_passages),
            Cell(mean(each.people), each.people.value),
            Cell(mean(each.machines), each.machines.value),
        )
    )


def worst(found: Difficulty) -> Table | None:
    """The wrong passages that fooled most; None without any."""
    columns = (
        column("item"),
        named("passage"),
        named("ranker"),
        *map(column, ("rank", "shared words")),
        named("people"),
        named("machines"),
    )
    rows = [_lure(each) for each in found.worst]
    caption = f"The {len(rows)} wrong passages that fooled most: who chose them, of how many that were asked."
    return table(columns, rows, title="Whom they fooled", caption=caption) if rows else None


def _lure(each: Lure) -> Row:
    one = each.passage
    text = one.text if len(one.text) <= BEGINNING else f"{one.text[:BEGINNING]}…"
    return Row(
        (
            Cell(str(each.item), each.item),
            Cell(" ".join(text.split())),
            Cell(one.ranker or "–"),
            Cell("–" if one.rank is None else f"{one.rank:,}", one.rank),
            Cell(f"{100 * one.overlap:.0f} %", one.overlap),
            Cell(_whom(each.people, each.n_people)),
            Cell(_whom(each.machines, each.n_machines)),
        )
    )


def _whom(names: tuple[str, ...], n: int) -> str:
    return f"{len(names)} of {n}{': ' + ', '.join(names) if names else ''}" if n else "–"


def tables(found: Difficulty) -> list[Table]:
    """Every table of the report in order."""
    return [made for made in (effects(found), lures(found), worst(found)) if made]


def document(found: Difficulty) -> Document:
    """For a terminal or a note."""
    title = f"What makes items hard: {found.title} ({found.slug})"
    return Document(title, (Points(sentences(found)), *tables(found)))


def data(found: Difficulty) -> dict[str, Any]:
    """For scripts."""
    return {
        "study": found.slug,
        "title": found.title,
        "n_items": found.n_items,
        "n_left_out": found.n_left_out,
        "problem": found.problem,
        "unknown": list(found.unknown),
        "models": {
            who.lower(): {**fit._asdict(), "effects": [one._asdict() for one in fit.effects]}
            for who, fit in models(found)
        },
        "lures": [
            {**each._asdict(), "people": each.people._asdict(), "machines": each.machines._asdict()}
            for each in found.lures
        ],
        "worst": [{**each._asdict(), "passage": each.passage._asdict()} for each in found.worst],
    }


def records(found: Difficulty) -> Records:
    """A feature, or a sort of wrong passages, a row."""
    columns = ("part", "group", "of", "n", "value", "low", "high", "p", "method")
    rows: list[dict[str, Any]] = [
        {"part": "model", "group": one.name, "of": who.lower(), "n": fit.n_answers, "value": one.value}
        | {"low": one.low, "high": one.high, "p": one.p, "method": "logistic, items as clusters"}
        for who, fit in models(found)
        for one in fit.effects
    ]
    for each in found.lures:
        for of in ("people", "machines"):
            one = getattr(each, of)
            told = {"part": each.part, "group": each.group, "of": of, "n": one.n, "value": one.value}
            rows.append(told | {"low": one.low, "high": one.high, "method": one.method})
    return Records(columns, rows)


def paper(found: Difficulty) -> Paper:
    """For a paper: the model's table, or the lures where there is no model."""
    made = effects(found) or lures(found)
    if made is None:
        return Paper(Table((), ()), found.slug, problem=f"{found.title}: {' '.join(sentences(found))}")
    n = "; ".join(f"{who.lower()}: {fit.n_answers:,} answers" for who, fit in models(found))
    caption = (
        f"{found.title}: {found.n_items:,} items with a right answer{f'; {n}' if n else ''}. {made.caption}"
    )
    return Paper(made._replace(caption=caption), found.slug)


FORMATS = formats(document, data, records, paper)
"""The report in every format, by name."""
