"""Topics: TREC's tagged form, tables of tabs, JSONL (BEIR's queries.jsonl among it)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import Object, checked_id, objects

COLUMNS = ("id", "title", "description", "narrative", "author", "language")
"""Columns a table of topics may have; the first two are needed."""
_TAG = re.compile(r"<(/?)(top|num|title|desc|narr)>", re.IGNORECASE)
_LABEL = re.compile(r"(?:Number|Topic|Description|Narrative):", re.IGNORECASE)


class ReadTopic(NamedTuple):
    """One topic of a file.

    external_id: its id in runs and qrels.
    title: the query; never blank.
    description: the need in a sentence; may be empty, and so may `narrative`, what counts as relevant.
    author: who asks; may be empty.
    language: a BCP 47 tag; empty where the file names none.
    facets: value by name of facet.
    line: where it begins in the file, from 1.
    """

    external_id: str
    title: str
    description: str
    narrative: str
    author: str
    language: str
    facets: dict[str, str]
    line: int


Reader = Callable[[Iterable[Line], Wrong], Iterator[ReadTopic]]


def jsonl(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topic of each line.

    Keys: `id` or `_id`, `title` (or `text`, or `query`), and if wanted `description`, `narrative`, `author`,
    `language`, and `facets` (or `metadata`): an object of strings, numbers, or true and false.

    Raises:
        BadInput: a line is no such object; the sentence names it.
    """
    for each in objects(lines, wrong):
        facets = each.mapping("facets") or each.mapping("metadata")
        yield ReadTopic(
            each.id("id", "_id", "qid"),
            each.text("title", "text", "query", needed=True).strip(),
            each.text("description"),
            each.text("narrative"),
            each.text("author"),
            each.text("language"),
            {name: _facet(each, name, value) for name, value in facets.items() if value is not None},
            each.line.number,
        )


def _facet(found: Object, name: str, value: Any) -> str:
    if not isinstance(value, str | int | float | bool):
        raise found.wrong(f"the facet {name[:60]!r} is a list or an object; one value was expected.")
    return str(value)


def table(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topic of each line of a table: id, tab, title, and more columns where its head names them.

    A first line that begins with `id` is the head. Columns it names beside `COLUMNS` are facets.

    Raises:
        BadInput: a line has too few or too many columns, or no title.
    """
    head: list[str] = []
    for line in lines:
        if not line.text.strip():
            continue
        cells = [cell.strip() for cell in line.text.split("\t")]
        if not head:
            head = _head(cells, line, wrong)
            if cells[0].lower() == "id":
                continue
        if len(cells) != len(head):
            raise wrong(line.number, f"{len(cells)} columns between tabs; {len(head)} were expected.")
        row = dict(zip(head, cells, strict=True))
        if not row["title"]:
            raise wrong(line.number, "the title is empty.")
        yield ReadTopic(
            checked_id(row["id"], line.number, wrong),
            row["title"],
            row.get("description", ""),
            row.get("narrative", ""),
            row.get("author", ""),
            row.get("language", ""),
            {name: row[name] for name in head if name not in COLUMNS and row[name]},
            line.number,
        )


def _head(cells: list[str], line: Line, wrong: Wrong) -> list[str]:
    if cells[0].lower() != "id":
        if len(cells) == 1:
            raise wrong(line.number, "no tab; a line of a table of topics is an id, a tab and the title.")
        return list(COLUMNS[: len(cells)])
    names = [cell.lower() for cell in cells]
    if "title" not in names or len(set(names)) < len(names) or "" in names:
        raise wrong(line.number, "the head needs the column title, and each name once.")
    return names


def trec(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topics of a file in TREC's form: `<top>`, `<num>`, `<title>`, `<desc>`, `<narr>`.

    Tags but `<top>` need no end. Labels behind them ("Number:", "Description:") are passed over.

    Raises:
        BadInput: text outside a topic, a topic without its end, its number or its title.
    """
    fields: dict[str, list[str]] | None = None
    begun, tag = 0, ""
    for line in lines:
        at = 0
        for found in (*_TAG.finditer(line.text), None):
            words = line.text[at : found.start() if found else None].strip()
            if words and fields is None:
                raise wrong(line.number, "text outside <top> and </top>.")
            if words and fields is not None:
                fields.setdefault(tag, []).append(words)
            if found is None:
                continue
            at, closes, tag = found.end(), bool(found[1]), found[2].lower()
            if tag == "top":
                if closes == (fields is None):
                    raise wrong(line.number, f"{found[0]} where none was expected.")
                if fields is not None:
                    yield _trec_topic(fields, begun, wrong)
                fields, begun = (None, 0) if closes else ({}, line.number)
    if fields is not None:
        raise wrong(begun, "<top> has no </top>.")


def _trec_topic(fields: dict[str, list[str]], number: int, wrong: Wrong) -> ReadTopic:
    def of(tag: str) -> str:
        text = " ".join(fields.get(tag, ()))
        label = _LABEL.match(text)
        return " ".join((text[label.end() :] if label else text).split())

    if not of("num"):
        raise wrong(number, "the topic has no <num>.")
    if not of("title"):
        raise wrong(number, f"the topic {of('num')[:60]!r} has no <title>.")
    return ReadTopic(
        checked_id(of("num"), number, wrong), of("title"), of("desc"), of("narr"), "", "", {}, number
    )


READERS: dict[str, Reader] = {"jsonl": jsonl, "tsv": table, "trec": trec}
"""By name of format."""


def unknown_format(name: str) -> BadInput:
    """Make the error for a file of which the name does not tell what it is."""
    return BadInput(
        f"{name}: topics are a .jsonl file, a .tsv table, or TREC's tagged form (.trec, .topics, .txt)."
    )
