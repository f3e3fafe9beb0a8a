"""Topics: TREC's tagged form, tables of tabs, JSONL (BEIR's queries.jsonl among it)."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import Object, checked_id, objects

COLUMNS = ("id", "title", "description", "narrative", "author", "language")
"""Columns a table of topics may have; the first two are needed."""
IDS = ("id", "_id", "qid", "query_id")
"""How an object of a JSONL file calls its id."""
LONGEST_FACET = 200
"""Characters of the name of a facet, and of its value."""
_IDS = ("id", "qid", "query_id", "query-id", "topic_id")
"""How the first column of a table is named: here, by PyTerrier, ir_datasets, BEIR."""
_TITLES = ("title", "query", "text")
_TAG = re.compile(r"<(/?)(top|num|title|desc|narr|head|dom|smry|con|fac|nat|time|def)>", re.IGNORECASE)
"""TREC's tags; those behind `narr` are of its first years, and end the field before them."""
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
    wordings: other wordings of the query by name, each with its `text` and, where known, its `lemmas`.
    """

    external_id: str
    title: str
    description: str
    narrative: str
    author: str
    language: str
    facets: dict[str, str]
    line: int
    wordings: Mapping[str, dict[str, str]] = MappingProxyType({})


Reader = Callable[[Iterable[Line], Wrong], Iterator[ReadTopic]]


def jsonl(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topic of each line.

    Keys: `id` (or `_id`, `qid`, `query_id`), `title` (or `text`, or `query`), and if wanted `description`,
    `narrative`, `author`, `language`, which may stand in `metadata`, too, as in BEIR's files; and `facets`,
    an object of strings, numbers, or true and false, and `wordings`, an object of other wordings of the
    query, each with its `text` and perhaps its `lemmas`. Without facets what else is in `metadata` are
    the facets, as far as it is of that kind and short: some of BEIR's files keep evidence there.

    An object with `corpusids` is a question of LitSearch, which has no id: the number of its line is one, and
    what else it says (`query_set`, `specificity`, `quality`) are facets. `qrels.qrels` takes its documents.

    Raises:
        BadInput: a line is no such object; the sentence names it.
    """
    for each in objects(lines, wrong):
        beside = Object(each.line, each.mapping("metadata"), wrong)

        def of(name: str, each: Object = each, beside: Object = beside) -> str:
            return each.text(name) or beside.text(name)

        yield ReadTopic(
            litsearch_id(each) or each.id(*IDS),
            each.text("title", "text", "query", needed=True).strip(),
            of("description"),
            of("narrative"),
            of("author"),
            of("language"),
            _facets(each, beside),
            each.line.number,
            _wordings(each),
        )


def litsearch_id(found: Object) -> str:
    """Return the id of a question of LitSearch, the number of its line; empty for an object that has one."""
    return str(found.line.number) if found.has("corpusids") and not found.has(*IDS) else ""


def _wordings(found: Object) -> dict[str, dict[str, str]]:
    wordings = found.mapping("wordings")
    found.check_kept(wordings)
    for name, said in wordings.items():
        if not isinstance(said, dict) or not all(isinstance(part, str) for part in said.values()):
            raise found.wrong(f"the wording {name[:60]!r} must be an object of a text and perhaps of lemmas.")
    return wordings


def _facets(found: Object, beside: Object) -> dict[str, str]:
    facets = found.mapping("facets")
    found.check_kept(facets)
    for name, value in facets.items():
        if not isinstance(value, str | int | float | bool | None):
            raise found.wrong(f"the facet {name[:60]!r} is a list or an object; one value was expected.")
    more = {**beside.rest(), **(found.rest() if found.has("corpusids") else {})}
    short = {
        name: value
        for name, value in more.items()
        if isinstance(value, str | int | float | bool) and len(str(value)) <= LONGEST_FACET
    }
    return {name: str(value) for name, value in (facets or short).items() if value is not None}


def table(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topic of each line of a table: id, tab, title, and more columns where its head names them.

    A first line that begins with one of `_IDS` is the head; the title may be called `query` or `text` in it.
    Columns it names beside `COLUMNS` are facets.

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
            if cells[0].lower() in _IDS:
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
    if cells[0].lower() not in _IDS:
        if len(cells) == 1:
            raise wrong(line.number, "no tab; a line of a table of topics is an id, a tab and the title.")
        return list(COLUMNS[: len(cells)])
    names = ["id", *(cell.lower() for cell in cells[1:])]
    once = len(set(names)) == len(names)
    if "title" not in names and (called := next((name for name in _TITLES if name in names), None)):
        names[names.index(called)] = "title"
    if "title" not in names or not once or "" in names:
        raise wrong(line.number, "the head needs the column title, and each name once.")
    return names


def trec(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topics of a file in TREC's form: `<top>`, `<num>`, `<title>`, `<desc>`, `<narr>`.

    Tags but `<top>` need no end; others (`<dom>`, `<con>`, of the first years) are passed over. So are labels
    behind them ("Number:", "Description:").

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
        return " ".join(html.unescape(text[label.end() :] if label else text).split())

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
        f"{name}: topics are a .jsonl file, a .tsv table, XML (.xml), or TREC's tagged form (.trec, .topics, "
        ".txt)."
    )
