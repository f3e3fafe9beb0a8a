"""The tables of the block on machine readers, and the parts of the page made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from common.tables.table import Block, Cell, Paragraph, Points, Row, Table, table
from evaluation.beside.sentences import HEADING, mean, notes, summary
from evaluation.metrics.machines.likeness import MeanLikeness, shares
from evaluation.values import lines
from evaluation.values.beside import Against, Beside, Confusion, Live, MachineColumn
from evaluation.values.readers import share
from evaluation.values.tables import PageSection, column, named
from evaluation.values.wording import NONE, digits, probability, unbroken


def overview(found: Beside) -> Table:
    """A machine a row, and people below."""
    columns = (
        named("reader"),
        *map(column, ("read", "answered", "can’t decide", "like gold", "like people", "like the majority")),
    )
    rows = [_machine(each) for each in found.machines]
    people = (
        "People",
        "",
        "",
        share(found.people_undecided),
        mean(found.people_gold),
        mean(found.between_people),
        "",
    )
    rows.append(Row(tuple(Cell(each or NONE) for each in people), aside=True))
    caption = "Machine readers, each with its 95 % interval, and people beside them on the same items."
    return table(columns, rows, title=HEADING, caption=caption)


def _machine(each: MachineColumn) -> Row:
    return Row(
        (
            Cell(
                f"{each.name}, {each.title}",
                each.name,
                badge="Scripted" if each.scripted else "",
                badge_kind="note",
            ),
            Cell(f"{each.n_read:,}", each.n_read),
            Cell(f"{each.n_answered:,}", each.n_answered),
            Cell(share(each.undecided), each.undecided),
            *map(_mean, (each.gold, each.people, each.majority)),
        )
    )


def _mean(found: MeanLikeness) -> Cell:
    return Cell(mean(found), found.value)


def readers(found: Beside) -> Table:
    """Each machine with each reader: how alike their answers are."""
    columns = (named("machine"), named("reader"), column("items"), column("alike"))
    rows = [
        Row((Cell(each.name), Cell(name), Cell(f"{one.n_items:,}", one.n_items), _mean(one)))
        for each in found.machines
        for name, one in each.readers
    ]
    return table(columns, rows, title="With each reader", caption=f"Likeness: {found.likeness}.")


def paired(found: Beside, field: str, title: str) -> Table | None:
    """Each machine and each reader beside a third answer; None without any."""
    columns = (
        named("machine"),
        named("reader"),
        *map(
            column,
            ("items", "machine’s", "reader’s", "difference", "only machine", "only reader", "p", "p, Holm"),
        ),
    )
    rows = [_paired(each.name, one) for each in found.machines for one in getattr(each, field)]
    return table(columns, rows, title=title, caption=_tests(found, field)) if rows else None


def _tests(found: Beside, field: str) -> str:
    tests = sorted({one.found.test for each in found.machines for one in getattr(each, field)})
    return (
        "“Only”: items on which one of the two alone is right, or nearer. "
        f"Tests: {'; '.join(tests)}; adjusted over this table by Holm’s method."
    )


def _paired(name: str, one: Against) -> Row:
    each = one.found
    return Row(
        (
            Cell(name),
            Cell(one.reader),
            Cell(f"{each.n_items:,}", each.n_items),
            Cell(share(each.machine), each.machine),
            Cell(share(each.reader), each.reader),
            Cell(f"{digits(100 * each.difference, 1)} points", each.difference),
            Cell(f"{each.only_machine:,}", each.only_machine),
            Cell(f"{each.only_reader:,}", each.only_reader),
            Cell(probability(each.p), each.p),
            Cell(probability(each.p_holm), each.p_holm, loud=each.p_holm < 0.05),
        )
    )


def own_measures(each: MachineColumn) -> Table | None:
    """The kind's own measures of people's answers against the machine's."""
    rows = [
        Row(
            (
                Cell(_of_machine(row.heading), row.measure.slug),
                Cell(row.value, row.line.estimate.value, note=row.reason),
                Cell(row.interval),
                Cell(f"{row.n_items:,}", row.n_items),
                Cell(f"{row.n_judgments:,}", row.n_judgments),
            )
        )
        for row in lines.rows_of(each.lines)
    ]
    columns = (named("measure"), *map(column, ("value", "95 % interval", "items", "answers")))
    caption = f"People’s answers where {each.name}’s stands in the place of a right answer."
    return table(columns, rows, title=f"People beside {each.name}", caption=caption) if rows else None


