"""The columns of the three tables, and the runs that stand in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from common.errors import BadField
from evaluation.allusion.queries.wordings import MANUAL, READER, SOURCE, WINDOW
from evaluation.allusion.systems import (
    HYBRID,
    ORACLE,
    RANDOM,
    SYSTEMS,
    TITLE,
    WORDS,
    Chosen,
    Recognised,
    System,
    system,
)
from evaluation.allusion.values import ColumnOf


class Place(NamedTuple):
    """A column and the runs in it.

    column: its heading.
    runs: by words; one that was not made is not here. The oracle has two, Tesserae's and WMD's.
    """

    column: ColumnOf
    runs: Mapping[str, tuple[Recognised, ...]]


def usual_wording(found: Chosen, asked: str = "") -> str:
    """Return the wording of tables 2 and 3: the one asked for, else manual, source, or title.

    Raises:
        BadField: no run has queries of that wording.
    """
    if asked and asked not in found.wordings:
        raise BadField("wording", f"No run has queries worded “{asked}”; there are: {_listed(found)}.")
    return asked or found.wordings[0]


def of_systems(found: Chosen, wording: str, vectors: str = "") -> list[Place]:
    """Return the columns of Table 2: every system, and the oracle where both of its runs are here."""
    places = {each.key: _place(_column(each), found, each, wording, vectors) for each in SYSTEMS}
    tesserae, wmd = places["tesserae"].runs, places["wmd"].runs
    both = {words: (*tesserae[words], *wmd[words]) for words in WORDS if words in tesserae and words in wmd}
    return [*places.values(), Place(ColumnOf(ORACLE, "T+WMD (oracle)", HYBRID, ORACLE), both)]


def of_relations(found: Chosen, wording: str) -> list[Place]:
    """Return the columns of Table 3: soft cosine by what S is made of, and TfIdf, for which S = I."""
    tfidf, synonyms, vectors = system("tfidf"), system("sc-wn"), system("sc-emb")
    names = sorted({name for key, _, of, name in found.runs if key == vectors.key and of == wording})
    return [
        _place(ColumnOf(tfidf.key, "TfIdf (S = I)", "", tfidf.key), found, tfidf, wording),
        *(
            _place(
                ColumnOf(f"{vectors.key}:{name}", f"{vectors.label} ({name})", "", vectors.key),
                found,
                vectors,
                wording,
                name,
                only=True,
            )
            for name in names
        ),
        _place(ColumnOf(synonyms.key, synonyms.label, "", synonyms.key), found, synonyms, wording),
        _place(ColumnOf(RANDOM.key, RANDOM.label, "", RANDOM.key), found, RANDOM, wording),
    ]


def of_wordings(found: Chosen, one: System, asked: Sequence[str] = (), vectors: str = "") -> list[Place]:
    """Return the columns of Table 4: a system by the wording of its queries.

    asked: the wordings; none for manual, source and every window.

    Raises:
        BadField: the system has no run of a wording that was asked for, or none at all.
    """
    usual = [each for each in found.wordings if each in (MANUAL, SOURCE) or each.startswith(WINDOW)]
    places = [
        _place(ColumnOf(name, worded(name), "", name), found, one, name, vectors)
        for name in asked or usual or [TITLE]
    ]
    for each in places:
        if asked and not each.runs:
            raise BadField(
                "wording", f"{one.label} has no run of queries worded “{each.column.key}”; make it first."
            )
    there = [each for each in places if each.runs]
    if not there:
        raise BadField("system", f"There is no run of {one.label} for these topics.")
    return there


def _column(of: System) -> ColumnOf:
    # What the paper prints as T+WMD is the oracle, not a back-off that could be used.
    return ColumnOf(of.key, of.label, of.group, "" if of.key == "t-wmd" else of.key)


def _place(
    column: ColumnOf, found: Chosen, of: System, wording: str, vectors: str = "", *, only: bool = False
) -> Place:
    """A column; `only`: of runs with just these vectors, not with others where they are missing."""
    runs = {}
    for words in WORDS:
        run = found.of(of, words, wording, vectors if only else found.vectors(words, vectors))
        if run:
            runs[words] = (run,)
    return Place(column, runs)


def worded(wording: str) -> str:
    """Return a wording as a heading: Manual, Win-3, Reader A."""
    if wording.startswith(READER):
        return f"Reader {wording.removeprefix(READER)}"
    name = wording.replace(WINDOW, "win-")
    return name[:1].upper() + name[1:]


def _listed(found: Chosen) -> str:
    return ", ".join(found.wordings) or "none"
