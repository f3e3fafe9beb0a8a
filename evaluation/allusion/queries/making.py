"""Items of a span study → queries, each in several wordings, with the documents that it should find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from annotation.models import Study
from common.errors import BadInput
from evaluation.allusion.queries import readings, targets
from evaluation.allusion.queries.readings import ReadItem
from evaluation.allusion.queries.wordings import (
    ADJUDICATED,
    GOLD,
    MAJORITY,
    MANUAL,
    READER,
    SOURCE,
    WINDOW,
    Wording,
    source,
    spans_of,
    window,
    wording,
)
from retrieval.corpora.models import Corpus

WINDOWS = (3, 10)
"""Words to each side of the anchor, as in the paper's Table 4."""
DECLINED, UNREAD, UNTARGETED = "declined", "unread", "untargeted"


class Query(NamedTuple):
    """A query of one item.

    number: of the item.
    citation: where its passage stands; empty where that is not known.
    language: of the passage.
    wordings: by name; `manual` is what people marked, and not there where nobody has read the item.
    usual: of which wording that one is, or the title of the topic without it.
    targets: ids of the documents that it should find.
    cited: what the item points to, as it is written.
    """

    number: int
    citation: str
    language: str
    wordings: dict[str, Wording]
    usual: str
    targets: tuple[str, ...]
    cited: tuple[str, ...]

    @property
    def topic(self) -> str:
        """Return its name in runs and judgments."""
        return f"item-{self.number}"

    @property
    def title(self) -> Wording:
        """Return the usual query."""
        return self.wordings[self.usual]


class Made(NamedTuple):
    """The queries of a study, and what gave none.

    queries: by item.
    left_out: items without a query, counted by reason: nothing alludes, nobody read it, no target here.
    unmatched: citations, and verses of citations, that are no document of the corpus; each with its items.
    without_anchor, without_lemmas: queries without windows, and without lemmas.
    """

    queries: tuple[Query, ...]
    left_out: Counter[str]
    unmatched: dict[str, list[int]]
    without_anchor: int
    without_lemmas: int

    @property
    def usual(self) -> Counter[str]:
        """Return how many queries are usually worded by which kind of reading."""
        return Counter(
            READER.rstrip("-") if one.usual.startswith(READER) else one.usual for one in self.queries
        )


def made(study: Study, corpus: Corpus, windows: Sequence[int] = WINDOWS, *, unread: bool = False) -> Made:
    """Make the queries of a span study for a corpus.

    Args:
        study: With the task `span` or `spans`.
        corpus: With the documents that the references of its items point into.
        windows: Words to each side of the anchor, a wording each.
        unread: Whether items that nobody has read count too; their whole source is then the query.

    Raises:
        BadInput: the study marks no spans, or no item gives a query.
    """
    read = list(readings.read(study))
    pointed = {each.number: targets.cited(each.payload, each.provenance) for each in read}
    found = targets.documents(corpus, {one for cited in pointed.values() for one in cited})
    left_out: Counter[str] = Counter()
    unmatched: dict[str, list[int]] = {}
    queries = []
    for each in read:
        cited = pointed[each.number]
        for one in cited:
            for name in targets.missing(one, found[one]) if one in found else [one]:
                unmatched.setdefault(name, []).append(each.number)
        query = _query(each, cited, [name for one in cited for name in found.get(one, ())], windows, unread)
        if isinstance(query, str):
            left_out[query] += 1
        else:
            queries.append(query)
    if not queries:
        raise BadInput(_nothing(study, corpus, left_out))
    return Made(
        tuple(queries),
        left_out,
        unmatched,
        sum(not any(name.startswith(WINDOW) for name in each.wordings) for each in queries) if windows else 0,
        sum(not each.title.lemmas for each in queries),
    )


def _query(
    item: ReadItem, cited: Sequence[str], found: Iterable[str], windows: Sequence[int], unread: bool
) -> Query | str:
    """The query of an item, or why there is none."""
    wordings = worded(item, windows)
    usual = chosen(item, wordings)
    if usual:
        wordings = {MANUAL: wordings[usual], **wordings}
    else:
        answered = item.decided or item.said or item.undecided or item.gold is not None
        if answered or not unread:
            return DECLINED if answered else UNREAD
        usual = SOURCE
    names = tuple(dict.fromkeys(found))
    if not names:
        return UNTARGETED
    payload: Any = item.payload
    return Query(
        item.number,
        str(payload.get("citation") or ""),
        payload["language"],
        wordings,
        usual,
        names,
        tuple(cited),
    )


def worded(item: ReadItem, windows: Sequence[int]) -> dict[str, Wording]:
    """Return every wording that an item has, by name. Who finds no allusion gives none."""
    layers = {ADJUDICATED: item.adjudicated, MAJORITY: item.majority, GOLD: item.gold}
    layers |= {f"{READER}{name}": answer for name, answer in item.said.items()}
    spans = {name: spans_of(answer) for name, answer in layers.items() if answer is not None}
    spans[SOURCE] = source(item.payload, item.provenance)
    for width in windows:
        there = window(item.payload, width)
        spans[f"{WINDOW}{width}"] = [there] if there else []
    return {name: wording(item.payload, each) for name, each in spans.items() if each}


def chosen(item: ReadItem, wordings: dict[str, Wording]) -> str:
    """Return which wording stands for what people marked; empty where they marked nothing.

    It is what an adjudicator decided; else the words that most readers marked; else, where they agree on
    none, what the first of them marked, unless more found no allusion than marked one; else gold.
    """
    if item.decided:
        return ADJUDICATED if ADJUDICATED in wordings else ""
    if item.majority is not None:
        return MAJORITY if MAJORITY in wordings else ""
    if item.said or item.undecided:
        first = [name for name in (f"{READER}{each}" for each in item.said) if name in wordings]
        return first[0] if first and 2 * len(first) >= len(item.said) else ""
    return GOLD if GOLD in wordings else ""


def _nothing(study: Study, corpus: Corpus, left_out: Counter[str]) -> str:
    if left_out[UNTARGETED]:
        return (
            f'No reference of "{study.slug}" points into "{corpus.slug}": its citations must be ids or '
            "titles of documents there, or verses such as Isaiah 7:14, of which the id is Isaiah_7_14."
        )
    if left_out[DECLINED]:
        return f'Nobody has marked words in "{study.slug}" yet: every answer says that there is no allusion.'
    return f'"{study.slug}" has no reading yet; --unread makes the whole source of each item its query.'
