"""The documents of a corpus that the references of an item point into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.allusion.queries.citations import verses
from retrieval.corpora.models import Corpus
from retrieval.corpora.runs.naming import chunks

AT_ONCE = 500


def cited(payload: Mapping[str, Any], provenance: Mapping[str, Any]) -> list[str]:
    """Return what an item points to: the verses that the file of references named, else its citations."""
    named = provenance.get("target")
    if isinstance(named, list) and named and all(isinstance(each, str) for each in named):
        return list(dict.fromkeys(named))
    return list(dict.fromkeys(each["citation"].strip() for each in payload["references"]))


def documents(corpus: Corpus, citations: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the documents that each citation names; a citation without any is left out.

    A citation names a document whose id it is; else the verses it cites, by their ids; else the one document
    whose title it is. Of several verses those count that the corpus has.
    """
    wanted = {each: [verse.name for verse in verses(each)] for each in citations}
    ids = _known(corpus, {name for each, names in wanted.items() for name in (each, *names)})
    found = {each: (each,) if each in ids else _in(names, ids) for each, names in wanted.items()}
    titles = _titles(corpus, [each for each, names in found.items() if not names])
    return {each: names or titles[each] for each, names in found.items() if names or each in titles}


def missing(citation: str, found: Iterable[str]) -> list[str]:
    """Return the verses of a citation that are not among the documents found for it, by their ids."""
    there = set(found)
    names = [verse.name for verse in verses(citation)]
    return [] if citation in there else [name for name in names if name not in there]


def _in(names: Iterable[str], ids: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name in ids))


def _known(corpus: Corpus, names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for some in chunks(sorted(names), AT_ONCE):
        rows = corpus.documents.filter(external_id__in=some).order_by()
        found.update(rows.values_list("external_id", flat=True))
    return found


def _titles(corpus: Corpus, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Documents by a title that only one of them has."""
    rows: list[tuple[str, str]] = []
    for some in chunks(sorted(names), AT_ONCE):
        rows += corpus.documents.filter(title__in=some).order_by().values_list("title", "external_id")
    times = Counter(title for title, _ in rows)
    return {title: (name,) for title, name in rows if times[title] == 1}
