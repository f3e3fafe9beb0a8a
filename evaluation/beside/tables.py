"""The tables of the block on machine readers, and the parts of the page made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from common.tables.table import Block, Cell, Paragraph, Points, Row, Table, table
from evaluation.beside.sentences import HEADING, between, mean, notes, points, summary
from evaluation.metrics.machines.likeness import MeanLikeness, shares
from evaluation.values import lines
from evaluation.values.beside import Against, Beside, Confusion, Live, MachineColumn, ReaderBeside
from evaluation.values.readers import share
from evaluation.values.tables import PageSection, column, named
from evaluation.values.wording import NONE, probability, unbroken


def overview(found: Beside) -> Table:
    """A machine a row, and people below."""
    columns = (
        named("reader"),
        *map(column, ("read", "answered", "can’t decide", "like gold", "like people", "like the majority")),
        *([column("like what was settled")] if _settled(found) else []),
    )
    rows = [_machine(each, settled=_settled(found)) for each in found.machines]
    rows += [_reader(each, settled=_settled(found)) for each in found.readers]
    people = ("People", "", "", share(found.people_undecided), mean(found.people_gold))
    last = ("",) * (len(columns) - len(people) - 1)
    cells = (*people, mean(found.between_people), *last)
    rows.append(Row(tuple(Cell(each or NONE) for each in cells), aside=True))
    caption = (
        "Machine readers, and people beside them on the same items, each with the 95 % interval. A reader is "
        "laid beside the other readers and their majority, a machine beside all."
    )
    return table(columns, rows, title=HEADING, caption=caption)


def _settled(found: Beside) -> bool:
    """Whether anything that a machine answered was decided by an adjudicator."""
    return any(each.settled.n for each in found.machines)


def _reader(each: ReaderBeside, *, settled: bool) -> Row:
    means = (each.gold, each.others, each.majority, *([each.settled] if settled else []))
    answers = Cell(f"{each.n_answers:,}", each.n_answers)
    return Row((Cell(each.name, each.name), answers, answers, Cell(NONE), *map(_mean, means)))


def _machine(each: MachineColumn, *, settled: bool) -> Row:
    means = (each.gold, each.people, each.majority, *([each.settled] if settled else []))
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
            *map(_mean, means),
        )
    )


def _mean(found: MeanLikeness) -> Cell:
    return Cell(mean(found), found.value)


def as_readers(found: Beside) -> Table | None:
    """Each machine's agreement with people beside people's among themselves; None without any."""
    names = ("items", "with people", "among people", "difference", "95 % interval", "p", "p, Holm")
    rows = []
    for machine in found.machines:
        each = machine.as_reader
        if each is None:
            continue
        told = (
            f"{each.n_items:,}",
            share(each.with_people),
            share(each.among_people),
            points(each.difference),
        )
        values = (each.n_items, each.with_people, each.among_people, each.difference)
        cells = [Cell(text, value) for text, value in zip(told, values, strict=True)]
        interval = Cell(between(each.low, each.high))
        tests = (Cell(probability(each.p), each.p), Cell(probability(each.p_holm), each.p_holm))
        rows.append(Row((Cell(machine.name), *cells, interval, *tests)))
    caption = (
        "On items that the machine and two people or more answered, each item counting once. As good as a "
        "reader is a machine whose interval does not go below 0."
    )
    columns = (named("machine"), *map(column, names))
    return table(columns, rows, title="As good as a reader?", caption=caption) if rows else None


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
            Cell(points(each.difference), each.difference),
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
    if words:
        caption += (
            "; and the mean share of the query’s words in texts of each grade, the machine’s and people’s"
        )
    return table(columns, rows, title=f"{each.name} by grade", caption=f"{caption}.")


PAIRED = (
    ("on_gold", "Against gold"),
    ("on_others", "Beside the majority of the others"),
    ("on_settled", "Machines and readers against what was settled"),
)


def all_tables(found: Beside) -> Iterator[Table]:
    """Every table of the block in order."""
    yield overview(found)
    if made := as_readers(found):
        yield made
    if any(each.readers for each in found.machines):
        yield readers(found)
    for field, title in PAIRED:
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