def _of_machine(label: str) -> str:
    return label.replace("gold", "the machine").replace("the decision", "the machine")


def confusion(name: str, found: Confusion) -> Table | None:
    """The machine's values by row, people's by column, as shares of the row; None without an answer."""
    if not found.counts.any():
        return None
    columns = (named(f"{name} said"), *map(column, found.labels), column("answers"))
    parts = shares(found.counts)
    rows = [
        Row(
            (
                Cell(label),
                *(
                    Cell(share(float(part)) if total else NONE, int(n), loud=at == place)
                    for at, (part, n) in enumerate(zip(parts[place], found.counts[place], strict=True))
                ),
                Cell(f"{total:,}", int(total)),
            )
        )
        for place, (label, total) in enumerate(zip(found.labels, found.counts.sum(axis=1), strict=True))
    ]
    asked = f" to “{found.name}”" if found.name else ""
    caption = f"Rows: what {name} said{asked}; columns: what people said of the same items, in % of the row."
    return table(columns, rows, title=f"{name} and people, value by value", caption=caption)


def habits(each: MachineColumn) -> Table | None:
    """By grade: the same again, and the share of query words at each; None without a scale."""
    labels = each.confusions[0].labels if each.confusions else ()
    again = each.repeated.by_grade if each.repeated else ()
    words = each.words.by_grade if each.words else ()
    if not labels or not (again or words):
        return None
    columns = [named("grade")]
    columns += [column("asked again"), column("same again")] if again else []
    columns += [column(f"query words, {each.name}"), column("query words, people")] if words else []
    rows = []
    for place, label in enumerate(labels):
        cells = [Cell(label)]
        cells += [Cell(f"{again[place].n:,}", again[place].n), _mean(again[place])] if again else []
        cells += [Cell(share(one), one) for one in words[place]] if words else []
        rows.append(Row(tuple(cells)))
    caption = f"Of items that {each.name} gave this grade: how often it gave it again"
    caption += "; and the mean share of the query’s words in texts of each grade, the machine’s and people’s."
    return table(columns, rows, title=f"{each.name} by grade", caption=caption if words else f"{caption}.")


def all_tables(found: Beside) -> Iterator[Table]:
    """Every table of the block in order."""
    yield overview(found)
    if any(each.readers for each in found.machines):
        yield readers(found)
    for field, title in (("on_gold", "Against gold"), ("on_others", "Beside the majority of the others")):
        if made := paired(found, field, title):
            yield made
    for each in found.machines:
        for one in (own_measures(each), *(confusion(each.name, it) for it in each.confusions), habits(each)):
            if one:
                yield one


def watched(found: Sequence[Live]) -> Table | None:
    """Machine readers on the live page; None without any."""
    columns = (named("machine"), column("read"), column("answered"), column("like people"))
    rows = [
        Row(
            (
                Cell(f"{each.name}, {each.title}", each.name),
                Cell(f"{each.n_read:,} of {each.n_items:,}", each.n_read),
                Cell(f"{each.n_answered:,}", each.n_answered),
                _mean(each.people),
            )
        )
        for each in found
    ]
    caption = "Beside people: a machine fills no place, and no number above knows of it."
    return table(columns, rows, caption=caption) if rows else None


def blocks(found: Beside) -> Iterator[Block]:
    """The block in a text: nothing of it stands anywhere else."""
    yield Paragraph(f"{HEADING}. {' '.join(summary(found))}")
    yield from all_tables(found)
    yield Points(notes(found), f"{HEADING}: how to read these numbers")


def sections(found: Beside) -> tuple[PageSection, ...]:
    """The block on a page."""
    first, *others = all_tables(found)
    said = tuple(map(unbroken, summary(found)))
    head = PageSection("machine-readers", HEADING, table=first._replace(title=""), points=said)
    rest = [
        PageSection(f"machine-readers-{number}", one.title, table=one._replace(title=""), below=True)
        for number, one in enumerate(others, 2)
    ]
    read = PageSection("machine-readers-notes", "How to read this block", below=True, points=notes(found))
    return (head, *rest, read)
