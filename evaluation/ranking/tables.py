"""The numbers of rankings as tables: a number a row, RELiC's grid of recalls, and paired differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.template.defaultfilters import floatformat

from common.tables.table import NONE, About, Cell, Column, Row, Table, table
from evaluation.ranking.report import PROXY
from evaluation.ranking.values import Compared, Group, RankLine
from evaluation.values.wording import digits, percent
from retrieval.models import Candidate
from retrieval.models.texts import passage_address

INTERVALS = "95 % intervals"
GRID = {
    "recall_at_1": "R@1",
    "recall_at_3": "R@3",
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "recall_at_50": "R@50",
    "recall_at_100": "R@100",
    "mean_rank": "mean rank",
    PROXY: "proxy",
}
"""{number: its column's heading} of RELiC's Table 3."""


def value(line: RankLine | Compared, number: float | None) -> str:
    """A share in percent, a rank with one digit, an em dash for nothing."""
    if number is None:
        return NONE
    return percent(number) if line.share else digits(number, 1)


def interval(line: RankLine | Compared, low: float | None, high: float | None) -> str:
    """``[1.2, 3.4]`` in the unit of the value; empty where there is none."""
    return "" if low is None or high is None else f"[{value(line, low)}, {value(line, high)}]"


def probability(p: float) -> str:
    """Three digits, or that it is smaller."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def numbers(group: Group) -> Table:
    """A number a row, each with its interval and what a random order gives."""
    columns = (
        Column("number", "Number", numeric=False, short=""),
        Column("value", "Value", main=True, short="value"),
        Column("interval", "95 % interval"),
        Column("random", "Random", short="random"),
        Column("n_queries", "Excerpts", short="excerpts"),
    )
    return table(columns, map(_number, group.lines))


def missed(golds: Iterable[Candidate], slug: str) -> Table:
    """A right passage a row, in the order given, with links to its excerpt and its place in the book."""
    columns = (
        Column("excerpt", "Excerpt", numeric=False),
        Column("source", "Source", numeric=False),
        Column("rank", "Rank"),
        Column("first", "The right passage"),
        Column("size", "Sentences"),
    )
    caption = (
        "Excerpts whose right passage the ranking missed by far, the furthest first: the material of RELiC’s "
        "second study."
    )
    return table(columns, (_missed(each, slug) for each in golds), caption=caption)


def _missed(gold: Candidate, slug: str) -> Row:
    excerpt = gold.excerpt
    address = passage_address(slug, gold.first, gold.size)
    return Row(
        (
            Cell(f"Excerpt {excerpt.pk}", excerpt.pk, link=excerpt.get_absolute_url()),
            Cell(excerpt.source.citation, excerpt.source.citation),
            Cell(f"{gold.rank:,}", gold.rank),
            Cell(f"sentence {gold.first + 1:,}", gold.first, link=address),
            Cell(str(gold.size), gold.size),
        )
    )


def _number(line: RankLine) -> Row:
    found = line.estimate

    def worded(number: float | None) -> Cell:
        return Cell(value(line, number) + (" %" if line.share and number is not None else ""), number)

    return Row(
        (
            Cell(_headed(line.label), line.slug, short=line.label),
            worded(found.value),
            Cell(interval(line, found.low, found.high)),
            worded(line.random),
            Cell(f"{found.n_queries:,}", found.n_queries),
        ),
        name=line.slug,
        about=About(line.definition, line.formula, line.source, found.method, reason=found.reason),
    )


def _headed(label: str) -> str:
    """With a capital, unless the second letter is one: nDCG is a name."""
    return label if label[1:2].isupper() else label[:1].upper() + label[1:]


def grid(groups: Sequence[Group], first: str, title: str = "") -> Table:
    """RELiC's Table 3: a group a row with its intervals, the random row last, or one for each group where
    these hold other numbers of excerpts. ``first`` heads the names of the groups."""
    if len({group.n_queries for group in groups}) == 1:
        asides = [random_row(groups[0])]
    else:
        asides = [random_row(group, f"random, {group.label}") for group in groups]
    return table(_columns(first), [*map(group_row, groups), *asides], title=title, beneath=INTERVALS)


def by_length(groups: Sequence[Group]) -> Table:
    """RELiC's Table A9 for a page: below each length what a random order gives."""
    rows = []
    for group in groups:
        aside = random_row(group)
        name = aside.cells[0]._replace(spoken=f", {group.label}")
        rows += [group_row(group), aside._replace(cells=(name, *aside.cells[1:]))]
    return table(_columns("length"), rows)


def _columns(first: str) -> tuple[Column, ...]:
    return (
        Column("group", first[:1].upper() + first[1:], numeric=False, short=first),
        Column("n_queries", "Excerpts", short="n"),
        *(Column(slug, heading) for slug, heading in GRID.items()),
        Column("mean_candidates", "Passages", short="passages"),
    )


def group_row(group: Group) -> Row:
    """A group's numbers with their intervals."""
    cells = [
        Cell(
            value(line, line.estimate.value),
            line.estimate.value,
            below=interval(line, line.estimate.low, line.estimate.high),
        )
        if line
        else Cell(NONE)
        for line in map(group.line, GRID)
    ]
    mean = group.mean_candidates
    passages = Cell(floatformat(mean, "0g"), mean, short=f"{mean:,.1f}")
    return Row((Cell(group.label, group.label), _n(group), *cells, passages))


def random_row(group: Group, name: str = "random") -> Row:
    """What a random order of the same candidates gives."""
    cells = [
        Cell(value(line, line.random), line.random) if line else Cell(NONE) for line in map(group.line, GRID)
    ]
    return Row((Cell(name, name), Cell(""), *cells, Cell("")), aside=True)


def _n(group: Group) -> Cell:
    return Cell(f"{group.n_queries:,}", group.n_queries)


def paper_rows(groups: Sequence[Group]) -> tuple[Row, ...]:
    """The groups as a paper prints them: the mean number of passages with its digit."""
    rows = map(group_row, groups)
    return tuple(row._replace(cells=(*row.cells[:-1], _exact(row.cells[-1]))) for row in rows)


def _exact(cell: Cell) -> Cell:
    return cell._replace(words=cell.short or cell.words)


def paper_columns() -> tuple[Column, ...]:
    """The columns of Table 3 as RELiC heads them."""
    return (
        Column("group", "", numeric=False),
        Column("n_queries", "n", latex="$n$"),
        *(Column(slug, heading) for slug, heading in GRID.items()),
        Column("mean_candidates", "passages"),
    )


def differences(each: Compared, at: str = "") -> Table:
    """Paired comparisons on one number; ``at``: under which condition, for the title."""
    columns = (
        Column("name", "", numeric=False),
        *(Column(name, name) for name in ("difference", "95 % interval", "p", "p (Holm)", "n", "test")),
    )
    rows = [
        Row(
            (
                Cell(row.name, row.name),
                Cell(value(each, row.difference), row.difference),
                Cell(interval(each, row.low, row.high)),
                Cell(probability(row.p), row.p),
                Cell(probability(row.p_holm), row.p_holm),
                Cell(f"{row.n_queries:,}", row.n_queries),
                Cell(row.test, row.test),
            )
        )
        for row in each.rows
    ]
    return table(columns, rows, title=f"Difference in {each.label} from {each.rows[0].against}{at}")
