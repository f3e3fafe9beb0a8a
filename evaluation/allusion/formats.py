"""The three tables in every format. All of them print the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from common.tables import latex
from common.tables.formats import Format, formats
from common.tables.latex import Paper
from common.tables.table import Block, Document, Points, Records
from evaluation.allusion import published, tables
from evaluation.allusion.sentences import notes
from evaluation.allusion.systems import WORDS
from evaluation.allusion.values import LABELS, MEASURES, AllusionTable

VERSION = 1
FIELDS = (
    "table", "kind", "system", "group", "words", "measure", "label", "value", "low", "high", "standard_error",
    "level", "method", "resamples", "seed", "n_queries", "against", "p", "p_holm", "n_raised", "n_lowered",
    "run", "vectors", "depth", "corpus", "topics", "qrels", "wordings", "of_system", "reason",
)  # fmt: skip
MOST_IN_A_COLUMN = 4
"""Columns of numbers that fit beside each other into one column of a page."""
Tables = Sequence[AllusionTable]


def _document(found: Tables) -> Document:
    blocks: list[Block] = []
    for each in found:
        blocks.append(tables.main(each))
        if each.compared:
            blocks.append(tables.differences(each))
        blocks.append(Points(tuple(notes(each)), heading=f"How to read table {each.number}"))
    return Document(_title(found), tuple(blocks))


def _title(found: Tables) -> str:
    return f"Allusions in {found[0].topics}, searched for in {found[0].corpus}"


def _data(found: Tables) -> dict[str, Any]:
    return {
        "report_version": VERSION,
        "tables": [
            {
                "table": each.number,
                "title": each.title,
                "corpus": each.corpus,
                "topics": each.topics,
                "qrels": each.qrels,
                "queries": list(each.judged.topics),
                "queries_left_out": each.left_out,
                "queries_with_several_right": each.n_several,
                "wordings": list(each.wordings),
                "system": each.system,
                "base": each.base,
                "base_picked_as_best": each.picked,
                "columns": [column._asdict() for column in each.columns],
                "notes": list(notes(each)),
            }
            for each in found
        ],
        "measures": [
            {"measure": one.slug, "label": LABELS[one.slug], "definition": one.definition} for one in MEASURES
        ],
        "numbers": [{name: row.get(name) for name in FIELDS} for row in _rows(found)],
    }


def _rows(found: Tables) -> Iterator[dict[str, Any]]:
    """One row a number: means, differences from the base, and what the paper prints."""
    for each in found:
        for row in (*_means(each), *_differences(each), *_printed(each)):
            yield {
                "table": each.number,
                "corpus": each.corpus,
                "topics": each.topics,
                "qrels": each.qrels,
                "wordings": " ".join(each.wordings),
                "of_system": each.system,
                **row,
            }


def _means(found: AllusionTable) -> Iterator[dict[str, Any]]:
    for column in found.columns:
        for words in WORDS:
            cell = found.cells.get((column.key, words))
            for each in cell.means if cell else ():
                yield {
                    "kind": "mean",
                    "system": column.key,
                    "group": column.group,
                    "words": words,
                    "measure": each.measure.slug,
                    "label": LABELS[each.measure.slug],
                    "run": cell.run if cell else "",
                    "vectors": cell.vectors if cell else "",
                    "depth": cell.depth if cell else None,
                    **each.mean._asdict(),
                }


def _differences(found: AllusionTable) -> Iterator[dict[str, Any]]:
    for each in found.compared:
        paired = each.paired
        yield {
            "kind": "difference",
            "system": paired.name,
            "against": paired.against,
            "measure": each.measure.slug,
            "label": LABELS[each.measure.slug],
            "value": paired.difference,
            "low": paired.low,
            "high": paired.high,
            "level": found.level,
            "method": paired.test,
            "resamples": found.resamples,
            "seed": found.seed,
            "n_queries": each.n_topics,
            "p": paired.p,
            "p_holm": paired.p_holm,
            "n_raised": each.n_raised,
            "n_lowered": each.n_lowered,
        }


def _printed(found: AllusionTable) -> Iterator[dict[str, Any]]:
    if not found.printed:
        return
    for (measure, words, column), value in published.PRINTED[found.number].items():
        yield {
            "kind": "printed in the paper",
            "system": column,
            "words": words,
            "measure": measure,
            "label": LABELS[measure],
            "value": value / 100,
            "reason": published.SOURCE,
        }


def paper(found: AllusionTable) -> Paper:
    """Return a table as a paper prints it: across both columns of a page where one is too narrow."""
    laid = tables.main(found)
    caption = f"{found.title}, with 95 % intervals."
    return Paper(
        laid._replace(caption=caption),
        f"allusion-{found.number}",
        # The comparisons are a table of their own, so the notes on them are not this one's.
        after=tuple(notes(found._replace(compared=()))),
        wide=len(found.columns) > MOST_IN_A_COLUMN,
    )


def _latex(found: Tables, columns: int) -> str:
    return "\n".join(latex.latex(paper(each), columns) for each in found)


def _all() -> dict[str, Format[Tables]]:
    made: dict[str, Format[Tables]] = formats(
        _document, _data, lambda found: Records(FIELDS, list(_rows(found))), lambda found: paper(found[0])
    )
    columns = {"latex": 1, "latex-twocolumn": 2}
    papers = {
        name: made[name]._replace(render=partial(_latex, columns=each)) for name, each in columns.items()
    }
    return {**made, **papers}


FORMATS = _all()
